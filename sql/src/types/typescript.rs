//! Prints the TypeScript type `Database`.

use std::fmt::Write;

use super::functions::functions;
use super::model::Schema;
use super::names::{key, or_null, text};
use super::relations::print_relation;

/// Fixed TypeScript code before the generated types (`HEAD`) and after them (`TAIL`).
const HEAD: &str = include_str!("head.ts");
const TAIL: &str = include_str!("tail.ts");
const NONE: &str = "{\n      [_ in never]: never\n    }";

pub(super) fn print(schema: &Schema) -> String {
    let mut out = String::from(HEAD);
    for name in &schema.schemas {
        let (mut tables, mut views) = (Vec::new(), Vec::new());
        for relation in schema.relations.iter().filter(|relation| relation.schema == *name) {
            if relation.is_view { &mut views } else { &mut tables }.push(print_relation(schema, relation));
        }
        let _ = write!(
            out,
            "  {}: {{\n    Tables: {}\n    Views: {}\n    Functions: {}\n    Enums: {}\n    CompositeTypes: {}\n  }}\n",
            key(name),
            group(&tables),
            group(&views),
            group(&functions(schema, name)),
            group(&enums(schema, name)),
            group(&composites(schema, name)),
        );
    }
    out.push_str("}\n\n");
    // As in supabase-js, the default schema is `public`, otherwise the first schema.
    let is_public = |name: &&String| *name == "public";
    let default = schema.schemas.iter().find(is_public).or(schema.schemas.first());
    out.push_str(&TAIL.replace("\"public\"", &text(default.map_or("public", String::as_str))));
    print_constants(&mut out, schema);
    out
}

fn group(items: &[String]) -> String {
    if items.is_empty() { NONE.to_owned() } else { format!("{{\n{}    }}", items.concat()) }
}

fn enums(schema: &Schema, name: &str) -> Vec<String> {
    schema
        .types_of(name, |kind| kind.labels.is_some())
        .into_iter()
        .map(|kind| {
            let labels: Vec<String> = kind.labels.iter().flatten().map(|label| text(label)).collect();
            format!("      {}: {}\n", key(&kind.name), labels.join(" | "))
        })
        .collect()
}

fn composites(schema: &Schema, name: &str) -> Vec<String> {
    schema
        .types_of(name, |kind| kind.fields.is_some())
        .into_iter()
        .map(|kind| {
            let fields: String = kind
                .fields
                .iter()
                .flatten()
                .map(|field| format!("        {}: {}\n", key(&field.name), or_null(&schema.typescript(field.kind))))
                .collect();
            format!("      {}: {{\n{fields}      }}\n", key(&kind.name))
        })
        .collect()
}

fn print_constants(out: &mut String, schema: &Schema) {
    out.push_str("export const Constants = {\n");
    for name in &schema.schemas {
        let enums: String = schema
            .types_of(name, |kind| kind.labels.is_some())
            .into_iter()
            .map(|kind| {
                let labels: Vec<String> = kind.labels.iter().flatten().map(|label| text(label)).collect();
                format!("      {}: [{}],\n", key(&kind.name), labels.join(", "))
            })
            .collect();
        let body = if enums.is_empty() { "{}".to_owned() } else { format!("{{\n{enums}    }}") };
        let _ = write!(out, "  {}: {{\n    Enums: {body},\n  }},\n", key(name));
    }
    out.push_str("} as const\n");
}
