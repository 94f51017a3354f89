//! Tests of extensions on an embedded cluster: extensions that role postgres may create, stand-ins, and the replacement of a stand-in by
//! the real extension.

use std::path::{Path, PathBuf};
use std::process::Command;

use cloch_core::Secret;
use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::embedded::{Binaries, Cluster, ClusterSettings, extension_folder};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("cloch-extensions-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn settings(folder: &Path, binaries: Option<PathBuf>) -> ClusterSettings {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    ClusterSettings {
        folder: folder.join("db"),
        port,
        password: Secret::new("secret"),
        binaries,
        parameters: Vec::new(),
    }
}

pub(crate) async fn bootstrapped(cluster: &Cluster, folder: &Path) -> Bootstrapped {
    let project = Project {
        folder: folder.to_owned(),
        migrate: false,
        seed: Vec::new(),
        extensions: extension_folder(&folder.join("db")),
        settings: Vec::new(),
        major_version: None,
    };
    bootstrap(&Logins::same(&cluster.login()), &project).await.unwrap()
}

/// Opens a session with the privileges of role postgres, as psql and the Supabase CLI do.
pub(crate) async fn owner(cluster: &Cluster) -> PgConnection {
    let mut connection = crate::plain_login(cluster).sqlx_options().connect().await.unwrap();
    run(&mut connection, "set role postgres").await.unwrap();
    connection
}

pub(crate) async fn run(connection: &mut PgConnection, sql: &str) -> Result<(), String> {
    let outcome = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await;
    outcome.map(|_| ()).map_err(|error| error.as_database_error().unwrap().message().to_owned())
}

pub(crate) async fn text(connection: &mut PgConnection, sql: &str) -> String {
    let value: Option<String> = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(connection).await.unwrap();
    value.unwrap_or_default()
}

#[tokio::test]
async fn role_postgres_creates_what_supabase_allows_and_nothing_else() {
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0, None)).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut owner = owner(&cluster).await;
    for name in ["file_fdw", "pageinspect", "adminpack", "amcheck"] {
        let refusal = run(&mut owner, &format!("create extension {name}")).await.unwrap_err();
        assert!(refusal.contains("permission denied") || refusal.contains("is not available"), "{name}: {refusal}");
    }
    for name in ["dblink", "postgres_fdw", "moddatetime", "bloom", "pgstattuple", "earthdistance"] {
        run(&mut owner, &format!("create extension {name} with schema extensions cascade")).await.unwrap();
        run(&mut owner, &format!("drop extension {name}")).await.unwrap();
        run(&mut owner, &format!("do $$ begin create extension {name} with schema extensions; end $$")).await.unwrap();
    }
    // No caller may connect with the server's privileges (dblink_connect_u), regardless of a schema's default privileges.
    run(&mut owner, "drop extension dblink; create extension dblink with schema public").await.unwrap();
    let callers = "select string_agg(r, ', ') from unnest(array['anon', 'authenticated', 'service_role', 'postgres']) as r, pg_proc as p
                    where p.proname = 'dblink_connect_u' and has_function_privilege(r, p.oid, 'execute')";
    assert_eq!(text(&mut owner, &format!("select coalesce(({callers}), 'nobody')")).await, "nobody");
    run(&mut owner, "drop extension dblink; create extension dblink with schema extensions").await.unwrap();
    // dblink does not give the project's owner the server's privileges.
    let refusal = run(&mut owner, "select extensions.dblink_connect_u('dbname=postgres')").await.unwrap_err();
    assert!(refusal.contains("permission denied"), "{refusal}");
    assert_eq!(text(&mut owner, "select current_setting('is_superuser')").await, "off");
    owner.close().await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn a_stand_in_can_be_created_and_says_what_it_is() {
    let folder = Folder::new();
    let settings = settings(&folder.0, None);
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    let stood_in_for = text(
        &mut connection,
        "select string_agg(name, ' ' order by name) from pg_available_extensions where default_version = 'stand-in'",
    )
    .await;
    // No PostgreSQL package contains supabase_vault, so a stand-in is created.
    assert!(stood_in_for.split(' ').any(|name| name == "supabase_vault"), "{stood_in_for}");
    run(&mut connection, "create extension if not exists supabase_vault with schema vault").await.unwrap();
    run(&mut connection, "create extension http with schema extensions").await.unwrap();
    run(&mut connection, "select vault.create_secret('open sesame', 'door')").await.unwrap();
    connection.close().await.unwrap();
    cluster.stop().await;

    // After the next start the stand-ins still work. The project itself created only one stand-in, and only this stand-in has a notice.
    let cluster = Cluster::start(settings).await.unwrap();
    let notices = bootstrapped(&cluster, &folder.0).await.notices;
    let [notice] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!(notice.0, "extension http");
    assert!(notice.1.contains("raise an error when called"), "{notice:?}");
    let mut connection = owner(&cluster).await;
    run(&mut connection, "drop extension supabase_vault").await.unwrap();
    assert_eq!(text(&mut connection, "select decrypted_secret from vault.decrypted_secrets").await, "open sesame");
    connection.close().await.unwrap();
    cluster.stop().await;
}

