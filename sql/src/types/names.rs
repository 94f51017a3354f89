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

impl Schema {
    /// Returns the TypeScript type of a column. `Json` includes null, so a non-null JSON column is `NonNullable<Json>`.
    pub(super) fn column(&self, oid: Oid, nullable: bool) -> String {
        match self.typescript(oid) {
            json if json == "Json" && !nullable => "NonNullable<Json>".to_owned(),
            kind if nullable => format!("{kind} | null"),
            kind => kind,
        }
    }

    pub(super) fn typescript(&self, oid: Oid) -> String {
        let Some(kind) = self.types.get(&oid) else { return "unknown".to_owned() };
        if let Some(element) = kind.element {
            let inner = self.typescript(element);
            return if inner.contains(' ') { format!("({inner})[]") } else { format!("{inner}[]") };
        }
        if let Some(base) = kind.base {
            return self.typescript(base);
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
        | "timestamptz" | "uuid" | "vector" | "interval" | "name" => "string",
        "json" | "jsonb" => "Json",
        "void" => "undefined",
        "record" => "Record<string, unknown>",
        _ => return None,
    })
}
