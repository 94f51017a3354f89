//! Tests that every write queries the versioning status in PostgreSQL, so that changes by SQL take effect immediately.

use std::convert::Infallible;

use axum::body::Body;
use futures_util::stream;
use tokio::sync::oneshot;

use crate::support::World;

/// Creates a storage API under test with a bucket `b` and an object whose row was written so often that PostgreSQL has cached the plans.
async fn file() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    for _ in 0..8 {
        world.replace(None, "b/a", "one").await.ok();
    }
    assert_eq!(world.all().await.len(), 1);
    world
}

async fn set(world: &World, status: &str) {
    world.sql(&format!("update storage.buckets set versioning_status = '{status}'")).await;
}

#[tokio::test]
async fn what_sql_says_of_versions_counts_for_the_next_upload() {
    let world = file().await;
    set(&world, "ENABLED").await;
    world.replace(None, "b/a", "two").await.ok();
    world.replace(None, "b/a", "three").await.ok();
    assert_eq!(world.all().await.len(), 3);
    // With versioning suspended, an object has at most one version with the id `null`. A new version replaces the previous version with
    // this id.
    set(&world, "SUSPENDED").await;
    world.replace(None, "b/a", "four").await.ok();
    world.replace(None, "b/a", "five").await.ok();
    let all = world.all().await;
    assert_eq!(all.iter().map(|row| row.2).collect::<Vec<_>>(), [true, false, false]);
    world.settle(3).await;
    set(&world, "ENABLED").await;
    world.replace(None, "b/a", "six").await.ok();
    assert_eq!(world.all().await.len(), 4);
    for (text, row) in ["six", "five", "three", "two"].into_iter().zip(world.all().await) {
        assert_eq!(world.read(&format!("/object/b/a?versionId={}", row.1)).await.ok().text(), text);
    }
}

#[tokio::test]
async fn versions_that_begin_while_an_upload_arrives_keep_what_it_replaces() {
    let world = file().await;
    let (asked, is_asked) = oneshot::channel();
    let (begun, has_begun) = oneshot::channel();
    // The server reads the body only after the upload is authorized.
    let bytes = stream::once(async move {
        asked.send(()).unwrap();
        has_begun.await.unwrap();
        Ok::<_, Infallible>("two")
    });
    let upload = world.ask("PUT", "/object/b/a").service().body(Body::from_stream(bytes));
    let begin = async {
        is_asked.await.unwrap();
        set(&world, "ENABLED").await;
        begun.send(()).unwrap();
    };
    let (reply, ()) = tokio::join!(upload, begin);
    reply.ok();
    assert_eq!(world.all().await.len(), 2);
    world.settle(2).await;
}

#[tokio::test]
async fn a_database_of_before_versions_takes_uploads() {
    let world = file().await;
    world.sql("alter table storage.buckets drop column versioning_status cascade").await;
    world.replace(None, "b/a", "two").await.ok();
    world.put("b/new", "new").await.ok();
    world.settle(2).await;
    world.sql("alter table storage.buckets add column versioning_status text not null default 'ENABLED'").await;
    world.replace(None, "b/a", "three").await.ok();
    assert_eq!(world.all().await.len(), 3);
    world.settle(3).await;
}
