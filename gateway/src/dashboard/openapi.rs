//! `/openapi.json`: OpenAPI description of the dashboard's API, generated from the route table.

use axum::Json;
use axum::routing::on;
use serde_json::{Map, Value, json};

use super::route::{Access, Method, Route};
use super::routes;

pub(super) const ROUTES: &[Route] =
    &[Route::new(Method::Get, "/openapi.json", "openapi.show", "This description", Access::Anyone, |method| {
        on(method, show)
    })];

async fn show() -> Json<Value> {
    Json(document())
}

fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let path = route.path.replace("{*", "{");
        let entry = paths.entry(path).or_insert_with(|| json!({ "parameters": parameters(route.path) }));
        if let Some(methods) = entry.as_object_mut() {
            methods.insert(route.method.name().to_owned(), operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Cloch dashboard", "version": env!("CARGO_PKG_VERSION") },
        "servers": [{ "url": "/_/api" }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "session": { "type": "apiKey", "in": "cookie", "name": "cloch-dashboard" },
                "csrf": { "type": "apiKey", "in": "header", "name": "X-Cloch-CSRF" },
            },
            "schemas": { "Error": {
                "type": "object", "required": ["code", "message"],
                "properties": { "code": { "type": "string" }, "message": { "type": "string" },
                                "hint": { "type": "string" }, "details": {} },
            } },
        },
    })
}

fn operation(route: &Route) -> Value {
    let area = route.name.split_once('.').map_or(route.name, |(area, _)| area);
    let security = match (route.access, route.needs_csrf_token()) {
        (Access::Anyone, _) => json!([]),
        (_, true) => json!([{ "session": [], "csrf": [] }]),
        (_, false) => json!([{ "session": [] }]),
    };
    let role = match route.access {
        Access::Anyone => Value::Null,
        Access::From(role) => json!(role),
    };
    let refused = json!({ "description": "Refused",
                          "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } });
    json!({
        "operationId": route.name, "summary": route.summary, "tags": [area], "security": security,
        "x-cloch-role": role, "responses": { "2XX": { "description": "Done" }, "default": refused },
    })
}

fn parameters(path: &str) -> Value {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    names
        .map(|name| {
            json!({ "name": name.trim_start_matches('*'), "in": "path", "required": true,
                    "schema": { "type": "string" } })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_every_route() {
        let document = document();
        let described: usize =
            document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len() - 1).sum();
        assert_eq!(described, routes::all().count());
        assert_eq!(parameters("/a/{id}/b/{*path}")[1]["name"], "path");
    }
}
