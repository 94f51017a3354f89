//! Tests that deeply nested input is refused or parsed with limited stack size, because a stack overflow would end the whole process.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::support::{Reply, World};

/// Maximum nesting depth that fits into the headers of a request (80 KB).
const IN_HEADERS: usize = 35_000;
/// Maximum nesting depth that fits into a body (1 MiB).
const IN_BODY: usize = 500_000;

fn arrays(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

fn objects(depth: usize) -> String {
    "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)
}

#[track_caller]
fn assert_refused(reply: &Reply, what: &str) {
    assert_eq!(reply.status.as_u16(), 400, "{what}: {}", reply.text());
}

#[tokio::test]
async fn robots_tags() {
    let world = World::new().await;
    world.bucket("b", true).await;
    for tag in ["a:".repeat(IN_HEADERS), "a:".repeat(IN_HEADERS) + "none", ",".repeat(2 * IN_HEADERS)] {
        let upload = world.ask("POST", "/object/b/a").anon().header("x-robots-tag", &tag).body("x").await;
        assert_eq!(upload.refused("400", "InvalidRequest").json()["error"], "invalid_x_robots_tag");
    }
    // Change the row of `b/a` as if another server had written it.
    world.put("b/a", "x").await.ok();
    let tag = "a:".repeat(IN_BODY);
    world
        .sql(&format!("update storage.objects set metadata = metadata || jsonb_build_object('xRobotsTag', '{tag}')"))
        .await;
    assert_eq!(world.ask("GET", "/object/public/b/a").send().await.ok().header("x-robots-tag"), "none");
}

#[tokio::test]
async fn json_bodies() {
    let world = World::new().await;
    world.bucket("b", true).await;
    for (method, path) in [
        ("POST", "/bucket"),
        ("PUT", "/bucket/b"),
        ("DELETE", "/object/b"),
        ("POST", "/object/list/b"),
        ("POST", "/object/list-v2/b"),
        ("POST", "/object/move"),
        ("POST", "/object/copy"),
        ("POST", "/object/sign/b"),
        ("POST", "/object/sign/b/a"),
        ("POST", "/archive/b"),
    ] {
        for body in [arrays(IN_BODY), format!("{{\"prefixes\":{}}}", arrays(IN_BODY - 10)), objects(150_000)] {
            let asked = world.ask(method, path).service().header("content-type", "application/json");
            assert_refused(&asked.body(body).await, path);
        }
    }
}

#[tokio::test]
async fn custom_metadata() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let encoded = STANDARD.encode(objects(7_000));
    world.put("b/a", "x").await.ok();
    let upload = world.ask("POST", "/object/b/new").service().header("x-metadata", &encoded).body("x").await;
    upload.refused("400", "InvalidParameter");
    let copy = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "c", "copyMetadata": false});
    let copied = world.ask("POST", "/object/copy").service().header("x-metadata", &encoded).json(copy).await;
    copied.refused("400", "InvalidParameter");
    let form = format!(
        "--X\r\ncontent-disposition: form-data; name=\"metadata\"\r\n\r\n{}\r\n\
         --X\r\ncontent-disposition: form-data; name=\"\"; filename=\"a\"\r\n\r\nx\r\n--X--\r\n",
        objects(150_000)
    );
    let asked = world.ask("POST", "/object/b/f").service().header("content-type", "multipart/form-data; boundary=X");
    asked.body(form).await.refused("400", "InvalidParameter");
    let upload = format!("bucketName {},objectName {},metadata {encoded}", STANDARD.encode("b"), STANDARD.encode("t"));
    let asked = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
    assert_refused(&asked.header("upload-length", "0").header("upload-metadata", &upload).send().await, "resumable");
    // Too deeply nested metadata counts as invalid JSON. The upload is refused and not stored without metadata.
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);
}

#[tokio::test]
async fn documents_and_policies_of_the_s3_protocol() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let begun = world.ask("POST", "/s3/b/k?uploads").signed().send().await.ok().text();
    let id = begun.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let nested = "<a>".repeat(IN_BODY / 4) + &"</a>".repeat(IN_BODY / 4);
    for body in [
        "<a>".repeat(IN_BODY / 2),
        nested.clone(),
        format!("<Delete>{nested}</Delete>"),
        format!("<Delete><Object>{nested}</Object></Delete>"),
        format!("<Delete><Object><Key>{nested}</Key></Object></Delete>"),
        format!("<CompleteMultipartUpload><Part>{nested}</Part></CompleteMultipartUpload>"),
    ] {
        for path in ["/s3/b?delete".to_owned(), format!("/s3/b/k?uploadId={id}")] {
            let reply = world.ask("POST", &path).signed().body(body.clone()).await;
            assert!(reply.status.as_u16() < 500, "{path} {} {}", reply.status, reply.text());
        }
    }
    for policy in [arrays(IN_HEADERS / 4), objects(IN_HEADERS / 4), format!("{{\"conditions\":{}}}", arrays(20_000))] {
        let fields = [
            ("key", "a".to_owned()),
            ("policy", STANDARD.encode(policy)),
            ("x-amz-credential", "test-key/20260101/us-east-1/s3/aws4_request".to_owned()),
            ("x-amz-signature", "0".to_owned()),
        ];
        let parts: String = fields
            .iter()
            .map(|(name, value)| format!("--X\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"))
            .collect();
        let file = "--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n--X--\r\n";
        let asked = world.ask("POST", "/s3/b").header("content-type", "multipart/form-data; boundary=X");
        let reply = asked.body(parts + file).await;
        assert!((400..500).contains(&reply.status.as_u16()), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_nul_is_the_clients_fault() {
    let world = World::new().await;
    world.bucket("b", true).await;
    for body in [json!({"prefix": "\0"}), json!({"prefix": "", "search": "\0"})] {
        world.ask("POST", "/object/list/b").service().json(body).await.refused("400", "InvalidParameter");
    }
    world
        .ask("POST", "/object/list-v2/b")
        .service()
        .json(json!({"prefix": "\0"}))
        .await
        .refused("400", "InvalidParameter");
    world
        .ask("DELETE", "/object/b")
        .service()
        .json(json!({"prefixes": ["\0"]}))
        .await
        .refused("400", "InvalidParameter");
    let encoded = STANDARD.encode(json!({"a": "\0"}).to_string());
    let upload = world.ask("POST", "/object/b/a").service().header("x-metadata", &encoded).body("x").await;
    upload.refused("400", "InvalidParameter");
    // The maximum nesting depth that is accepted in metadata.
    let deep = STANDARD.encode(objects(100));
    world.ask("POST", "/object/b/a").service().header("x-metadata", &deep).body("x").await.ok();
    let nested: serde_json::Value = serde_json::from_str(&objects(100)).unwrap();
    let body = json!({"prefix": nested});
    world.ask("POST", "/object/list/b").service().json(body).await.refused("400", "InvalidRequest");
}
