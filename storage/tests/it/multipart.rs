//! Tests multipart uploads of the S3 protocol.

use std::time::Duration;

use serde_json::json;

use crate::support::{Reply, World};

/// Returns the text of the XML element `name` in a response.
fn element(reply: &Reply, name: &str) -> String {
    let text = reply.text();
    let (_, rest) = text.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("no {name}: {text}"));
    rest.split("</").next().unwrap().replace("&quot;", "\"")
}

pub(crate) async fn begin(world: &World, key: &str) -> String {
    let begun = world.ask("POST", &format!("/s3/b/{key}?uploads")).signed().send().await.ok();
    element(&begun, "UploadId")
}

/// Uploads a part with the given content (`Ok`) or copies it from an object (`Err`).
pub(crate) async fn part(world: &World, (key, id): (&str, &str), number: u32, from: Result<&str, &str>) -> Reply {
    let asked = world.ask("PUT", &format!("/s3/b/{key}?partNumber={number}&uploadId={id}")).signed();
    match from {
        Ok(text) => asked.body(text.to_owned()).await,
        Err(source) => asked.header("x-amz-copy-source", source).send().await,
    }
}

/// Returns the entity tag in the response to the upload of a part.
pub(crate) fn etag(reply: &Reply) -> String {
    if reply.headers.contains_key("etag") { reply.header("etag").to_owned() } else { element(reply, "ETag") }
}

pub(crate) async fn complete(world: &World, (key, id): (&str, &str), etags: &[String]) -> Reply {
    let numbered = (1..).zip(etags);
    let parts: String = numbered
        .map(|(number, etag)| format!("<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"))
        .collect();
    let body = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
    world.ask("POST", &format!("/s3/b/{key}?uploadId={id}")).signed().body(body).await
}

#[tokio::test]
async fn what_is_not_as_it_was_sent_is_refused() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let id = begin(&world, "k").await;
    let at = ("k", id.as_str());
    let unsigned = world.ask("POST", &format!("/s3/b/k?uploadId={id}")).send().await;
    assert_eq!((unsigned.status.as_u16(), element(&unsigned, "Code")), (403, "AccessDenied".to_owned()));
    let first = etag(&part(&world, at, 1, Ok("hello ")).await.ok());
    let second = etag(&part(&world, at, 2, Ok("world")).await.ok());
    let refused = async |etags: &[String]| {
        let reply = complete(&world, at, etags).await;
        (reply.status.as_u16(), element(&reply, "Code"))
    };
    assert_eq!(refused(&[]).await, (400, "MalformedXML".to_owned()));
    assert_eq!(refused(&[second.clone(), first.clone()]).await, (400, "InvalidChecksum".to_owned()));
    let three = [first.clone(), second.clone(), second.clone()];
    assert_eq!(refused(&three).await, (400, "MissingPart".to_owned()));
    // Each part alone is smaller than the size limit, but the total size of the parts exceeds it.
    let limit = async |bytes: u64| {
        world.ask("PUT", "/bucket/b").service().json(json!({ "file_size_limit": bytes })).await.ok();
    };
    limit(10).await;
    assert_eq!(refused(&[first.clone(), second.clone()]).await, (413, "EntityTooLarge".to_owned()));
    assert_eq!(world.files(), 2);
    limit(11).await;
    let done = complete(&world, at, &[first, second]).await.ok();
    assert_eq!(element(&done, "ETag"), "\"e09e4fd6265b36115fe3db32df945d84-2\"");
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "hello world");
    world.settle(1).await;
}

