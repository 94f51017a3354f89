//! Tests that the superuser's sessions do not execute functions in views. The project's owner has replaced tables by these views.

use cloch_sql::bootstrap::{Project, bootstrap};
use cloch_sql::database::read_no_views;
use cloch_sql::testing::{TestDatabase, logins};
use sqlx::{ConnectOptions, Connection};

/// SQL script of the project's owner, who may drop objects in its own schemas and replace them by views. The views call a function that
/// records the role which executes it.
const REPLACED: &str = "
    create table public.ran_as (name text);
    grant insert on public.ran_as to public;
    create function public.note() returns boolean language plpgsql as
      $$ begin insert into public.ran_as values (current_user); return true; end $$;
    create table public.history as select * from supabase_migrations.schema_migrations;
    drop table supabase_migrations.schema_migrations, supabase_migrations.seed_files;
    create view supabase_migrations.schema_migrations as select version, statements, name from public.history where public.note();
    create view supabase_migrations.seed_files as select ''::text as path, ''::text as hash where public.note();
    grant select on all tables in schema supabase_migrations to public;
    alter table storage.objects rename to objects_of_before;
    create view storage.objects as select * from storage.objects_of_before where public.note();
    insert into storage.buckets (id, name) values ('b', 'b');
    insert into storage.objects_of_before (bucket_id, name) values ('b', 'n');";

#[tokio::test]
async fn a_start_and_a_backup_run_no_view_of_the_owners() {
    let database = TestDatabase::platform().await;
    let own = logins(database.login());
    let mut owner = own.owner.sqlx_options().connect().await.unwrap();
    sqlx::raw_sql(REPLACED).execute(&mut owner).await.unwrap();
    sqlx::raw_sql("insert into public.history (version) values ('1')").execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();

    let folder = std::env::temp_dir().join(format!("cloch-views-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&folder).unwrap();
    let project = Project {
        folder: folder.clone(),
        migrate: true,
        seed: vec!["seed.sql".into()],
        extensions: None,
        settings: Vec::new(),
        major_version: None,
    };
    sqlx::raw_sql("update cloch.state set value = 'pending'").execute(database.superuser()).await.unwrap();
    bootstrap(&own, &project).await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();

    // Sessions of backups, exports and upgrades call `read_no_views`. Without this call, a setting of the role restricts the session.
    for prepare in [true, false] {
        let mut maintenance = own.maintenance.sqlx_options().connect().await.unwrap();
        if prepare {
            read_no_views(&mut maintenance).await.unwrap();
        }
        let read = sqlx::raw_sql("select version from storage.objects").execute(&mut maintenance).await;
        let error = read.unwrap_err().to_string();
        assert!(error.contains("access to non-system view \"objects\" is restricted"), "{error}");
        maintenance.close().await.unwrap();
    }
    let names: Vec<String> =
        sqlx::query_scalar("select distinct name from public.ran_as").fetch_all(database.superuser()).await.unwrap();
    assert_eq!(names, ["postgres"], "the history is read by the project's owner alone");
}
