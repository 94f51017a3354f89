//! Tests of migrations and seeds with requirements that the server does not meet: extensions that are not installed, and a newer
//! PostgreSQL.

use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::testing::TestDatabase;

/// Applies a migration and a seed to a new database. `major_version` is the value in config.toml.
async fn start(
    database: &TestDatabase,
    migration: &str,
    seed: &str,
    major_version: Option<u16>,
) -> Result<Bootstrapped, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("migrations")).unwrap();
    std::fs::write(folder.path().join("migrations/1_a.sql"), migration).unwrap();
    std::fs::write(folder.path().join("seed.sql"), seed).unwrap();
    let project = Project {
        folder: folder.path().to_owned(),
        migrate: true,
        seed: vec!["./seed.sql".into()],
        extensions: None,
        settings: Vec::new(),
        major_version,
    };
    bootstrap(database.database().logins(), &project).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_seed_creates_what_the_server_has_and_skips_the_rest_with_a_notice() {
    let database = TestDatabase::platform().await;
    let migration = "create table a (id int, name text);";
    let seed = "create extension if not exists pg_no_such with schema extensions;
                create extension if not exists citext with schema extensions;
                create index on a using pgroonga (name);
                insert into a values (1, 'x');";
    let first = start(&database, migration, seed, None).await.unwrap();
    assert_eq!(first.seeds, 1);
    assert!(first.missing_extensions.contains("pg_no_such") && !first.missing_extensions.contains("citext"));
    let notice = ("extension pg_no_such".to_owned(), "not installed: what uses it fails".to_owned());
    assert!(first.notices.contains(&notice), "{:?}", first.notices);
    let found: String = sqlx::query_scalar(
        "select count(*) || ' ' || (select extnamespace::regnamespace from pg_extension where extname = 'citext') from public.a",
    )
    .fetch_one(database.superuser())
    .await
    .unwrap();
    assert_eq!(found, "1 extensions");
    let again = start(&database, migration, seed, None).await.unwrap();
    assert_eq!(again.seeds, 0);
    assert!(again.notices.contains(&notice), "a later start tells it too: {:?}", again.notices);
}

/// The language of PostgreSQL's messages depends on the server, so only the SQLSTATE can be compared.
#[tokio::test]
async fn the_errors_that_name_skipped_extensions_are_found_by_sqlstate() {
    let raise = |message: &str, code: &str| {
        format!(
            "create extension pg_no_such; do $$ begin raise exception '{message}' using errcode = '{code}'; end $$;"
        )
    };
    for (message, code, is_named) in [
        ("Typ existiert nicht", "undefined_object", true),
        ("Relation existiert nicht", "undefined_table", true),
        ("Schema existiert nicht", "invalid_schema_name", true),
        ("the user does not exist", "raise_exception", false),
    ] {
        let database = TestDatabase::platform().await;
        for (migration, seed) in [(raise(message, code), String::new()), (String::new(), raise(message, code))] {
            let error = start(&database, &migration, &seed, None).await.unwrap_err();
            assert!(error.contains(message), "{error}");
            assert_eq!(error.contains("was skipped: pg_no_such."), is_named, "{error}");
        }
        let stored: i64 = sqlx::query_scalar("select count(*) from cloch.state where name like 'skipped%'")
            .fetch_one(database.superuser())
            .await
            .unwrap();
        assert_eq!(stored, 0, "a file that fails stores nothing");
    }
}

#[tokio::test]
async fn an_error_of_a_project_for_a_newer_server_names_both_versions() {
    let note = "was written for PostgreSQL 99 (config.toml, [db] major_version), and this server is PostgreSQL ";
    for (statement, named, is_noted) in [
        ("create table a (id int) with some novelty;", Some(99), true),
        ("select function_of_a_newer_version();", Some(99), true),
        ("select * from no_such_table;", Some(99), false),
        ("create table a (id int) with some novelty;", Some(9), false),
        ("create table a (id int) with some novelty;", None, false),
    ] {
        let database = TestDatabase::platform().await;
        for (migration, seed) in [(statement, ""), ("", statement)] {
            let error = start(&database, migration, seed, named).await.unwrap_err();
            assert_eq!(error.contains(note), is_noted, "{error}");
        }
    }
}

/// Each start logs this warning, even if every migration was applied earlier.
#[tokio::test]
async fn a_start_with_an_older_server_than_config_toml_names_has_a_notice_of_both_versions() {
    let database = TestDatabase::platform().await;
    let server: i32 = sqlx::query_scalar("select current_setting('server_version_num')::int / 10000")
        .fetch_one(database.superuser())
        .await
        .unwrap();
    let versions = format!(
        "was written for PostgreSQL 99 (config.toml, [db] major_version), and this server is PostgreSQL {server}"
    );
    for (named, is_noticed) in [(Some(99), true), (Some(99), true), (u16::try_from(server).ok(), false), (None, false)]
    {
        let done = start(&database, "create table a (id int);", "", named).await.unwrap();
        let notice = done.notices.iter().find(|(_, detail)| detail.contains(&versions));
        assert_eq!(notice.is_some(), is_noticed, "{named:?}: {:?}", done.notices);
        // The list ends with the newest known version. For a server of that version, nothing is listed.
        assert!(
            notice.is_none_or(|(_, detail)| server >= 18 || detail.contains(". New in 18: uuidv7()")),
            "{notice:?}"
        );
    }
}

