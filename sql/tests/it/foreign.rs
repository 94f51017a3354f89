//! Tests with a database created by Supabase's images: Cloch adds missing objects and changes no existing object.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cloch_core::Secret;
use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::{Login, Logins};
use cloch_sql::embedded::{Cluster, ClusterSettings};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

/// SQL script that converts the platform's objects to the state in Supabase's images. It changes owners and memberships, drops Cloch's
/// objects, and removes newer objects, as in an old project.
const AS_SUPABASE_MADE_IT: &str = "
    drop schema cloch cascade;
    drop trigger tell_servers on realtime.messages;
    drop function realtime.tell_servers(), realtime.maintain_partitions();
    drop schema if exists net, cron, vault, pgmq cascade;
    alter table realtime.subscription owner to supabase_admin;
    drop table auth.webauthn_credentials, storage.vector_indexes;
    alter table auth.flow_state drop column email_optional;
    revoke insert, update, delete, truncate on storage.buckets_vectors from anon, authenticated;
    comment on function auth.uid() is 'theirs';
    create or replace function storage.filename(name text) returns text language sql as 'select name';
    alter role anon set statement_timeout = '30s';
    truncate auth.schema_migrations, storage.migrations;
    insert into auth.schema_migrations values ('20240101000000');
    insert into auth.users (id, email) values (gen_random_uuid(), 'ann@example.org');
    create table public.notes (id int primary key, owner uuid references auth.users (id));
    alter table public.notes owner to postgres;
    grant pg_read_all_data to supabase_read_only_user;
    revoke supabase_auth_admin, supabase_storage_admin, supabase_functions_admin, supabase_privileged_role from postgres;
    alter role postgres nocreaterole password 'password';";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn run(connection: &mut PgConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(connection).await.unwrap();
}

fn project(folder: &Path) -> Project {
    Project {
        folder: folder.join("project"),
        migrate: true,
        seed: vec!["seed.sql".into()],
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    }
}

/// Starts a cluster with a database named `app` in the state in which Supabase creates it.
async fn supabase(folder: &Path) -> Cluster {
    std::fs::create_dir_all(folder.join("project/migrations")).unwrap();
    std::fs::create_dir_all(folder.join("empty")).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let cluster = Cluster::start(ClusterSettings {
        folder: folder.join("db"),
        port,
        password: Secret::new("password"),
        binaries: None,
        parameters: Vec::new(),
    })
    .await
    .unwrap();
    let mut server = crate::plain_login(&cluster).sqlx_options().connect().await.unwrap();
    run(&mut server, "create database app").await;
    server.close().await.unwrap();
    let login = crate::plain_login(&cluster).with_database("app");
    let empty = Project { folder: folder.join("empty"), seed: Vec::new(), ..project(folder) };
    bootstrap(&Logins::same(&login), &empty).await.unwrap();
    let mut connection = login.sqlx_options().connect().await.unwrap();
    run(&mut connection, AS_SUPABASE_MADE_IT).await;
    connection.close().await.unwrap();
    cluster
}

async fn catalog(login: &Login) -> BTreeSet<String> {
    let mut connection = login.sqlx_options().connect().await.unwrap();
    run(&mut connection, "set search_path = ''").await;
    let rows = sqlx::query(include_str!("../../attach/catalog.sql")).fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn notice<'a>(bootstrapped: &'a Bootstrapped, subject: &str) -> Option<&'a str> {
    bootstrapped.notices.iter().find(|(named, _)| named == subject).map(|(_, detail)| detail.as_str())
}

async fn text(connection: &mut PgConnection, sql: &str) -> String {
    sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_one(connection).await.unwrap().get(0)
}

