//! Tests of the database functions that check policies for table changes.
use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::CallerRow;
use super::policy_claims::PolicyClaimsCache;
use super::roles::{ROLE_ROWS, RoleRow};

async fn run_sql(test: &TestDatabase, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(test.superuser()).await.unwrap();
}

/// Two callers share a policy evaluation only if the policies cannot read any claim in which the two callers differ.
#[tokio::test]
async fn only_policies_that_cannot_tell_callers_apart_share_them() {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create function public.mine(uuid) returns boolean language sql as 'select $1 = auth.uid()';
         create function public.same(int, int) returns boolean language sql as 'select auth.uid() is not null';
         create operator public.=== (leftarg = int, rightarg = int, function = public.same);
         create domain public.checked as int check (public.mine(null) is null);
         create table public.others (id int);
         create table public.members (user_id uuid, n int); alter table public.members enable row level security;
         create policy own on public.members for select using (user_id = auth.uid());
         create table public.guarded (n int); alter table public.guarded enable row level security;
         create policy own on public.guarded for select using (public.mine(null));
         create view public.seen as select * from public.others",
    )
    .await;
    let cases = [
        ("true", Some("{}")),
        ("n > 3 and (t = 'x{FUNCEXPR' or t is null)", Some("{}")),
        ("n = any ('{1,2}') and lower(t) = 'x' and now() > '2020-01-01'", Some("{}")),
        ("auth.role() = 'authenticated'", Some("{role}")),
        ("owner = auth.uid()", Some("{sub}")),
        ("owner::text = (select auth.uid())::text", Some("{sub}")),
        ("(auth.jwt() ->> 'aal') = 'aal2' and t = auth.email()", Some("{aal,email}")),
        ("((select auth.jwt()) -> 'app_metadata' ->> 'org')::int = n", Some("{app_metadata}")),
        ("((select auth.jwt()) ->> 'größe') = t", Some("{größe}")),
        ("t = 'auth.jwt() ->> ''x''' and owner = auth.uid()", Some("{sub}")),
        ("exists (select from public.others as o where o.id = n)", Some("{}")),
        ("n in (select m.n from public.members as m)", Some("{sub}")),
        ("exists (select from public.members as m join public.others as o on o.id = m.n)", Some("{sub}")),
        ("exists (select from public.others, public.guarded)", None),
        ("exists (select from public.seen)", None),
        ("(auth.jwt() ->> t) = 'x'", None),
        ("auth.jwt() @> '{}'", None),
        ("(auth.jwt() ->> 'aal') = 'aal2' or auth.jwt() is null", None),
        ("current_setting('request.jwt.claims', true) is not null", None),
        ("set_config('app.x', '1', true) = '1'", None),
        ("random() < 1", None),
        ("public.mine(owner)", None),
        ("n === 1", None),
        ("n::public.checked = 1", None),
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
        let claims: Option<String> = sqlx::query_scalar("select (cloch.policy_claims($1::regclass::oid)).claims::text")
            .bind(format!("public.t{at}"))
            .fetch_one(test.superuser())
            .await
            .unwrap();
        assert_eq!(claims.as_deref(), expected, "{policy}");
    }
}

/// The claims that policies read are cached until a policy changes, either a policy of the table or of a table that its policies read.
#[tokio::test]
async fn changed_policies_are_looked_at_again() {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create table public.members (user_id uuid); alter table public.members enable row level security;
         create policy own on public.members for select using (user_id = auth.uid());
         create table public.t (id int primary key, owner uuid);
         create policy one on public.t for select using (true)",
    )
    .await;
    let table: i64 =
        sqlx::query_scalar("select 'public.t'::regclass::oid::bigint").fetch_one(test.superuser()).await.unwrap();
    let cache = PolicyClaimsCache::default();
    let number = u32::try_from(table).unwrap();
    for (change, is_known, sets_nothing) in [
        ("select 1", false, true),
        ("select 1", true, true),
        ("alter policy one on public.t using (exists (select from public.members))", false, true),
        ("select 1", true, true),
        ("alter policy own on public.members using (auth.jwt() is not null)", false, false),
        ("alter table public.members disable row level security", false, true),
        ("create policy two on public.t for select using (owner = auth.uid())", false, true),
        ("drop policy two on public.t", false, true),
        ("select 1", true, true),
        ("alter policy one on public.t using (owner = auth.uid())", false, true),
        (
            "create or replace function auth.uid() returns uuid language sql stable
               as $$ select (current_setting('request.jwt.claims', true)::jsonb ->> 'user_id')::uuid $$",
            false,
            false,
        ),
    ] {
        run_sql(&test, change).await;
        let last = cache.last(number);
        let fingerprint: String = sqlx::query_scalar("select cloch.policy_fingerprint($1::bigint[]::oid[])")
            .bind(&last.relations)
            .fetch_one(test.superuser())
            .await
            .unwrap();
        assert_eq!(last.is_of(&fingerprint), is_known, "{change}");
        let mut transaction = cloch_sql::transaction::begin(test.superuser()).await.unwrap();
        let now = cache.find(&mut transaction, number).await.unwrap();
        assert_eq!(now.sets_nothing(), sets_nothing, "{change}");
    }
}