#[tokio::test]
async fn parts_are_copied_from_objects() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/source", "0123456789").await.ok();
    let id = begin(&world, "k").await;
    let at = ("k", id.as_str());
    let missing = part(&world, at, 1, Err("b/none")).await;
    assert_eq!((missing.status.as_u16(), element(&missing, "Code")), (404, "NoSuchKey".to_owned()));
    let whole = etag(&part(&world, at, 1, Err("b/source")).await.ok());
    assert_eq!(whole, "\"781e5e245d69b566979b86e28d23f2c7\"", "the MD5 of the part");
    let asked = world.ask("PUT", &format!("/s3/b/k?partNumber=2&uploadId={id}")).signed();
    let asked = asked.header("x-amz-copy-source", "/b/source").header("x-amz-copy-source-range", "bytes=2-4");
    let range = etag(&asked.send().await.ok());
    complete(&world, at, &[whole, range]).await.ok();
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "0123456789234");

    // Copy an object that a multipart upload created, as a part of another upload.
    let id = begin(&world, "again").await;
    let again = etag(&part(&world, ("again", &id), 1, Err("b/k")).await.ok());
    assert_eq!(again, "\"9f7ea03f8d11115943240ccd2dc4532f\"", "the MD5 of the content");
    complete(&world, ("again", &id), &[again]).await.ok();
    assert_eq!(world.ask("GET", "/object/b/again").service().send().await.text(), "0123456789234");
    world.settle(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn completed_by_many_at_once_it_is_there_once() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for _ in 0..10 {
        let id = begin(&world, "k").await;
        let mut etags = Vec::new();
        for (number, text) in (1..).zip(["a", "b", "c"]) {
            etags.push(etag(&part(&world, ("k", &id), number, Ok(text)).await.ok()));
        }
        let replies = futures_util::future::join_all((0..6).map(|_| complete(&world, ("k", &id), &etags))).await;
        for reply in &replies {
            assert!(reply.status.is_success(), "{}", reply.text());
            assert_eq!(element(reply, "ETag"), element(&replies[0], "ETag"));
        }
        assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "abc");
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    world.sweep().await;
    world.settle(1).await;
}

#[tokio::test]
async fn completed_again_it_answers_the_same() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let id = begin(&world, "k").await;
    let etags = [etag(&part(&world, ("k", &id), 1, Ok("a")).await.ok())];
    let first = complete(&world, ("k", &id), &etags).await.ok();
    let again = complete(&world, ("k", &id), &etags).await.ok();
    assert_eq!(again.text(), first.text());
    // Completing the upload fails as for an unknown upload if the request contains another key or other parts, or if the record of the upload
    // has expired.
    let other = complete(&world, ("other", &id), &etags).await;
    assert_eq!((other.status.as_u16(), element(&other, "Code")), (404, "NoSuchUpload".to_owned()));
    for parts in
        [vec![etags[0].clone(), etags[0].clone()], vec!["\"0123456789abcdef0123456789abcdef\"".to_owned()], Vec::new()]
    {
        let reply = complete(&world, ("k", &id), &parts).await;
        assert_eq!((reply.status.as_u16(), element(&reply, "Code")), (404, "NoSuchUpload".to_owned()), "{parts:?}");
    }
    world.sql("update cloch.storage_completed set completed_at = now() - interval '25 hours'").await;
    world.try_sweep(Some(Duration::from_secs(3600))).await.unwrap();
    let late = complete(&world, ("k", &id), &etags).await;
    assert_eq!((late.status.as_u16(), element(&late, "Code")), (404, "NoSuchUpload".to_owned()));
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "a");
}

#[tokio::test]
async fn what_nobody_completes_is_given_up_after_a_day() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let (idle, busy) = (begin(&world, "idle").await, begin(&world, "busy").await);
    for (key, id) in [("idle", &idle), ("busy", &busy)] {
        part(&world, (key, id), 1, Ok("a")).await.ok();
    }
    let old = "created_at = now() - interval '25 hours'";
    world.sql(&format!("update storage.s3_multipart_uploads set {old}")).await;
    world.sql(&format!("update storage.s3_multipart_uploads_parts set {old} where upload_id = '{idle}'")).await;
    let swept = world.sweep().await;
    assert_eq!((swept.expired_uploads, swept.blobs), (1, 1));
    let gone = part(&world, ("idle", &idle), 2, Ok("b")).await;
    assert_eq!((gone.status.as_u16(), element(&gone, "Code")), (404, "NoSuchUpload".to_owned()));
    part(&world, ("busy", &busy), 2, Ok("b")).await.ok();
    // An expired upload does not prevent the deletion of the bucket.
    world.sql(&format!("update storage.s3_multipart_uploads set {old}")).await;
    world.sql(&format!("update storage.s3_multipart_uploads_parts set {old}")).await;
    world.sweep().await;
    world.ask("DELETE", "/bucket/b").service().send().await.ok();
    world.settle(0).await;
}