#[tokio::test]
async fn what_another_program_made_stays_and_what_is_missing_is_said() {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-foreign-{}", uuid::Uuid::new_v4().simple())));
    let cluster = supabase(&folder.0).await;
    std::fs::write(folder.0.join("project/seed.sql"), "insert into public.notes values (99)").unwrap();
    std::fs::write(
        folder.0.join("project/migrations/1_more.sql"),
        "create table public.more (id int); alter publication supabase_realtime add table public.more;",
    )
    .unwrap();
    let superuser = crate::plain_login(&cluster).with_database("app");
    let mut postgres = superuser.clone();
    postgres.user = "postgres".into();

    let before = catalog(&superuser).await;
    std::fs::rename(folder.0.join("project/migrations/1_more.sql"), folder.0.join("later.sql")).unwrap();
    let attached = bootstrap(&Logins::same(&postgres), &project(&folder.0)).await.unwrap();
    let after = catalog(&superuser).await;
    assert_eq!(before.difference(&after).collect::<Vec<_>>(), Vec::<&String>::new());
    let listed: BTreeSet<String> = attached.added.iter().cloned().collect();
    let added: BTreeSet<String> = after.difference(&before).cloned().collect();
    let unlisted: Vec<&String> = added.difference(&listed).collect();
    // The Supabase CLI's history tables are created after the platform's objects, so `added` does not list these tables.
    assert!(unlisted.iter().all(|fact| fact.contains("supabase_migrations")), "{unlisted:?}");

    assert_eq!(attached.seeds, 0);
    let passkeys = notice(&attached, "table auth.webauthn_credentials").unwrap();
    assert_eq!(passkeys, "is missing: passkeys cannot be used");
    let flows = notice(&attached, "table auth.flow_state").unwrap();
    assert_eq!(flows, "lacks email_optional: signing in with PKCE fails");
    assert!(notice(&attached, "role supabase_auth_admin").unwrap().contains("rights of Cloch's login"));
    assert_eq!(notice(&attached, "table storage.objects"), None, "{:?}", attached.notices);
    assert_eq!(notice(&attached, "table realtime.messages"), None, "{:?}", attached.notices);

    let mut connection = postgres.sqlx_options().connect().await.unwrap();
    assert_eq!(
        text(&mut connection, "select string_agg(version, ' ') from auth.schema_migrations").await,
        "20240101000000"
    );
    assert_eq!(text(&mut connection, "select storage.filename('a/b')").await, "a/b");
    let take = "select cloch.take('x', 1, interval '1 hour')::text";
    assert_eq!(text(&mut connection, take).await, "00:00:00");
    run(
        &mut connection,
        "insert into auth.users (id) values (gen_random_uuid()); select realtime.maintain_partitions()",
    )
    .await;
    // The login for read-only SQL could read Cloch's own tables, so it is not used until the privilege is revoked.
    assert_eq!(text(&mut connection, "select cloch.let_reader_read()::text").await, "false");
    let mut owner = superuser.sqlx_options().connect().await.unwrap();
    run(&mut owner, "revoke pg_read_all_data from supabase_read_only_user").await;
    owner.close().await.unwrap();
    assert_eq!(text(&mut connection, "select cloch.let_reader_read()::text").await, "true");
    let may = "select concat_ws(' ', has_table_privilege('supabase_read_only_user', 'public.notes', 'select'),
                   has_any_column_privilege('supabase_read_only_user', 'cloch.operators', 'select'))";
    assert_eq!(text(&mut connection, may).await, "t f");
    connection.close().await.unwrap();

    std::fs::rename(folder.0.join("later.sql"), folder.0.join("project/migrations/1_more.sql")).unwrap();
    let again = bootstrap(&Logins::same(&postgres), &project(&folder.0)).await.unwrap();
    assert_eq!((again.platform, again.migrations, again.added.len()), (0, 1, 0));
    assert_eq!(again.notices, attached.notices);
    cluster.stop().await;
}

/// SQL script of a project owner who has revoked privileges: the access of role anon to schema public, the access of everybody to a
/// function, and the access of all callers to new tables.
const CLOSED: &str = "
    revoke all on schema public, storage from anon;
    revoke all on schema public from public;
    revoke usage on schema graphql_public from anon, authenticated;
    revoke execute on function storage.search(text, text, int, int, int, text, text, text) from public, anon, authenticated;
    revoke all on table storage.objects from anon;
    alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
    alter default privileges for role supabase_admin in schema public revoke all on routines from anon;";

