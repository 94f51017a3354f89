//! A failed reload of the schema cache.

use super::*;

/// Waits until the schema cache is ready, or is no longer ready.
async fn wait_until_ready(rest: &Rest, is_ready: bool) {
    let begun = Instant::now();
    while rest.state.ready() != is_ready {
        assert!(begun.elapsed() < Duration::from_secs(30), "the schema cache did not become {is_ready}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_failed_reload_is_repeated_without_another_notification() {
    let rest = Rest::start("create table notes (id int)", Settings::default()).await;
    // Without the event triggers, PostgreSQL sends no notification of a change unless the test executes `notify`.
    let silent = "alter event trigger pgrst_ddl_watch disable; alter event trigger pgrst_drop_watch disable";
    execute(&rest.database, silent).await;
    execute(&rest.database, "revoke select on pg_catalog.pg_description from public; notify pgrst").await;
    wait_until_ready(&rest, false).await;
    execute(&rest.database, "create table letters (id int); grant select on letters to service_role").await;
    execute(&rest.database, "grant select on pg_catalog.pg_description to public").await;
    wait_until_ready(&rest, true).await;
    assert_eq!(rest.get("/letters").await.body, "[]");
}
