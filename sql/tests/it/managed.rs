//! Tests with a managed PostgreSQL server whose login is not a superuser: the platform SQL and a project's migrations still succeed.

use std::path::{Path, PathBuf};

use cloch_core::Secret;
use cloch_sql::bootstrap::{Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::embedded::{Cluster, ClusterSettings};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

const MIGRATION: &str = "
    create table public.notes (id int primary key, owner uuid references auth.users (id), text text);
    alter table public.notes enable row level security;
    create policy \"own\" on public.notes for select to authenticated using (owner = auth.uid());
    create policy \"own folder\" on storage.objects for insert to authenticated
        with check ((storage.foldername(name))[1] = auth.uid()::text);
    alter table storage.objects enable row level security;
    create function public.welcome() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
        insert into public.notes values (1, new.id, 'welcome');
        return new;
    end $$;
    create trigger welcome after insert on auth.users for each row execute function public.welcome();
    alter publication supabase_realtime add table public.notes;
    create extension if not exists citext with schema extensions;
    create role helper nologin;
    grant helper to authenticator;";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn run(connection: &mut PgConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
}

async fn count(connection: &mut PgConnection, role: &str) -> Result<i64, String> {
    let mut transaction = connection.begin().await.unwrap();
    run(&mut transaction, format!("set local role {role}")).await;
    let row = sqlx::query("select count(*) from public.notes").fetch_one(&mut *transaction).await;
    row.map(|row| row.get(0)).map_err(|error| error.to_string())
}

/// Starts a cluster with the given superuser, which Cloch cannot use, and a database for Cloch's login role.
async fn managed_by(superuser: &str, folder: &Path) -> Cluster {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let cluster = Cluster::start(ClusterSettings {
        folder: folder.join("db"),
        port,
        password: Secret::new("password"),
        binaries: None,
        // A provider's server does not have the library `cloch_hooks`, which this setting disables.
        parameters: vec![("cloch.privileged_role".to_owned(), String::new())],
    })
    .await
    .unwrap();
    let mut first = crate::plain_login(&cluster).sqlx_options().connect().await.unwrap();
    run(
        &mut first,
        "create role provider superuser login password 'password';
         create role manager login createrole createdb password 'password'"
            .into(),
    )
    .await;
    first.close().await.unwrap();
    let provider = crate::plain_login(&cluster).sqlx_options().username("provider").password("password");
    let mut provider = provider.connect().await.unwrap();
    run(&mut provider, format!("alter role supabase_admin rename to {superuser}")).await;
    run(&mut provider, "create database app owner manager".into()).await;
    provider.close().await.unwrap();
    cluster
}

async fn serves_a_project(superuser: &str) {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-managed-{}", uuid::Uuid::new_v4().simple())));
    std::fs::create_dir_all(folder.0.join("project/migrations")).unwrap();
    std::fs::write(folder.0.join("project/migrations/1_notes.sql"), MIGRATION).unwrap();
    let cluster = managed_by(superuser, &folder.0).await;

    let mut login = crate::plain_login(&cluster).with_database("app");
    login.user = "manager".into();
    let project = Project {
        folder: folder.0.join("project"),
        migrate: true,
        seed: Vec::new(),
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    };
    let prepared = bootstrap(&Logins::same(&login), &project).await.unwrap();
    assert_eq!((prepared.migrations, prepared.missing_extensions.len()), (1, 0));

    let mut connection = login.sqlx_options().connect().await.unwrap();
    run(&mut connection, "insert into auth.users (id) values (gen_random_uuid())".into()).await;
    assert_eq!(count(&mut connection, "anon").await, Ok(0));
    assert_eq!(count(&mut connection, "authenticated").await, Ok(0));
    assert_eq!(count(&mut connection, "service_role").await, Ok(1));
    connection.close().await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn a_login_without_superuser_serves_a_project() {
    serves_a_project("root_of_provider").await;
}

#[tokio::test]
async fn also_where_the_superuser_has_the_name_of_the_projects_owner() {
    serves_a_project("postgres").await;
}