async fn nothing_is_given_back(user: &str) {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-foreign-{}", uuid::Uuid::new_v4().simple())));
    let cluster = supabase(&folder.0).await;
    let superuser = crate::plain_login(&cluster).with_database("app");
    let mut connection = superuser.sqlx_options().connect().await.unwrap();
    run(&mut connection, CLOSED).await;
    connection.close().await.unwrap();
    let before = catalog(&superuser).await;
    let mut login = superuser.clone();
    login.user = user.into();
    bootstrap(&Logins::same(&login), &project(&folder.0)).await.unwrap();

    let after = catalog(&superuser).await;
    let was_there = |subject: &str| before.iter().any(|fact| fact.starts_with(&format!("{subject} ")));
    let opened: Vec<&String> = after
        .difference(&before)
        .filter(|fact| {
            let Some(grant) = fact.strip_prefix("grant ") else { return false };
            let subject = grant.split_once(" on ").unwrap().1.rsplit_once(" to ").unwrap().0;
            match subject.strip_prefix("new objects of kind ") {
                Some(of) => was_there(&format!("schema {}", of.rsplit_once(" in ").unwrap().1)),
                None => was_there(subject),
            }
        })
        .collect();
    assert_eq!(opened, Vec::<&String>::new());
    let mut connection = superuser.sqlx_options().connect().await.unwrap();
    let may = "select concat_ws(' ', has_schema_privilege('anon', 'public', 'usage'), has_schema_privilege('anon', 'storage', 'usage'),
                   has_table_privilege('anon', 'storage.objects', 'select'), has_schema_privilege('authenticated', 'graphql_public', 'usage'),
                   has_function_privilege('anon', 'storage.search(text, text, int, int, int, text, text, text)', 'execute'),
                   has_schema_privilege('authenticated', 'public', 'usage'))";
    assert_eq!(text(&mut connection, may).await, "f f f f f t");
    run(&mut connection, "set role postgres; create table public.later (id int); reset role").await;
    let may = "select concat_ws(' ', has_table_privilege('anon', 'public.later', 'select'), has_table_privilege('service_role', 'public.later', 'select'))";
    assert_eq!(text(&mut connection, may).await, "f f");
    connection.close().await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn what_the_owner_has_revoked_stays_revoked() {
    nothing_is_given_back("postgres").await;
}

#[tokio::test]
async fn what_the_owner_has_revoked_stays_revoked_where_the_login_is_a_superuser() {
    nothing_is_given_back("supabase_admin").await;
}

#[tokio::test]
async fn a_login_that_may_adds_the_tables_and_columns_that_came_since() {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-foreign-{}", uuid::Uuid::new_v4().simple())));
    let cluster = supabase(&folder.0).await;
    let superuser = crate::plain_login(&cluster).with_database("app");
    let before = catalog(&superuser).await;
    let attached = bootstrap(&Logins::same(&superuser), &project(&folder.0)).await.unwrap();
    let after = catalog(&superuser).await;
    assert_eq!(before.difference(&after).collect::<Vec<_>>(), Vec::<&String>::new());
    for fact in [
        "relation auth.webauthn_credentials kind r owner supabase_auth_admin",
        "comment on function auth.uid(): theirs",
    ] {
        assert!(after.contains(fact), "{fact}");
    }
    assert!(after.iter().any(|fact| fact.starts_with("column auth.flow_state.email_optional boolean not null")));
    let widened = |fact: &&String| fact.contains("on relation storage.buckets_vectors to a") && !before.contains(*fact);
    assert_eq!(after.iter().find(widened), None);
    let lacks: Vec<_> = attached.notices.iter().filter(|(subject, _)| !subject.starts_with("extension")).collect();
    assert!(lacks.is_empty(), "{lacks:?}");
    cluster.stop().await;
}

/// In Supabase's images of 2024, postgres may switch to the roles of Supabase's services, and Realtime's role may not use its own schema.
/// Neither must prevent the bootstrap.
#[tokio::test]
async fn a_role_that_may_not_enter_its_schema_is_no_obstacle() {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-foreign-{}", uuid::Uuid::new_v4().simple())));
    let cluster = supabase(&folder.0).await;
    let superuser = crate::plain_login(&cluster).with_database("app");
    let mut connection = superuser.sqlx_options().connect().await.unwrap();
    run(
        &mut connection,
        "grant supabase_auth_admin, supabase_storage_admin to postgres;
         drop table realtime.messages;
         revoke all on schema realtime from supabase_realtime_admin",
    )
    .await;
    connection.close().await.unwrap();
    let mut postgres = superuser.clone();
    postgres.user = "postgres".into();
    let before = catalog(&superuser).await;
    let attached = bootstrap(&Logins::same(&postgres), &project(&folder.0)).await.unwrap();
    let after = catalog(&superuser).await;
    assert_eq!(before.difference(&after).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(notice(&attached, "role supabase_auth_admin"), None);
    assert!(notice(&attached, "table realtime.messages").unwrap().contains("private channels"));
    cluster.stop().await;
}
