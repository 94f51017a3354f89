//! Tests of changes in PostgREST's releases since 12.0.2, as listed in docs/table-rest.md. Each case names the release, as in PostgREST's
//! CHANGELOG.

mod reported;

use cloch_rest::OpenApiMode;
use serde_json::{Value, json};

use super::*;

const HARBOUR: &str = r#"
    create table ports (id int primary key, name text, depth numeric);
    create domain lexemes as tsvector;
    create domain more_lexemes as lexemes;
    create table ships (id int primary key, name text not null, port_id int references ports, words more_lexemes);
    create table logs (id int, day date, primary key (id, day)) partition by range (day);
    create table logs_2024 partition of logs for values from ('2024-01-01') to ('2025-01-01');
    create domain answer as int default 42;
    create domain final_answer as answer;
    create table defaulted (id bigint primary key, n answer default 7, m final_answer);
    create table hulls (a int, b int, primary key (a, b));
    create table masts (x int, y int, primary key (x, y), foreign key (y, x) references hulls (a, b));
    insert into ports values (1, 'Oban', 3), (2, 'Largs', 4);
    insert into ships values (1, 'Waverley', 1, 'paddle:1'), (2, 'Argyll', 1, 'ferry:1');
    insert into hulls values (1, 2);
    insert into masts values (2, 1);
    create function many() returns setof ports language sql stable as 'select * from ports';
    create function touched() returns setof ports language sql as 'update ports set depth = depth + 1 where id > 0 returning *';
    create function one() returns int language sql as 'select 1';
    create function named(body json) returns json language sql as 'select body';
    create function unnamed(json) returns json language sql as 'select $1';
    create function raised(code text, message text) returns int language plpgsql as
      $$ begin raise exception using errcode = code, message = raised.message; end $$;
    grant all on all tables in schema public to service_role;
    grant execute on all functions in schema public to service_role;"#;

struct Case {
    release: &'static str,
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    status: u16,
    /// Expected body of the response. For a JSON object, only the listed keys are compared, otherwise the whole value.
    answer: Value,
}

fn get(release: &'static str, path: &'static str, status: u16, answer: Value) -> Case {
    Case { release, method: "GET", path, headers: &[], body: "", status, answer }
}

impl Case {
    fn send(self, method: &'static str, body: &'static str) -> Self {
        Self { method, body, ..self }
    }

