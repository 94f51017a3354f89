//! Tests that memory and work per request are limited, whatever the request contains.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use cloch_storage::Error;
use cloch_storage::backend::file::FileBackend;
use cloch_storage::backend::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece};
use futures_util::future::{BoxFuture, join_all};
use futures_util::{StreamExt, stream};
use image::{ImageFormat, RgbImage};
use serde_json::json;
use tower::ServiceExt;

use crate::multipart;
use crate::support::{Asked, OTHER, Reply, USER, World};

const MIB: usize = 1024 * 1024;

/// Returns a body that starts with `beginning` and repeats `filler` endlessly, and a counter of the bytes that were read from it.
fn endless(beginning: &'static str, filler: u8) -> (Body, Arc<AtomicUsize>) {
    let read = Arc::new(AtomicUsize::new(0));
    let count = read.clone();
    let chunk = Bytes::from(vec![filler; 64 * 1024]);
    let bytes = stream::iter([Bytes::from_static(beginning.as_bytes())])
        .chain(stream::iter(std::iter::repeat_n(chunk, 64 * MIB / (64 * 1024))))
        .map(move |bytes| {
            count.fetch_add(bytes.len(), Ordering::SeqCst);
            Ok::<_, std::io::Error>(bytes)
        });
    (Body::from_stream(bytes), read)
}

#[tokio::test]
async fn a_form_cannot_make_its_parser_hold_more_than_a_few_megabytes() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let file = "--x\r\ncontent-disposition: form-data; name=\"\"; filename=\"f\"\r\n\r\nfile\r\n--x\r\nafter: ";
    for (path, beginning) in [
        ("/object/b/f", "no boundary ever comes: "),
        ("/object/b/f", "--x\r\ncontent-disposition: "),
        ("/object/b/f", file),
        ("/s3/b", "no boundary ever comes: "),
        ("/s3/b", "--x\r\ncontent-disposition: "),
    ] {
        let (body, read) = endless(beginning, b'a');
        let asked = world.ask("POST", path).service().header("content-type", "multipart/form-data; boundary=x");
        let refused = asked.body(body).await;
        assert!(refused.status.is_client_error(), "{path} {}", refused.status);
        let read = read.load(Ordering::SeqCst);
        assert!(read < 4 * MIB, "{path}: {read} bytes of a form were gathered");
    }
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    world.settle(0).await;
}

#[tokio::test]
async fn a_form_may_have_a_large_file_and_fields_beside_it() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let (file, field) = ("f".repeat(9 * MIB), "a".repeat(MIB / 2));
    let part = |head: &str, body: &str| format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{body}\r\n");
    let fields = [
        part("name=\"before\"", &field),
        part("name=\"also\"", &field),
        part("name=\"\"; filename=\"f\"", &file),
        part("name=\"after\"", &field),
        part("name=\"cacheControl\"", "60"),
    ];
    let form = fields.concat() + "--x--\r\n";
    let chunks: Vec<_> =
        form.as_bytes().chunks(50_000).map(Bytes::copy_from_slice).map(Ok::<_, std::io::Error>).collect();
    let asked = world.ask("POST", "/object/b/f").service().header("content-type", "multipart/form-data; boundary=x");
    asked.body(Body::from_stream(stream::iter(chunks))).await.ok();
    let got = world.ask("GET", "/object/b/f").service().send().await.ok();
    assert_eq!((got.bytes.len(), got.header("cache-control")), (9 * MIB, "max-age=60"));
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("name{number}")).collect()
}

/// Returns the responses of all endpoints that accept a list of object names.
async fn lists(world: &World, count: usize) -> Vec<(&'static str, Reply)> {
    let names = names(count);
    let ask = |method, path| -> Asked<'_> { world.ask(method, path).service() };
    let keys: String = names.iter().map(|name| format!("<Object><Key>{name}</Key></Object>")).collect();
    vec![
        ("delete", ask("DELETE", "/object/b").json(json!({ "prefixes": names })).await),
        ("sign", ask("POST", "/object/sign/b").json(json!({ "paths": names, "expiresIn": 60 })).await),
        ("archive", ask("POST", "/archive/b").json(json!({ "paths": names })).await),
        ("types", ask("PUT", "/bucket/b").json(json!({ "allowed_mime_types": vec!["image/png"; count] })).await),
        ("S3 delete", world.ask("POST", "/s3/b?delete").signed().body(format!("<Delete>{keys}</Delete>")).await),
    ]
}

#[tokio::test]
async fn every_list_in_a_body_has_a_most() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for (list, reply) in lists(&world, 1001).await {
        assert_eq!(reply.status.as_u16(), 400, "{list}");
        let text = reply.text();
        let is_told = text.contains("must NOT have more than 1000 items") || text.contains("<Code>MalformedXML</Code>");
        assert!(is_told, "{list}: {text}");
    }
    for (list, reply) in lists(&world, 1000).await {
        // The named objects do not exist, so some endpoints return NoSuchKey; no other error is allowed.
        assert!(reply.status.is_success() || reply.text().contains("NoSuchKey"), "{list}: {}", reply.text());
    }
}

