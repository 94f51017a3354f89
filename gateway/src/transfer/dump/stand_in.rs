//! Leaves Cloch's stand-in for the extension pgvector out of a dump. The stand-in is SQL that creates pgvector's types and functions on a
//! server that lacks the extension. It can be in a schema of the project, which pg_dump dumps with all its objects. The statement `create
//! extension vector` stays in the dump. In the target database, it creates pgvector's types, from the real extension or from a stand-in.

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use super::tokens::tokens;

/// Types of pgvector. Each has an operator class with the suffix `_ops`.
const TYPES: [&str; 3] = ["vector", "halfvec", "sparsevec"];

/// Schema of the stand-in, and the functions and aggregates that belong to it.
#[derive(Debug, Default)]
pub(super) struct StandIn {
    schema: String,
    routines: Vec<Routine>,
}

/// Function or aggregate.
#[derive(Debug)]
struct Routine {
    name: String,
    /// Name and arguments of the function, as pg_dump writes them with `--quote-all-identifiers`, such as `"public"."vector_dims"("v"
    /// "public"."vector")`.
    signature: String,
}

impl StandIn {
    /// Reads the schema and the functions of the stand-in. Returns `None` if no schema of the project contains the stand-in. `source` must
    /// be in a transaction with an empty search_path. The database may also be one that Cloch has not created, such as that of a Supabase
    /// project.
    pub(super) async fn read(source: &mut PgConnection) -> sqlx::Result<Option<Self>> {
        sqlx::raw_sql("set local quote_all_identifiers = on").execute(&mut *source).await?;
        // The query finds the stand-in's functions by their owner, because this role owns no other function of the schema
        // (cloch.place_stand_in_vector). The query does not use cloch.stand_in_vector_type, because databases that Cloch has not created
        // lack this function. Both forms of the arguments are needed, because grants name functions without the names of their arguments.
        let rows = sqlx::query(
            "select n.nspname::text, p.proname::text, format('%I.%I(%s)', n.nspname, p.proname, arguments)
               from pg_catalog.pg_type as t
               join pg_catalog.pg_proc as input on input.oid = t.typinput and input.prosrc = 'textin'
               join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
               join pg_catalog.pg_proc as p on p.pronamespace = n.oid and p.proowner = t.typowner
              cross join unnest(array[pg_catalog.pg_get_function_arguments(p.oid),
                                      pg_catalog.pg_get_function_identity_arguments(p.oid)]) as arguments
              where t.typname = 'vector' and t.typtype = 'b' and n.nspname <> 'extensions'",
        )
        .fetch_all(&mut *source)
        .await?;
        sqlx::raw_sql("set local quote_all_identifiers = off").execute(source).await?;
        let Some(first) = rows.first() else { return Ok(None) };
        let routine = |row: &PgRow| -> sqlx::Result<Routine> {
            Ok(Routine { name: row.try_get(1)?, signature: row.try_get(2)? })
        };
        let routines = rows.iter().map(routine).collect::<sqlx::Result<_>>()?;
        Ok(Some(Self { schema: first.try_get(0)?, routines }))
    }

