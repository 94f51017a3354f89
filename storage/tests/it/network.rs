//! A network to the database that breaks without a word.

use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use cloch_sql::caller::{Caller, CallerResult};
use cloch_sql::database::{Database, PoolSizes};
use cloch_sql::testing::Wire;
use cloch_storage::settings::BackendSettings;
use cloch_storage::{Routes, Settings, StorageState};
use tokio_util::sync::CancellationToken;

use crate::support::World;

/// A node that hears nothing must not serve what has been made private meanwhile.
#[tokio::test]
async fn what_is_remembered_is_forgotten_when_the_database_falls_silent() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "one").await.ok();
    let wire = Wire::to(world.database.login()).await;
    let login = wire.login(world.database.login());
    let sizes = PoolSizes { admin: 4, callers: 4, uploads: 4, rest: 4 };
    let database = Database::new(login.clone(), login, sizes);
    let settings = Settings {
        backend: BackendSettings::File { folder: world.folder.path().join("objects") },
        ..Settings::default()
    };
    let state = StorageState::new(database, world.verifier.clone(), settings, CancellationToken::new()).unwrap();
    let tasks = tokio::spawn(cloch_storage::background(state.clone()));
    let routes = Routes::new(state);
    let get = async || {
        let caller: CallerResult = Ok(Caller::anon());
        let request = Request::get("/object/public/b/a").extension(caller).body(Body::empty()).unwrap();
        let answer = routes.clone().answer(request).await;
        String::from_utf8(to_bytes(answer.into_body(), 10_000).await.unwrap().to_vec()).unwrap()
    };
    for _ in 0..50 {
        // Until the listening has begun, and the row is remembered.
        assert_eq!(get().await, "one");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    wire.cut();
    world.sql("update storage.buckets set public = false").await;
    assert_eq!(get().await, "one", "it was not remembered: this shows nothing");
    assert_eq!(get().await, "one", "it was not remembered: this shows nothing");
    let silent = Instant::now();
    while get().await == "one" {
        assert!(silent.elapsed() < Duration::from_secs(30), "a private object is served");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    wire.mend();
    while !get().await.contains("NoSuchBucket") {
        assert!(silent.elapsed() < Duration::from_secs(90), "the database is not asked again");
    }
    tasks.abort();
}