/// Copies this machine's PostgreSQL, so that extensions can be added to the copy. The copied programs work, because PostgreSQL's programs
/// find their files relative to their own path.
pub(crate) fn installation(folder: &Path) -> PathBuf {
    let found = Binaries::find(&settings(folder, None), None).unwrap();
    let told = |option: &str| {
        let output = Command::new(found.program("pg_config")).arg(option).output().unwrap();
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    };
    for original in [told("--bindir"), told("--sharedir")] {
        let copy = folder.join(original.strip_prefix("/").unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        assert!(Command::new("cp").arg("-rL").arg(&original).arg(&copy).status().unwrap().success());
    }
    let libraries = folder.join(told("--pkglibdir").strip_prefix("/").unwrap());
    std::os::unix::fs::symlink(told("--pkglibdir"), libraries).unwrap();
    folder.join(told("--bindir").strip_prefix("/").unwrap())
}

/// Removes an extension from a PostgreSQL installation, if it is there.
pub(crate) fn remove_control(binaries: &Path, name: &str) {
    let output = Command::new(binaries.join("pg_config")).arg("--sharedir").output().unwrap();
    let share = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    let _ = std::fs::remove_file(share.join(format!("extension/{name}.control")));
}

/// Adds an extension to a PostgreSQL installation, as a package does.
pub(crate) fn install(binaries: &Path, name: &str, control: &str, script: &str) {
    let output = Command::new(binaries.join("pg_config")).arg("--sharedir").output().unwrap();
    let folder = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).join("extension");
    std::fs::write(folder.join(format!("{name}.control")), format!("default_version = '1.0'\n{control}\n")).unwrap();
    std::fs::write(folder.join(format!("{name}--1.0.sql")), script).unwrap();
}

#[tokio::test]
async fn secrets_move_from_the_stand_in_to_the_real_extension() {
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    run(
        &mut connection,
        "create extension if not exists supabase_vault;
         select vault.create_secret('open sesame', 'door', 'the front door');
         create extension pgjwt with schema extensions;
         create extension pg_jsonschema with schema extensions;
         create table documents (body json check (extensions.json_matches_schema('{\"type\": \"object\"}', body)));
         insert into documents values ('{}');
         do $$ begin insert into documents values ('1'); exception when check_violation then null; end $$;
         create view names as select name from vault.secrets;",
    )
    .await
    .unwrap();
    let id = text(&mut connection, "select id::text from vault.secrets").await;
    connection.close().await.unwrap();
    cluster.stop().await;

    install(
        &binaries,
        "supabase_vault",
        "schema = 'vault'",
        "create table vault.secrets (id uuid primary key default gen_random_uuid(), name text, description text, secret text,
           created_at timestamptz default now(), updated_at timestamptz default now());
         create view vault.decrypted_secrets as select *, reverse(secret) as decrypted_secret from vault.secrets;
         create function vault.create_secret(new_secret text, new_name text, new_description text) returns uuid language sql as
           'insert into vault.secrets (secret, name, description) values (reverse(new_secret), new_name, new_description) returning id';
         create function vault.update_secret(secret_id uuid, new_secret text) returns void language sql as
           'update vault.secrets set secret = reverse(new_secret) where id = secret_id';",
    );
    install(
        &binaries,
        "pgjwt",
        "requires = pgcrypto",
        "create function sign(text) returns text language sql as 'select $1';",
    );
    install(
        &binaries,
        "pg_jsonschema",
        "relocatable = false",
        "create function json_matches_schema(schema json, instance json) returns boolean language sql immutable as 'select true';",
    );

    // A view of the project depends on the stand-in for the extension supabase_vault. The server therefore keeps the stand-in and reports
    // the view when it starts.
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    let notices = bootstrapped(&cluster, &folder.0).await.notices;
    let notice = notices.iter().find(|(subject, _)| subject == "extension supabase_vault").unwrap();
    assert!(notice.1.contains("public.names") && notice.1.contains("Drop what depends"), "{notice:?}");
    let mut connection = owner(&cluster).await;
    assert_eq!(text(&mut connection, "select decrypted_secret from vault.decrypted_secrets").await, "open sesame");
    assert_eq!(text(&mut connection, "select extversion from pg_extension where extname = 'pgjwt'").await, "1.0");
    let of_json = "select extversion from pg_extension where extname = 'pg_jsonschema'";
    assert_eq!(text(&mut connection, of_json).await, "1.0");
    // The table's check constraint calls a function of the real extension.
    run(&mut connection, "insert into documents values ('2')").await.unwrap();
    assert_eq!(text(&mut connection, "select string_agg(body::text, ' ') from documents").await, "{} 2");
    run(&mut connection, "drop view names").await.unwrap();
    connection.close().await.unwrap();
    cluster.stop().await;

    let cluster = Cluster::start(settings).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    let kept = "select concat_ws(' ', id, name, description, decrypted_secret) from vault.decrypted_secrets";
    assert_eq!(text(&mut connection, kept).await, format!("{id} door the front door open sesame"));
    assert_eq!(
        text(&mut connection, "select extversion from pg_extension where extname = 'supabase_vault'").await,
        "1.0"
    );
    connection.close().await.unwrap();
    cluster.stop().await;
}