/// `pg_dump` and `supabase db diff` of PostgreSQL 17 write such grants. PostgreSQL 15 and 16 do not have the privilege MAINTAIN.
#[tokio::test]
async fn grants_of_the_privilege_maintain_are_possible_on_every_server() {
    let database = TestDatabase::platform().await;
    let migration = "create table a (id int);
        revoke all on a from anon, authenticated;
        GRANT INSERT, MAINTAIN, SELECT ON TABLE a TO anon;
        grant maintain on a to authenticated;
        revoke maintain on a from authenticated;
        alter default privileges in schema public grant select, maintain on tables to anon;";
    let seed = "grant update, maintain on a to anon; revoke maintain, select on a from anon;";
    let done = start(&database, migration, seed, Some(17)).await.unwrap();
    assert_eq!((done.migrations, done.seeds), (1, 1));
    let privileges: String = sqlx::query_scalar(
        "select string_agg(grantee || ' ' || privilege_type, ', ' order by privilege_type)
           from information_schema.role_table_grants
          where table_schema = 'public' and table_name = 'a' and grantee in ('anon', 'authenticated')
            and privilege_type <> 'MAINTAIN'",
    )
    .fetch_one(database.superuser())
    .await
    .unwrap();
    assert_eq!(privileges, "anon INSERT, anon UPDATE");
}

/// `pg_dump` and `supabase db dump` write such statements.
#[tokio::test]
async fn statements_about_members_of_a_skipped_extension_are_skipped() {
    let database = TestDatabase::platform().await;
    let migration = r#"create extension if not exists "index_advisor" with schema "extensions";
        comment on extension "index_advisor" is 'x';
        alter extension index_advisor set schema extensions;
        grant all on function "extensions"."index_advisor"("query" "text") to "anon";
        grant all on function "extensions"."index_advisor"("query" "text") to "no such role";
        alter function "extensions"."index_advisor"("query" "text") owner to "postgres";
        comment on function extensions.index_advisor(text) is 'It''s $cloch$ ';"#;
    let seed = "revoke all on function extensions.index_advisor(text) from public;
        drop extension index_advisor;";
    let done = start(&database, migration, seed, None).await.unwrap();
    assert_eq!((done.migrations, done.seeds), (1, 1));
    let stored: i64 = sqlx::query_scalar("select count(*) from cloch.state where name like 'skipped%'")
        .fetch_one(database.superuser())
        .await
        .unwrap();
    assert_eq!(stored, 0, "the project has dropped the extension");
}

#[tokio::test]
async fn no_statement_about_an_object_of_the_project_is_skipped() {
    let own = "create function public.index_advisor(query text) returns int language sql return 1;";
    let revoke = "revoke all on function public.index_advisor(text) from public, anon, authenticated, service_role;";
    // The function is created by the same file, by an earlier file, or by dynamic SQL that is known only when it is executed.
    for (migration, seed) in [
        (format!("create extension index_advisor; {own} {revoke}"), String::new()),
        (format!("create extension index_advisor; {own}"), revoke.to_owned()),
        (format!("create extension index_advisor; do $$ begin execute '{own}'; end $$; {revoke}"), String::new()),
    ] {
        let database = TestDatabase::platform().await;
        start(&database, &migration, &seed, None).await.unwrap();
        let may: bool =
            sqlx::query_scalar("select has_function_privilege('anon', 'public.index_advisor(text)', 'execute')")
                .fetch_one(database.superuser())
                .await
                .unwrap();
        assert!(!may, "{migration} {seed}");
    }
    let grant = "grant execute on function public.index_advisor(text) to anon;";
    for (migration, seed, line) in [
        // These grants fail: the extension is not installed or was dropped, the function is not a member of the extension, or the extension
        // is in another schema.
        (grant.to_owned(), "", "function public.index_advisor(text) does not exist"),
        (
            "create extension index_advisor; grant execute on function public.own(text) to anon;".to_owned(),
            "",
            "function public.own(text) does not exist",
        ),
        (
            format!("create extension index_advisor with schema extensions; {grant}"),
            "",
            "function public.index_advisor(text) does not exist",
        ),
        (
            "create extension index_advisor; drop extension index_advisor;".to_owned(),
            grant,
            "function public.index_advisor(text) does not exist",
        ),
    ] {
        let database = TestDatabase::platform().await;
        let error = start(&database, &migration, seed, None).await.unwrap_err();
        assert!(error.contains(line), "{migration} {seed}: {error}");
    }
}
