use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use crate::support::{Asked, OTHER, Reply, USER, World};

fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} {}", STANDARD.encode(value))).collect();
    pairs.join(",")
}

fn of(name: &str) -> String {
    metadata(&[("bucketName", "b"), ("objectName", name), ("contentType", "text/plain"), ("cacheControl", "60")])
}

impl World {
    fn tus(&self, method: &str, path: &str) -> Asked<'_> {
        self.ask(method, path).header("tus-resumable", "1.0.0")
    }

    async fn begin(&self, name: &str, length: usize) -> String {
        let asked = self.tus("POST", "/upload/resumable").anon().header("upload-length", &length.to_string());
        path(&asked.header("upload-metadata", &of(name)).send().await.ok())
    }

    async fn send(&self, path: &str, offset: usize, body: impl Into<Body>) -> Reply {
        let asked = self.tus("PATCH", path).anon().header("upload-offset", &offset.to_string());
        asked.header("content-type", "application/offset+octet-stream").body(body).await
    }

    async fn offset(&self, path: &str) -> String {
        self.tus("HEAD", path).anon().send().await.ok().header("upload-offset").to_owned()
    }
}

fn path(reply: &Reply) -> String {
    assert_eq!(reply.status, 201);
    reply.header("location").strip_prefix("http://localhost/storage/v1").unwrap().to_owned()
}

/// Creates a storage API under test with a private bucket `b`. Anonymous callers may only insert objects into it, like the entrants of the
/// club's contests.
async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.sql("create policy i on storage.objects for insert to anon with check (bucket_id = 'b' and name not like 'no%')").await;
    world
}

#[track_caller]
fn refused(reply: &Reply, status: u16, text: &str) {
    assert_eq!((reply.status.as_u16(), reply.text().trim_end_matches('\n')), (status, text));
}

/// TUS 1.0.0: "its value MUST be interpreted as the request's method […] The actual method of the request MUST be ignored."
#[tokio::test]
async fn the_method_in_a_header_replaces_the_actual_one() {
    let world = world().await;
    let path = world.begin("x", 5).await;
    let post = |method: &str| world.tus("POST", &path).anon().header("x-http-method-override", method);
    let append = |method: &str, offset: &str| {
        let asked = post(method).header("upload-offset", offset);
        asked.header("content-type", "application/offset+octet-stream")
    };
    assert_eq!(append("PATCH", "0").body("ab").await.ok().header("upload-offset"), "2");
    assert_eq!(append("patch", "2").body("cd").await.ok().header("upload-offset"), "4");
    assert_eq!(post("HEAD").send().await.ok().header("upload-offset"), "4");
    refused(&post("no method").send().await, 400, "Invalid X-HTTP-Method-Override");
    assert_eq!(post("").send().await.status, 404, "an empty header does not count");
    assert_eq!(post("DELETE").send().await.status, 204);
    assert_eq!(world.tus("HEAD", &path).anon().send().await.status, 404);
    // The header has no effect on other paths.
    let asked = world.ask("GET", "/bucket/b").service().header("x-http-method-override", "DELETE");
    asked.send().await.ok();
    world.ask("GET", "/bucket/b").service().send().await.ok();
}