    /// Whether a statement that pg_dump has written creates or changes an object of the stand-in.
    pub(super) fn has(&self, statement: &str) -> bool {
        let words = tokens(statement);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["create" | "alter", "type", rest @ ..] => self.has_type(rest),
            ["create", "cast", rest @ ..] => {
                (0..rest.len()).any(|at| self.has_type(rest.get(at..).unwrap_or_default()))
            }
            ["create" | "alter", "operator", "class" | "family", schema, ".", name, ..] => {
                *schema == self.schema && TYPES.iter().any(|kind| name.strip_suffix("_ops") == Some(*kind))
            }
            // An operator is not recognised by its own name, but by the function that it calls: if this function belongs to the stand-in,
            // the operator does too.
            ["create", "operator", rest @ ..] => {
                let called = rest.iter().position(|word| *word == "function").and_then(|at| rest.get(at..));
                matches!(called, Some(["function", "=", schema, ".", name, ..])
                    if *schema == self.schema && self.routines.iter().any(|routine| routine.name == *name))
            }
            ["create" | "alter" | "grant" | "revoke" | "comment", ..] => self.is_about_routine(statement),
            _ => false,
        }
    }

    /// Whether the words begin with the schema and name of one of the stand-in's types.
    fn has_type(&self, words: &[&str]) -> bool {
        matches!(words, [schema, ".", name, ..] if *schema == self.schema && TYPES.contains(name))
    }

    fn is_about_routine(&self, statement: &str) -> bool {
        let begins = |kind: &str| {
            let about = statement.split_once(kind).map_or("", |(_, about)| about);
            self.routines.iter().any(|routine| about.starts_with(&routine.signature))
        };
        begins(" FUNCTION ") || begins(" AGGREGATE ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_stand_ins_statements_are_left_out() {
        let routine = |name: &str, arguments: &str| Routine {
            name: name.to_owned(),
            signature: format!("\"public\".\"{name}\"({arguments})"),
        };
        let vector = "\"public\".\"vector\"";
        let stand_in = StandIn {
            schema: "public".to_owned(),
            routines: vec![
                routine("vector_in", "\"cstring\""),
                routine("l2_distance", &format!("\"a\" {vector}, \"b\" {vector}")),
                routine("avg", vector),
            ],
        };
        for statement in [
            "CREATE TYPE \"public\".\"vector\"",
            "CREATE TYPE \"public\".\"halfvec\" (\n    INPUT = \"public\".\"halfvec_in\")",
            "CREATE FUNCTION \"public\".\"vector_in\"(\"cstring\") RETURNS \"public\".\"vector\"",
            "CREATE FUNCTION \"public\".\"l2_distance\"(\"a\" \"public\".\"vector\", \"b\" \"public\".\"vector\") RETURNS double precision",
            "GRANT ALL ON FUNCTION \"public\".\"vector_in\"(\"cstring\") TO \"anon\"",
            "CREATE AGGREGATE \"public\".\"avg\"(\"public\".\"vector\") (\n    SFUNC = \"public\".\"vector_accum\")",
            "CREATE OPERATOR \"public\".<-> (\n    FUNCTION = \"public\".\"l2_distance\",\n    LEFTARG = \"public\".\"vector\")",
            "CREATE OPERATOR FAMILY \"public\".\"sparsevec_ops\" USING \"btree\"",
            "CREATE OPERATOR CLASS \"public\".\"vector_ops\" DEFAULT FOR TYPE \"public\".\"vector\" USING \"btree\"",
            "CREATE CAST (\"public\".\"vector\" AS real[]) WITH FUNCTION \"public\".\"f\"() AS IMPLICIT",
            "CREATE CAST (integer[] AS \"public\".\"vector\") WITH FUNCTION \"public\".\"f\"() AS ASSIGNMENT",
        ] {
            assert!(stand_in.has(statement), "{statement}");
        }
        for statement in [
            "CREATE EXTENSION IF NOT EXISTS \"vector\" WITH SCHEMA \"public\"",
            "CREATE TYPE \"public\".\"vector_kind\" AS ENUM ('a')",
            "CREATE TYPE \"shop\".\"vector\" AS (\"x\" integer)",
            "CREATE FUNCTION \"public\".\"l2_distance\"(\"a\" \"public\".\"vector\") RETURNS double precision",
            "CREATE FUNCTION \"public\".\"nearest\"(\"q\" \"public\".\"vector\") RETURNS double precision AS $$ select FUNCTION $$",
            "CREATE TABLE \"public\".\"vector\" (\"v\" \"public\".\"vector\"(3))",
            "CREATE OPERATOR \"public\".=== (\n    FUNCTION = \"public\".\"nearest\",\n    LEFTARG = \"public\".\"vector\")",
            "CREATE INDEX \"i\" ON \"public\".\"items\" USING \"btree\" (\"v\" \"public\".\"vector_ops\")",
        ] {
            assert!(!stand_in.has(statement), "{statement}");
        }
    }
}
