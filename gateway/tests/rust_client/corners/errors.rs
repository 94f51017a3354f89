//! Errors of the API itself, with the status and code of PostgREST's documentation.

use super::SCHEMA;
use crate::callers::Callers;
use crate::suite::Suite;

pub(super) async fn run(suite: &mut Suite, callers: &Callers) {
    let anon = callers.anon.with_schema(SCHEMA);
    let things = || anon.table("things");
    for (request, status, code) in [
        (anon.table("no_such_table"), 404, "PGRST205"),
        (things().select("id,nowhere(id)"), 400, "PGRST200"),
        // Two foreign keys reference this table.
        (things().select("id,shelves(name)"), 300, "PGRST201"),
        (things().select("id,").eq("id", "1"), 400, "PGRST100"),
        (things().eq("id", "1").or("id.eq."), 400, "22P02"),
        (things().or("id.is"), 400, "PGRST100"),
        (things().order("id.upwards"), 400, "PGRST100"),
        (things().select("nobody"), 400, "42703"),
        (things().eq("nobody", "1"), 400, "42703"),
        (things().eq("id", "one"), 400, "22P02"),
        (things().like("id", "1%"), 404, "42883"),
        (things().select("*").single(), 406, "PGRST116"),
        (things().eq("id", "999").single(), 406, "PGRST116"),
        (things().insert(r#"{"id": 300, "nobody": 1}"#), 400, "PGRST204"),
        (things().insert("no JSON"), 400, "PGRST102"),
        (callers.anon.with_schema("auth").table("users"), 406, "PGRST106"),
        (callers.anon.with_schema("auth").table("users").insert("{}"), 406, "PGRST106"),
        (callers.forger.with_schema(SCHEMA).table("things"), 401, "PGRST301"),
    ] {
        suite.documented(request, status, code).await;
    }
    // The default schema is the first schema in the list. It does not contain the tables of the other schema.
    suite.documented(callers.anon.table("things"), 404, "PGRST205").await;
}