#[tokio::test]
async fn what_the_policies_or_the_protocol_forbid() {
    let world = world().await;
    let post = async |headers: &[(&str, &str)]| {
        let mut asked = world.ask("POST", "/upload/resumable").anon();
        for (name, value) in headers {
            asked = asked.header(name, value);
        }
        asked.send().await
    };
    let version = ("tus-resumable", "1.0.0");
    let length = ("upload-length", "5");
    refused(&post(&[]).await, 412, "Tus-Resumable Required");
    refused(&post(&[("tus-resumable", "0.2.2")]).await, 400, "Invalid tus-resumable");
    let concatenation = "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.";
    refused(&post(&[version, length, ("upload-concat", "partial")]).await, 501, concatenation);
    refused(&post(&[version, ("upload-concat", "final;/a /b")]).await, 501, concatenation);
    refused(&post(&[version]).await, 400, "Upload-Length or Upload-Defer-Length header required");
    refused(&post(&[version, length]).await, 400, "Metadata header is required");
    refused(
        &post(&[version, length, ("upload-metadata", &metadata(&[("objectName", "x")]))]).await,
        400,
        "Bucket name invalid",
    );
    refused(
        &post(&[version, length, ("upload-metadata", &metadata(&[("bucketName", "b")]))]).await,
        400,
        "Invalid key: ",
    );
    let none = metadata(&[("bucketName", "none"), ("objectName", "x")]);
    refused(&post(&[version, length, ("upload-metadata", &none)]).await, 404, "Bucket not found");
    let large = ("upload-length", "99999999999");
    refused(&post(&[version, large, ("upload-metadata", &of("x"))]).await, 413, "Maximum size exceeded");
    let denied = post(&[version, length, ("upload-metadata", &of("no"))]).await;
    refused(&denied, 403, "new row violates row-level security policy");
    let token = world.tus("POST", "/upload/resumable").token("x.y.z").send().await.refused("403", "AccessDenied");
    assert_eq!(token.status, 400);
    let gone = world.tus("PATCH", "/upload/resumable/YQ").anon().header("upload-offset", "0");
    refused(&gone.header("content-type", "application/offset+octet-stream").send().await, 400, "Invalid upload id");
    assert_eq!((world.files(), world.count("select count(*) from cloch.storage_uploads").await), (0, 0));
}

#[tokio::test]
async fn what_the_server_can_do() {
    let world = World::new().await;
    let reply = world.ask("OPTIONS", "/upload/resumable").send().await;
    assert_eq!((reply.status.as_u16(), reply.header("tus-version")), (204, "1.0.0"));
    assert!(
        reply
            .header("tus-extension")
            .starts_with("creation,creation-with-upload,creation-defer-length,termination,expiration")
    );
}

#[tokio::test]
async fn an_upload_in_parts_by_somebody_who_may_only_insert() {
    let world = world().await;
    let path = world.begin("dir/a.txt", 11).await;
    assert_eq!(world.offset(&path).await, "0");
    let reply = world.send(&path, 0, "hello ").await;
    assert_eq!((reply.status.as_u16(), reply.header("upload-offset"), reply.header("tus-complete")), (204, "6", ""));
    refused(&world.send(&path, 5, "x").await, 409, "Upload-Offset conflict");
    refused(&world.send(&path, 6, "too much").await, 413, "upload's size exceeded");
    let wrong = world.tus("PATCH", &path).anon().header("upload-offset", "6").body("x").await;
    refused(&wrong, 400, "Invalid content-type");
    refused(&world.tus("PATCH", &path).anon().send().await, 403, "Upload-Offset header required");
    world.ask("GET", "/object/b/dir/a.txt").service().send().await.refused("404", "NoSuchKey");
    let reply = world.send(&path, 6, "world").await;
    assert_eq!((reply.header("upload-offset"), reply.header("tus-complete")), ("11", "1"));
    let got = world.ask("GET", "/object/b/dir/a.txt").service().send().await.ok();
    assert_eq!(
        (got.text().as_str(), got.header("cache-control"), got.header("content-type")),
        ("hello world", "max-age=60", "text/plain")
    );
    assert_eq!(got.header("etag"), "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"");
    assert_eq!(world.offset(&path).await, "11");
    let beyond = world.tus("PATCH", &path).anon().header("upload-offset", "11").header("content-length", "1");
    let beyond = beyond.header("content-type", "application/offset+octet-stream").body("x").await;
    refused(&beyond, 413, "upload's size exceeded");
    refused(
        &world.tus("DELETE", &path).service().header("x-upsert", "true").send().await,
        400,
        "Cannot terminate an already completed upload",
    );
    refused(&world.tus("DELETE", &path).service().send().await, 409, "The resource already exists");
    assert_eq!(world.files(), 1);
}

#[tokio::test]
async fn a_lost_connection_loses_no_byte_that_came() {
    let world = world().await;
    let bytes: Vec<u8> = (0..20_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let path = world.begin("big", bytes.len()).await;
    let cut = |from: usize, to: usize| {
        let chunks: Vec<_> = bytes[from..to].chunks(60_000).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let ended = chunks.into_iter().chain([Err(std::io::Error::other("connection lost"))]);
        Body::from_stream(futures_util::stream::iter(ended))
    };
    assert_eq!(world.send(&path, 0, cut(0, 9_000_001)).await.status, 500);
    assert_eq!(world.offset(&path).await, "9000001");
    world.send(&path, 9_000_001, cut(9_000_001, 9_100_000)).await;
    assert_eq!(world.offset(&path).await, "9100000");
    world.send(&path, 9_100_000, bytes[9_100_000..].to_vec()).await.ok();
    assert!(world.ask("GET", "/object/b/big").service().send().await.ok().bytes == bytes);
}

#[tokio::test]
async fn a_second_request_takes_over_from_one_that_waits() {
    let world = world().await;
    let path = world.begin("a", 10).await;
    let waiting = futures_util::stream::unfold(0, |n| async move {
        if n > 0 {
            std::future::pending::<()>().await;
        }
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b"12345")), n + 1))
    });
    let stuck = world.send(&path, 0, Body::from_stream(waiting));
    let resumed = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert_eq!(world.offset(&path).await, "5");
        world.send(&path, 5, "67890").await.ok();
    };
    let (stuck, ()) = tokio::join!(stuck, resumed);
    assert_eq!((stuck.status.as_u16(), stuck.header("upload-offset")), (204, "5"));
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "1234567890");
}

