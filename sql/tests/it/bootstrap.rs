//! Tests of migrations and seed of a project on a real database: history, order, failure, and two concurrent nodes.

use std::path::{Path, PathBuf};

use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::testing::TestDatabase;
use sqlx::Row;

struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("cloch-project-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(path.join("migrations")).unwrap();
        let folder = Self(path);
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn project(folder: &Path) -> Project {
    Project {
        folder: folder.to_owned(),
        migrate: true,
        seed: vec!["./seed.sql".into()],
        extensions: None,
        settings: vec![("app.settings.jwt_exp".into(), "3600".into())],
        major_version: None,
    }
}

async fn run(database: &TestDatabase, folder: &Folder) -> Result<Bootstrapped, String> {
    bootstrap(&Logins::same(database.login()), &project(&folder.0)).await.map_err(|error| error.to_string())
}

async fn texts(database: &TestDatabase, query: &'static str) -> Vec<String> {
    sqlx::query(query).fetch_all(database.superuser()).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_failing_file_names_its_line_and_leaves_nothing() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[
        ("migrations/20240101000000_good.sql", "create table good (id int);"),
        ("migrations/20240102000000_bad.sql", "create table half (id int);\n\nselect 1;\nselect\n  nonsense;"),
    ]);
    let error = run(&database, &folder).await.unwrap_err();
    assert!(
        error.starts_with("migrations/20240102000000_bad.sql, line 5: column \"nonsense\" does not exist"),
        "{error}"
    );
    let tables = texts(&database, "select relname::text from pg_class where relname in ('good', 'half')").await;
    assert_eq!(tables, ["good"]);
    let history = texts(&database, "select version from supabase_migrations.schema_migrations").await;
    assert_eq!(history, ["20240101000000"]);
}

#[tokio::test]
async fn history_and_seed_are_kept_as_the_cli_keeps_them() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[
        ("migrations/1_a.sql", "create table a (id int); -- trailing\ncreate extension pg_no_such; select 2"),
        ("seed.sql", "insert into a values (1);"),
    ]);
    let first = run(&database, &folder).await.unwrap();
    assert_eq!((first.migrations, first.seeds), (1, 1));
    assert!(first.missing_extensions.contains("pg_no_such"));
    let notice = ("extension pg_no_such".to_owned(), "not installed: what uses it fails".to_owned());
    assert!(first.notices.contains(&notice), "{:?}", first.notices);
    let statements = texts(&database, "select unnest(statements) from supabase_migrations.schema_migrations").await;
    assert_eq!(statements.len(), 3);
    let owner = texts(&database, "select tableowner::text from pg_tables where tablename = 'a'").await;
    assert_eq!(owner, ["postgres"]);

    folder.write("seed.sql", "insert into a values (2);");
    folder.write("migrations/2_b.sql", "create table b (id int);");
    let second = run(&database, &folder).await.unwrap();
    assert_eq!((second.migrations, second.seeds, second.platform), (1, 0, 0));
    assert_eq!(second.notices, first.notices);
}

/// An older program starts on the database of a newer program and logs a warning: an operator may return to the older version, and nodes of
/// two versions may run at the same time.
#[tokio::test]
async fn what_a_newer_version_applied_is_named() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/1_a.sql", "create table a (id int);")]);
    assert!(run(&database, &folder).await.unwrap().newer.is_empty());
    sqlx::raw_sql(
        "insert into cloch.platform_migrations (version, name) values ('9001', 'later');
         update cloch.platform_functions set version = version + 1, sha256 = 'changed' where name = 'auth/uid'",
    )
    .execute(database.superuser())
    .await
    .unwrap();
    let later = run(&database, &folder).await.unwrap();
    assert_eq!(later.newer, ["platform/9001_later", "platform/functions/auth/uid"]);
    let kept = texts(&database, "select sha256 from cloch.platform_functions where name = 'auth/uid'").await;
    assert_eq!(kept, ["changed"], "an older version replaced a function of a newer one");
}

#[tokio::test]
async fn two_nodes_at_once_apply_each_file_once() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/1_a.sql", "create table a (id int); select pg_sleep(0.2);")]);
    let (one, two) = tokio::join!(run(&database, &folder), run(&database, &folder));
    assert_eq!(one.unwrap().migrations + two.unwrap().migrations, 1);
}

