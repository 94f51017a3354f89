//! What those are told who remember objects: PostgreSQL says of each change which object it concerns.

use serde_json::json;
use sqlx::postgres::PgListener;

use crate::support::{Reply, World};

/// Listens, as a node does that remembers objects.
async fn listener(world: &World) -> PgListener {
    let mut listener = PgListener::connect_with(world.database.database().admin()).await.unwrap();
    listener.listen("cloch_storage").await.unwrap();
    listener
}

/// What has been told since the last time.
async fn heard(world: &World, listener: &mut PgListener) -> Vec<String> {
    world.sql("select pg_notify('cloch_storage', 'all')").await;
    let mut told = Vec::new();
    loop {
        match listener.recv().await.unwrap().payload() {
            "all" => return told,
            path => told.push(path.to_owned()),
        }
    }
}

/// An upload that replaces what is there.
async fn replace(world: &World, path: &str, body: &str) -> Reply {
    world
        .ask("PUT", &format!("/object/{path}"))
        .service()
        .header("content-type", "text/plain")
        .body(body.to_owned())
        .await
}

#[tokio::test]
async fn each_change_is_told_once() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let mut listener = listener(&world).await;
    replace(&world, "b/a", "one").await.ok();
    replace(&world, "b/a", "two").await.ok();
    assert_eq!(heard(&world, &mut listener).await, ["1:b/a", "1:b/a"], "an upload that may replace, and one that did");
    world.put("b/c", "one").await.ok();
    assert_eq!(heard(&world, &mut listener).await, [""; 0], "nobody remembers what was not there");
    replace(&world, "b/c", "two").await.ok();
    world.sql("update storage.objects set metadata = '{}' where name = 'a'").await;
    world.ask("DELETE", "/object/b/c").service().send().await.ok();
    assert_eq!(heard(&world, &mut listener).await, ["1:b/c", "1:b/a", "1:b/c"]);
}

#[tokio::test]
async fn what_a_trigger_of_the_project_changes_besides_is_told_too() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "one").await.ok();
    world.put("b/other", "one").await.ok();
    let touch = "create function touch() returns trigger language plpgsql security definer as $$
        begin update storage.objects set metadata = '{}' where name = 'other'; return null; end; $$;
        create trigger touch after update on storage.objects for each row when (new.name = 'a') execute function touch()";
    world.sql(touch).await;
    let mut listener = listener(&world).await;
    replace(&world, "b/a", "two").await.ok();
    assert_eq!(heard(&world, &mut listener).await, ["1:b/other", "1:b/a"]);
}

#[tokio::test]
async fn a_write_that_is_refused_is_not_told() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "one").await.ok();
    // The trial row has version 1; only the row that shall stay is refused.
    let refuse = "create function refuse() returns trigger language plpgsql as $$
        begin if new.version <> '1' then raise exception 'no'; end if; return new; end; $$;
        create trigger refuse before update on storage.objects for each row execute function refuse()";
    world.sql(refuse).await;
    let mut listener = listener(&world).await;
    for _ in 0..3 {
        replace(&world, "b/a", "two").await.refused("500", "DatabaseError");
    }
    assert_eq!(heard(&world, &mut listener).await, [""; 0]);
    assert_eq!((world.files(), world.ask("GET", "/object/b/a").service().send().await.text()), (1, "one".to_owned()));
    world.sql("drop trigger refuse on storage.objects").await;
    replace(&world, "b/a", "two").await.ok();
    assert_eq!(heard(&world, &mut listener).await, ["1:b/a"], "the connection serves on");
}

#[tokio::test]
async fn what_is_written_stays_though_nobody_can_be_told() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "one").await.ok();
    world.sql("alter table storage.objects disable trigger cloch_object_change").await;
    world.sql("alter function pg_catalog.pg_notify(text, text) rename to pg_notify_away").await;
    replace(&world, "b/a", "two").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "two");
    let list = world.ask("POST", "/object/list/b").service().json(json!({"prefix": ""})).await.ok().json();
    assert_eq!(list[0]["metadata"]["size"], 3);
}
