//! Tests that both storage backends must pass.

use std::collections::VecDeque;
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::ETAG;
use bytes::Bytes;
use cloch_core::Secret;
use cloch_storage::Error;
use cloch_storage::backend::file::FileBackend;
use cloch_storage::backend::s3::S3Backend;
use cloch_storage::backend::{Assembly, Backend, BlobKey, ByteStream, Piece};
use cloch_storage::migrate_backend::{Copied, copy};
use cloch_storage::settings;
use futures_util::StreamExt;
use serde_json::json;

use crate::faulty_backend::{FaultyBackend, Moment};
use crate::support::World;

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n.wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}

fn body(bytes: &[u8]) -> ByteStream {
    let chunks: Vec<_> = bytes.chunks(70_001).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    futures_util::stream::iter(chunks).boxed()
}

fn broken(bytes: &[u8]) -> ByteStream {
    body(bytes).chain(futures_util::stream::iter([Err(Error::Aborted("gone"))])).boxed()
}

async fn read(backend: &dyn Backend, key: BlobKey, range: std::ops::Range<u64>) -> Result<Vec<u8>, Error> {
    let mut stream = backend.get(key, range).await?.into_stream();
    let mut all = Vec::new();
    while let Some(bytes) = stream.next().await {
        all.extend_from_slice(&bytes?);
    }
    Ok(all)
}

async fn conforms(backend: &dyn Backend) {
    let missing = BlobKey::fresh();
    assert!(matches!(read(backend, missing, 0..1).await, Err(Error::BlobMissing(_))));
    assert!(matches!(backend.copy(missing, BlobKey::fresh()).await, Err(Error::BlobMissing(_))));
    backend.delete(missing).await.unwrap();

    let mut keys = Vec::new();
    for size in [0, 1, 70_000, 3_000_001, 11_000_003] {
        let (key, bytes) = (BlobKey::fresh(), pattern(size));
        assert_eq!(backend.put(key, body(&bytes)).await.unwrap(), size as u64);
        assert!(read(backend, key, 0..size as u64).await.unwrap() == bytes, "{size}");
        if size > 10 {
            let part = read(backend, key, 5..size as u64 - 3).await.unwrap();
            assert!(part == bytes[5..size - 3], "{size}");
        }
        keys.push(key);
    }

    let cut = BlobKey::fresh();
    for size in [10, 6_000_000] {
        backend.put(cut, broken(&pattern(size))).await.unwrap_err();
        assert!(matches!(read(backend, cut, 0..1).await, Err(Error::BlobMissing(_))));
    }

    let copy = BlobKey::fresh();
    backend.copy(keys[2], copy).await.unwrap();
    backend.delete(keys[2]).await.unwrap();
    assert!(read(backend, copy, 0..70_000).await.unwrap() == pattern(70_000));
    keys[2] = copy;

    keys.sort();
    let mut listed = Vec::new();
    loop {
        let page = backend.list(listed.last().copied(), 2).await.unwrap();
        if page.is_empty() {
            break;
        }
        assert!(page.iter().all(|blob| blob.modified <= SystemTime::now() + Duration::from_secs(2)));
        listed.extend(page.iter().map(|blob| blob.key));
    }
    assert_eq!(listed, keys);
}

async fn concatenates(backend: &dyn Backend) {
    let missing = Piece { key: BlobKey::fresh(), size: 6_000_000 };
    let mut stored = Vec::new();
    let bytes = pattern(18_000_003);
    let mut from = 0;
    // All pieces except the last are large enough for a part of an S3 upload.
    for to in [6_000_000, 12_000_000, 12_000_000 + 5 * 1024 * 1024, 18_000_003, 18_000_003] {
        let key = BlobKey::fresh();
        let size = backend.put(key, body(&bytes[from..to])).await.unwrap();
        stored.push(Piece { key, size });
        from = to;
    }
    let key = BlobKey::fresh();
    assert!(matches!(backend.concatenate(key, vec![stored[0], missing]).await, Err(Error::BlobMissing(_))));
    assert!(matches!(read(backend, key, 0..1).await, Err(Error::BlobMissing(_))));

    let small: Vec<Piece> = vec![stored[3], stored[0], stored[4], stored[1]];
    let small_bytes = [&bytes[12_000_000 + 5 * 1024 * 1024..], &bytes[..12_000_000]].concat();
    let cases = [
        (stored.clone(), bytes.clone()),
        (vec![stored[1]], bytes[6_000_000..12_000_000].to_vec()),
        (vec![stored[0], stored[0]], bytes[..6_000_000].repeat(2)),
        (small, small_bytes),
        (vec![stored[4]], Vec::new()),
        (Vec::new(), Vec::new()),
    ];
    for (pieces, expected) in cases {
        let key = BlobKey::fresh();
        let size = expected.len() as u64;
        assert_eq!(backend.concatenate(key, pieces).await.unwrap(), size);
        assert!(read(backend, key, 0..size).await.unwrap() == expected, "{size}");
        backend.delete(key).await.unwrap();
    }
    // The blobs that were concatenated are unchanged.
    assert!(read(backend, stored[1].key, 0..6_000_000).await.unwrap() == bytes[6_000_000..12_000_000]);
    for piece in stored {
        backend.delete(piece.key).await.unwrap();
    }
}