#[tokio::test]
async fn deep_documents_are_refused() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let id = multipart::begin(&world, "k").await;
    let json = "[".repeat(500_000);
    let xml = "<a>".repeat(300_000);
    for (method, path) in
        [("POST", "/bucket"), ("POST", "/object/list/b"), ("DELETE", "/object/b"), ("POST", "/archive/b")]
    {
        let asked = world.ask(method, path).user(USER).header("content-type", "application/json");
        let refused = asked.body(format!("{{\"prefixes\":{json}")).await;
        assert_eq!(refused.status.as_u16(), 400, "{method} {path}: {}", refused.text());
    }
    for path in ["/s3/b?delete".to_owned(), format!("/s3/b/k?uploadId={id}")] {
        let refused = world.ask("POST", &path).signed().body(xml.clone()).await;
        assert!(refused.text().contains("<Code>MalformedXML</Code>"), "{path}: {}", refused.text());
    }
}

#[tokio::test]
async fn only_so_many_archives_are_packed_at_once() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/f", &"f".repeat(MIB)).await.ok();
    let token = world.token(&json!({"role": "service_role"}));
    // The response body is not read, so the archive request stays in progress.
    let open = async || {
        let request = Request::builder().method("POST").uri("/archive/b").header("content-type", "application/json");
        let request = request.header("authorization", format!("Bearer {token}"));
        world.router.clone().oneshot(request.body(Body::from("{\"paths\":[\"f\"]}")).unwrap()).await.unwrap()
    };
    let mut packed = Vec::new();
    for _ in 0..16 {
        let archive = open().await;
        assert_eq!(archive.status(), 200);
        packed.push(archive);
    }
    let refused = world.ask("POST", "/archive/b").service().json(json!({ "paths": ["f"] })).await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, "5"));
    refused.refused("503", "ServerBusy");
    packed.pop();
    world.ask("POST", "/archive/b").service().json(json!({ "paths": ["f"] })).await.ok();
}

#[tokio::test]
async fn an_upload_is_shown_to_who_may_go_on_with_it() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
        .sql(
            "create policy own on storage.objects for insert to authenticated
               with check (bucket_id = 'b' and name like (auth.uid()::text || '/%'))",
        )
        .await;
    let metadata = |name: &str| format!("bucketName {},objectName {}", STANDARD.encode("b"), STANDARD.encode(name));
    let tus = |method: &str, path: &str| world.ask(method, path).header("tus-resumable", "1.0.0");
    let begun = tus("POST", "/upload/resumable").user(USER).header("upload-length", "9");
    let begun = begun.header("upload-metadata", &metadata(&format!("{USER}/secret"))).send().await.ok();
    let path = begun.header("location").strip_prefix("http://localhost/storage/v1").unwrap();
    for stranger in [tus("HEAD", path).user(OTHER), tus("HEAD", path).anon()] {
        let refused = stranger.send().await;
        assert_eq!((refused.status.as_u16(), refused.header("upload-metadata")), (403, ""));
    }
    for known in [tus("HEAD", path).user(USER), tus("HEAD", path).service()] {
        assert_ne!(known.send().await.ok().header("upload-metadata"), "");
    }
}

/// A storage backend with slow reads, which records the maximum number of concurrent reads.
#[derive(Debug)]
struct SlowReads {
    inner: FileBackend,
    reading: AtomicUsize,
    most: AtomicUsize,
}

impl Backend for SlowReads {
    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content, Error>> {
        Box::pin(async move {
            let reading = self.reading.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(reading, Ordering::SeqCst);
            // Give other requests time to start a concurrent read, if the server allows it.
            tokio::time::sleep(Duration::from_millis(100)).await;
            self.reading.fetch_sub(1, Ordering::SeqCst);
            self.inner.get(key, range).await
        })
    }

    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64, Error>> {
        self.inner.put(key, body)
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.copy(from, to)
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64, Error>> {
        self.inner.concatenate(key, pieces)
    }

    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.delete(key)
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>, Error>> {
        self.inner.list(after, limit)
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly, Error>> {
        self.inner.append(key, assembly, body)
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.assemble(key, assembly)
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.abandon(key, assembly)
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64, Error>> {
        self.inner.clear_unfinished(before)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn renderings_that_wait_hold_no_source() {
    let folder = tempfile::tempdir().unwrap();
    let inner = FileBackend::open(folder.path()).unwrap();
    let reads = Arc::new(SlowReads { inner, reading: AtomicUsize::new(0), most: AtomicUsize::new(0) });
    let world = World::with_backend(reads.clone()).await;
    world.bucket("b", true).await;
    let mut png = Cursor::new(Vec::new());
    RgbImage::new(10, 10).write_to(&mut png, ImageFormat::Png).unwrap();
    world
        .ask("POST", "/object/b/a.png")
        .service()
        .header("content-type", "image/png")
        .body(png.into_inner())
        .await
        .ok();
    let paths: Vec<_> = (1..10).map(|width| format!("/render/image/public/b/a.png?width={width}")).collect();
    let rendered = join_all(paths.iter().map(|path| world.ask("GET", path).send())).await;
    assert!(rendered.iter().all(|reply| reply.status == 200));
    assert_eq!(reads.most.load(Ordering::SeqCst), 2, "as many as images are made at once");
}
