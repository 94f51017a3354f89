//! Tests of the proposed indexes. PostgreSQL creates the plans in these tests, as it does for the dashboard.

use cloch_sql::client::Connection;
use cloch_sql::testing::TestDatabase;
use sqlx::AssertSqlSafe;

use super::*;
use crate::dashboard::statements::plan::explain;

const SETUP: &str = r#"
    create schema app;
    create table app."Sensor's data" (
      id bigint primary key, sensor int not null, "Mixed Name" text, kind varchar(20), flag boolean not null, at timestamptz not null);
    insert into app."Sensor's data"
      select n, n % 5000, 'x' || n % 3000, 'k' || n % 2000, n % 2 = 0, now() - n * interval '1 minute' from generate_series(1, 20000) n;
    create table app.small (id int primary key, sensor int not null);
    insert into app.small select n, n from generate_series(1, 9000) n;
    create table app.of_server (id int primary key, sensor int);
    create table app.parts (sensor int, at int) partition by range (at);
    create table app.part_1 partition of app.parts for values from (0) to (1000000);
    insert into app.parts select n % 5000, n from generate_series(1, 20000) n;
    analyze app."Sensor's data", app.small, app.parts"#;

async fn made() -> TestDatabase {
    let database = TestDatabase::platform().await;
    sqlx::raw_sql(SETUP).execute(database.database().owner()).await.unwrap();
    let others = "alter table app.of_server owner to supabase_admin; grant select on app.of_server to postgres;
                  insert into app.of_server select n, n from generate_series(1, 20000) n; analyze app.of_server";
    sqlx::raw_sql(others).execute(database.superuser()).await.unwrap();
    database
}

/// Returns the statements of all hints for a statement.
async fn hints(database: &TestDatabase, statement: &str) -> Vec<String> {
    let mut connection = Connection::open(&database.database().logins().owner).await.unwrap();
    let plan = explain(&mut connection, statement).await.unwrap();
    let mut connection = database.database().owner().acquire().await.unwrap();
    of(&mut connection, &plan).await.unwrap().into_iter().map(|hint| hint.sql).collect()
}

#[tokio::test]
async fn comparisons_and_sorts_get_an_index_until_it_exists() {
    let database = made().await;
    let table = r#"app."Sensor's data""#;
    let index = |columns: &str| format!("create index concurrently on {table} ({columns});");
    for (statement, columns) in [
        ("select * from {} where sensor = $1", "sensor"),
        ("select * from {} where $1 = sensor", "sensor"),
        ("select * from {} where sensor in ($1, $2)", "sensor"),
        ("select * from {} where sensor = any ($1)", "sensor"),
        ("select * from {} where kind = $1", "kind"),
        ("select * from {} where kind = $1 and kind = $2", "kind"),
        (r#"select "D d".id from {} as "D d" where "D d"."Mixed Name" = $1"#, r#""Mixed Name""#),
        // The index begins with the column that has the most distinct values.
        ("select * from {} where flag = $1 and kind = $2 and sensor = $3", "sensor, kind, flag"),
        ("delete from {} where sensor = $1 returning id", "sensor"),
        ("update {} set flag = $1 where sensor = $2", "sensor"),
        ("select * from {} where sensor = (select $1::int)", "sensor"),
        ("select * from {} order by at desc limit $1", "at desc"),
        ("select * from {} order by at desc nulls last, sensor limit 10", "at desc nulls last, sensor"),
        ("select * from {} where flag = $1 order by at limit $2", "flag, at"),
        ("select * from {} order by at limit $1 for update", "at"),
    ] {
        let statement = statement.replace("{}", table);
        assert_eq!(hints(&database, &statement).await, [index(columns)], "{statement}");
    }
    let statement = format!("select * from {table} where sensor = $1");
    sqlx::raw_sql(AssertSqlSafe(index("sensor"))).execute(database.database().owner()).await.unwrap();
    assert_eq!(hints(&database, &statement).await, Vec::<String>::new());
    let drop = "drop index app.\"Sensor's data_sensor_idx\"; create index on app.\"Sensor's data\" (sensor) where flag";
    sqlx::raw_sql(drop).execute(database.database().owner()).await.unwrap();
    assert_eq!(hints(&database, &statement).await, [index("sensor")], "a partial index serves other statements");
}

#[tokio::test]
async fn what_no_index_helps_has_no_hint() {
    let database = made().await;
    for statement in [
        "select * from {}",
        "select * from {} where flag = $1",
        "select * from {} where sensor > $1",
        "select * from {} where sensor = $1 or kind = $2",
        "select * from {} where lower(kind) = $1",
        "select * from {} where sensor::numeric = $1",
        "select * from {} where sensor::text = $1",
        "select * from {} where sensor = (random() * 10)::int",
        "select * from {} order by at",
        "select * from {} order by lower(kind) limit $1",
        "select * from {} order by at, lower(kind) limit $1",
        "select * from {} where id = $1",
        "select * from app.small where sensor = $1",
        "select * from app.of_server where sensor = $1",
        "select * from app.parts where sensor = $1",
        "select * from pg_class where relpages = $1",
    ] {
        let statement = statement.replace("{}", r#"app."Sensor's data""#);
        assert_eq!(hints(&database, &statement).await, Vec::<String>::new(), "{statement}");
    }
}

#[tokio::test]
async fn the_reason_names_rows_columns_and_where_the_number_is_from() {
    let database = made().await;
    let mut connection = Connection::open(&database.database().logins().owner).await.unwrap();
    let statement = "select * from app.\"Sensor's data\" where sensor = $1 and kind = $2 order by at limit 5";
    let plan = explain(&mut connection, statement).await.unwrap();
    let mut connection = database.database().owner().acquire().await.unwrap();
    let hints = of(&mut connection, &plan).await.unwrap();
    let [hint] = hints.as_slice() else { panic!("{hints:?}") };
    assert_eq!(
        hint.reason,
        "The plan reads all of app.\"Sensor's data\" (about 20,000 rows) to find about 1 by sensor, kind, and to sort them by at and \
         return the first. No index begins with one of sensor, kind."
    );
    assert_eq!((hint.rows, hint.rows_from.as_str()), (20_000.0, "pg_class.reltuples"));
}

#[tokio::test]
async fn a_parallel_scan_counts_the_rows_of_all_processes() {
    let database = made().await;
    let mut connection = Connection::open(&database.database().logins().owner).await.unwrap();
    for setting in ["parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0"] {
        connection.texts(&format!("set {setting}")).await.unwrap();
    }
    let statement = "select count(*) from app.\"Sensor's data\" where sensor = $1";
    let plan = explain(&mut connection, statement).await.unwrap();
    assert!(plan.to_string().contains("\"Parallel Aware\":true"), "{plan}");
    let found = scans(&plan);
    let [scan] = found.as_slice() else { panic!("{found:?}") };
    assert!((3.0..=5.0).contains(&scan.kept), "{scan:?}");
}