async fn assembles(backend: &dyn Backend) {
    let bytes = pattern(19_000_000);
    let (key, mut assembly) = (BlobKey::fresh(), Assembly::default());
    let mut from = 0;
    for to in [3, 100, 100, 6_000_000, 6_000_001, 17_000_000, 19_000_000] {
        // A failed append adds no bytes to the blob, and does not affect the next append.
        backend.append(key, assembly.clone(), broken(&bytes[..500_000])).await.unwrap_err();
        assembly = backend.append(key, assembly, body(&bytes[from..to])).await.unwrap();
        assert_eq!(assembly.size, to as u64);
        from = to;
    }
    assert!(matches!(read(backend, key, 0..1).await, Err(Error::BlobMissing(_))));
    backend.assemble(key, assembly.clone()).await.unwrap();
    backend.assemble(key, assembly).await.unwrap();
    assert!(read(backend, key, 0..19_000_000).await.unwrap() == bytes);

    for size in [0, 10] {
        let key = BlobKey::fresh();
        let assembly = backend.append(key, Assembly::default(), body(&bytes[..size])).await.unwrap();
        backend.assemble(key, assembly).await.unwrap();
        assert!(read(backend, key, 0..size as u64).await.unwrap() == bytes[..size]);
        backend.delete(key).await.unwrap();
    }
    for size in [10, 6_000_000] {
        let given_up = BlobKey::fresh();
        let assembly = backend.append(given_up, Assembly::default(), body(&bytes[..size])).await.unwrap();
        backend.abandon(given_up, assembly.clone()).await.unwrap();
        backend.abandon(given_up, assembly).await.unwrap();
    }
    backend.delete(key).await.unwrap();
}

#[tokio::test]
async fn files() {
    let folder = tempfile::tempdir().unwrap();
    let backend = FileBackend::open(folder.path()).unwrap();
    conforms(&backend).await;
    concatenates(&backend).await;
    assembles(&backend).await;
    let damaged = BlobKey::fresh();
    backend.put(damaged, body(b"short")).await.unwrap();
    backend.concatenate(BlobKey::fresh(), vec![Piece { key: damaged, size: 6 }]).await.unwrap_err();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let left = walk(folder.path()).into_iter().filter(|path| path.extension().is_some()).count();
    assert_eq!(left, 0, "nothing unfinished is left");
}

