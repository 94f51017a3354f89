//! Maps PostgreSQL types to the TypeScript types that supabase-js returns.

use super::model::{Oid, Schema};

/// Prints a key of an object type, quoted if TypeScript requires it.
pub(super) fn key(name: &str) -> String {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    let is_bare = starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if is_bare { name.to_owned() } else { text(name) }
}

pub(super) fn text(value: &str) -> String {
    serde_json::Value::String(value.to_owned()).to_string()
}

/// Adds null to a type, except to the type `unknown`, which already includes null.
pub(super) fn or_null(kind: &str) -> String {
    if kind == "unknown" { kind.to_owned() } else { format!("{kind} | null") }
}

impl Schema {
    /// Returns the TypeScript type of a column. `Json` includes null, so a non-null JSON column is `NonNullable<Json>`. As in the Supabase
    /// CLI, a column of a domain has the type of the domain's base type.
    pub(super) fn column(&self, oid: Oid, nullable: bool) -> String {
        let base = self.types.get(&oid).and_then(|kind| kind.base).unwrap_or(oid);
        match self.typescript(base) {
            json if json == "Json" && !nullable => "NonNullable<Json>".to_owned(),
            kind if nullable => or_null(&kind),
            kind => kind,
        }
    }

    /// Returns the TypeScript type of a value outside of a column. As in the Supabase CLI, a domain is `unknown` there.
    pub(super) fn typescript(&self, oid: Oid) -> String {
        let Some(kind) = self.types.get(&oid) else { return "unknown".to_owned() };
        if let Some(element) = kind.element {
            let inner = self.typescript(element);
            return if inner.contains(' ') { format!("({inner})[]") } else { format!("{inner}[]") };
        }
        if let Some(scalar) = scalar(&kind.name) {
            return scalar.to_owned();
        }
        let group = match (kind.kind.as_str(), kind.relation.as_str()) {
            ("e", _) => "Enums",
            ("c", "c") => "CompositeTypes",
            ("c", "v" | "m") => "Views",
            ("c", "r" | "p" | "f") => "Tables",
            _ => return "unknown".to_owned(),
        };
        if !self.schemas.contains(&kind.schema) {
            return match &kind.labels {
                Some(labels) => labels.iter().map(|label| text(label)).collect::<Vec<_>>().join(" | "),
                None => "unknown".to_owned(),
            };
        }
        let row = if matches!(group, "Tables" | "Views") { "[\"Row\"]" } else { "" };
        format!("Database[{}][\"{group}\"][{}]{row}", text(&kind.schema), text(&kind.name))
    }
}

fn scalar(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" => "boolean",
        "int2" | "int4" | "int8" | "float4" | "float8" | "numeric" => "number",
        "bytea" | "bpchar" | "varchar" | "date" | "text" | "citext" | "time" | "timetz" | "timestamp"
        | "timestamptz" | "uuid" | "vector" | "interval" => "string",
        "json" | "jsonb" => "Json",
        "void" => "undefined",
        "record" => "Record<string, unknown>",
        _ => return None,
    })
}
