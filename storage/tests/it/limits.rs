//! Tests the upload limits of visitors (callers without a session) per network. Only stored files count.

use std::time::Duration;

use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloch_storage::settings::VisitorLimits;
use futures_util::future::join_all;
use serde_json::json;

use crate::support::{Asked, Reply, USER, World};

const HERE: &str = "192.0.2.7";
const THERE: &str = "198.51.100.9";

/// Creates a storage API under test with a bucket `b` into which everybody may upload, with the given limits for visitors.
async fn world(limits: VisitorLimits) -> World {
    let world = World::with(|settings| settings.visitors = limits).await;
    world.bucket("b", false).await;
    world
        .sql("create policy i on storage.objects for insert to anon, authenticated with check (bucket_id = 'b' and name not like 'no%')")
        .await;
    world
}

impl World {
    fn upload(&self, name: &str) -> Asked<'_> {
        self.ask("POST", &format!("/object/b/{name}")).header("content-type", "text/plain")
    }

    fn resume(&self, method: &str, path: &str) -> Asked<'_> {
        self.ask(method, path).header("tus-resumable", "1.0.0").anon()
    }

    /// Creates a resumable upload from a client with the given address.
    async fn begin_from(&self, name: &str, length: usize, address: &str) -> Reply {
        let metadata = format!("bucketName {},objectName {}", STANDARD.encode("b"), STANDARD.encode(name));
        let asked = self.resume("POST", "/upload/resumable").from(address);
        asked.header("upload-length", &length.to_string()).header("upload-metadata", &metadata).send().await
    }

    async fn send_from(&self, path: &str, bytes: Vec<u8>, address: &str) -> Reply {
        let asked = self.resume("PATCH", path).from(address).header("upload-offset", "0");
        asked.header("content-type", "application/offset+octet-stream").body(bytes).await
    }
}

fn path(begun: &Reply) -> String {
    begun.header("location").strip_prefix("http://localhost/storage/v1").unwrap().to_owned()
}

#[track_caller]
fn too_many(reply: &Reply) {
    // The wait time is at most one hour plus one time slice of the limit (60 seconds).
    let wait: u64 = reply.header("retry-after").parse().unwrap_or(0);
    assert!(reply.status == 429 && (1..=3660).contains(&wait), "{} {wait} {}", reply.status, reply.text());
}

#[tokio::test]
async fn files_of_an_hour_are_counted_by_network() {
    let world = world(VisitorLimits { files_per_hour: 2, ..VisitorLimits::default() }).await;
    world.upload("first").anon().from(HERE).body("1").await.ok();
    // Refused and aborted uploads do not count in the limit.
    for _ in 0..3 {
        world.upload("no").anon().from(HERE).body("x").await.refused("403", "AccessDenied");
        world.upload("first").anon().from(HERE).body("x").await.refused("409", "KeyAlreadyExists");
        let broken = futures_util::stream::iter([Ok("some"), Err(std::io::Error::other("gone"))]);
        let broken = world.upload("broken").anon().from(HERE).body(Body::from_stream(broken)).await;
        assert!(broken.status.is_server_error(), "{}", broken.status);
    }
    world.upload("second").anon().from("::ffff:192.0.2.7").body("2").await.ok();

    let refused = world.upload("third").anon().from(HERE).body("3").await;
    too_many(&refused);
    refused.refused("429", "SlowDown");
    too_many(&world.begin_from("third", 1, HERE).await);
    let anon = world.token(&json!({"role": "anon"}));
    too_many(&world.ask("PUT", "/s3/b/third").signed_by(&anon).from(HERE).body("3").await);
    // An upload with a signed URL counts as an upload of a visitor, unless the request belongs to a session.
    let link = world.ask("POST", "/object/upload/sign/b/linked").service().send().await.ok().json();
    let link = link["url"].as_str().unwrap();
    too_many(&world.ask("PUT", link).from(HERE).body("x").await);
    world.settle(2).await;

    world.ask("PUT", link).user(USER).from(HERE).body("x").await.ok();
    world.upload("third").anon().from(THERE).body("3").await.ok();
    world.upload("user").user(USER).from(HERE).body("x").await.ok();
    world.upload("service").service().from(HERE).body("x").await.ok();
    assert_eq!(world.count("select count(*) from storage.objects").await, 6);
}

#[tokio::test]
async fn bytes_of_an_hour_are_counted_and_what_is_declared_is_refused_unread() {
    let world = world(VisitorLimits { bytes_per_hour: 10 * 1024, ..VisitorLimits::default() }).await;
    let bytes = |kib: usize| vec![b'x'; kib * 1024];
    world.upload("six").anon().from(HERE).body(bytes(6)).await.ok();
    let unread = futures_util::stream::poll_fn(|_| -> std::task::Poll<Option<std::io::Result<bytes::Bytes>>> {
        panic!("nobody reads what has no room")
    });
    let declared = world.upload("five").anon().from(HERE).header("content-length", "5121");
    too_many(&declared.body(Body::from_stream(unread)).await);
    // If an upload declares no size, the server checks the quota after it has received the file. The file is then deleted.
    too_many(&world.upload("five").anon().from(HERE).body(bytes(5)).await);
    world.settle(1).await;
    world.upload("four").anon().from(HERE).body(bytes(4)).await.ok();
    too_many(&world.upload("one").anon().from(HERE).body(bytes(1)).await);
    world.upload("empty").anon().from(HERE).body("").await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn uploads_at_once_do_not_get_past_the_count() {
    let world = world(VisitorLimits { files_per_hour: 3, ..VisitorLimits::default() }).await;
    let names: Vec<String> = (0..20).map(|number| format!("file{number}")).collect();
    let replies = join_all(names.iter().map(|name| world.upload(name).anon().from(HERE).body("x"))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status.is_success()).count(), 3);
    replies.iter().filter(|reply| !reply.status.is_success()).for_each(too_many);
    world.settle(3).await;
    assert_eq!(world.count("select count(*) from storage.objects").await, 3);
}