#[tokio::test]
async fn a_database_with_differently_numbered_platform_files_is_left_as_it_is() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/1_a.sql", "create table a (id int);")]);
    let admin = database.superuser();
    // Development versions before the first release numbered their platform files differently.
    sqlx::raw_sql(
        "update cloch.platform_migrations set name = 'auth_users' where version = '0010';
         delete from cloch.platform_migrations where version = '0009'",
    )
    .execute(admin)
    .await
    .unwrap();
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.contains("it has platform/0010_auth_users, which this version does not know"), "{error}");
    let changed = "select version from cloch.platform_migrations where version = '0009'
                    union all select relname::text from pg_class where relname = 'a'";
    assert_eq!(texts(&database, changed).await, [""; 0]);
}

#[tokio::test]
async fn a_database_of_a_later_version_is_opened() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[]);
    sqlx::raw_sql("insert into cloch.platform_migrations (version, name) values ('9999', 'of_tomorrow')")
        .execute(database.superuser())
        .await
        .unwrap();
    assert_eq!(run(&database, &folder).await.unwrap().platform, 0);
}

/// Files written by newer versions of pg_dump begin with settings that this server may lack.
#[tokio::test]
async fn neutral_settings_that_the_server_lacks_are_skipped() {
    let database = TestDatabase::platform().await;
    let dump = "SET statement_timeout = 0;\nSET setting_of_version_99 = 0;\ncreate table a (id int);";
    let folder = Folder::new(&[("migrations/1_a.sql", dump), ("seed.sql", "SET setting_of_version_99 TO off;")]);
    let made = run(&database, &folder).await.unwrap();
    assert_eq!((made.migrations, made.seeds), (1, 1));
    let other = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/1_a.sql", "SET setting_of_version_99 = 5;")]);
    let error = run(&other, &folder).await.unwrap_err();
    assert!(error.contains("unrecognized configuration parameter"), "{error}");
}

/// The migration history has the same state as after a `supabase db push` from another checkout.
#[tokio::test]
async fn versions_that_the_folder_lacks_stay_and_newer_files_are_applied() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[("migrations/20240103000000_c.sql", "create table c (id int);")]);
    let admin = database.superuser();
    sqlx::raw_sql(
        "insert into supabase_migrations.schema_migrations (version, name) values ('20240102000000', 'pushed')",
    )
    .execute(admin)
    .await
    .unwrap();
    assert_eq!(run(&database, &folder).await.unwrap().migrations, 1);
    let history = texts(&database, "select version from supabase_migrations.schema_migrations order by 1").await;
    assert_eq!(history, ["20240102000000", "20240103000000"]);
    folder.write("migrations/20240101000000_a.sql", "create table a (id int);");
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.contains("20240101000000_a.sql would be inserted before"), "{error}");
}

/// `supabase db pull` writes a migration that adds the hosted platform's additional columns to the migration history.
#[tokio::test]
async fn a_migration_may_change_the_history_table() {
    let database = TestDatabase::platform().await;
    let admin = database.superuser();
    // Earlier versions created the table with this owner.
    sqlx::raw_sql("alter table supabase_migrations.schema_migrations owner to current_user")
        .execute(admin)
        .await
        .unwrap();
    let pulled = "alter table \"supabase_migrations\".\"schema_migrations\" add column \"created_by\" text;
        alter table \"supabase_migrations\".\"schema_migrations\" add column \"idempotency_key\" text;
        create unique index history_key on supabase_migrations.schema_migrations using btree (idempotency_key);
        alter table \"supabase_migrations\".\"schema_migrations\" add constraint \"history_key\" unique using index \"history_key\";";
    let folder =
        Folder::new(&[("migrations/1_remote_schema.sql", pulled), ("migrations/2_b.sql", "create table b (id int);")]);
    assert_eq!(run(&database, &folder).await.unwrap().migrations, 2);
    assert_eq!(run(&database, &folder).await.unwrap().migrations, 0);
    let owners = "select distinct tableowner::text from pg_tables where schemaname = 'supabase_migrations'";
    assert_eq!(texts(&database, owners).await, ["postgres"]);
}

