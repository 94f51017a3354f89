use cloch_sql::testing::TestDatabase;
use serde_json::json;

use crate::project::ProjectError;
use crate::project::testing::project;

#[tokio::test]
async fn read_only_sql_writes_nothing_and_reads_no_secrets() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let project = project(&database, folder.path());
    for (sql, code) in [
        ("create table public.made (id int)", "25006"),
        ("do $$ begin commit; create table public.made (id int); end $$", "2D000"),
        ("select 1; select 2", "42601"),
    ] {
        let Err(ProjectError::Sql(refusal)) = project.run_sql(sql, &[], true).await else { panic!("{sql}") };
        assert_eq!(refusal.code, code, "{sql}: {refusal}");
    }
    let refused = project.run_sql("select * from cloch.operators", &[], true).await.unwrap_err().to_string();
    assert!(refused.contains("42501") && refused.contains("HINT:  Read-only SQL reads no secrets"), "{refused}");
    assert_eq!(project.run_sql("select $1::int + 1 as n", &[json!(1)], true).await.unwrap(), json!([{ "n": 2 }]));
}

#[tokio::test]
async fn a_script_returns_its_last_rows_and_errors_without_a_hint() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let project = project(&database, folder.path());
    let sql = "create table public.made (id int); insert into public.made values (7); select id from public.made";
    assert_eq!(project.run_sql(sql, &[], false).await.unwrap(), json!([{ "id": 7 }]));
    let refused = project.run_sql("select idd from public.made", &[], false).await.unwrap_err().to_string();
    assert_eq!(refused, "Failed to run sql query: ERROR:  42703: column \"idd\" does not exist");
    assert!(project.run_sql("", &[], false).await.is_err());
}
