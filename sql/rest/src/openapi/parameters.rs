//! Builds the OpenAPI parameters that the paths refer to.

use serde_json::{Map, Value, json};

use super::described::Described;

pub(super) fn parameters(described: &Described<'_>) -> Value {
    let mut all = Map::new();
    let prefer = |values: &[&str]| {
        let mut object = json!({
            "name": "Prefer", "description": "Preference", "required": false, "in": "header", "type": "string",
        });
        if let (Value::Object(object), false) = (&mut object, values.is_empty()) {
            object.insert("enum".to_owned(), json!(values));
        }
        object
    };
    let plain = |name: &str, description: &str, place: &str| json!({"name": name, "description": description, "required": false, "in": place, "type": "string"});
    let returns = ["return=representation", "return=minimal", "return=none"];
    let post = [&returns[..], &["resolution=ignore-duplicates", "resolution=merge-duplicates"]].concat();
    let mut range_unit = plain("Range-Unit", "Limiting and Pagination", "header");
    if let Value::Object(object) = &mut range_unit {
        object.insert("default".to_owned(), "items".into());
    }
    let fixed = [
        ("preferParams", prefer(&[])),
        ("preferReturn", prefer(&returns)),
        ("preferCount", prefer(&["count=none"])),
        ("preferPost", prefer(&post)),
        ("select", plain("select", "Filtering Columns", "query")),
        ("on_conflict", plain("on_conflict", "On Conflict", "query")),
        ("order", plain("order", "Ordering", "query")),
        ("range", plain("Range", "Limiting and Pagination", "header")),
        ("rangeUnit", range_unit),
        ("offset", plain("offset", "Limiting and Pagination", "query")),
        ("limit", plain("limit", "Limiting and Pagination", "query")),
    ];
    all.extend(fixed.map(|(name, parameter)| (name.to_owned(), parameter)));
    for table in &described.tables {
        let name = &table.name;
        let schema = json!({"$ref": format!("#/definitions/{name}")});
        let body = json!({"name": name, "description": name, "required": false, "in": "body", "schema": schema});
        all.insert(format!("body.{name}"), body);
        for column in &table.columns {
            let mut filter = json!({"name": column.name, "required": false, "in": "query", "type": "string"});
            if let (Value::Object(object), Some(description)) = (&mut filter, &column.description) {
                object.insert("description".to_owned(), description.clone().into());
            }
            all.insert(format!("rowFilter.{name}.{}", column.name), filter);
        }
    }
    Value::Object(all)
}
