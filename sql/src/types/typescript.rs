//! Prints the `Database` type.

use std::fmt::Write;

use super::model::{Column, Function, Relation, Schema};
use super::names::{key, text};

/// The fixed code before and after the generated types.
const HEAD: &str = include_str!("head.ts");
const TAIL: &str = include_str!("tail.ts");
const NONE: &str = "{\n      [_ in never]: never\n    }";

/// The whole file.
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
    out.push_str(TAIL);
    print_constants(&mut out, schema);
    out
}

fn group(items: &[String]) -> String {
    if items.is_empty() { NONE.to_owned() } else { format!("{{\n{}    }}", items.concat()) }
}

fn print_relation(schema: &Schema, relation: &Relation) -> String {
    let mut out = format!("      {}: {{\n", key(&relation.name));
    let nullable = |column: &Column| if column.nullable { " | null" } else { "" };
    let _ = writeln!(out, "        Row: {{");
    for column in &relation.columns {
        let kind = schema.typescript(column.kind);
        let _ = writeln!(out, "          {}: {kind}{}", key(&column.name), nullable(column));
    }
    out.push_str("        }\n");
    for (name, is_there, is_insert) in [("Insert", relation.insertable, true), ("Update", relation.updatable, false)] {
        if relation.is_view && !is_there {
            continue;
        }
        let _ = writeln!(out, "        {name}: {{");
        for column in &relation.columns {
            let name = key(&column.name);
            if column.generated {
                let _ = writeln!(out, "          {name}?: never");
                continue;
            }
            let mark = if column.optional || !is_insert { "?" } else { "" };
            let _ = writeln!(out, "          {name}{mark}: {}{}", schema.typescript(column.kind), nullable(column));
        }
        out.push_str("        }\n");
    }
    print_relationships(&mut out, relation);
    out.push_str("      }\n");
    out
}

fn print_relationships(out: &mut String, relation: &Relation) {
    if relation.relationships.is_empty() {
        out.push_str("        Relationships: []\n");
        return;
    }
    out.push_str("        Relationships: [\n");
    for link in &relation.relationships {
        let list = |names: &[String]| names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
        let _ = write!(
            out,
            "          {{\n            foreignKeyName: {}\n            columns: [{}]\n            isOneToOne: {}\n            \
             referencedRelation: {}\n            referencedColumns: [{}]\n          }},\n",
            text(&link.name),
            list(&link.columns),
            link.one_to_one,
            text(&link.relation),
            list(&link.referenced),
        );
    }
    out.push_str("        ]\n");
}

/// Functions with the same name are one entry: a union if there are several.
fn functions(schema: &Schema, name: &str) -> Vec<String> {
    let all: Vec<&Function> = schema.functions.iter().filter(|function| function.schema == name).collect();
    all.chunk_by(|a, b| a.name == b.name)
        .map(|overloads| {
            let forms: Vec<String> = overloads.iter().map(|function| form(schema, function)).collect();
            let name = overloads.first().map(|function| key(&function.name)).unwrap_or_default();
            match forms.as_slice() {
                [only] => format!("      {name}: {only}\n"),
                several => format!("      {name}:\n        | {}\n", several.join("\n        | ")),
            }
        })
        .collect()
}

fn form(schema: &Schema, function: &Function) -> String {
    let mut inputs: Vec<String> = function
        .inputs
        .iter()
        .map(|input| {
            let mark = if input.optional { "?" } else { "" };
            format!("{}{mark}: {}", key(&input.name), schema.typescript(input.kind))
        })
        .collect();
    inputs.sort();
    let inputs = if inputs.is_empty() { "never".to_owned() } else { format!("{{ {} }}", inputs.join("; ")) };
    let one = match &function.columns {
        Some(columns) => {
            let fields: Vec<String> = columns
                .iter()
                .map(|field| format!("{}: {}", key(&field.name), schema.typescript(field.kind)))
                .collect();
            format!("{{ {} }}", fields.join("; "))
        }
        None => schema.typescript(function.returns),
    };
    let set = if function.set { "[]" } else { "" };
    format!("{{ Args: {inputs}; Returns: {one}{set} }}")
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
                .map(|field| format!("        {}: {} | null\n", key(&field.name), schema.typescript(field.kind)))
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
