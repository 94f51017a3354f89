//! Tests of the search for tables that everybody can read.

use cloch_sql::advisors::{Finding, tables_open_to_anon};
use cloch_sql::testing::TestDatabase;
use sqlx::PgConnection;

use super::{exposed, run};

/// Tables of one schema. On a platform database, new tables of role `postgres` in schema public are granted to all roles of the API.
const TABLES: &str = r#"
    set role postgres;
    create table public.auth_user (id int primary key, password text);
    create table public."odd ""name"", 1" (id int primary key);
    create table public.with_idle_policy (id int primary key);
    create policy p on public.with_idle_policy using (false);
    create table public.days (day date) partition by range (day);
    create table public.days_2026 partition of public.days for values from ('2026-01-01') to ('2027-01-01');
    alter table public.days enable row level security;

    create table public.guarded (id int primary key);
    alter table public.guarded enable row level security;
    create table public.only_columns (id int primary key, secret text);
    revoke select on public.only_columns from anon;
    grant select (id) on public.only_columns to anon;
    create table public.only_inserts (id int primary key);
    revoke all on public.only_inserts from anon;
    grant insert on public.only_inserts to anon;
    create table public.only_accounts (id int primary key);
    revoke all on public.only_accounts from anon;
    create view public.a_view as select 1 as one;
    create schema hidden;
    create table hidden.notes (id int primary key);
    grant select on hidden.notes to anon;
    create schema granted;
    grant usage on schema granted to anon;
    create table granted.notes (id int primary key);
    grant select on granted.notes to anon;
    reset role;"#;

async fn open(connection: &mut PgConnection, schemas: &[String]) -> Vec<String> {
    tables_open_to_anon(connection, schemas).await.unwrap().iter().map(Finding::entity).collect()
}

#[tokio::test]
async fn tables_that_anon_reads_without_row_level_security_are_found() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    assert_eq!(open(&mut connection, &exposed()).await, [""; 0], "the platform alone has such a table");
    run(&mut connection, TABLES).await;
    let expected = ["auth_user", "days_2026", r#"odd "name", 1"#, "only_columns", "with_idle_policy"];
    let expected: Vec<String> = expected.iter().map(|name| format!("public.{name}")).collect();
    assert_eq!(open(&mut connection, &exposed()).await, expected);

    // Role anon may use schema `granted`, but not schema `hidden`.
    let schemas = ["granted", "hidden"].map(str::to_owned);
    assert_eq!(open(&mut connection, &schemas).await, ["granted.notes"]);

    for finding in tables_open_to_anon(&mut connection, &exposed()).await.unwrap() {
        run(&mut connection, &finding.fix.unwrap()).await;
    }
    assert_eq!(open(&mut connection, &exposed()).await, [""; 0]);
}
