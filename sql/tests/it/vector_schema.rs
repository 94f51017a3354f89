//! Tests of the schema that contains the stand-in for pgvector: as with the real extension, the schema of `create extension vector`.

use cloch_sql::embedded::Cluster;
use sqlx::Connection;

use crate::extensions::{
    Folder, bootstrapped, install, installation, owner, remove_control, run, script_of_vector, settings, text,
};

const SCHEMAS: &str =
    "select (select extnamespace::regnamespace::text from pg_extension where extname = 'vector') || ' '
    || string_agg(distinct n.nspname, ' ') from pg_type as t join pg_namespace as n on n.oid = t.typnamespace
    where t.typname in ('vector', '_vector', 'halfvec', 'sparsevec')";

#[tokio::test]
async fn the_stand_in_is_in_the_schema_that_its_extension_is_created_in() {
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    remove_control(&binaries, "vector");
    let settings = settings(&folder.0, Some(binaries.clone()));
    let cluster = Cluster::start(settings.clone()).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;

    // Without a schema in `create extension`, the stand-in is created in the first schema of search_path.
    run(
        &mut connection,
        "set search_path = \"$user\", public, extensions;
         create extension if not exists vector;
         create table items (id int, v public.vector(3) default '[1,2,3]', h public.halfvec(2)[]);
         insert into items (id) values (1);
         create function nearest(q public.vector) returns float8 language sql set search_path = ''
           as 'select min(v operator(public.<->) q) from public.items';
         create extension if not exists vector with schema extensions;",
    )
    .await
    .unwrap();
    assert_eq!(text(&mut connection, SCHEMAS).await, "public public");
    assert_eq!(text(&mut connection, "select nearest('[1,2,5]')::text").await, "2");
    let lists = "select count(*)::text from pg_proc where pronamespace = 'public'::regnamespace and proname = 'cosine_distance'";
    assert_eq!(text(&mut connection, lists).await, "3");

    // The stand-in moves to another schema together with the extension. Columns keep their type.
    run(&mut connection, "alter extension vector set schema extensions").await.unwrap();
    assert_eq!(text(&mut connection, SCHEMAS).await, "extensions extensions");
    run(&mut connection, "drop extension vector; create schema ai; create extension vector with schema ai")
        .await
        .unwrap();
    assert_eq!(text(&mut connection, SCHEMAS).await, "ai ai");
    let columns = "select string_agg(format_type(atttypid, atttypmod), ', ' order by attnum)
                     from pg_attribute where attrelid = 'public.items'::regclass and attnum > 1";
    assert_eq!(text(&mut connection, columns).await, "ai.vector(3), ai.halfvec(2)[]");
    run(&mut connection, "insert into items (id) values (2)").await.unwrap();

    // If the schema of the stand-in was dropped, `create extension` creates the stand-in again.
    run(&mut connection, "drop schema ai cascade; create extension vector with schema public").await.unwrap();
    assert_eq!(text(&mut connection, SCHEMAS).await, "public public");
    run(
        &mut connection,
        "alter table items add v public.vector(3) default '[1,2,3]'; select min(v operator(public.<->) '[1,2,5]') from items",
    )
    .await
    .unwrap();
    connection.close().await.unwrap();
    cluster.stop().await;

    // The real extension replaces the stand-in in the same schema.
    install(&binaries, "vector", "relocatable = true", &script_of_vector());
    let cluster = Cluster::start(settings).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    assert_eq!(text(&mut connection, SCHEMAS).await, "public public");
    let version = "select extversion from pg_extension where extname = 'vector'";
    assert_eq!(text(&mut connection, version).await, "1.0");
    assert_eq!(text(&mut connection, "select v::text from items where id = 1").await, "[1,2,3]");
    connection.close().await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn the_stand_in_is_not_put_where_the_owner_may_not_create() {
    let folder = Folder::new();
    let binaries = installation(&folder.0);
    remove_control(&binaries, "vector");
    let cluster = Cluster::start(settings(&folder.0, Some(binaries))).await.unwrap();
    bootstrapped(&cluster, &folder.0).await;
    let mut connection = owner(&cluster).await;
    for schema in ["pg_catalog", "cloch"] {
        run(&mut connection, &format!("create extension vector with schema {schema}")).await.unwrap();
        assert_eq!(text(&mut connection, SCHEMAS).await, format!("{schema} extensions"));
        run(&mut connection, "drop extension vector").await.unwrap();
    }
    // The schema contains a function with the name and arguments of a pgvector function. `create extension` is therefore refused, as with
    // pgvector itself.
    run(
        &mut connection,
        "create function public.l2_distance(a extensions.vector, b extensions.vector) returns float8 language sql as 'select 1::float8'",
    )
    .await
    .unwrap();
    let refusal = run(&mut connection, "create extension vector with schema public").await.unwrap_err();
    assert_eq!(refusal, "schema public has an object with the name of one of extension vector");
    // Functions of the project that use the stand-in's types stay in their schema.
    run(
        &mut connection,
        "alter function public.l2_distance rename to own_distance; create extension vector with schema public",
    )
    .await
    .unwrap();
    let owners = "select string_agg(distinct pg_get_userbyid(proowner), ' ') from pg_proc where proname in ('own_distance', 'l2_distance')";
    assert_eq!(text(&mut connection, SCHEMAS).await, "public public");
    assert_eq!(text(&mut connection, owners).await, "postgres supabase_admin");
    run(&mut connection, "alter extension vector set schema extensions").await.unwrap();
    let own = "select pronamespace::regnamespace::text from pg_proc where proname = 'own_distance'";
    assert_eq!(text(&mut connection, own).await, "public");
    connection.close().await.unwrap();
    cluster.stop().await;
}
