//! Tests that Cloch's sessions of the superuser do not execute functions of the project's owner. The server runs without the library
//! `cloch_hooks`, which would refuse some of these attacks earlier.

use std::process::Command;

use cloch_sql::embedded::{Cluster, ClusterSettings, EmbeddedError};
use sqlx::ConnectOptions;

use crate::extensions::{
    Folder, bootstrapped, install, installation, owner, remove_control, run, script_of_vector, settings, text,
};

/// Whether this process runs without the library `cloch_hooks`. If it runs with the library, runs the test in a new process without it.
fn is_without_library(test: &str) -> bool {
    const NONE: &str = "/nonexistent";
    if std::env::var_os("CLOCH_HOOKS").is_none_or(|folder| folder == NONE) {
        return true;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", &format!("superuser_functions::{test}"), "--nocapture"]).env("CLOCH_HOOKS", NONE);
    assert!(again.status().unwrap().success());
    false
}

/// SQL of the project's owner: a table of the roles that have executed its functions, and a function that records its role.
const RECORDER: &str = "
    create table public.ran_as (name text);
    grant select, insert on public.ran_as to public;
    create function public.note() returns text language plpgsql as
      $$ begin insert into public.ran_as values (current_user); return 'taken'; end $$;
    grant execute on function public.note() to public;";

/// Roles, except the owner, that executed functions of the owner.
const OTHERS: &str = "select string_agg(distinct name, ' ') from public.ran_as where name <> 'postgres'";

#[tokio::test]
async fn the_vault_calls_no_function_that_the_owner_made() {
    if !is_without_library("the_vault_calls_no_function_that_the_owner_made") {
        return;
    }
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0, None)).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut owner = owner(&cluster).await;
    run(&mut owner, RECORDER).await.unwrap();
    run(
        &mut owner,
        "alter schema extensions rename to moved;
         create schema extensions;
         create function extensions.pgp_sym_encrypt(text, text, text) returns bytea language sql as 'select public.note()::bytea';
         create function extensions.pgp_sym_decrypt(bytea, text) returns text language sql as 'select public.note()';
         grant usage on schema extensions to public;
         select vault.create_secret('open sesame', 'door');",
    )
    .await
    .unwrap();
    assert_eq!(text(&mut owner, "select decrypted_secret from vault.decrypted_secrets").await, "open sesame");
    assert_eq!(text(&mut owner, OTHERS).await, "");
    let refusal = run(&mut owner, "select cloch.vault_decrypt('x', 'x')").await.unwrap_err();
    assert!(refusal.contains("permission denied"), "{refusal}");
    cluster.stop().await;
}

#[tokio::test]
async fn the_superusers_sessions_search_no_schema_of_the_project() {
    if !is_without_library("the_superusers_sessions_search_no_schema_of_the_project") {
        return;
    }
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0, None)).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut owner = owner(&cluster).await;
    run(&mut owner, RECORDER).await.unwrap();
    // PostgreSQL's own operator is polymorphic. An operator with the exact argument types therefore takes precedence, in whichever schema
    // of the search_path it is.
    run(
        &mut owner,
        "create function public.join(text, name) returns text language sql as 'select public.note()';
         create operator public.|| (leftarg = text, rightarg = name, function = public.join);",
    )
    .await
    .unwrap();
    // `cloch upgrade` counts objects with similar queries.
    let count = "select 'functions of '::text || nspname from pg_namespace where nspname = 'public'";
    let mut superuser = cluster.login().sqlx_options().connect().await.unwrap();
    assert_eq!(text(&mut superuser, count).await, "functions of public");
    assert_eq!(text(&mut owner, OTHERS).await, "");
    // The attack works in a session with the search_path of the role.
    let mut plain = crate::plain_login(&cluster).sqlx_options().connect().await.unwrap();
    assert_eq!(text(&mut plain, count).await, "taken");
    assert_eq!(text(&mut owner, OTHERS).await, "supabase_admin");
    cluster.stop().await;
}