#[tokio::test]
async fn nobody_else_of_the_machine_may_read_files() {
    let folder = tempfile::tempdir().unwrap();
    // A folder and a file with the permissions that an earlier version of Cloch set.
    let (shard, old) = (folder.path().join("00"), folder.path().join("00/00000000-51a5-4b9b-9d7b-0d1f3f3f7a10"));
    std::fs::create_dir(&shard).unwrap();
    std::fs::write(&old, "old").unwrap();
    for (path, mode) in [(&shard, 0o755), (&old, 0o644)] {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let backend = FileBackend::open(&folder.path().join("made")).unwrap();
    let piece = Piece { key: BlobKey::fresh(), size: backend.put(BlobKey::fresh(), body(b"whole")).await.unwrap() };
    backend.put(piece.key, body(b"piece")).await.unwrap();
    backend.concatenate(BlobKey::fresh(), vec![piece, piece]).await.unwrap();
    backend.append(BlobKey::fresh(), Assembly::default(), body(b"part")).await.unwrap();
    backend.assemble(BlobKey::fresh(), Assembly::default()).await.unwrap();
    backend.copy(piece.key, BlobKey::fresh()).await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    let files = walk(&folder.path().join("made"));
    assert_eq!(files.len(), 6);
    for file in files {
        let shard = file.parent().unwrap();
        assert_eq!((mode(&file) & 0o777, mode(shard) & 0o777), (0o600, 0o700), "{}", file.display());
    }
    FileBackend::open(folder.path()).unwrap();
    assert_eq!(mode(&shard) & 0o777, 0o700, "what is there is closed when it is opened");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Python source of a moto S3 server for this test run. The server stops when its standard input is closed, and therefore when this process
/// ends.
const SERVER: &str = "
import sys, boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f'http://{host}:{port}'
boto3.client('s3', endpoint_url=url, region_name='us-east-1', aws_access_key_id='x', aws_secret_access_key='x').create_bucket(Bucket='test')
print(f'{url}/test', flush=True)
sys.stdin.read()
";

fn server() -> &'static str {
    static URL: OnceLock<(String, Mutex<Child>)> = OnceLock::new();
    let (url, _) = URL.get_or_init(|| {
        let (url, child) = start_server();
        (url, Mutex::new(child))
    });
    url
}

/// Starts the moto S3 server and returns the URL of its bucket.
pub(crate) fn start_server() -> (String, Child) {
    let python =
        std::env::var("CLOCH_TEST_PYTHON").expect("CLOCH_TEST_PYTHON has moto: run the tests through `make test`");
    let mut command = Command::new(python);
    let mut child = command.args(["-c", SERVER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (line.trim().to_owned(), child)
}

/// Creates an S3 backend with a separate key prefix in the bucket of the test server.
pub(crate) fn s3() -> Arc<S3Backend> {
    s3_at(&std::env::var("CLOCH_TEST_S3_URL").unwrap_or_else(|_| server().to_owned()))
}

pub(crate) fn s3_at(url: &str) -> Arc<S3Backend> {
    s3_below(url, &uuid::Uuid::new_v4().to_string())
}

fn s3_below(url: &str, prefix: &str) -> Arc<S3Backend> {
    let (endpoint, bucket) = url.rsplit_once('/').unwrap();
    let given = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
    let settings = settings::S3Backend {
        endpoint: Some(endpoint.to_owned()),
        region: given("CLOCH_TEST_S3_REGION", "us-east-1"),
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        access_key_id: given("CLOCH_TEST_S3_KEY", "test"),
        secret_access_key: Secret::new(given("CLOCH_TEST_S3_SECRET", "test")),
        path_style: true,
        timeout: Duration::from_secs(30),
        spool: std::env::temp_dir(),
    };
    Arc::new(S3Backend::open(&settings).unwrap())
}

/// Tests that the storage API behaves the same on an S3 backend as on a file backend.
#[tokio::test]
async fn the_api_over_s3() {
    let backend = s3();
    let world = World::with_backend(backend.clone()).await;
    world.bucket("b", false).await;
    let bytes = pattern(6_000_000);
    world.ask("POST", "/object/b/big").service().body(bytes.clone()).await.ok();
    let part = world.ask("GET", "/object/b/big").service().header("range", "bytes=1000-5999999").send().await;
    assert!(part.bytes == bytes[1000..]);
    let copy = json!({"bucketId": "b", "sourceKey": "big", "destinationKey": "copy"});
    world.ask("POST", "/object/copy").service().json(copy).await.ok();
    world.ask("PUT", "/object/b/big").service().body("small").await.ok();
    assert_eq!(world.ask("GET", "/object/b/big").service().send().await.text(), "small");
    assert!(world.ask("GET", "/object/b/copy").service().send().await.bytes == bytes);

    let begun = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
    let begun = begun.header("upload-length", "6000000").header("upload-metadata", "bucketName Yg==,objectName dHVz");
    let location = begun.send().await.header("location").replace("http://localhost/storage/v1", "");
    for (from, to) in [(0, 10), (10, 5_500_000), (5_500_000, 6_000_000)] {
        let asked = world
            .ask("PATCH", &location)
            .service()
            .header("tus-resumable", "1.0.0")
            .header("upload-offset", &from.to_string());
        asked.header("content-type", "application/offset+octet-stream").body(bytes[from..to].to_vec()).await.ok();
    }
    let whole = world.ask("GET", "/object/b/tus").service().send().await.ok();
    assert!(whole.bytes == bytes);
    let names = json!({"prefixes": ["big", "copy", "tus"]});
    world.ask("DELETE", "/object/b").service().json(names).await.ok();
    world.sweep().await;
    assert_eq!(backend.list(None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_copy_between_stores_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let files = FileBackend::open(folder.path()).unwrap();
    let s3 = s3();
    let sizes = [0, 1, 70_000, 6_000_001];
    let mut keys = Vec::new();
    for size in sizes {
        let key = BlobKey::fresh();
        files.put(key, body(&pattern(size))).await.unwrap();
        keys.push((key, size));
    }
    // Blobs left over from an earlier copy between backends: a complete blob, and a blob with the wrong size.
    s3.put(keys[2].0, body(&pattern(70_000))).await.unwrap();
    s3.put(keys[1].0, body(&pattern(5))).await.unwrap();
    let copied = copy(&files, &*s3).await.unwrap();
    assert_eq!(copied, Copied { blobs: 3, bytes: 6_000_002, present: 1 });
    assert_eq!(copy(&files, &*s3).await.unwrap(), Copied { blobs: 0, bytes: 0, present: 4 });
    let (back, empty) = (tempfile::tempdir().unwrap(), Copied::default());
    let back = FileBackend::open(back.path()).unwrap();
    assert_ne!(copy(&*s3, &back).await.unwrap(), empty);
    for (key, size) in keys {
        assert!(read(&back, key, 0..size as u64).await.unwrap() == pattern(size), "{size}");
    }
    // A backend that fails during the copy causes an error, and the incomplete copy does not count as complete.
    let other = tempfile::tempdir().unwrap();
    let other: Arc<dyn Backend> = Arc::new(FileBackend::open(other.path()).unwrap());
    let faulty = FaultyBackend::new(other.clone(), 4, Moment::Before);
    copy(&files, &faulty).await.unwrap_err();
    copy(&files, &*other).await.unwrap();
    assert_eq!(other.list(None, 10).await.unwrap().len(), sizes.len());
}

/// Tests that a listing continues after a page that contains only objects of other programs.
#[tokio::test]
async fn blobs_behind_foreign_objects_of_an_s3_server_are_listed() {
    let (url, mut server) = start_server();
    let prefix = uuid::Uuid::new_v4().to_string();
    let backend = s3_below(&url, &prefix);
    let key = BlobKey::fresh();
    backend.put(key, body(b"own")).await.unwrap();
    let client = reqwest::Client::new();
    for name in ["!1", "!2", "!3"] {
        let foreign = client.put(format!("{url}/{prefix}/objects/{name}")).body("foreign").send().await.unwrap();
        assert!(foreign.status().is_success(), "{}", foreign.status());
    }
    let listed: Vec<BlobKey> = backend.list(None, 2).await.unwrap().iter().map(|blob| blob.key).collect();
    assert_eq!(listed, [key]);
    assert_eq!(backend.list(Some(key), 2).await.unwrap(), []);
    server.kill().unwrap();
}

#[tokio::test]
async fn objects_of_an_s3_server() {
    let backend = s3();
    conforms(&*backend).await;
    concatenates(&*backend).await;
    assembles(&*backend).await;
}

#[tokio::test]
async fn what_a_server_did_not_take_is_sent_again_unless_it_never_will() {
    let answers = Arc::new(Mutex::new(VecDeque::from([503, 429, 200, 403, 500, 500, 500])));
    let taken = Arc::new(Mutex::new(Vec::new()));
    let (asked, bodies) = (answers.clone(), taken.clone());
    let router = Router::new().fallback(move |body: Bytes| {
        bodies.lock().unwrap().push(body.to_vec());
        let status = asked.lock().unwrap().pop_front().unwrap_or(200);
        async move { (StatusCode::from_u16(status).unwrap(), [(ETAG, "\"etag\"")]) }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let backend = s3_at(&format!("http://{}/test", listener.local_addr().unwrap()));
    tokio::spawn(axum::serve(listener, router.layer(DefaultBodyLimit::disable())).into_future());

    // Content of this size is larger than the spool keeps in memory, so a part of it is written to a file.
    let bytes = pattern(3_000_000);
    assert_eq!(backend.put(BlobKey::fresh(), body(&bytes)).await.unwrap(), 3_000_000);
    assert!(taken.lock().unwrap().drain(..).collect::<Vec<_>>() == vec![bytes; 3]);
    for attempts in [1, 3] {
        backend.put(BlobKey::fresh(), body(b"small")).await.unwrap_err();
        assert_eq!(taken.lock().unwrap().drain(..).collect::<Vec<_>>(), vec![b"small"; attempts]);
    }
}