    fn with(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    async fn check(&self, rest: &Rest) {
        let caller: CallerResult = Ok(Caller::service_role());
        let mut request = Request::builder().method(self.method).uri(self.path).extension(caller);
        if !self.headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        let answer = rest.ask(request.body(Body::from(self.body)).unwrap()).await;
        let context = format!("{} {} {}: {answer:?}", self.release, self.method, self.path);
        assert_eq!(answer.status.as_u16(), self.status, "{context}");
        let failed = answer.status.is_client_error() || answer.status.is_server_error();
        let proxy_status = answer.headers.get("proxy-status").map(|value| value.to_str().unwrap());
        // The error for an offset beyond the last row has the same headers as a read, without `Proxy-Status`.
        let expected = failed.then(|| answer.code()).filter(|code| code != "PGRST103");
        let expected = expected.map(|code| format!("PostgREST; error={code}"));
        assert_eq!(proxy_status, expected.as_deref(), "{context}");
        let body = if answer.body.is_empty() { Value::Null } else { answer.json() };
        match &self.answer {
            Value::Object(keys) => {
                for (key, value) in keys {
                    assert_eq!(&body[key], value, "{key}: {context}");
                }
            }
            whole => assert_eq!(&body, whole, "{context}"),
        }
    }
}

const STRICT: &[(&str, &str)] = &[("prefer", "handling=strict, max-affected=1")];
const FULL: &[(&str, &str)] = &[("prefer", "return=representation")];

fn reads() -> Vec<Case> {
    vec![
        get(
            "12.0.3",
            "/ports",
            406,
            json!({"code": "PGRST107", "message": "None of these media types are available: image/png"}),
        )
        .with(&[("accept", "image/png")]),
        get("12.2", "/ports?id=eq.1&select=id", 200, json!({"id": 1}))
            .with(&[("accept", "Application/Vnd.Pgrst.Object+JSON")]),
        get("12.2.2", "/ports?select=id,ships(ports())&id=eq.1", 200, json!([{"id": 1}])),
        get("12.2.3", "/masts?select=x,hulls(a)", 200, json!([{"x": 2, "hulls": {"a": 1}}])),
        get("12.2.11", "/ports?select=id&id=eq.1", 200, json!([{"id": 1}]))
            .with(&[("accept", "application/json; charset=utf-8")]),
        get(
            "13.0",
            "/port",
            404,
            json!({
                "code": "PGRST205", "message": "Could not find the table 'public.port' in the schema cache",
                "hint": "Perhaps you meant the table 'public.ports'", "details": null,
            }),
        ),
        get("13.0", "/ports/1", 404, json!({"code": "PGRST125", "message": "Invalid path specified in request URL"})),
        get("13.0", "/logs_2024", 404, json!({"code": "PGRST205"})),
        get("13.0", "/ports?select=id&depth=is.not_null&order=id", 200, json!([{"id": 1}, {"id": 2}])),
        get("13.0", "/ports?select=id&name=fts(simple).oban", 200, json!([{"id": 1}])),
        get("13.0.4", "/ships?select=id&words=fts(simple).paddle", 200, json!([{"id": 1}])),
        get(
            "13.0",
            "/ports?select=id,...ships(names:name)&order=id&ships.order=id",
            200,
            json!([{"id": 1, "names": ["Waverley", "Argyll"]}, {"id": 2, "names": []}]),
        ),
        get("13.0", "/rpc/many?select=name&id=eq.2", 200, json!([{"name": "Largs"}])),
        get("13.0", "/ships?select=...ports(depth.sum())", 400, json!({"code": "PGRST123"})),
        get(
            "13.0",
            "/ports?select=id",
            400,
            json!({"code": "PGRST122", "details": "Invalid preferences: params=single-object"}),
        )
        .with(&[("prefer", "handling=strict, params=single-object")]),
        get(
            "13.0",
            "/ports",
            406,
            json!({
                "code": "PGRST116", "message": "Cannot coerce the result to a single JSON object",
                "details": "The result contains 2 rows",
            }),
        )
        .with(&[("accept", "application/vnd.pgrst.object+json")]),
        get("13.0.5", "/ports?select=id,...ships()&id=eq.2", 200, json!([{"id": 2}])),
        get(
            "13.0.7",
            "/ports",
            406,
            json!({
                "code": "PGRST106", "message": "Invalid schema: nope",
                "hint": "Only the following schemas are exposed: public",
            }),
        )
        .with(&[("accept-profile", "nope")]),
        get(
            "14.2",
            "/ports?offset=9",
            416,
            json!({
                "code": "PGRST103", "details": "An offset of 9 was requested, but there are only 2 rows.",
            }),
        )
        .with(&[("prefer", "count=exact")]),
        get("14.6", "/prots_of_call", 404, json!({"code": "PGRST205", "hint": null})),
        get("16", "/rpc/many?select=id&id=eq.1", 200, json!([{"id": 1}]))
            .with(&[("prefer", "handling=strict, timezone=+05:30")]),
        get(
            "16",
            "/rpc/many?select=id",
            400,
            json!({"code": "PGRST122", "details": "Invalid preferences: timezone=Nowhere"}),
        )
        .with(&[("prefer", "handling=strict, timezone=Nowhere")]),
    ]
}

fn writes() -> Vec<Case> {
    vec![
        get("12.0.3", "/ports", 400, json!({
            "code": "PGRST204", "message": "Could not find the 'nope' column of 'ports' in the schema cache",
        })).send("POST", r#"{"nope":1}"#),
        get("12.2", "/ports?id=gt.0", 400, json!({"code": "PGRST124", "details": "The query affects 2 rows"}))
            .send("PATCH", r#"{"depth":9}"#).with(STRICT),
        get("12.2", "/ports?select=id&depth=eq.9", 200, json!([])),
        get("12.2", "/rpc/raised", 500, json!({"code": "PGRST121", "details": "Invalid JSON value for MESSAGE: 'no JSON'"}))
            .send("POST", r#"{"code":"PGRST","message":"no JSON"}"#),
        get("12.2", "/rpc/raised", 500, json!({"code": "53400"})).send("POST", r#"{"code":"53400","message":"x"}"#),
        get("12.2", "/rpc/raised", 500, json!({"code": "54001"})).send("POST", r#"{"code":"54001","message":"x"}"#),
        get("12.0.3", "/rpc/raised", 500, json!({"code": "42P17"})).send("POST", r#"{"code":"42P17","message":"x"}"#),
        get("12.2.4", "/defaulted?columns=id,n&select=n", 201, json!([{"n": 7}])).send("POST", r#"{"id":1}"#)
            .with(&[("prefer", "missing=default, return=representation")]),
        get("13.0", "/ports?id=gt.0&order=id.desc&select=id", 200, json!([{"id": 2}, {"id": 1}]))
            .send("PATCH", r#"{"depth":5}"#).with(FULL),
        get("13.0", "/ports?id=gt.0&limit=1&select=id&order=id", 200, json!([{"id": 1}, {"id": 2}]))
            .send("PATCH", r#"{"depth":6}"#).with(FULL),
        get("13.0.3", "/rpc/touched", 400, json!({"code": "PGRST124", "details": "The query affects 2 rows"}))
            .send("POST", "{}").with(STRICT),
        get("13.0.3", "/rpc/one", 400, json!({
            "code": "PGRST128",
            "message": "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
        })).send("POST", "{}").with(STRICT),
        get("13.0.3", "/ports?select=id&depth=eq.7", 200, json!([])),
        get("14.2", "/rpc/named", 404, json!({"code": "PGRST202"})).send("POST", r#"{"a":1}"#),
        get("14.2", "/rpc/unnamed", 200, json!({"a": 1})).send("POST", r#"{"a":1}"#),
        get("14.2", "/ports", 201, Value::Null).send("POST", r#"{"id":3,"name":"Troon"}"#),
        get("14.4", "/ports?or=(name.eq.Troon,name.eq.Ayr)&select=name", 200, json!([{"name": "Girvan"}]))
            .send("PATCH", r#"{"name":"Girvan"}"#).with(FULL),
    ]
}

#[tokio::test]
async fn answers_are_those_of_the_newest_release() {
    let rest = Rest::start(HARBOUR, Settings { schemas: vec!["public".to_owned()], ..Settings::default() }).await;
    for case in reads().into_iter().chain(writes()) {
        case.check(&rest).await;
    }
}

#[tokio::test]
async fn what_a_setting_allows_follows_the_newest_release() {
    let settings = Settings { aggregates_enabled: true, plan_enabled: true, ..Settings::default() };
    let rest = Rest::start(HARBOUR, settings).await;
    // 13.0: aggregates of to-one spreads are computed for the groups of the parent relation; aggregates of to-many spreads are not
    // implemented.
    get("13.0", "/ships?select=...ports(depth.sum())", 200, json!([{"sum": 6}])).check(&rest).await;
    get(
        "13.0",
        "/ports?select=...ships(id.sum())",
        400,
        json!({"code": "PGRST127", "message": "Feature not implemented"}),
    )
    .check(&rest)
    .await;
    // 12.2.9: the content type of a query plan includes the media type of the response whose plan is requested.
    let request = Request::builder()
        .uri("/ports?id=eq.1")
        .header("accept", "application/vnd.pgrst.plan+json; for=\"application/vnd.pgrst.object+json\"; options=verbose")
        .extension::<CallerResult>(Ok(Caller::service_role()));
    let plan = rest.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(
        plan.headers["content-type"],
        "application/vnd.pgrst.plan+json; for=\"application/vnd.pgrst.object+json\"; options=verbose; charset=utf-8"
    );
    let hidden = Rest::start(HARBOUR, Settings { openapi_mode: OpenApiMode::Disabled, ..Settings::default() }).await;
    get("13.0", "/", 404, json!({"code": "PGRST126", "message": "Root endpoint metadata is disabled"}))
        .check(&hidden)
        .await;
}

/// 13.0.3: domains of domains. 13.0.5: no GET for volatile functions. 13.0.6: no empty list of values. 14.8: formats of integers.
#[tokio::test]
async fn the_description_is_that_of_the_newest_release() {
    let rest = Rest::start(HARBOUR, Settings::default()).await;
    let document = rest.get("/").await.json();
    let column = |name: &str| &document["definitions"]["defaulted"]["properties"][name];
    assert_eq!((&column("id")["format"], &column("id")["type"]), (&json!("int64"), &json!("integer")));
    assert_eq!((&column("m")["format"], &column("m")["type"]), (&json!("int32"), &json!("integer")));
    assert!(document["parameters"]["preferParams"].get("enum").is_none());
    assert!(document["parameters"]["rowFilter.ports.id"].get("format").is_none());
    let methods = |path: &str| document["paths"][path].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (methods("/rpc/touched"), methods("/rpc/many")),
        (vec!["post".to_owned()], vec!["get".to_owned(), "post".to_owned()])
    );
}
