//! Tests downloads with a token: one database round trip checks the bucket and the RLS policies and reads the row.

use serde_json::json;

use crate::support::{USER, World};
use crate::uploads::cut_off;
use crate::versions::POLICIES;

const A: &str = "/object/authenticated/b/a";

async fn file(policies: &str) -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "one").await.ok();
    world.sql(policies).await;
    world
}

#[tokio::test]
async fn what_sql_changes_of_a_bucket_or_a_policy_counts_for_the_next_download() {
    let world = file(POLICIES).await;
    // PostgreSQL plans the first five executions of a prepared statement individually and may then use a cached plan. Eight requests
    // include executions with a cached plan.
    for _ in 0..8 {
        world.ask("GET", A).user(USER).send().await.refused("404", "NoSuchKey");
        world.sql("update storage.buckets set public = true").await;
        assert_eq!(world.ask("GET", A).user(USER).send().await.ok().text(), "one");
        world.sql("update storage.buckets set public = null").await;
    }
    world.sql("create policy all_of_it on storage.objects for select using (true)").await;
    assert_eq!(world.ask("GET", A).user(USER).send().await.ok().text(), "one");
    assert_eq!(world.ask("GET", A).anon().send().await.ok().text(), "one");
    world.sql("drop policy all_of_it on storage.objects").await;
    world.ask("GET", A).user(USER).send().await.refused("404", "NoSuchKey");
    world.ask("GET", A).anon().send().await.refused("404", "NoSuchKey");
    world.ask("GET", A).service().send().await.ok();
}

#[tokio::test]
async fn no_policy_is_asked_in_a_public_bucket() {
    let world = file(
        "create function public.boom() returns boolean language plpgsql as $$ begin raise 'asked'; end $$;
         create policy boom on storage.objects for select using (public.boom())",
    )
    .await;
    assert!(!world.ask("GET", A).user(USER).send().await.status.is_success());
    world.sql("update storage.buckets set public = true").await;
    world.ask("GET", A).user(USER).send().await.ok();
    // Rendering with a token requires an RLS policy, even in a public bucket.
    assert!(!world.ask("GET", "/render/image/authenticated/b/a").user(USER).send().await.status.is_success());
    world.sql("drop policy boom on storage.objects").await;
    world.ask("GET", "/render/image/authenticated/b/a").user(USER).send().await.refused("404", "NoSuchKey");
}

#[tokio::test]
async fn a_role_that_nobody_may_take_reads_nothing() {
    let world = file("update storage.buckets set public = true").await;
    let token = world.token(&json!({"role": "pg_write_server_files"}));
    assert!(!world.ask("GET", A).token(&token).send().await.status.is_success());
}

#[tokio::test]
async fn the_bucket_is_asked_before_the_name() {
    let world = file("").await;
    for name in ["a%23b", "a%00b", "a/%2e%2e/b"] {
        let at = |bucket: &str| format!("/object/authenticated/{bucket}/{name}");
        world.ask("GET", &at("none")).service().send().await.refused("404", "NoSuchBucket");
        world.ask("GET", &at("b")).service().send().await.refused("400", "InvalidKey");
    }
}

#[tokio::test]
async fn rows_are_read_as_they_are() {
    let world = file(
        "alter table storage.objects disable trigger user;
         update storage.objects
            set created_at = '1066-10-14 09:00:00+05:53:28', updated_at = '2026-01-02 03:04:05.678901+05:30', last_accessed_at = null,
                user_metadata = '{\"text\": \"\\u00fc \\\" , {null}\"}', owner_id = 'somebody, or \"nobody\"'",
    )
    .await;
    let info = world.ask("GET", "/object/info/authenticated/b/a").service().send().await.ok().json();
    assert_eq!(info["created_at"], "1066-10-14T03:06:32.000Z");
    assert_eq!(info["last_modified"], "2026-01-01T21:34:05.678Z");
    assert_eq!(info["metadata"], json!({"text": "ü \" , {null}"}));
    world.sql("update storage.objects set updated_at = null, metadata = null, user_metadata = null").await;
    let info = world.ask("GET", "/object/info/authenticated/b/a").service().send().await.ok().json();
    assert_eq!((&info["last_modified"], &info["metadata"]), (&json!(null), &json!(null)));
}

#[tokio::test]
async fn a_download_outlives_the_loss_of_all_connections() {
    let world = file("").await;
    for _ in 0..3 {
        world.ask("GET", A).service().send().await.ok();
        cut_off(&world).await;
    }
    world.ask("GET", A).service().send().await.ok();
}
