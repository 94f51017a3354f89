//! Tests errors if the disk, the quota or the S3 server is full or unavailable. Clients must receive a specific error, and no partial data
//! may remain.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use axum::body::Body;
use bytes::Bytes;
use cloch_storage::measure_capacity;
use cloch_storage::settings::BackendSettings;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::backends;
use crate::support::{Asked, Reply, World};

const KIB: usize = 1024;
const MIB: usize = 1024 * 1024;

fn bytes(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Returns a body without a declared size, and a counter of the bytes that were read from it.
fn undeclared(size: usize) -> (Body, Arc<AtomicUsize>) {
    let read = Arc::new(AtomicUsize::new(0));
    let count = read.clone();
    let chunks: Vec<_> = bytes(size).chunks(KIB).map(Bytes::copy_from_slice).collect();
    let bytes = stream::iter(chunks).map(move |chunk| {
        count.fetch_add(chunk.len(), Ordering::SeqCst);
        Ok::<_, std::io::Error>(chunk)
    });
    (Body::from_stream(bytes), read)
}

impl World {
    fn store(&self, name: &str) -> Asked<'_> {
        self.ask("POST", &format!("/object/b/{name}")).service()
    }

    fn resumable(&self, method: &str, path: &str) -> Asked<'_> {
        self.ask(method, path).service().header("tus-resumable", "1.0.0")
    }

    async fn begin_resumable(&self, length: usize) -> Reply {
        let asked = self.resumable("POST", "/upload/resumable").header("upload-length", &length.to_string());
        asked.header("upload-metadata", "bucketName Yg==,objectName dHVz").send().await
    }
}

#[track_caller]
fn is_full(reply: &Reply) {
    let told = reply.text().contains("InsufficientStorage") || reply.header("tus-resumable") == "1.0.0";
    assert!(reply.status == 507 && told, "{} {}", reply.status, reply.text());
}

#[tokio::test]
async fn a_quota_bounds_all_bytes() {
    let world = World::with(|settings| settings.quota = Some(10 * KIB as u64)).await;
    world.bucket("b", false).await;
    world.store("six").body(bytes(6 * KIB)).await.ok();
    let declared = world.store("more").header("content-length", "5000").body(bytes(5000)).await;
    is_full(&declared);
    let (body, read) = undeclared(100 * KIB);
    is_full(&world.store("more").body(body).await);
    assert!(read.load(Ordering::SeqCst) <= 6 * KIB, "what goes beyond is not read");
    is_full(&world.ask("PUT", "/s3/b/more").signed().body(bytes(5 * KIB)).await);
    is_full(&world.begin_resumable(5 * KIB).await);
    let copy = json!({"bucketId": "b", "sourceKey": "six", "destinationKey": "copy"});
    is_full(&world.ask("POST", "/object/copy").service().json(copy).await);
    world.settle(1).await;
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);

    // Refused uploads use no space, and deleted objects free the space that they used.
    world.store("four").body(bytes(4 * KIB)).await.ok();
    is_full(&world.store("one").body(bytes(1)).await);
    world.ask("DELETE", "/object/b/six").service().send().await.ok();
    measure_capacity(&world.state).await.unwrap();
    world.store("one").body(bytes(6 * KIB)).await.ok();
    is_full(&world.store("two").body(bytes(1)).await);
}

#[tokio::test]
async fn a_part_of_the_disk_stays_free() {
    let world = World::with(|settings| settings.min_free = Some(u64::MAX)).await;
    world.bucket("b", false).await;
    is_full(&world.store("a").body("a").await);
    is_full(&world.begin_resumable(1).await);
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    world.settle(0).await;
    world.ask("GET", "/bucket/b").service().send().await.ok();
    let world = World::with(|settings| settings.min_free = Some(0)).await;
    world.bucket("b", false).await;
    world.store("a").body("a").await.ok();
}

