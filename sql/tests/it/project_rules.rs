//! Tests of the database rules of the project in supabase-config: its SQL tests, and the table of access rights.

use std::path::{Path, PathBuf};

use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, PgConnection};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../supabase-config")
}

async fn run(connection: &mut PgConnection, file: &Path) -> sqlx::Result<()> {
    let text = std::fs::read_to_string(file).unwrap();
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.map(|_| ())
}

/// Begins a transaction on the project's database with its seed and the tests' rows. The transaction is rolled back.
async fn scene(database: &TestDatabase) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut scene = cloch_sql::transaction::begin(database.superuser()).await.unwrap();
    sqlx::raw_sql("set local role postgres; set local search_path to \"$user\", public, extensions")
        .execute(&mut *scene)
        .await
        .unwrap();
    run(&mut scene, &project().join("seed.sql")).await.unwrap();
    run(&mut scene, &project().join("tests/setup.sql")).await.unwrap();
    scene
}

#[tokio::test]
async fn the_projects_sql_tests_pass() {
    let database = TestDatabase::project(project()).await;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(project().join("tests")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "sql") && !file.ends_with("setup.sql"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let mut scene = scene(&database).await;
        if let Err(error) = run(&mut scene, &file).await {
            panic!("{}: {error}", file.display());
        }
    }
}

/// Compares the tested access of every role to every table and bucket with access.md. After an intended change, run this test with
/// `CLOCH_UPDATE=1`, which rewrites access.md.
#[tokio::test]
async fn access_is_as_the_table_says() {
    let database = TestDatabase::project(project()).await;
    let mut scene = scene(&database).await;
    let found = crate::access::table(&mut scene).await.unwrap();
    let file = project().join("access.md");
    if std::env::var_os("CLOCH_UPDATE").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(
            found,
            expected,
            "access.md, line {}: the database (left) differs from the table (right)",
            number + 1
        );
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "access.md lacks or adds lines");
}
