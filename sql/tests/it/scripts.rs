//! Tests of SQL files with their own transactions: `begin`, `commit` and `rollback` behave as with the Supabase CLI, which sends a file's
//! statements in one pipeline (`ExecBatch` in its pkg/migration).

use std::path::{Path, PathBuf};

use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::testing::TestDatabase;
use sqlx::Row;

struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let path = std::env::temp_dir().join(format!("cloch-scripts-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(path.join("migrations")).unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(path.join(name), text).unwrap());
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn apply(database: &TestDatabase, folder: &Path) -> Result<Bootstrapped, String> {
    let project = Project {
        folder: folder.to_owned(),
        migrate: true,
        seed: vec!["./seed.sql".into()],
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    };
    bootstrap(&Logins::same(database.login()), &project).await.map_err(|error| error.to_string())
}

/// Returns the names of the tables t0 to t9, and the versions in the migration history.
async fn left(database: &TestDatabase) -> (Vec<String>, Vec<String>) {
    let texts = async |query: &'static str| -> Vec<String> {
        sqlx::query(query).fetch_all(database.superuser()).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    (
        texts("select relname::text from pg_class where relname ~ '^t[0-9]$' order by 1").await,
        texts("select version from supabase_migrations.schema_migrations order by 1").await,
    )
}

async fn one(text: &str) -> (Result<Bootstrapped, String>, Vec<String>, Vec<String>) {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/1_a.sql", text.as_bytes())]);
    let outcome = apply(&database, &folder.0).await;
    let (tables, history) = left(&database).await;
    (outcome, tables, history)
}

#[tokio::test]
async fn transactions_of_a_file_are_its_own() {
    for (text, expected) in [
        // A new value of an enum can be used only after the transaction that adds it.
        (
            "begin;\ncreate type public.st as enum ('a');\ncommit;\nbegin;\n\
             alter type public.st add value if not exists 'cruise';\ncommit;\nbegin;\n\
             create table public.t1 (id int primary key, s public.st default 'cruise');\ncommit;\n",
            ["t1"].as_slice(),
        ),
        ("create table t1 (id int); rollback; create table t2 (id int);", &["t2"]),
        ("create table t1 (id int); commit; begin; create table t2 (id int); rollback;", &["t1"]),
        ("begin; create table t1 (id int); savepoint a; create table t2 (id int); rollback to a; commit", &["t1"]),
        (
            "create procedure p() language plpgsql as $$ begin create table t1 (id int); commit; end $$; commit; call p(); \
             create table t2 (id int);",
            &["t1", "t2"],
        ),
        ("BEGIN;\n-- nothing\nCOMMIT;\n", &[]),
    ] {
        let (outcome, tables, history) = one(text).await;
        assert_eq!(outcome.map(|done| done.migrations), Ok(1), "{text}");
        assert_eq!(
            (tables.as_slice(), history.as_slice()),
            (expected.map_str().as_slice(), ["1".to_owned()].as_slice()),
            "{text}"
        );
    }
}

trait MapStr {
    fn map_str(&self) -> Vec<String>;
}

impl MapStr for &[&str] {
    fn map_str(&self) -> Vec<String> {
        self.iter().map(|&text| text.to_owned()).collect()
    }
}

#[tokio::test]
async fn a_failing_file_keeps_what_it_committed_and_says_so() {
    let (outcome, tables, history) =
        one("create table t1 (id int);\ncommit;\ncreate table t2 (id int);\nselect 1/0;").await;
    let error = outcome.unwrap_err();
    assert!(error.starts_with("migrations/1_a.sql, line 4: division by zero"), "{error}");
    assert!(error.contains("the file's own commit in line 2 stay in"), "{error}");
    assert_eq!((tables, history), (vec!["t1".to_owned()], Vec::new()));

    let (outcome, tables, history) = one("begin;\ncreate table t1 (id int);\nselect 1/0;\ncommit;").await;
    let error = outcome.unwrap_err();
    assert!(error.contains("line 3: division by zero") && !error.contains("own commit"), "{error}");
    assert_eq!((tables, history), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_transaction_that_is_never_ended_is_an_error() {
    let (outcome, tables, history) = one("create table t1 (id int);\ncommit;\nbegin;\ncreate table t2 (id int);").await;
    let error = outcome.unwrap_err();
    assert!(error.starts_with("migrations/1_a.sql, line 3: the file begins a transaction"), "{error}");
    assert_eq!((tables, history), (vec!["t1".to_owned()], Vec::new()));
}

#[tokio::test]
async fn a_text_that_cannot_be_read_stops_before_its_first_statement() {
    for (text, place) in [
        ("create table t1 (id int);\n\n/* never closed\ncreate table t2 (id int);", "line 3, column 1: a comment"),
        ("create table t1 (id int);\nselect 'a;\n", "line 2, column 8: a string"),
        ("create table t1 (id int);\ncopy t1 from stdin;\n1\n\\.\n", "line 2, column 1: COPY"),
        ("create table t1 (id int);\n\\i other.sql\n", "line 2, column 1: a backslash"),
    ] {
        let (outcome, tables, history) = one(text).await;
        let error = outcome.unwrap_err();
        assert!(error.starts_with(&format!("migrations/1_a.sql, {place}")), "{error}");
        assert_eq!((tables, history), (Vec::new(), Vec::new()), "{text}");
    }
}

#[tokio::test]
async fn the_session_decides_what_a_backslash_is() {
    let text = "set standard_conforming_strings = off;\ncreate table t1 (a text default 'it\\'s; create table t2 (id int)');\n\
                reset all; create table t3 (a text default 'C:\\');";
    let (outcome, tables, _) = one(text).await;
    assert_eq!(outcome.map(|done| done.migrations), Ok(1));
    assert_eq!(tables, ["t1", "t3"]);
}

#[tokio::test]
async fn files_may_begin_with_a_byte_order_mark() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[
        ("migrations/20250103000000_bom.sql", b"\xef\xbb\xbfcreate table public.t1 (id int);\r\n"),
        ("seed.sql", b"\xef\xbb\xbfbegin; insert into t1 values (1); commit;\r\n"),
    ]);
    let outcome = apply(&database, &folder.0).await.unwrap();
    assert_eq!((outcome.migrations, outcome.seeds), (1, 1));
    let count: i64 = sqlx::query_scalar("select count(*) from t1").fetch_one(database.superuser()).await.unwrap();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn an_index_is_made_concurrently_where_the_cli_makes_it() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[
        ("migrations/1_a.sql", b"create table t1 (id int);"),
        ("migrations/2_b.sql", b"create index concurrently t2 on t1 (id);"),
    ]);
    assert_eq!(apply(&database, &folder.0).await.map(|done| done.migrations), Ok(2));
    assert_eq!(left(&database).await.0, ["t1", "t2"]);
    // As in the CLI, `create index concurrently` runs alone, after the statements before it have been committed.
    let (outcome, tables, history) = one("create table t1 (id int); create index concurrently t2 on t1 (id);").await;
    assert_eq!(outcome.map(|done| done.migrations), Ok(1));
    assert_eq!(tables, ["t1", "t2"]);
    assert_eq!(history.len(), 1);
}

#[tokio::test]
async fn a_bracket_in_the_folders_name_is_no_pattern() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[]);
    let project = folder.0.join("shop [old]");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("seed.sql"), "create table t1 (id int);").unwrap();
    assert_eq!(apply(&database, &project).await.map(|done| done.seeds), Ok(1));
}

#[tokio::test]
async fn a_list_of_extensions_is_dropped_whole() {
    let database = TestDatabase::platform().await;
    let text = "create extension if not exists pg_trgm with schema extensions;
                create extension if not exists citext with schema extensions;
                drop extension no_such_extension, pg_trgm, \"citext\" cascade;";
    let folder = Folder::new(&[("migrations/1_a.sql", text.as_bytes())]);
    assert_eq!(apply(&database, &folder.0).await.map(|done| done.migrations), Ok(1));
    let left = sqlx::query("select extname::text from pg_extension where extname in ('pg_trgm', 'citext')");
    assert!(left.fetch_all(database.superuser()).await.unwrap().is_empty());
}