thread_local! {
    static TOLD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A tracing subscriber that records the log messages of each thread separately.
struct Log;

impl Log {
    /// Installs the tracing subscriber for all threads. A subscriber for a single thread would miss events when another thread registers
    /// the same callsite first.
    fn listen() {
        static LISTENING: Once = Once::new();
        LISTENING.call_once(|| {
            tracing::subscriber::set_global_default(Self).unwrap();
            tracing::callsite::rebuild_interest_cache();
        });
    }

    /// Returns the log messages about free space that this thread has written since the last call.
    fn told() -> Vec<String> {
        TOLD.take()
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "cloch_storage::capacity"
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        TOLD.with_borrow_mut(|told| told.push(message.0));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[derive(Default)]
struct Message(String);

impl tracing::field::Visit for Message {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[tokio::test]
async fn the_log_tells_how_much_of_the_quota_is_used() {
    let world = World::with(|settings| {
        settings.quota = Some(10 * KIB as u64);
        settings.min_free = Some(0);
    })
    .await;
    world.bucket("b", false).await;
    Log::listen();
    for (name, stored, told) in [
        ("seven", 7 * KIB, None),
        (
            "eighth",
            KIB,
            Some(
                "storage: space almost full, 80 % of the quota used, 8.0 KiB of 10.0 KiB: uploads fail when it is full",
            ),
        ),
        (
            "ninth",
            KIB,
            Some(
                "storage: space almost full, 90 % of the quota used, 9.0 KiB of 10.0 KiB: uploads fail when it is full",
            ),
        ),
    ] {
        world.store(name).body(bytes(stored)).await.ok();
        for told in [told, None] {
            measure_capacity(&world.state).await.unwrap();
            assert_eq!(Log::told(), Vec::from_iter(told), "{stored} more bytes");
        }
    }
}

#[tokio::test]
async fn the_log_tells_how_much_of_the_disk_is_used() {
    let mut disk = None;
    let world = World::with(|settings| {
        settings.min_free = Some(1);
        if let BackendSettings::File { folder } = &settings.backend {
            disk = Disk::mount(folder, "20m");
        }
    })
    .await;
    let Some(disk) = disk else {
        eprintln!("not run: only root may mount a disk");
        return;
    };
    Log::listen();
    for (used, told) in [
        (10 * MIB, None),
        (
            17 * MIB,
            Some(
                "storage: space almost full, 80 % of the disk used, 17.0 MiB of 20.0 MiB: uploads fail when it is full",
            ),
        ),
        (
            19 * MIB,
            Some(
                "storage: space almost full, 90 % of the disk used, 19.0 MiB of 20.0 MiB: uploads fail when it is full",
            ),
        ),
    ] {
        std::fs::write(disk.0.join("filled"), bytes(used)).unwrap();
        for told in [told, None] {
            measure_capacity(&world.state).await.unwrap();
            assert_eq!(Log::told(), Vec::from_iter(told), "{used} bytes used");
        }
    }
    drop(world);
}

/// A separate file system for a test, mounted until this value is dropped.
struct Disk(PathBuf);

impl Disk {
    /// Mounts a file system. Returns `None` if the test does not run as root, because only root may mount file systems.
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let mut command = Command::new("mount");
        let mounted = command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test]
async fn a_full_disk_refuses_an_upload_and_leaves_nothing_of_it() {
    let mut disk = None;
    let world = World::with(|settings| {
        settings.min_free = Some(0);
        if let BackendSettings::File { folder } = &settings.backend {
            disk = Disk::mount(folder, "20m");
        }
    })
    .await;
    if disk.is_none() {
        eprintln!("not run: only root may mount a disk");
        return;
    }
    world.bucket("b", false).await;
    let large = bytes(30 * MIB);
    for _ in 0..3 {
        is_full(&world.store("large").body(large.clone()).await);
        is_full(&world.ask("PUT", "/s3/b/large").signed().body(large.clone()).await);
        world.settle(0).await;
    }
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);

    // A resumable upload keeps exactly the bytes that the server has acknowledged.
    let begun = world.begin_resumable(large.len()).await.ok();
    let path = begun.header("location").replace("http://localhost/storage/v1", "");
    let sent = world.resumable("PATCH", &path).header("upload-offset", "0");
    is_full(&sent.header("content-type", "application/offset+octet-stream").body(large.clone()).await);
    let offset = world.resumable("HEAD", &path).send().await.ok().header("upload-offset").to_owned();
    assert_eq!(offset, (16 * MIB).to_string());
    let used = bytes_used(&disk.as_ref().unwrap().0);
    assert!(used < 17 * MIB as u64, "{used} bytes of the disk are used");
    world.resumable("DELETE", &path).send().await.ok();
    world.settle(0).await;

    let fits = bytes(15 * MIB);
    world.store("fits").body(fits.clone()).await.ok();
    is_full(&world.store("large").body(fits.clone()).await);
    assert!(world.ask("GET", "/object/b/fits").service().send().await.ok().bytes == fits);
    drop(world);
    drop(disk);
}

/// Returns the disk space that files in a folder use, in bytes.
fn bytes_used(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let used = entries.map(|entry| match entry.metadata().unwrap() {
        metadata if metadata.is_dir() => bytes_used(&entry.path()),
        metadata => metadata.blocks() * 512,
    });
    used.sum()
}

#[tokio::test]
async fn a_store_that_is_away_is_told() {
    let (url, mut server) = backends::start_server();
    let world = World::with_backend(backends::s3_at(&url)).await;
    world.bucket("b", false).await;
    world.store("a").body("a").await.ok();
    server.kill().unwrap();
    server.wait().unwrap();
    let away = |reply: Reply| {
        assert_eq!((reply.status.as_u16(), reply.header("retry-after")), (503, "5"), "{}", reply.text());
        assert!(reply.text().contains("StoreUnavailable") && reply.text().contains("cannot be reached"));
    };
    away(world.store("b").body("b").await);
    away(world.ask("GET", "/object/b/a").service().send().await);
    away(world.ask("PUT", "/s3/b/b").signed().body("b").await);
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);
}