/// Returns the script of an extension with the types of pgvector. Their input and output functions are PostgreSQL's text functions.
pub(crate) fn script_of_vector() -> String {
    let of_type = |name: &str| {
        format!(
            "create type {name};
             create function {name}_read(cstring) returns {name} language internal immutable strict as 'textin';
             create function {name}_write({name}) returns cstring language internal immutable strict as 'textout';
             create function {name}_typmod_in(cstring[]) returns int language internal immutable strict as 'bittypmodin';
             create function {name}_typmod_out(int) returns cstring language internal immutable strict as 'bittypmodout';
             create type {name} (input = {name}_read, output = {name}_write, typmod_in = {name}_typmod_in, typmod_out = {name}_typmod_out);"
        )
    };
    let dims = "create function vector_dims(vector) returns int language sql immutable as 'select 3';
                create function l2_distance(vector, vector) returns float8 language sql immutable as 'select 0.5::float8';
                create operator <-> (leftarg = vector, rightarg = vector, function = l2_distance);";
    format!("{}{}{}{dims}", of_type("vector"), of_type("halfvec"), of_type("sparsevec"))
}

#[tokio::test]
async fn columns_functions_and_indexes_of_vectors_move_to_the_real_extension() {
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    remove_control(&binaries, "vector");
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;

    run(&mut connection, "create extension vector with schema extensions").await.unwrap();
    run(
        &mut connection,
        "set search_path = public, extensions;
         create table items (id int, v vector(3) not null default '[1,2,3]'::vector(3), h halfvec(2)[], s sparsevec(4));
         insert into items (h, s) values (array['[1, 2]'::halfvec], '{2:1}/4');
         create index of_dims on items (vector_dims(v));
         create function nearest(q vector(3)) returns float8 language sql as 'select min(v operator(extensions.<->) q) from public.items';
         revoke execute on function nearest from public, anon;",
    )
    .await
    .unwrap();
    let columns = "select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)
                     from pg_attribute where attrelid = 'public.items'::regclass and attnum > 1";
    let expected = "v vector(3), h halfvec(2)[], s sparsevec(4)";
    assert_eq!(text(&mut connection, columns).await, expected);
    connection.close().await.unwrap();
    cluster.stop().await;

    install(&binaries, "vector", "relocatable = true", &script_of_vector());
    let cluster = Cluster::start(settings).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    run(&mut connection, "set search_path = public, extensions").await.unwrap();
    let extension = "select extversion || ' ' || extnamespace::regnamespace from pg_extension where extname = 'vector'";
    assert_eq!(text(&mut connection, extension).await, "1.0 extensions");
    assert_eq!(text(&mut connection, columns).await, expected);
    run(&mut connection, "insert into items (id) values (2)").await.unwrap();
    let values = "select string_agg(concat_ws(' ', v, h, s), ', ' order by id nulls first) from items";
    assert_eq!(text(&mut connection, values).await, "[1,2,3] {\"[1,2]\"} {2:1}/4, [1,2,3]");
    assert_eq!(text(&mut connection, "select nearest('[1,2,3]')::text").await, "0.5");
    assert_eq!(
        text(&mut connection, "select has_function_privilege('anon', 'nearest(vector)', 'execute')::text").await,
        "false"
    );
    assert_eq!(
        text(&mut connection, "select pg_get_indexdef('of_dims'::regclass)").await,
        "CREATE INDEX of_dims ON public.items USING btree (vector_dims(v))"
    );
    connection.close().await.unwrap();
    cluster.stop().await;
}
