//! Tests of migrations that create an extension before its files are installed on the server.

use std::path::Path;

use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::Logins;
use cloch_sql::embedded::{Cluster, extension_folder};
use sqlx::Connection;

use crate::extensions::{Folder, install, installation, owner, run, settings, text};

async fn migrated(cluster: &Cluster, folder: &Path) -> Result<Bootstrapped, String> {
    let project = Project {
        folder: folder.to_owned(),
        migrate: true,
        seed: Vec::new(),
        extensions: extension_folder(&folder.join("db")),
        settings: Vec::new(),
        major_version: None,
    };
    bootstrap(&Logins::same(&cluster.login()), &project).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn an_extension_that_is_installed_later_is_created_by_the_next_start() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.0.join("migrations")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.0.join("migrations").join(name), text).unwrap();
    write("1_extensions.sql", "create schema maps; create extension late with schema maps; create extension unused;");
    write(
        "2_unused.sql",
        "drop extension unused; create extension index_advisor with schema maps;
         revoke all on function maps.index_advisor(text) from public; grant execute on function maps.index_advisor(text) to anon;
         grant execute on function maps.index_advisor(text, int) to anon;",
    );
    write("3_places.sql", "create table misspelt (id no_such);");
    write("4_places.sql", "create table places (at maps.place);");
    let binaries = installation(&folder.0);
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();

    // The error of a migration names the skipped extensions whenever an object does not exist, because the object may belong to one of
    // them.
    let error = migrated(&cluster, &folder.0).await.unwrap_err();
    assert!(error.starts_with("migrations/3_places.sql, line 1: type \"no_such\" does not exist"), "{error}");
    assert!(error.contains("was skipped: index_advisor, late. "), "{error}");
    write("3_places.sql", "select 1 / 0;");
    let error = migrated(&cluster, &folder.0).await.unwrap_err();
    assert_eq!(error, "migrations/3_places.sql, line 1: division by zero");
    std::fs::remove_file(folder.0.join("migrations/3_places.sql")).unwrap();
    let error = migrated(&cluster, &folder.0).await.unwrap_err();
    assert!(error.starts_with("migrations/4_places.sql, line 1: type \"maps.place\" does not exist"), "{error}");
    assert!(error.contains("was skipped: index_advisor, late. "), "{error}");
    cluster.stop().await;

    let trusted = "trusted = true\nsuperuser = false";
    install(&binaries, "late", trusted, "create type place as (x int, y int);");
    install(&binaries, "unused", trusted, "select 1;");
    let advisor = "create function index_advisor(query text) returns int language sql as 'select 1';
                   alter function index_advisor(text) owner to postgres";
    install(&binaries, "index_advisor", trusted, advisor);
    for name in ["killed", "forged", "unclosed"] {
        install(&binaries, name, trusted, "select 1;");
    }
    let cluster = Cluster::start(settings).await.unwrap();
    // If a server is killed after the commit of a migration, the table contains such rows. The project's owner may write such rows too.
    let mut connection = owner(&cluster).await;
    run(
        &mut connection,
        r#"reset role; insert into cloch.state (name, value) values
             ('skipped in migrations/0_killed.sql', '{"killed": "create extension killed with schema public", "unused": null}'),
             ('skipped about members in x', 'no json'), ('skipped about members of unclosed', '["select 1 / 0"]'),
             ('skipped extension unclosed', 'create extension unclosed /* no end'),
             ('skipped in x', 'no json'), ('skipped in y', '{"forged": "create table forged (id int)"}')"#,
    )
    .await
    .unwrap();
    connection.close().await.unwrap();
    assert_eq!(migrated(&cluster, &folder.0).await.unwrap().migrations, 1);
    let mut connection = owner(&cluster).await;
    let created =
        "select string_agg(extname || ' ' || extnamespace::regnamespace, ', ' order by extname) from pg_extension
                    where extname in ('late', 'unused', 'killed', 'forged', 'unclosed')";
    assert_eq!(text(&mut connection, created).await, "killed public, late maps");
    assert_eq!(text(&mut connection, "select to_regclass('public.forged')::text").await, "");

    // The skipped statements about the extension's function are executed now, except for a function that this version of the extension
    // lacks.
    let rights =
        "select proacl::text from pg_proc where pronamespace = 'maps'::regnamespace and proname = 'index_advisor'";
    let rights = text(&mut connection, rights).await;
    assert!(rights.contains("anon=X/") && !rights.starts_with("{=X/") && !rights.contains(",=X/"), "{rights}");
    let stored = "select string_agg(name, ', ' order by name) from cloch.state where name like 'skipped about%'";
    assert_eq!(text(&mut connection, stored).await, "skipped about members of unclosed");

    // The extension is not created again after it was dropped.
    run(&mut connection, "reset role; drop extension late cascade").await.unwrap();
    migrated(&cluster, &folder.0).await.unwrap();
    assert_eq!(text(&mut connection, created).await, "killed public");
    cluster.stop().await;
}