/// Tests that an upload does not wait for another upload from the same network: the write of the row of `slow` waits in a trigger.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_upload_waits_for_no_other_of_its_network() {
    let world =
        world(VisitorLimits { files_per_hour: 10, bytes_per_hour: 10 * 1024, ..VisitorLimits::default() }).await;
    world
        .sql(
            "create function public.wait() returns trigger language plpgsql as $$
               begin perform pg_advisory_xact_lock(1); return new; end $$;
             create trigger wait before insert on storage.objects for each row
               when (new.name = 'slow' and current_user = 'service_role') execute function public.wait();",
        )
        .await;
    let mut holder = cloch_sql::transaction::begin(world.database.superuser()).await.unwrap();
    sqlx::query("select pg_advisory_xact_lock(1)").execute(&mut *holder).await.unwrap();
    let slow = world.upload("slow").anon().from(HERE).body("x");
    let fast = async {
        while world.count("select count(*) from pg_locks where locktype = 'advisory' and not granted").await == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let fast = world.upload("fast").anon().from(HERE).body("x");
        let fast = tokio::time::timeout(Duration::from_secs(5), fast).await;
        holder.rollback().await.unwrap();
        fast.expect("it waits for the other upload").ok();
    };
    let (slow, ()) = tokio::join!(slow, fast);
    slow.ok();
}

/// Tests a write that fails after the file was counted: the server then subtracts the file from the count. The RLS policies allow the row
/// of the file, but a trigger of the project rejects it.
#[tokio::test]
async fn what_is_refused_when_it_is_written_does_not_count() {
    let world = world(VisitorLimits { files_per_hour: 2, bytes_per_hour: 4 * 1024, ..VisitorLimits::default() }).await;
    world
        .sql(
            "create function public.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
             create trigger refuse before insert on storage.objects for each row
               when (current_user = 'service_role') execute function public.refuse();",
        )
        .await;
    for _ in 0..3 {
        let refused = world.upload("file").anon().from(HERE).body(vec![b'x'; 2048]).await;
        assert!(!refused.status.is_success() && refused.status != 429, "{} {}", refused.status, refused.text());
    }
    world.sql("drop trigger refuse on storage.objects").await;
    for name in ["first", "second"] {
        world.upload(name).anon().from(HERE).body(vec![b'x'; 2048]).await.ok();
    }
    too_many(&world.upload("third").anon().from(HERE).body("x").await);
}

#[tokio::test]
async fn a_resumable_upload_waits_until_the_network_may_upload_again() {
    let world = world(VisitorLimits { files_per_hour: 1, ..VisitorLimits::default() }).await;
    let path = path(&world.begin_from("resumed", 3, HERE).await.ok());
    world.upload("other").anon().from(HERE).body("x").await.ok();
    too_many(&world.send_from(&path, b"abc".to_vec(), HERE).await);
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);
    too_many(&world.resume("HEAD", &path).from(HERE).send().await);
    // Simulates the end of the hour.
    world.sql("delete from cloch.rate_limits").await;
    assert_eq!(world.resume("HEAD", &path).from(HERE).send().await.ok().header("upload-offset"), "3");
    assert_eq!(world.ask("GET", "/object/b/resumed").service().send().await.ok().text(), "abc");
}

#[tokio::test]
async fn unfinished_uploads_are_counted_until_they_end() {
    let world = world(VisitorLimits { unfinished_uploads: 2, ..VisitorLimits::default() }).await;
    let anon = world.token(&json!({"role": "anon"}));
    let multipart = || world.ask("POST", "/s3/b/parts?uploads").signed_by(&anon).from(HERE);
    world.sql("create policy s on storage.objects for select to anon using (true)").await;
    world.sql("create policy u on storage.objects for update to anon using (true)").await;
    let first = path(&world.begin_from("first", 3, HERE).await.ok());
    let in_parts = multipart().send().await.ok().text();
    too_many(&world.begin_from("third", 3, HERE).await);
    too_many(&multipart().send().await);
    assert_eq!(world.count("select count(*) from cloch.storage_uploads").await, 1);
    assert_eq!(world.count("select count(*) from storage.s3_multipart_uploads").await, 1);
    world.begin_from("elsewhere", 3, THERE).await.ok();

    // Complete the first of the two resumable uploads, and abort the second.
    world.send_from(&first, b"abc".to_vec(), HERE).await.ok();
    let third = path(&world.begin_from("third", 3, HERE).await.ok());
    too_many(&world.begin_from("fourth", 3, HERE).await);
    let id = in_parts.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap();
    world.ask("DELETE", &format!("/s3/b/parts?uploadId={id}")).signed_by(&anon).from(HERE).send().await.ok();
    world.begin_from("fourth", 3, HERE).await.ok();
    too_many(&world.begin_from("fifth", 3, HERE).await);
    world.resume("DELETE", &third).from(HERE).send().await.ok();
    world.begin_from("fifth", 3, HERE).await.ok();

    // The periodic cleanup removes expired resumable uploads from the count.
    world.sql("update cloch.storage_uploads set expires_at = now() where completed_at is null").await;
    world.sweep().await;
    assert_eq!(world.count("select count(*) from cloch.begun_uploads").await, 0);
}