async fn ask_anon(connection: &mut PgConnection, keys: &str, claims: &[&str], sets_nothing: bool) -> Vec<CallerRow> {
    sqlx::query_as(
        "select * from cloch.visible_rows('public.t'::regclass, $1::text[], array_fill('anon'::text, array[$2]),
           array_fill(''::text, array[$2]), $3, array_fill('0,1'::text, array[$2]), '10 s', $4)",
    )
    .bind(keys)
    .bind(i32::try_from(claims.len()).unwrap())
    .bind(claims)
    .bind(sets_nothing)
    .fetch_all(connection)
    .await
    .unwrap()
}

/// A policy check of several callers returns the same result as a separate check of each caller, even if the policies of some callers fail.
#[tokio::test]
async fn a_failing_caller_leaves_the_others_of_its_call_alone() {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create table public.t (id int primary key, n int); alter table public.t enable row level security;
         grant select on public.t to anon; insert into public.t values (1, 1), (2, 2);
         create policy one on public.t for select using (n = (auth.jwt() ->> 'n')::int)",
    )
    .await;
    let claims = [r#"{"n":1}"#, r#"{"n":"x"}"#, r#"{"n":2}"#, r#"{"n":"y"}"#, r#"{"n":1}"#];
    let mut connection = test.superuser().acquire().await.unwrap();
    // `true` twice, because the first call prepares the statement and the second call reuses the prepared statement.
    for sets_nothing in [true, true, false] {
        let mut transaction = connection.begin().await.unwrap();
        let rows = ask_anon(&mut transaction, "{1,2}", &claims, sets_nothing).await;
        let answer = |row: &CallerRow| (row.member, row.visible.clone().unwrap_or_default(), row.failure.clone());
        let answers: Vec<_> = rows.iter().map(answer).collect();
        let (sees, fails) = (|at, row| (at, vec![row], None), |at| (at, vec![], Some("22P02".to_owned())));
        assert_eq!(answers, [sees(1, 0), fails(2), sees(3, 1), fails(4), sees(5, 0)]);
        let good = [r#"{"n":1}"#, r#"{"n":2}"#];
        assert_eq!(ask_anon(&mut transaction, "{1,2}", &good, sets_nothing).await.len(), 2);
        let left: (String, Option<String>) =
            sqlx::query_as("select current_user::text, nullif(current_setting('request.jwt.claims', true), '')")
                .fetch_one(&mut *transaction)
                .await
                .unwrap();
        assert_ne!(left.0, "anon");
        assert_eq!(left.1, None, "nothing is left of the callers");
    }
}

/// A prepared statement is not reused after the table's primary key has changed.
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
    let cases = [
        ("select 1", "{2,3}", 0),
        ("alter table public.t drop constraint t_pkey; alter table public.t add primary key (b)", "{z,y}", 1),
        // The key columns are listed in the order of the table's columns, not in the order of the primary key.
        ("alter table public.t drop constraint t_pkey; alter table public.t add primary key (b, a)", "{1,y,2,y}", 1),
    ];
    for (change, keys, expected) in cases {
        run_sql(&test, change).await;
        for sets_nothing in [true, true, false] {
            let rows = ask_anon(&mut connection, keys, &["{}"], sets_nothing).await;
            assert_eq!(rows.first().unwrap().visible.as_deref(), Some(&[expected][..]), "{change}");
        }
    }
}

/// A transaction is in the replication stream before its rows are visible. The policies are not checked before the rows are visible.
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
            .bind(vec![table])
            .bind("0")
            .fetch_all(test.superuser())
            .await
            .unwrap();
        rows.first().unwrap().are_seen
    };
    let id = "select mod(pg_current_xact_id()::text::bigint, 4294967296)";
    let mut last = cloch_sql::transaction::begin(test.superuser()).await.unwrap();
    let last_id: i64 = sqlx::query_scalar(id).fetch_one(&mut *last).await.unwrap();
    assert!(!are_seen(vec![last_id]).await, "no later one is at its end");
    let mut later = cloch_sql::transaction::begin(test.superuser()).await.unwrap();
    let later_id: i64 = sqlx::query_scalar(id).fetch_one(&mut *later).await.unwrap();
    later.commit().await.unwrap();
    assert!(are_seen(vec![later_id]).await && are_seen(vec![]).await);
    assert!(!are_seen(vec![later_id, last_id]).await, "a later one is at its end");
    last.commit().await.unwrap();
    assert!(are_seen(vec![last_id, later_id]).await);
    assert!(are_seen(vec![(last_id + (1 << 31) + 10) % (1 << 32)]).await, "of the epoch before");
}
