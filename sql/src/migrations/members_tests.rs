use super::*;

const HYPOPG: (&str, &str) = ("hypopg", "create extension hypopg with schema extensions");
const WRAPPERS: (&str, &str) = ("wrappers", "CREATE EXTENSION IF NOT EXISTS \"wrappers\" WITH SCHEMA \"extensions\"");
const PGAUDIT: (&str, &str) = ("pgaudit", "CREATE EXTENSION IF NOT EXISTS \"pgaudit\" WITH SCHEMA \"public\"");

fn extension(statement: &str) -> Option<&'static str> {
    Statement::read(statement)?.extension([HYPOPG, PGAUDIT, WRAPPERS].into_iter())
}

#[test]
fn finds_the_extension_whose_members_a_statement_is_about() {
    for (statement, expected) in [
        ("GRANT ALL ON FUNCTION \"public\".\"pgaudit_sql_drop\"() TO \"anon\";", "pgaudit"),
        ("grant execute on function extensions.hypopg_create_index(sql text, OUT oid, OUT text) to a, b", "hypopg"),
        (
            "grant all on routine hypopg_reset(), extensions.hypopg_drop_index(oid) to postgres with grant option",
            "hypopg",
        ),
        ("revoke all on function extensions.hypopg_reset() from public", "hypopg"),
        ("revoke grant option for execute on function extensions.hypopg_reset from public cascade", "hypopg"),
        ("grant select on extensions.hypopg_list_indexes to a", "hypopg"),
        ("grant select (relname), update (a, b) on table extensions.hypopg_list_indexes to a", "hypopg"),
        ("alter function extensions.hypopg_reset() owner to postgres", "hypopg"),
        ("alter view extensions.hypopg_list_indexes owner to postgres", "hypopg"),
        ("comment on function public.pgaudit_sql_drop() is 'grant'", "pgaudit"),
        (
            "CREATE FOREIGN DATA WRAPPER \"s3_wrapper\" HANDLER \"extensions\".\"s3_fdw_handler\" VALIDATOR \"extensions\".\"s3_fdw_validator\";",
            "wrappers",
        ),
        ("create foreign data wrapper w handler stripe_fdw_handler", "wrappers"),
    ] {
        assert_eq!(extension(statement), Some(expected), "{statement}");
    }
}

#[test]
fn a_statement_about_anything_else_is_not_skipped() {
    for statement in [
        "grant all on function extensions.own() to a",
        // The schema, the object or the kind of the object is not that of a member.
        "grant all on function public.hypopg_reset() to a",
        "grant all on function db.extensions.hypopg_reset() to a",
        "grant all on function extensions.pgaudit_sql_drop() to a",
        "grant all on function extensions.\"Hypopg_reset\"() to a",
        "grant all on table extensions.hypopg_reset to a",
        "grant all on function extensions.hypopg_reset(), public.own() to a",
        "grant all on function extensions.hypopg_reset(), public.pgaudit_sql_drop() to a",
        // The statement is about an extension that the project did not create.
        "grant all on function public.plpgsql_check_function(regprocedure) to a",
        "grant all on all functions in schema extensions to a",
        "grant usage on schema extensions to a",
        "grant hypopg_reset to a",
        "alter function extensions.hypopg_reset() set search_path to ''",
        "alter function extensions.hypopg_reset() rename to own",
        "alter default privileges in schema extensions grant all on functions to a",
        "alter table extensions.hypopg_list_indexes add column a int",
        "comment on column extensions.hypopg_list_indexes.relname is 'a'",
        "create function extensions.hypopg_reset() returns int return 1",
        "create foreign data wrapper w",
        "create foreign data wrapper w handler public.own validator extensions.s3_fdw_validator",
        "create foreign data wrapper w handler public.s3_fdw_handler",
        "create foreign data wrapper w handler extensions.s3_fdw_handler options (a 'b')",
        "create server s foreign data wrapper s3_wrapper",
        "drop function extensions.hypopg_reset()",
        "select extensions.hypopg_reset()",
        "grant all on function extensions.hypopg_reset( to a",
    ] {
        assert_eq!(extension(statement), None, "{statement}");
    }
}

#[test]
fn an_extension_without_a_named_schema_is_created_in_the_first_of_the_search_path() {
    for (create, expected) in [
        ("create extension hypopg", "public"),
        ("create extension \"schema\"", "public"),
        ("create extension hypopg version '1.4' schema Ext cascade", "ext"),
        ("create extension hypopg with schema \"A\"\"b\"", "A\"b"),
    ] {
        assert_eq!(schema_of(create), expected, "{create}");
    }
}

#[test]
fn literals_stand_for_themselves() {
    assert_eq!(dollar_quoted("a'b\\"), "$cloch$a'b\\$cloch$");
    assert_eq!(dollar_quoted("$cloch$ $cloch_"), "$cloch__$$cloch$ $cloch_$cloch__$");
}

#[test]
fn every_list_of_members_has_a_heading_of_an_extension_and_a_kind() {
    let headings = MEMBERS.lines().filter(|line| !line.starts_with([' ', '#']));
    for heading in headings {
        let (extension, kind) = heading.split_once(' ').unwrap();
        assert!(["functions", "relations"].contains(&kind), "{heading}");
        assert!(extension.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'), "{heading}");
    }
}
