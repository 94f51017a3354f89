//! Tests of the platform's objects: the columns of all tables that Supabase's servers and dumps require, as listed in platform_columns.txt,
//! and Cloch's own functions.

use std::path::Path;

use cloch_core::Secret;
use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, ConnectOptions, Row};

/// After an intended change of the columns, run this test with `CLOCH_UPDATE=1`, which rewrites platform_columns.txt.
#[tokio::test]
async fn columns_are_as_dumps_expect_them() {
    let database = TestDatabase::platform().await;
    let mut transaction = cloch_sql::transaction::begin(database.superuser()).await.unwrap();
    // With an empty search_path, type names are printed with their schema.
    sqlx::raw_sql("set local search_path = ''").execute(&mut *transaction).await.unwrap();
    let rows = sqlx::query(
        "select format('%s.%s %s %s%s%s%s', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                  case when a.attnotnull then ' not null' end,
                  case when a.attgenerated = 's' then ' generated as ' when d.adbin is not null then ' default ' end,
                  pg_get_expr(d.adbin, d.adrelid))
           from pg_attribute as a
           join pg_class as c on c.oid = a.attrelid
           join pg_namespace as n on n.oid = c.relnamespace
           left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = a.attnum
          where n.nspname in ('auth', 'storage', 'realtime', 'supabase_functions')
            and c.relkind in ('r', 'p') and not c.relispartition
            and a.attnum > 0 and not a.attisdropped
          order by n.nspname, c.relname, a.attnum",
    )
    .fetch_all(&mut *transaction)
    .await
    .unwrap();
    let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/platform_columns.txt");
    if std::env::var_os("CLOCH_UPDATE").is_some() {
        std::fs::write(&file, found.join("\n") + "\n").unwrap();
    }
    let expected: Vec<String> = std::fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect();
    assert_eq!(found, expected);
}

/// Without its own search path, a function would resolve names with the caller's search path.
#[tokio::test]
async fn every_function_of_clochs_own_schema_pins_its_search_path() {
    let database = TestDatabase::platform().await;
    let loose: Vec<String> = sqlx::query_scalar(
        "select p.oid::regprocedure::text from pg_proc as p
          where p.pronamespace = 'cloch'::regnamespace
            and not exists (select from unnest(p.proconfig) as setting where setting like 'search_path=%')",
    )
    .fetch_all(database.superuser())
    .await
    .unwrap();
    assert_eq!(loose, [""; 0]);
}

/// The database records all migrations of Supabase's servers as applied, so that these servers could start on the database.
#[tokio::test]
async fn the_migrations_of_supabases_servers_are_recorded() {
    let database = TestDatabase::platform().await;
    let admin = database.superuser();
    let (auth, newest): (i64, String) =
        sqlx::query_as("select count(*), max(version) from auth.schema_migrations").fetch_one(admin).await.unwrap();
    assert_eq!((auth, newest.as_str()), (77, "20260625000000"));
    let (storage, last, hash): (i64, i32, String) = sqlx::query_as(
        "select count(*), max(id), (select hash from storage.migrations where id = 1) from storage.migrations",
    )
    .fetch_one(admin)
    .await
    .unwrap();
    // Hash of storage's first migration, the same in every Supabase project.
    assert_eq!((storage, last, hash.as_str()), (64, 63, "6ab16121fbaa08bbd11b712d05f358f9b555d777"));
}

/// Up to PostgreSQL 15, a role with CREATEROLE can grant itself every role that is not a superuser. The project's owner must not be able to
/// do so with these roles.
#[tokio::test]
async fn the_projects_owner_cannot_give_itself_programs_and_files_of_the_server() {
    let database = TestDatabase::platform().await;
    let mut owner = database.login().with_user("postgres", Secret::default()).sqlx_options().connect().await.unwrap();
    for role in ["pg_execute_server_program", "pg_read_server_files", "pg_write_server_files"] {
        let grant = AssertSqlSafe(format!("grant {role} to postgres"));
        let refusal = sqlx::raw_sql(grant).execute(&mut owner).await.unwrap_err().to_string();
        assert!(refusal.contains("superuser") || refusal.contains("permission denied"), "{role}: {refusal}");
    }
    for harmless in
        ["create role judge_of_a_test", "grant judge_of_a_test to authenticator", "drop role judge_of_a_test"]
    {
        sqlx::raw_sql(harmless).execute(&mut owner).await.unwrap();
    }
}
