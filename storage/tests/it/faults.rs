//! Tests faults of the storage backend: each operation fails once, before or after its execution. Objects whose upload was acknowledged
//! must exist. All other objects must have either completely the old or completely the new content. After a periodic cleanup, no orphaned
//! blob remains.

use std::sync::Arc;
use std::time::Duration;

use cloch_storage::backend::Backend;
use cloch_storage::backend::file::FileBackend;
use serde_json::json;

use crate::faulty_backend::{FaultyBackend, Moment};
use crate::multipart;
use crate::support::{Reply, World};

/// Possible contents of an object, from the view of a client; `None` for a missing object.
type Known = Vec<Option<&'static str>>;

/// Uploads, overwrites, copies, moves and deletes objects, and continues an interrupted upload. Returns the possible contents of each
/// object.
async fn story(world: &World) -> Vec<(&'static str, Known)> {
    let ok = |reply: Reply| reply.status.is_success();
    let mut known: Vec<(&'static str, Known)> = Vec::new();

    let first = ok(world.put("b/over", "old").await);
    let second = ok(world.ask("PUT", "/object/b/over").service().body("new").await);
    known.push((
        "over",
        match (first, second) {
            (_, true) => vec![Some("new")],
            (true, false) => vec![Some("old")],
            (false, false) => vec![None],
        },
    ));

    let stored = ok(world.put("b/source", "bytes").await);
    let route = |to: &str| json!({"bucketId": "b", "sourceKey": "source", "destinationKey": to});
    let copied = ok(world.ask("POST", "/object/copy").service().json(route("copy")).await);
    known.push(("copy", vec![copied.then_some("bytes")]));
    let moved = ok(world.ask("POST", "/object/move").service().json(route("moved")).await);
    known.push(("moved", vec![moved.then_some("bytes")]));
    known.push(("source", vec![(stored && !moved).then_some("bytes")]));

    known.push(("parts", vec![Some(in_parts(world).await)]));

    let kept = ok(world.put("b/gone", "x").await);
    let deleted = ok(world.ask("DELETE", "/object/b/gone").service().send().await);
    known.push(("gone", vec![(kept && !deleted).then_some("x")]));

    let begun =
        world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0").header("upload-length", "6");
    let begun = begun.header("upload-metadata", "bucketName Yg==,objectName dHVz").send().await;
    let location = begun.header("location").replace("http://localhost/storage/v1", "");
    let mut done = false;
    for _ in 0..4 {
        // Continues a resumable upload as a client does: queries the offset and sends the remaining bytes.
        let head = world.ask("HEAD", &location).service().header("tus-resumable", "1.0.0").send().await;
        if !head.status.is_success() {
            continue;
        }
        let offset: usize = head.header("upload-offset").parse().unwrap();
        let rest = &"resume"[offset..(offset + 3).min(6)];
        let sent = world
            .ask("PATCH", &location)
            .service()
            .header("tus-resumable", "1.0.0")
            .header("upload-offset", &offset.to_string());
        let sent = sent.header("content-type", "application/offset+octet-stream").body(rest.to_owned()).await;
        done = done || (sent.status.is_success() && sent.header("tus-complete") == "1");
    }
    assert!(done, "an upload goes on after one fault");
    known.push(("tus", vec![Some("resume")]));
    known
}

/// Repeats a request that failed because of the injected fault.
macro_rules! at_last {
    ($asking:expr) => {{
        let reply: Reply = $asking;
        if reply.status.is_success() { reply } else { $asking.ok() }
    }};
}

/// Executes an S3 multipart upload and repeats each failed step. Returns the content of the object.
async fn in_parts(world: &World) -> &'static str {
    at_last!(world.ask("PUT", "/object/b/piece").service().body("piece").await);
    let id = multipart::begin(world, "parts").await;
    let at = ("parts", id.as_str());
    let mut etags = Vec::new();
    for (number, from) in (1..).zip([Ok("one "), Ok("two "), Err("b/piece")]) {
        let sent = at_last!(multipart::part(world, at, number, from).await);
        etags.push(multipart::etag(&sent));
    }
    at_last!(multipart::complete(world, at, &etags).await);
    "one two piece"
}

async fn check(nth: usize, moment: Moment) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let files: Arc<dyn Backend> = Arc::new(FileBackend::open(folder.path()).unwrap());
    let faulty = Arc::new(FaultyBackend::new(files.clone(), nth, moment));
    let world = World::with_backend(faulty.clone()).await;
    world.bucket("b", false).await;
    let known = story(&world).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let count = faulty.count();
    for (name, possible) in &known {
        let got = world.ask("GET", &format!("/object/b/{name}")).service().send().await;
        // The injected fault may affect this read. In this case, the next read must succeed.
        let got = if got.status.as_u16() == 500 {
            world.ask("GET", &format!("/object/b/{name}")).service().send().await
        } else {
            got
        };
        let text = got.status.is_success().then(|| got.text());
        assert!(
            possible.contains(&text.as_deref()),
            "operation {nth} {moment:?}: {name} is {text:?}, not {possible:?}"
        );
    }
    // The injected fault may affect the first cleanup.
    world.try_sweep(None).await.ok();
    world.sweep().await;
    let rows = world.count("select count(*) from storage.objects").await;
    assert_eq!(
        files.list(None, 100).await.unwrap().len() as i64,
        rows,
        "operation {nth} {moment:?} leaves bytes behind"
    );
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_operation_fails_once() {
    let operations = check(0, Moment::Before).await;
    assert!(operations >= 10, "{operations}");
    let cases = (1..=operations).flat_map(|nth| [(nth, Moment::Before), (nth, Moment::After)]);
    let mut running = futures_util::stream::FuturesUnordered::new();
    for (nth, moment) in cases {
        running.push(tokio::spawn(check(nth, moment)));
        if running.len() >= 8 {
            futures_util::StreamExt::next(&mut running).await.unwrap().unwrap();
        }
    }
    while let Some(done) = futures_util::StreamExt::next(&mut running).await {
        done.unwrap();
    }
}