#[tokio::test]
async fn functions_with_the_superusers_rights_search_temporary_types_last() {
    if !is_without_library("functions_with_the_superusers_rights_search_temporary_types_last") {
        return;
    }
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0, None)).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut owner = owner(&cluster).await;
    let others = "select string_agg(p.oid::regprocedure::text, ' ') from pg_proc as p join pg_roles as r on r.oid = p.proowner
                   where p.prosecdef and r.rolsuper and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
                     and coalesce(array_to_string(p.proconfig, ' '), '') !~ 'search_path=.*pg_temp\\M'";
    assert_eq!(text(&mut owner, others).await, "");
    run(&mut owner, RECORDER).await.unwrap();
    run(
        &mut owner,
        "create domain pg_temp.text as pg_catalog.text check (public.note() = 'taken');
         create domain pg_temp.jsonb as pg_catalog.jsonb check (public.note() = 'taken');
         select net.http_get('http://127.0.0.1:1/');
         select net.http_post('http://127.0.0.1:1/', '{}'::pg_catalog.jsonb);
         select vault.create_secret('open sesame', 'door');",
    )
    .await
    .unwrap();
    assert_eq!(text(&mut owner, OTHERS).await, "");
    cluster.stop().await;
}

/// Control file and script of an extension that has the part of pgmq's interface which the replacement of the stand-in uses.
const PGMQ: (&str, &str) = (
    "schema = 'pgmq'",
    "create function pgmq.create(queue_name text) returns void language plpgsql as $$ begin
       execute format('create table pgmq.%I (msg_id bigint primary key generated always as identity, vt timestamptz, message jsonb)', 'q_' || queue_name);
       execute format('create table pgmq.%I (msg_id bigint primary key, vt timestamptz, message jsonb)', 'a_' || queue_name);
     end $$;
     create function pgmq.create_unlogged(queue_name text) returns void language sql as 'select pgmq.create(queue_name)';",
);

#[tokio::test]
async fn queues_of_the_owners_own_making_do_not_move_to_the_extension() {
    if !is_without_library("queues_of_the_owners_own_making_do_not_move_to_the_extension") {
        return;
    }
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut session = owner(&cluster).await;
    run(&mut session, RECORDER).await.unwrap();
    // The column has a type of the project's owner. A function of the owner converts this type to text.
    run(
        &mut session,
        "select pgmq.create('jobs');
         select pgmq.send('jobs', '{\"n\": 1}');
         create type public.name_of_queue as (name text);
         create function public.to_text(public.name_of_queue) returns text language sql as 'select public.note()';
         create cast (public.name_of_queue as text) with function public.to_text(public.name_of_queue) as implicit;
         alter table pgmq.meta rename to meta_of_before;
         create table pgmq.meta (queue_name public.name_of_queue, is_unlogged boolean, created_at timestamptz);
         insert into pgmq.meta values (row('jobs'), false, now());",
    )
    .await
    .unwrap();
    drop(session);
    cluster.stop().await;

    install(&binaries, "pgmq", PGMQ.0, PGMQ.1);
    let refused = restarted(settings.clone(), &folder, "pgmq").await;
    assert!(refused.0.contains("column queue_name of pgmq.meta was not created by the stand-in"), "{refused:?}");
    assert_eq!(refused.1, "");

    // The schema contains a table of the project, which would be dropped together with the stand-in.
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    let mut session = owner(&cluster).await;
    run(
        &mut session,
        "drop table pgmq.meta; alter table pgmq.meta_of_before rename to meta; create table pgmq.notes (id int)",
    )
    .await
    .unwrap();
    drop(session);
    cluster.stop().await;
    let refused = restarted(settings.clone(), &folder, "pgmq").await;
    assert!(refused.0.contains("pgmq.notes is not a table of a queue and would be lost"), "{refused:?}");

    let cluster = Cluster::start(settings.clone()).await.unwrap();
    let mut session = owner(&cluster).await;
    run(&mut session, "drop table pgmq.notes").await.unwrap();
    drop(session);
    cluster.stop().await;
    assert_eq!(restarted(settings.clone(), &folder, "pgmq").await, (String::new(), String::new()));
    let cluster = Cluster::start(settings).await.unwrap();
    let mut superuser = crate::plain_login(&cluster).sqlx_options().connect().await.unwrap();
    assert_eq!(text(&mut superuser, "select message::text from pgmq.q_jobs").await, "{\"n\": 1}");
    cluster.stop().await;
}