#[tokio::test]
async fn creation_with_bytes_deferred_length_and_nothing_at_all() {
    let world = world().await;
    let post = |name: &str| world.tus("POST", "/upload/resumable/").anon().header("upload-metadata", &of(name));
    let reply = post("all")
        .header("upload-length", "5")
        .header("content-type", "application/offset+octet-stream")
        .body("hello")
        .await;
    assert_eq!((reply.status.as_u16(), reply.header("upload-offset"), reply.header("tus-complete")), (201, "5", "1"));
    let reply = post("empty").header("upload-length", "0").send().await;
    assert_eq!((reply.status.as_u16(), reply.header("tus-complete")), (201, "1"));
    let reply = post("later").header("upload-defer-length", "1").send().await;
    let path = path(&reply);
    world.send(&path, 0, "abc").await.ok();
    let head = world.tus("HEAD", &path).anon().send().await.ok();
    assert_eq!((head.header("upload-defer-length"), head.header("cache-control")), ("1", "no-store"));
    let last = world.tus("PATCH", &path).anon().header("upload-offset", "3").header("upload-length", "5");
    let last = last.header("content-type", "application/offset+octet-stream").body("de").await.ok();
    assert_eq!(last.header("tus-complete"), "1");
    for (name, text) in [("all", "hello"), ("empty", ""), ("later", "abcde")] {
        assert_eq!(world.ask("GET", &format!("/object/b/{name}")).service().send().await.ok().text(), text);
    }
}

#[tokio::test]
async fn existing_objects_are_replaced_only_on_request() {
    let world = world().await;
    world.put("b/a", "old").await.ok();
    let post = |token: &str| {
        world
            .tus("POST", "/upload/resumable")
            .token(token)
            .header("upload-length", "3")
            .header("upload-metadata", &of("a"))
    };
    let service = world.token(&json!({"role": "service_role"}));
    refused(&post(&service).send().await, 409, "The resource already exists");
    let path = path(&post(&service).header("x-upsert", "true").send().await);
    let patch = || {
        world
            .tus("PATCH", &path)
            .token(&service)
            .header("upload-offset", "0")
            .header("content-type", "application/offset+octet-stream")
    };
    refused(&patch().header("x-upsert", "false").body("new").await, 409, "The resource already exists");
    // supabase-kt sends the header only when it creates an upload.
    patch().body("new").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "new");
    world.settle(1).await;
}

#[tokio::test]
async fn somebody_else_took_the_key_meanwhile() {
    let world = world().await;
    let path = world.begin("a", 6).await;
    world.send(&path, 0, "abc").await.ok();
    world.put("b/a", "other").await.ok();
    refused(&world.send(&path, 3, "def").await, 409, "The resource already exists");
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "other");
}

#[tokio::test]
async fn a_terminated_upload_is_gone() {
    let world = world().await;
    let path = world.begin("a", 6).await;
    world.send(&path, 0, "abc").await.ok();
    assert_eq!(world.files(), 1);
    assert_eq!(world.tus("DELETE", &path).anon().send().await.status, 204);
    assert_eq!(world.files(), 0);
    assert_eq!(world.tus("HEAD", &path).anon().send().await.status, 404);
    refused(&world.send(&path, 3, "x").await, 404, "The file for this url was not found");
}