#[tokio::test]
async fn a_seed_may_truncate_the_tables_of_auth_and_storage() {
    let database = TestDatabase::platform().await;
    let admin = database.superuser();
    sqlx::raw_sql("insert into auth.users (id) values ('00000000-0000-0000-0000-000000000001');
                   insert into cloch.sign_ups (user_id, network) values ('00000000-0000-0000-0000-000000000001', '192.0.2.1')")
        .execute(admin)
        .await
        .unwrap();
    let folder = Folder::new(&[("seed.sql", "truncate auth.users cascade; truncate storage.buckets cascade;")]);
    assert_eq!(run(&database, &folder).await.unwrap().seeds, 1);
    let left = "select user_id::text from cloch.sign_ups union all select id::text from auth.users";
    assert_eq!(texts(&database, left).await, [""; 0]);
}

/// As with the Supabase CLI, `roles.sql` runs before the migrations of a new database.
#[tokio::test]
async fn roles_are_created_once_before_the_migrations() {
    let database = TestDatabase::platform().await;
    let role = format!("reader_{}", uuid::Uuid::new_v4().simple());
    let granted = format!("create table a (id int); grant select on a to {role};");
    let folder = Folder::new(&[
        ("roles.sql", &format!("create role {role} nologin;")),
        ("migrations/1_a.sql", &format!("{granted} select nonsense;")),
    ]);
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.contains("column \"nonsense\" does not exist"), "{error}");
    // The database still counts as new, but its roles already exist.
    folder.write("migrations/1_a.sql", &granted);
    assert_eq!(run(&database, &folder).await.unwrap().migrations, 1);
    let grantees = "select distinct grantee::text from information_schema.role_table_grants
                     where table_name = 'a' and grantee like 'reader%'";
    assert_eq!(texts(&database, grantees).await, [role.as_str()]);
    let dropped = sqlx::AssertSqlSafe(format!("drop owned by {role}; drop role {role}"));
    sqlx::raw_sql(dropped).execute(database.superuser()).await.unwrap();
}

#[tokio::test]
async fn a_missing_role_of_a_later_roles_file_is_explained() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[]);
    assert!(run(&database, &folder).await.unwrap().fresh);
    folder.write("roles.sql", "create role role_that_no_test_creates;");
    folder.write("migrations/1_a.sql", "create table a (id int); grant select on a to role_that_no_test_creates;");
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.contains("role \"role_that_no_test_creates\" does not exist"), "{error}");
    assert!(error.contains("roles.sql was not executed in this database"), "{error}");
}

#[tokio::test]
async fn a_statement_that_refuses_transactions_divides_its_file() {
    let database = TestDatabase::platform().await;
    let folder = Folder::new(&[(
        "migrations/1_a.sql",
        "create table a (id int, n text);\ninsert into a values (1, 'x');\ncreate index concurrently a_n on a (n);\n\
         insert into a values (2, 'y');\nvacuum a;",
    )]);
    assert_eq!(run(&database, &folder).await.unwrap().migrations, 1);
    let made = "select count(*) || ' ' || (select indisvalid from pg_index where indexrelid = 'a_n'::regclass) from a";
    assert_eq!(texts(&database, made).await, ["2 true"]);

    folder.write(
        "migrations/2_b.sql",
        "create table b (id int);\ncreate index concurrently b_id on b (id);\nselect nonsense;",
    );
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.starts_with("migrations/2_b.sql, line 3: column \"nonsense\" does not exist"), "{error}");
    assert!(error.contains("the statements up to the one of line 2 stay in the database"), "{error}");
    folder.write("migrations/2_b.sql", "begin;\ncreate table c (id int);\ndrop index concurrently b_id;\ncommit;");
    let error = run(&database, &folder).await.unwrap_err();
    assert!(error.starts_with("migrations/2_b.sql, line 3: DROP INDEX CONCURRENTLY cannot"), "{error}");
    let left = "select relname::text from pg_class where relname in ('b', 'b_id', 'c') order by 1";
    assert_eq!(texts(&database, left).await, ["b", "b_id"]);
    assert_eq!(texts(&database, "select version from supabase_migrations.schema_migrations").await, ["1"]);
}
