//! Tests two rules. Released SQL files that are executed once must not change, because existing databases have already executed them. A
//! change of a function file must increase the number in `sql/platform/version`. released.sha256 lists the checksums of all these files in
//! sha256sum's format; `CLOCH_UPDATE=1` adds missing files and updates changed function files. (Until the first release, released.sha256
//! may be deleted and created again.)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloch_sql::bootstrap::{Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::testing::TestDatabase;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

const FOLDERS: [&str; 2] = ["sql/platform/tables", "supabase-config/migrations"];
const FUNCTIONS: &str = "sql/platform/functions/";
const VERSION: &str = "sql/platform/version";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/released.sha256")
}

/// Returns the checksums of released SQL files by path.
fn released() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let pair = |line: &str| line.split_once("  ").map(|(sum, path)| (path.to_owned(), sum.to_owned())).unwrap();
    text.lines().map(pair).collect()
}

/// Returns the checksums of existing SQL files that are executed once, by path.
fn present() -> BTreeMap<String, String> {
    let files = |folder: &'static str| {
        let entries = std::fs::read_dir(repository().join(folder)).unwrap();
        entries.map(move |entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()))
    };
    FOLDERS.into_iter().flat_map(files).filter(|path| path.ends_with(".sql")).map(with_sum).collect()
}

fn with_sum(path: String) -> (String, String) {
    let sum = hex::encode(Sha256::digest(std::fs::read(repository().join(&path)).unwrap()));
    (path, sum)
}

/// Returns the checksums of the function files and of the file with their version number, by path.
fn functions() -> BTreeMap<String, String> {
    let mut paths = vec![VERSION.to_owned()];
    for schema in std::fs::read_dir(repository().join(FUNCTIONS)).unwrap() {
        let schema = schema.unwrap().file_name().into_string().unwrap();
        for file in std::fs::read_dir(repository().join(FUNCTIONS).join(&schema)).unwrap() {
            paths.push(format!("{FUNCTIONS}{schema}/{}", file.unwrap().file_name().into_string().unwrap()));
        }
    }
    paths.into_iter().map(with_sum).collect()
}

/// During an upgrade, programs of two versions may serve one database. The older program must not replace functions that the newer program
/// created. It recognises these functions by the version number.
#[test]
fn a_change_of_a_function_raises_the_platforms_version() {
    let (released, functions) = (released(), functions());
    let of_functions = |path: &&String| path.starts_with(FUNCTIONS) || *path == VERSION;
    let listed: BTreeMap<String, String> =
        released.iter().filter(|(path, _)| of_functions(path)).map(|(path, sum)| (path.clone(), sum.clone())).collect();
    if std::env::var_os("CLOCH_UPDATE").is_some() && listed.get(VERSION) != functions.get(VERSION) {
        let mut lines: BTreeMap<String, String> =
            released.into_iter().filter(|(path, _)| !of_functions(&path)).collect();
        lines.extend(functions);
        let lines: String = lines.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
        return std::fs::write(list(), lines).unwrap();
    }
    assert_eq!(listed, functions, "raise the number in {VERSION}, and run this test with CLOCH_UPDATE=1");
}

#[test]
fn released_files_are_as_they_were_and_new_ones_come_after_them() {
    let (mut released, present) = (released(), present());
    released.retain(|path, _| FOLDERS.iter().any(|folder| path.starts_with(folder)));
    for (path, sum) in &released {
        assert_eq!(present.get(path), Some(sum), "{path} is in a release: leave it, and write a new file");
    }
    for folder in FOLDERS {
        let last = released.keys().rfind(|path| path.starts_with(folder)).cloned().unwrap_or_default();
        for path in present.keys().filter(|path| path.starts_with(folder) && !released.contains_key(*path)) {
            assert!(*path > last, "{path} would run after {last}, which has a greater number");
        }
    }
    if std::env::var_os("CLOCH_UPDATE").is_some() {
        let mut lines = self::released();
        lines.extend(present.clone());
        released.extend(present.clone());
        let lines: String = lines.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
        std::fs::write(list(), lines).unwrap();
    }
    let unlisted: Vec<&String> = present.keys().filter(|path| !released.contains_key(*path)).collect();
    assert!(unlisted.is_empty(), "CLOCH_UPDATE=1 lists {unlisted:?}");
}

/// Returns the text of a tables file with the functions that its `\ir` lines include.
pub(super) fn with_includes(path: &str) -> String {
    let text = std::fs::read_to_string(repository().join(path)).unwrap();
    let line = |line: &str| match line.strip_prefix("\\ir ../") {
        Some(included) => std::fs::read_to_string(repository().join("sql/platform").join(included)).unwrap(),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A database created by the released files is updated once. A second start must not change anything.
#[tokio::test]
async fn a_database_of_the_released_files_is_opened() {
    let template = TestDatabase::platform().await;
    let admin = template.superuser();
    let name = format!("cloch_released_{}", uuid::Uuid::new_v4().simple());
    sqlx::raw_sql(AssertSqlSafe(format!("create database {name} template template0"))).execute(admin).await.unwrap();
    let login = template.login().with_database(&name);
    let mut connection = login.sqlx_options().connect().await.unwrap();
    let start = "create schema cloch; set client_min_messages = error;
                 create table cloch.platform_migrations (
                     version text primary key, name text not null, applied_at timestamptz not null default now());";
    sqlx::raw_sql(start).execute(&mut connection).await.unwrap();
    let released = released();
    for path in released.keys().filter(|path| path.starts_with("sql/platform/tables/")) {
        let text = with_includes(path);
        let (version, name) =
            path.trim_start_matches("sql/platform/tables/").trim_end_matches(".sql").split_once('_').unwrap();
        let record = format!("insert into cloch.platform_migrations values ('{version}', '{name}')");
        sqlx::raw_sql(AssertSqlSafe(format!(
            "begin; set local check_function_bodies = off; {text}\n; {record}; commit"
        )))
        .execute(&mut connection)
        .await
        .unwrap();
    }
    connection.close().await.unwrap();

    let folder = std::env::temp_dir().join(&name);
    std::fs::create_dir_all(folder.join("migrations")).unwrap();
    let copy = |path: &String| {
        let file = path.rsplit('/').next().unwrap();
        std::fs::copy(repository().join(path), folder.join("migrations").join(file)).unwrap();
    };
    let is_migration = |path: &&String| path.starts_with("supabase-config/migrations/");
    released.keys().filter(is_migration).for_each(copy);
    let project = |folder: PathBuf| Project {
        folder,
        migrate: true,
        seed: Vec::new(),
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    };
    let made = bootstrap(&Logins::same(&login), &project(folder.clone())).await.unwrap();
    let present = present();
    let unreleased = present.keys().filter(|path| !released.contains_key(*path));
    let (new_migrations, new_platform): (Vec<_>, Vec<_>) = unreleased.partition(is_migration);
    assert_eq!(made.platform, new_platform.len());
    let opened = bootstrap(&Logins::same(&login), &project(repository().join("supabase-config"))).await.unwrap();
    assert_eq!((opened.platform, opened.migrations), (0, new_migrations.len()));
    let again = bootstrap(&Logins::same(&login), &project(repository().join("supabase-config"))).await.unwrap();
    assert_eq!((again.platform, again.migrations), (0, 0));

    std::fs::remove_dir_all(folder).unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!("drop database {name} with (force)"))).execute(admin).await.unwrap();
}