#[tokio::test]
async fn nobody_changes_the_upload_of_another_user() {
    let world = world().await;
    world.sql("create policy u on storage.objects for all to authenticated using (true) with check (true)").await;
    let post = world.tus("POST", "/upload/resumable").user(USER).header("upload-length", "6");
    let path = path(&post.header("upload-metadata", &of("a")).send().await);
    let send = |offset: &str| {
        let asked = world.tus("PATCH", &path).header("upload-offset", offset);
        asked.header("content-type", "application/offset+octet-stream")
    };
    let text = "new row violates row-level security policy";
    // Both users may upload to this key, but the resumable upload belongs to only one of them.
    refused(&send("0").user(OTHER).body("abc").await, 403, text);
    refused(&send("0").anon().body("abc").await, 403, text);
    send("0").user(USER).body("abc").await.ok();
    refused(&send("3").user(OTHER).body("def").await, 403, text);
    refused(&world.tus("DELETE", &path).user(OTHER).send().await, 403, text);
    refused(&world.tus("DELETE", &path).anon().send().await, 403, text);
    let head = world.tus("HEAD", &path).user(USER).send().await.ok();
    assert_eq!(head.header("upload-offset"), "3", "nothing was added or lost");
    // The service role may continue the resumable upload of a user.
    send("3").service().body("def").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "abcdef");
    let again = world.begin("b", 6).await;
    refused(&world.tus("DELETE", &again).user(OTHER).send().await, 403, text);
    assert_eq!(world.tus("DELETE", &again).anon().send().await.status, 204);
}

#[tokio::test]
async fn a_signed_link_needs_no_policy() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let signed = world.ask("POST", "/object/upload/sign/b/a").service().json(json!({})).await.ok().json();
    let token = signed["token"].as_str().unwrap();
    let post = |name: &str| {
        world.tus("POST", "/upload/resumable/sign").header("upload-length", "5").header("upload-metadata", &of(name))
    };
    refused(&post("a").send().await, 400, "Missing x-signature header");
    refused(&post("a").header("x-signature", "x").send().await, 400, "Invalid Compact JWS");
    refused(&post("other").header("x-signature", token).send().await, 400, "Invalid signature");
    let path = path(&post("a").header("x-signature", token).send().await);
    assert!(path.starts_with("/upload/resumable/sign/"));
    let patch = world.tus("PATCH", &path).header("x-signature", token).header("upload-offset", "0");
    patch.header("content-type", "application/offset+octet-stream").body("hello").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "hello");
}

#[tokio::test]
async fn bytes_that_do_not_sum_up_do_not_count() {
    let world = world().await;
    let path = world.begin("a", 5).await;
    let send = |sum: &str| {
        let asked = world.tus("PATCH", &path).anon().header("upload-offset", "0").header("upload-checksum", sum);
        asked.header("content-type", "application/offset+octet-stream")
    };
    refused(&send("sha1 AAAA").body("hello").await, 460, "Checksum mismatch");
    refused(&send("crc32 AAAA").body("hello").await, 400, "Unsupported checksum algorithm");
    assert_eq!(world.offset(&path).await, "0");
    send("sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=").body("hello").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "hello");
}

#[tokio::test]
async fn a_crash_between_the_last_byte_and_the_row_is_mended() {
    let world = world().await;
    let path = world.begin("a", 5).await;
    world.send(&path, 0, "hello").await.ok();
    // Simulate a crash between the last byte and the writing of the object's row. All content is stored, but the object's row is missing,
    // and the resumable upload is not marked as completed.
    world.sql("set storage.allow_delete_query = 'true'; delete from storage.objects; update cloch.storage_uploads set completed_at = null, finishing = true").await;
    assert_eq!(world.offset(&path).await, "5");
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.ok().text(), "hello");
    // Simulate a crash after the object's row was written and before the resumable upload was marked as completed.
    world.sql("update cloch.storage_uploads set completed_at = null, finishing = true").await;
    assert_eq!(world.offset(&path).await, "5");
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.ok().text(), "hello");
    let done: Value =
        json!(world.count("select count(*) from cloch.storage_uploads where completed_at is not null").await);
    assert_eq!(done, json!(1));
}