#[tokio::test]
async fn vectors_move_to_the_extension_without_a_function_of_the_owner() {
    if !is_without_library("vectors_move_to_the_extension_without_a_function_of_the_owner") {
        return;
    }
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    remove_control(&binaries, "vector");
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut session = owner(&cluster).await;
    run(&mut session, RECORDER).await.unwrap();
    run(
        &mut session,
        "create extension vector with schema extensions;
         create table public.places (at extensions.vector(3));
         insert into public.places values ('[1,2,3]');
         alter table public.places add constraint noted check (public.note() = 'taken');
         create domain public.noted as text check (public.note() = 'taken' and value <> '');
         create type public.pair as (first public.noted, second int);
         create function public.near(q extensions.vector, p public.pair default '(a,1)') returns int language sql as 'select 1';
         alter schema extensions rename to \"extensions$function$;select public.note();--\";
         create schema extensions;",
    )
    .await
    .unwrap();
    // In the session of the caller, temporary types have the same names as PostgreSQL's types.
    run(
        &mut session,
        "create domain pg_temp.text as pg_catalog.text check (public.note() = 'taken');
         create domain pg_temp.numeric as pg_catalog.numeric check (public.note() = 'taken');
         insert into public.places values ('[1, 2e0, 0.00000000000000000000000000000000000001]');
         select at OPERATOR(\"extensions$function$;select public.note();--\".<->) at from public.places;",
    )
    .await
    .unwrap();
    drop(session);
    cluster.stop().await;

    install(&binaries, "vector", "relocatable = true", &script_of_vector());
    let change = async |statement: &str| {
        let cluster = Cluster::start(settings.clone()).await.unwrap();
        run(&mut owner(&cluster).await, statement).await.unwrap();
        cluster.stop().await;
    };
    let refused = restarted(settings.clone(), &folder, "vector").await;
    assert!(refused.0.contains("has characters other than a to z"), "{refused:?}");
    assert_eq!(refused.1, "");
    change(
        "drop schema extensions; alter schema \"extensions$function$;select public.note();--\" rename to extensions",
    )
    .await;
    let refused = restarted(settings.clone(), &folder, "vector").await;
    assert!(refused.0.contains("uses constants of types of the project"), "{refused:?}");
    assert_eq!(refused.1, "");
    change("drop function public.near").await;
    let refused = restarted(settings.clone(), &folder, "vector").await;
    assert!(refused.0.contains("constraint noted of public.places uses functions"), "{refused:?}");
    change("alter table public.places drop constraint noted").await;
    assert_eq!(restarted(settings, &folder, "vector").await, (String::new(), String::new()));
}

/// Starts the cluster, bootstraps it and stops it. Returns the reason why an extension's stand-in was kept, and the roles that executed
/// functions of the owner.
async fn restarted(settings: ClusterSettings, folder: &Folder, extension: &str) -> (String, String) {
    let cluster = Cluster::start(settings).await.unwrap();
    let notices = bootstrapped(&cluster, &folder.0).await.notices;
    let reason =
        notices.into_iter().find(|(subject, _)| *subject == format!("extension {extension}")).map(|(_, reason)| reason);
    let mut session = owner(&cluster).await;
    let others = text(&mut session, OTHERS).await;
    drop(session);
    cluster.stop().await;
    (reason.unwrap_or_default(), others)
}

#[tokio::test]
async fn a_start_ends_if_event_triggers_cannot_be_disabled() {
    if !is_without_library("a_start_ends_if_event_triggers_cannot_be_disabled") {
        return;
    }
    let folder = Folder::new();
    let settings = settings(&folder.0, None);
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    let mut superuser = crate::plain_login(&cluster).sqlx_options().connect().await.unwrap();
    run(&mut superuser, "create database damaged").await.unwrap();
    let oid = text(&mut superuser, "select oid::text from pg_database where datname = 'damaged'").await;
    drop(superuser);
    cluster.stop().await;
    let database = settings.folder.join("base").join(oid);
    std::fs::rename(&database, settings.folder.join("base").join("moved")).unwrap();

    let error = Cluster::start(settings.clone()).await.unwrap_err();
    assert!(matches!(&error, EmbeddedError::EventTriggers { database, .. } if database == "damaged"), "{error}");

    std::fs::rename(settings.folder.join("base").join("moved"), &database).unwrap();
    Cluster::start(settings).await.unwrap().stop().await;
}
