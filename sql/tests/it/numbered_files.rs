//! Tests with databases whose platform SQL consisted of the 63 numbered files of development versions. `numbered_files.sql.gz` is pg_dump's
//! output of such a database.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::migrations::MigrationError;
use cloch_sql::testing::{TestDatabase, logins};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

/// A database that was restored from the dump, and a database created by this version for comparison.
struct Restored {
    fresh: TestDatabase,
    name: String,
}

impl Restored {
    async fn new() -> Self {
        let fresh = TestDatabase::platform().await;
        let name = format!("cloch_numbered_{}", uuid::Uuid::new_v4().simple());
        let create = format!("create database {name} template template0 owner postgres");
        sqlx::raw_sql(AssertSqlSafe(create)).execute(fresh.superuser()).await.unwrap();
        let restored = Self { fresh, name };
        let mut connection = restored.connect().await;
        let mut dump = String::new();
        let compressed = &include_bytes!("numbered_files.sql.gz")[..];
        flate2::read::GzDecoder::new(compressed).read_to_string(&mut dump).unwrap();
        sqlx::raw_sql(AssertSqlSafe(dump)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        restored
    }

    async fn connect(&self) -> PgConnection {
        self.fresh.login().with_database(&self.name).sqlx_options().connect().await.unwrap()
    }

    async fn start(&self) -> Result<Bootstrapped, MigrationError> {
        let project = Project {
            folder: PathBuf::new(),
            migrate: false,
            seed: Vec::new(),
            extensions: None,
            settings: Vec::new(),
            major_version: None,
        };
        bootstrap(&logins(&self.fresh.login().with_database(&self.name)), &project).await
    }

    async fn end(self) {
        let drop = format!("drop database {} with (force)", self.name);
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(self.fresh.superuser()).await.unwrap();
    }
}

/// Returns all objects of the database with their definitions and privileges, including schema cloch.
async fn facts(connection: &mut PgConnection) -> BTreeSet<String> {
    let query = include_str!("../../attach/catalog.sql").replace(", 'cloch')", ")");
    assert!(!query.contains("'cloch'"));
    sqlx::query_scalar(AssertSqlSafe(query)).fetch_all(connection).await.unwrap().into_iter().collect()
}

/// Returns the number of files in `platform/tables` that are newer than the numbered files.
fn newer_files() -> usize {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/platform/tables")).unwrap();
    files.filter(|file| file.as_ref().unwrap().file_name().to_str().unwrap() > "0043").count()
}

#[tokio::test]
async fn a_database_of_the_numbered_files_gets_the_catalog_of_a_fresh_start() {
    let restored = Restored::new().await;
    let first = restored.start().await.unwrap();
    assert_eq!(first.platform, newer_files(), "its tables are those of the first 42 files");
    assert!(first.added.is_empty(), "{:?}", first.added);
    let mut connection = restored.connect().await;
    let found = facts(&mut connection).await;
    let expected = facts(&mut restored.fresh.superuser().acquire().await.unwrap()).await;
    let missing: Vec<_> = expected.difference(&found).collect();
    let additional: Vec<_> = found.difference(&expected).collect();
    assert!(found.len() > 3000 && missing.is_empty() && additional.is_empty(), "{missing:#?} {additional:#?}");
    connection.close().await.unwrap();
    let second = restored.start().await.unwrap();
    assert_eq!((second.platform, second.fresh), (0, false));
    restored.end().await;
}

#[tokio::test]
async fn a_database_with_a_part_of_the_numbered_files_is_refused_unchanged() {
    let restored = Restored::new().await;
    let mut connection = restored.connect().await;
    sqlx::raw_sql("delete from cloch.platform_migrations where version > '0070'")
        .execute(&mut connection)
        .await
        .unwrap();
    let error = restored.start().await.unwrap_err().to_string();
    assert!(error.contains("too old to be upgraded directly"), "{error}");
    let files: i64 =
        sqlx::query_scalar("select count(*) from cloch.platform_migrations").fetch_one(&mut connection).await.unwrap();
    assert_eq!(files, 60);
    connection.close().await.unwrap();
    restored.end().await;
}

/// A platform function is replaced at the next start if the text of its file differs, unless a newer program created the function.
#[tokio::test]
async fn functions_are_replaced_when_their_text_changed() {
    let restored = Restored::new().await;
    restored.start().await.unwrap();
    let mut connection = restored.connect().await;
    for (version, expected) in [(0, "auth.uid"), (999, "someone's")] {
        sqlx::raw_sql(AssertSqlSafe(format!(
            "create or replace function auth.uid() returns uuid language sql stable as $$ select null::uuid /* someone's */ $$;
             update cloch.platform_functions set sha256 = 'another text', version = {version} where name = 'auth/uid'"
        )))
        .execute(&mut connection)
        .await
        .unwrap();
        restored.start().await.unwrap();
        let source: String = sqlx::query_scalar("select prosrc from pg_proc where oid = 'auth.uid()'::regprocedure")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(source.contains("someone's"), expected == "someone's", "version {version}: {source}");
    }
    connection.close().await.unwrap();
    restored.end().await;
}
