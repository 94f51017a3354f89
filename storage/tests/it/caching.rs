//! Tests caches after an object is changed. The node that changed the object must not serve the old object from its cache. Other nodes may
//! serve the old object from their caches for at most one second.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use cloch_sql::caller::{Caller, CallerResult};
use cloch_sql::database::{Database, Logins, PoolSizes};
use cloch_sql::testing::Wire;
use cloch_storage::settings::BackendSettings;
use cloch_storage::{Routes, Settings, StorageState};
use serde_json::json;
use sqlx::{ConnectOptions, Connection};
use tokio::time::{advance, pause, resume};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, World};

/// Documented maximum age of a cached object after a change that this node does not detect.
const TTL: Duration = Duration::from_secs(1);

async fn public_file() -> World {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "one").await.ok();
    world
}

async fn signed_url(world: &World) -> String {
    let signed = world.ask("POST", "/object/sign/b/a").service().json(json!({"expiresIn": 60})).await.ok().json();
    signed["signedURL"].as_str().unwrap().to_owned()
}

async fn get(world: &World, path: &str) -> Reply {
    world.ask("GET", path).send().await
}

/// Executes statements that this node does not detect, like changes by another node or by a person with SQL access. The statements run in a
/// separate Tokio runtime, because the clock of the test's runtime is paused.
fn elsewhere(world: &World, statements: &'static str) {
    let options = world.database.login().sqlx_options();
    let run = async move {
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || runtime().block_on(run)).join().unwrap();
}

#[tokio::test]
async fn what_this_node_changes_it_serves_no_longer() {
    let world = public_file().await;
    let link = signed_url(&world).await;
    let paths = ["/object/public/b/a", link.as_str()];
    let serves = async |text: &str| {
        // The first request reads the object and caches it; the second request uses the cached object.
        for path in paths.iter().chain(&paths) {
            assert_eq!(get(&world, path).await.ok().text(), text, "{path}");
        }
    };
    serves("one").await;
    world.ask("PUT", "/object/b/a").service().body("two").await.ok();
    serves("two").await;
    world.ask("PUT", "/bucket/b").service().json(json!({"public": false})).await.ok();
    get(&world, paths[0]).await.refused("404", "NoSuchBucket");
    world.ask("PUT", "/bucket/b").service().json(json!({"public": true})).await.ok();
    serves("two").await;
    let away = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "moved"});
    world.ask("POST", "/object/move").service().json(away).await.ok();
    for path in paths {
        get(&world, path).await.refused("404", "NoSuchKey");
    }
    let back = json!({"bucketId": "b", "sourceKey": "moved", "destinationKey": "a"});
    world.ask("POST", "/object/move").service().json(back).await.ok();
    for (method, path) in
        [("DELETE", "/object/b/a"), ("DELETE", "/s3/b/a"), ("DELETE", "/object/b"), ("POST", "/bucket/b/empty")]
    {
        world.ask("PUT", "/object/b/a").service().body("two").await.ok();
        serves("two").await;
        match path {
            "/object/b" => world.ask(method, path).service().json(json!({"prefixes": ["a"]})).await.ok(),
            "/s3/b/a" => world.ask(method, path).signed().send().await.ok(),
            _ => world.ask(method, path).service().send().await.ok(),
        };
        for served in paths {
            get(&world, served).await.refused("404", "NoSuchKey");
        }
    }
}

#[tokio::test]
async fn what_others_change_is_served_for_a_second_at_most() {
    let world = public_file().await;
    let (public, signed) = ("/object/public/b/a".to_owned(), signed_url(&world).await);
    for (path, change, code) in [
        (&public, "update storage.buckets set public = false", "NoSuchBucket"),
        (&signed, "set storage.allow_delete_query = 'true'; delete from storage.objects", "NoSuchKey"),
    ] {
        assert_eq!(get(&world, path).await.ok().text(), "one");
        pause();
        assert_eq!(get(&world, path).await.ok().text(), "one");
        elsewhere(&world, change);
        assert_eq!(get(&world, path).await.text(), "one", "it was not cached: this shows nothing");
        advance(TTL).await;
        resume();
        get(&world, path).await.refused("404", code);
    }
}

/// Tests that a node without connection to the database does not serve an object that has been made private in the meantime.
#[tokio::test]
async fn nothing_is_served_for_longer_while_the_database_is_silent() {
    let world = public_file().await;
    let wire = Wire::to(world.database.login()).await;
    let login = wire.login(world.database.login());
    let sizes = PoolSizes { admin: 4, operators: 1, auth: 1, owner: 1, callers: 4, objects: 4, rest: 4 };
    let database = Database::new(Logins::same(&login), sizes);
    let settings = Settings {
        backend: BackendSettings::File { folder: world.folder.path().join("objects") },
        ..Settings::default()
    };
    let state = StorageState::new(database, world.verifier.clone(), settings, CancellationToken::new()).unwrap();
    let routes = Routes::new(state);
    let get = async || {
        let caller: CallerResult = Ok(Caller::anon());
        let request = Request::get("/object/public/b/a").extension(caller).body(Body::empty()).unwrap();
        let answer = routes.clone().answer(request).await;
        String::from_utf8(to_bytes(answer.into_body(), 10_000).await.unwrap().to_vec()).unwrap()
    };
    assert_eq!(get().await, "one");
    pause();
    wire.cut();
    elsewhere(&world, "update storage.buckets set public = false");
    assert_eq!(get().await, "one", "it was not cached: this shows nothing");
    advance(TTL).await;
    // The database does not respond. The paused clock therefore advances automatically until the query times out.
    assert_ne!(get().await, "one", "a private object is served");
    wire.fix();
    resume();
    let fixed = std::time::Instant::now();
    while !get().await.contains("NoSuchBucket") {
        assert!(fixed.elapsed() < Duration::from_secs(60), "the database is not asked again");
    }
}
