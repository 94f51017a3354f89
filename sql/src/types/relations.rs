//! Prints the types of tables and views: Row, Insert, Update, computed fields and foreign keys.

use std::fmt::Write;

use super::model::{Function, Relation, Schema};
use super::names::{key, or_null, text};

pub(super) fn print_relation(schema: &Schema, relation: &Relation) -> String {
    let computed = schema.computed_fields(relation);
    let mut out = format!("      {}: {{\n        Row: {{\n", key(&relation.name));
    for column in &relation.columns {
        let _ = writeln!(out, "          {}: {}", key(&column.name), schema.column(column.kind, column.nullable));
    }
    for function in &computed {
        let _ = writeln!(out, "          {}: {}", key(&function.name), or_null(&schema.one_result(function)));
    }
    let _ = writeln!(out, "        }}\n        ComputedFields: {}", names(&computed));
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
            let mark = if column.optional || relation.is_view || !is_insert { "?" } else { "" };
            let kind = schema.column(column.kind, column.nullable || relation.is_view);
            let _ = writeln!(out, "          {name}{mark}: {kind}");
        }
        out.push_str("        }\n");
    }
    print_relationships(&mut out, relation);
    out.push_str("      }\n");
    out
}

fn names(computed: &[&Function]) -> String {
    if computed.is_empty() {
        return "never".to_owned();
    }
    computed.iter().map(|function| text(&function.name)).collect::<Vec<_>>().join(" | ")
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
