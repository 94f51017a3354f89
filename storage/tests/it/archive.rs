use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use serde_json::{Value, json};
use tower::ServiceExt;
use zip::{CompressionMethod, ZipArchive};

use crate::support::{OTHER, Reply, USER, World};

/// Creates a storage API under test with two objects that the user `USER` may read and one object of another user.
async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
        .sql(
            "create policy own on storage.objects for select to authenticated
               using (bucket_id = 'b' and name like (auth.uid()::text || '/%'))",
        )
        .await;
    world.put(&format!("b/{USER}/one.txt"), "first").await.ok();
    world.put(&format!("b/{USER}/two.txt"), "second").await.ok();
    world.put(&format!("b/{OTHER}/secret.txt"), "not yours").await.ok();
    world
}

async fn ask(world: &World, body: Value) -> Reply {
    world.ask("POST", "/archive/b").user(USER).json(body).await
}

fn unpacked(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        assert_eq!(file.compression(), CompressionMethod::Stored);
        let mut content = Vec::new();
        // Reading the ZIP entry to its end also verifies its CRC.
        file.read_to_end(&mut content).unwrap();
        files.insert(file.name().unwrap().into_owned(), content);
    }
    files
}

#[tokio::test]
async fn the_policies_say_what_may_go_in() {
    let world = world().await;
    let (own, theirs) = (format!("{USER}/one.txt"), format!("{OTHER}/secret.txt"));
    let body = json!({"paths": [own]});
    world.ask("POST", "/archive/b").json(body.clone()).await.refused("403", "AccessDenied");
    world.ask("POST", "/archive/b").anon().json(body.clone()).await.refused("404", "NoSuchKey");
    world.ask("POST", "/archive/b").user(OTHER).json(body.clone()).await.refused("404", "NoSuchKey");
    world.ask("POST", "/archive/none").user(USER).json(body).await.refused("404", "NoSuchKey");
    ask(&world, json!({"paths": [own, theirs]})).await.refused("404", "NoSuchKey");
    ask(&world, json!({"paths": [own, "missing"]})).await.refused("404", "NoSuchKey");
    ask(&world, json!({"paths": []})).await.refused("400", "InvalidRequest");
    ask(&world, json!({"paths": [own], "names": ["a", "b"]})).await.refused("400", "InvalidParameter");
}

#[tokio::test]
async fn the_archive_holds_each_file_under_a_safe_name() {
    let world = world().await;
    let reply = ask(
        &world,
        json!({
            "paths": [format!("{USER}/one.txt"), format!("{USER}/two.txt"), format!("{USER}/one.txt")],
            "names": ["../../isla-1.txt", "isla-2.txt", "ISLA-2.txt"],
            "name": "isla\".zip",
        }),
    )
    .await
    .ok();
    assert_eq!(reply.header("content-type"), "application/zip");
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"isla\\\".zip\"; filename*=UTF-8''isla%22.zip"
    );
    let files = unpacked(reply.bytes);
    let texts: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    assert_eq!(
        texts,
        [("ISLA-2 (2).txt", &b"first"[..]), ("isla-1.txt", &b"first"[..]), ("isla-2.txt", &b"second"[..])]
    );
}

#[tokio::test]
async fn large_files_come_whole() {
    let world = world().await;
    let bytes: Vec<u8> = (0..3_000_017_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    world.ask("POST", &format!("/object/b/{USER}/big")).service().body(bytes.clone()).await.ok();
    let reply = ask(&world, json!({"paths": [format!("{USER}/big"), format!("{USER}/one.txt")]})).await.ok();
    assert_eq!(reply.header("content-disposition"), "attachment; filename=b.zip; filename*=UTF-8''b.zip");
    let files = unpacked(reply.bytes);
    assert!(files["big"] == bytes);
    assert_eq!(files["one.txt"], b"first");
}

#[tokio::test]
async fn lost_bytes_end_the_archive_with_an_error() {
    let world = world().await;
    std::fs::remove_dir_all(world.folder.path().join("objects")).unwrap();
    let token = world.token(&json!({"role": "authenticated", "sub": USER}));
    let request = Request::builder()
        .method("POST")
        .uri("/archive/b")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(Body::from(json!({"paths": [format!("{USER}/one.txt")]}).to_string()))
        .unwrap();
    let response = world.router.clone().oneshot(request).await.unwrap();
    assert!(to_bytes(response.into_body(), usize::MAX).await.is_err());
}
