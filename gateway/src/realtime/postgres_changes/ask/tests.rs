//! The functions of the database that are asked.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cloch_sql::testing::TestDatabase;
use sqlx::AssertSqlSafe;

use super::roles::{ROLE_ROWS, RoleRow};

async fn run_sql(test: &TestDatabase, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(test.superuser()).await.unwrap();
}

/// What callers share is decided by what the policies can see of their claims: rather too much than too little.
#[tokio::test]
async fn only_policies_that_cannot_tell_callers_apart_share_them() {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create function public.mine(uuid) returns boolean language sql as 'select $1 = auth.uid()';
         create function public.same(int, int) returns boolean language sql as 'select auth.uid() is not null';
         create operator public.=== (leftarg = int, rightarg = int, function = public.same);
         create domain public.checked as int check (public.mine(null) is null);
         create table public.others (id int);",
    )
    .await;
    let cases = [
        ("true", "role"),
        ("n > 3 and (t = 'x{FUNCEXPR' or t is null)", "role"),
        ("n = any ('{1,2}') and auth.role() = 'authenticated'", "role"),
        ("owner = auth.uid()", "sub"),
        ("owner::text = (select auth.uid())::text", "sub"),
        ("(auth.jwt() ->> 'aal') = 'aal2'", "claims"),
        ("current_setting('request.jwt.claims', true) is not null", "claims"),
        ("public.mine(owner)", "claims"),
        ("n === 1", "claims"),
        ("n::public.checked = 1", "claims"),
        ("exists (select from public.others as o where o.id = n)", "claims"),
        ("n in (select id from public.others)", "claims"),
    ];
    for (at, (policy, expected)) in cases.into_iter().enumerate() {
        run_sql(
            &test,
            &format!(
                "create table public.t{at} (id int primary key, n int, t text, owner uuid);
                 create policy one on public.t{at} for select using (true);
                 create policy two on public.t{at} for all using ({policy})"
            ),
        )
        .await;
        let reach: String = sqlx::query_scalar("select cloch.policy_reach($1::regclass::oid)")
            .bind(format!("public.t{at}"))
            .fetch_one(test.superuser())
            .await
            .unwrap();
        assert_eq!(reach, expected, "{policy}");
    }
}

/// A prepared statement that the table has outgrown is not used.
#[tokio::test]
async fn another_primary_key_is_asked_by() {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create table public.t (a int primary key, b text unique not null);
         grant select on public.t to anon; insert into public.t values (1, 'x'), (2, 'y')",
    )
    .await;
    let mut connection = test.superuser().acquire().await.unwrap();
    let ask = "select visible from cloch.visible_changes('public.t'::regclass, $1::text::jsonb, '{anon}', '{\"\"}', '{\"{}\"}', '[[0,1]]', '1 s')";
    let by_number: Vec<i32> =
        sqlx::query_scalar(ask).bind(r#"[["2"],["3"]]"#).fetch_one(&mut *connection).await.unwrap();
    assert_eq!(by_number, [0]);
    run_sql(&test, "alter table public.t drop constraint t_pkey; alter table public.t add primary key (b)").await;
    let by_text: Vec<i32> = sqlx::query_scalar(ask).bind(r#"[["z"],["y"]]"#).fetch_one(&mut *connection).await.unwrap();
    assert_eq!(by_text, [1]);
}

/// A transaction is in the stream before PostgreSQL sees it: nobody is asked about its rows until then.
#[tokio::test]
async fn a_transaction_that_is_not_seen_is_waited_for() {
    let test = TestDatabase::platform().await;
    run_sql(&test, "create table public.t (id int primary key)").await;
    let table: i64 =
        sqlx::query_scalar("select 'public.t'::regclass::oid::bigint").fetch_one(test.superuser()).await.unwrap();
    let are_seen = async |ids: Vec<i64>| {
        let rows: Vec<RoleRow> = sqlx::query_as(ROLE_ROWS)
            .bind(table)
            .bind(vec!["anon"])
            .bind(serde_json::json!([]))
            .bind(ids)
            .fetch_all(test.superuser())
            .await
            .unwrap();
        rows.first().unwrap().are_seen
    };
    let id = "select mod(pg_current_xact_id()::text::bigint, 4294967296)";
    let mut last = test.superuser().begin().await.unwrap();
    let last_id: i64 = sqlx::query_scalar(id).fetch_one(&mut *last).await.unwrap();
    assert!(!are_seen(vec![last_id]).await, "no later one is at its end");
    let mut later = test.superuser().begin().await.unwrap();
    let later_id: i64 = sqlx::query_scalar(id).fetch_one(&mut *later).await.unwrap();
    later.commit().await.unwrap();
    assert!(are_seen(vec![later_id]).await && are_seen(vec![]).await);
    assert!(!are_seen(vec![later_id, last_id]).await, "a later one is at its end");
    last.commit().await.unwrap();
    assert!(are_seen(vec![last_id, later_id]).await);
    assert!(are_seen(vec![(last_id + (1 << 31) + 10) % (1 << 32)]).await, "of the epoch before");
}
