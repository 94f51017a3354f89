//! Test of the correction of type modifiers in the stand-in for pgvector. In databases of older versions, `vector(8)` had the modifier 12.

use std::path::PathBuf;

use cloch_sql::bootstrap::{Project, bootstrap};
use cloch_sql::testing::{TestDatabase, logins};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

use super::released::with_includes;

const OBJECTS: &str = include_str!("vector_modifier.sql");
const TREES: &str = include_str!("vector_trees.sql");
/// Number of the first tables file after which the modifier equals the number of dimensions.
const CORRECTION: &str = "0045";

/// Applies the tables files before the correction, in the same way as the older versions of Cloch.
async fn make_old_platform(connection: &mut PgConnection) {
    let start = "create schema cloch; set client_min_messages = error;
                 create table cloch.platform_migrations (
                     version text primary key, name text not null, applied_at timestamptz not null default now());";
    sqlx::raw_sql(start).execute(&mut *connection).await.unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("platform/tables");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.as_str() < CORRECTION)
        .collect();
    files.sort();
    for file in files {
        let text = with_includes(&format!("sql/platform/tables/{file}"));
        let (version, name) = file.trim_end_matches(".sql").split_once('_').unwrap();
        let script = format!(
            "begin; set local check_function_bodies = off; {text}
             ; insert into cloch.platform_migrations values ('{version}', '{name}'); commit"
        );
        sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut *connection).await.unwrap();
    }
}

async fn texts(connection: &mut PgConnection, query: &'static str) -> Vec<String> {
    sqlx::query_scalar(query).fetch_all(connection).await.unwrap()
}

async fn refusal(connection: &mut PgConnection, statement: &'static str) -> String {
    let error = sqlx::raw_sql(statement).execute(connection).await.unwrap_err();
    error.as_database_error().unwrap().message().to_owned()
}

#[tokio::test]
async fn the_type_modifier_of_existing_vectors_is_corrected() {
    let fresh = TestDatabase::platform().await;
    let admin = fresh.superuser();
    let is_stood_in_for: bool =
        sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = 'vector')")
            .fetch_one(admin)
            .await
            .unwrap();
    if !is_stood_in_for {
        return;
    }
    let name = format!("cloch_modifier_{}", uuid::Uuid::new_v4().simple());
    sqlx::raw_sql(AssertSqlSafe(format!("create database {name} template template0 owner postgres")))
        .execute(admin)
        .await
        .unwrap();
    let login = fresh.login().with_database(&name);
    let mut connection = login.sqlx_options().connect().await.unwrap();
    make_old_platform(&mut connection).await;
    sqlx::raw_sql("set search_path = public, extensions").execute(&mut connection).await.unwrap();
    sqlx::raw_sql(OBJECTS).execute(&mut connection).await.unwrap();
    let modifiers = "select a.atttypmod || ' ' || format_type(a.atttypid, a.atttypmod) from pg_attribute as a
                      where a.attrelid = 't'::regclass and a.attname in ('v', 'a', 'big', 'free', 'other') order by a.attnum";
    assert_eq!(
        texts(&mut connection, modifiers).await,
        ["12 vector(8)", "8 vector(4)[]", "1540 vector(1536)", "-1 vector", "16 character varying(12)"]
    );
    let views = "select pg_get_viewdef(oid) from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace order by oid";
    let before = texts(&mut connection, views).await;
    assert!(before.len() == 7 && before[0].contains("vector(8)"), "{before:?}");

    let project = Project {
        folder: PathBuf::new(),
        migrate: false,
        seed: Vec::new(),
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    };
    bootstrap(&logins(&login), &project).await.unwrap();

    // A session that was open during the correction uses the new definitions.
    assert_eq!(
        texts(&mut connection, modifiers).await,
        ["8 vector(8)", "4 vector(4)[]", "1536 vector(1536)", "-1 vector", "16 character varying(12)"]
    );
    assert_eq!(texts(&mut connection, views).await, before);
    for (statement, expected) in [
        ("insert into t (id, v) values (2, '[1,2]')", "expected 8 dimensions, not 2"),
        ("insert into t (id, v, free) values (2, '[1,2,3,4,5,6,7,8]', '[1]')", "expected 8 dimensions, not 1"),
        ("insert into td (x) values ('[1,2,3,4]')", "expected 8 dimensions, not 4"),
        ("insert into p values (1, '[1,2,3,4]')", "expected 8 dimensions, not 4"),
        ("select plf('[1,2,3,4]')", "expected 8 dimensions, not 4"),
        ("select sqlf('[1,2,3,4]')", "expected 8 dimensions, not 4"),
        ("create table none (v vector(0))", "dimensions for type vector must be at least 1"),
        ("create table none (v vector(16001))", "dimensions for type vector cannot exceed 16000"),
    ] {
        assert_eq!(refusal(&mut connection, statement).await, expected, "{statement}");
    }
    sqlx::raw_sql(
        "insert into t (id, v, free) values (2, '[1,2,3,4,5,6,7,8]', '[1,2,3,4,5,6,7,8]');
         insert into p values (1, '[1,2,3,4,5,6,7,8]'); insert into deflt (id) values (1); refresh materialized view mv;
         insert into t4 values (1, '[1,2,3,4]'); create table u as select * from v1",
    )
    .execute(&mut connection)
    .await
    .unwrap();

    // The corrected expressions equal those of the same objects in a database that never had the old modifier.
    let mut new = fresh.login().sqlx_options().connect().await.unwrap();
    sqlx::raw_sql("set search_path = public, extensions").execute(&mut new).await.unwrap();
    sqlx::raw_sql(OBJECTS).execute(&mut new).await.unwrap();
    sqlx::raw_sql("drop table u; drop table if exists none").execute(&mut connection).await.unwrap();
    let (found, expected) = (texts(&mut connection, TREES).await, texts(&mut new, TREES).await);
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(found, expected);
    new.close().await.unwrap();
    connection.close().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!("drop database {name} with (force)"))).execute(admin).await.unwrap();
}
