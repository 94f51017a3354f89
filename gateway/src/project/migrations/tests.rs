use cloch_sql::testing::TestDatabase;

use super::*;
use crate::project::testing::project;

#[test]
fn a_version_is_newer_than_all_others() {
    let now = NaiveDateTime::parse_from_str("20260101120000", VERSION).unwrap();
    for (newest, version) in [
        (None, "20260101120000"),
        (Some("20250101120000"), "20260101120000"),
        (Some("20260101120000"), "20260101120001"),
        (Some("20261231235959"), "20270101000000"),
        (Some("9"), "91"),
    ] {
        assert_eq!(next_version(now, newest), version, "{newest:?}");
    }
}

#[test]
fn a_transaction_around_all_is_the_engines_own() {
    assert_eq!(within_transaction(&["BEGIN", "select 1", "Commit"]).unwrap(), ["select 1"]);
    assert_eq!(within_transaction(&["select 1", "rollback to a"]).unwrap().len(), 2);
    for statements in [
        ["begin", "commit", "select 1"].as_slice(),
        &["select 1", "commit"],
        &["begin isolation level serializable", "select 1", "commit"],
        &["begin", "commit", "begin", "commit"],
    ] {
        assert!(within_transaction(statements).is_err(), "{statements:?}");
    }
}

async fn history(database: &TestDatabase) -> Vec<(String, String, Vec<String>)> {
    let text = "select version, name, statements from supabase_migrations.schema_migrations order by version";
    sqlx::query_as(text).fetch_all(database.superuser()).await.unwrap()
}

#[tokio::test]
async fn a_migration_is_recorded_by_statement_behind_all_others() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let project = project(&database, folder.path());
    std::fs::create_dir(folder.path().join("migrations")).unwrap();
    std::fs::write(folder.path().join("migrations/29990101000000_late.sql"), "select 1").unwrap();
    let sql = "begin; create table public.a (id int); create table public.b (id int); commit;";
    assert_eq!(project.migrate("made", sql).await.unwrap(), "29990101000001");
    let new = NewMigration { name: "kept", sql: "create table public.c (id int)", apply: true, keep_file: true };
    let file = "migrations/29990101000002_kept.sql";
    let added = project.add_migration(new).await.unwrap();
    assert_eq!(added, AddedMigration { version: "29990101000002".to_owned(), file: Some(file.to_owned()) });
    assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), format!("{}\n", new.sql));
    let recorded =
        NewMigration { name: "recorded", sql: "create table public.c (id int)", apply: false, keep_file: false };
    assert_eq!(project.add_migration(recorded).await.unwrap().file, None, "its table exists, so it was not applied");
    let history = history(&database).await;
    let statements = ["begin", "create table public.a (id int)", "create table public.b (id int)", "commit"];
    assert_eq!(history[0].2, statements);
    let names: Vec<&str> = history.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["made", "kept", "recorded"]);
}

#[tokio::test]
async fn concurrent_migrations_have_different_versions() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let project = project(&database, folder.path());
    let added = futures_util::future::join_all((0..4).map(|_| project.migrate("same", "select 1"))).await;
    let versions: std::collections::BTreeSet<String> = added.into_iter().map(Result::unwrap).collect();
    assert_eq!(versions.len(), 4, "{versions:?}");
}

#[tokio::test]
async fn a_refused_migration_changes_nothing() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let project = project(&database, folder.path());
    for sql in [
        "create table public.half (id int); commit; create table public.rest (id int)",
        "create table public.half (id int); rollback; select 1",
        "start transaction; create table public.half (id int)",
        "create table public.half (id int); select * from nowhere",
        "create table public.half (id int); do $$ begin commit; end $$",
        "create table public.half (id int); select 'never closed",
        " -- nothing",
    ] {
        assert!(project.migrate("bad", sql).await.is_err(), "{sql}");
        let new = NewMigration { name: "bad", sql, apply: true, keep_file: true };
        assert!(project.add_migration(new).await.is_err(), "{sql}");
    }
    assert!(project.migrate(&"x".repeat(MAX_NAME_CHARS + 1), "select 1").await.is_err());
    assert!(history(&database).await.is_empty());
    let half = "select to_regclass('public.half') is null";
    assert!(sqlx::query_scalar::<_, bool>(half).fetch_one(database.superuser()).await.unwrap());
    assert!(!folder.path().join("migrations").exists());
}

#[tokio::test]
async fn checking_whether_a_migration_can_be_written_leaves_no_file() {
    let database = TestDatabase::platform().await;
    let folder = tempfile::tempdir().unwrap();
    let migrations = folder.path().join("migrations");
    let writable = project(&database, folder.path());
    assert!(writable.can_write_migrations() && !migrations.exists(), "writing a file creates the folder");
    std::fs::create_dir(&migrations).unwrap();
    assert!(writable.can_write_migrations());
    assert_eq!(std::fs::read_dir(&migrations).unwrap().count(), 0);
    assert!(!project(&database, &folder.path().join("missing")).can_write_migrations());
}

/// If the migrations folder was a link to a missing path when the server started, the missing path may exist later, outside of the project.
#[tokio::test]
async fn a_folder_that_led_nowhere_is_neither_read_nor_written() {
    let database = TestDatabase::platform().await;
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut project = project(&database, folder.path());
    std::os::unix::fs::symlink(outside.path(), folder.path().join("migrations")).unwrap();
    std::fs::write(outside.path().join("1_secret.sql"), "select 1").unwrap();
    assert_eq!(project.migration_files().unwrap().len(), 1);
    project.has_migrations = false;
    assert!(project.migration_files().unwrap().is_empty());
    assert!(!project.can_write_migrations());
    let new = NewMigration { name: "kept", sql: "create table public.kept (id int)", apply: true, keep_file: true };
    assert!(matches!(project.add_migration(new).await, Err(ProjectError::NotWritable)));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(history(&database).await.is_empty());
}
