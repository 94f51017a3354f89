//! Tests headers of the S3 protocol: stored headers, headers in the query of presigned URLs, and headers that are checked against the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use serde_json::json;

use crate::multipart;
use crate::signing::presigned_with;
use crate::support::{Reply, World};

async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", true).await;
    world
}

fn code(reply: &Reply) -> String {
    let text = reply.text();
    text.split_once("<Code>").map_or("", |(_, rest)| rest.split('<').next().unwrap()).to_owned()
}

const KEPT: [(&str, &str); 3] = [
    ("content-encoding", "gzip"),
    ("content-language", "gd"),
    ("content-disposition", "attachment; filename=\"a.txt\""),
];

fn kept(reply: &Reply) -> [String; 3] {
    KEPT.map(|(name, _)| reply.header(name).to_owned())
}

#[tokio::test]
async fn encoding_language_and_disposition_are_kept_and_sent_by_every_door() {
    let world = world().await;
    let expected = KEPT.map(|(_, value)| value.to_owned());
    let with = |method: &str, path: &str| KEPT.iter().fold(world.ask(method, path), |asked, (n, v)| asked.header(n, v));
    with("PUT", "/s3/b/put").signed().body("x").await.ok();
    with("POST", "/object/b/rest").service().header("content-type", "text/plain").body("x").await.ok();
    let begun = with("POST", "/s3/b/parts?uploads").signed().send().await.ok().text();
    let id = begun.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let part = multipart::part(&world, ("parts", &id), 1, Ok("x")).await.ok();
    multipart::complete(&world, ("parts", &id), &[part.header("etag").to_owned()]).await.ok();
    let copy = world.ask("PUT", "/s3/b/copy").signed().header("x-amz-copy-source", "b/put");
    copy.send().await.ok();
    for key in ["put", "rest", "parts", "copy"] {
        for method in ["GET", "HEAD"] {
            let s3 = world.ask(method, &format!("/s3/b/{key}")).signed().send().await.ok();
            assert_eq!(kept(&s3), expected, "{method} {key}");
            let public = world.ask(method, &format!("/object/public/b/{key}")).send().await.ok();
            assert_eq!(kept(&public), expected, "{method} {key}");
        }
    }
    // A copy replaces the stored headers, and headers in the query take precedence.
    let copy = world.ask("PUT", "/s3/b/copy").signed().header("x-amz-copy-source", "b/put");
    copy.header("x-amz-metadata-directive", "REPLACE").header("content-language", "de").send().await.ok();
    let copied = world.ask("GET", "/s3/b/copy?response-content-language=fr").signed().send().await.ok();
    assert_eq!(kept(&copied), ["", "fr", "attachment"].map(str::to_owned));
    assert_eq!(world.ask("GET", "/s3/b/copy").signed().send().await.ok().header("content-language"), "de");
    let copy = world.ask("PUT", "/s3/b/copy").signed().header("x-amz-copy-source", "b/put");
    assert_eq!(copy.header("x-amz-metadata-directive", "MERGE").send().await.status, 400);
    let saved = world.ask("GET", "/object/public/b/put?download=b.txt").send().await.ok();
    assert_eq!(saved.header("content-disposition"), "attachment; filename=b.txt; filename*=UTF-8''b.txt");
    // An HTML document is downloaded as an attachment, whatever disposition is stored.
    let html = world.ask("PUT", "/s3/b/html").signed().header("content-type", "text/html");
    html.header("content-disposition", "inline").body("x").await.ok();
    let shown = world.ask("GET", "/s3/b/html").signed().send().await.ok();
    assert_eq!(shown.header("content-disposition"), "attachment");
}

#[tokio::test]
async fn a_copy_over_an_object_keeps_none_of_its_custom_metadata() {
    let world = world().await;
    let put = |key: &str, value: &'static str| {
        world.ask("PUT", &format!("/s3/b/{key}")).signed().header("x-amz-meta-colour", value).body("x")
    };
    let copy = async |from: &str, to: &str, directive: &str| {
        let asked = world.ask("PUT", &format!("/s3/b/{to}")).signed().header("x-amz-copy-source", from);
        asked.header("x-amz-metadata-directive", directive).send().await.ok();
        let shown = world.ask("HEAD", &format!("/s3/b/{to}")).signed().send().await.ok();
        shown.headers.get("x-amz-meta-colour").map(|value| value.to_str().unwrap().to_owned())
    };
    put("red", "red").await.ok();
    put("blue", "blue").await.ok();
    // REPLACE without metadata: the copy has no metadata, whether it replaces another object, replaces itself, or has a new key (as with
    // Amazon S3 and moto).
    assert_eq!(copy("b/red", "blue", "REPLACE").await, None);
    assert_eq!(copy("b/red", "new", "REPLACE").await, None);
    assert_eq!(copy("b/red", "red", "REPLACE").await, None);
    // COPY of an object without metadata, such as an imported one.
    put("blue", "blue").await.ok();
    put("bare", "bare").await.ok();
    world.sql("update storage.objects set user_metadata = null where name = 'bare'").await;
    assert_eq!(copy("b/bare", "blue", "COPY").await, None);
    put("blue", "blue").await.ok();
    let plain = json!({"bucketId": "b", "sourceKey": "bare", "destinationKey": "blue"});
    world.ask("POST", "/object/copy").service().header("x-upsert", "true").json(plain).await.ok();
    assert_eq!(world.count("select count(*) from storage.objects where user_metadata->>'colour' = 'blue'").await, 0);
}

#[tokio::test]
async fn a_digest_of_the_body_is_checked() {
    let world = world().await;
    let of = |text: &str| STANDARD.encode(Md5::digest(text));
    for (digest, expected) in [("", "InvalidDigest"), ("AAAA", "InvalidDigest"), ("%%%", "InvalidDigest")] {
        let reply = world.ask("PUT", "/s3/b/k").signed().header("content-md5", digest).body("x").await;
        assert_eq!((reply.status.as_u16(), code(&reply).as_str()), (400, expected), "{digest}");
    }
    let wrong = of("other");
    let reply = world.ask("PUT", "/s3/b/k").signed().header("content-md5", &wrong).body("x").await;
    assert_eq!(code(&reply), "BadDigest");
    let asked = world.ask("POST", "/object/b/k").service().header("content-type", "text/plain");
    asked.header("content-md5", &wrong).body("x").await.refused("400", "BadDigest");
    let body = "<Delete><Object><Key>k</Key></Object></Delete>";
    let reply = world.ask("POST", "/s3/b?delete").signed().header("content-md5", &wrong).body(body).await;
    assert_eq!(code(&reply), "BadDigest");
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    world.settle(0).await;
    world.ask("PUT", "/s3/b/k").signed().header("content-md5", &of("x")).body("x").await.ok();
}

/// Tests that a chunked body with another payload format is refused. Otherwise chunk sizes and signatures would be stored as content,
/// without verification.
#[tokio::test]
async fn a_body_in_chunks_is_none_of_another_form() {
    let world = world().await;
    let zeros = "0".repeat(64);
    let body = format!("5;chunk-signature={zeros}\r\nhello\r\n0;chunk-signature={zeros}\r\n\r\n");
    for (name, value) in [
        ("content-encoding", "aws-chunked"),
        ("content-encoding", "gzip, aws-chunked"),
        ("x-amz-decoded-content-length", "5"),
    ] {
        let reply = world.ask("PUT", "/s3/b/k").header(name, value).signed().body(body.clone()).await;
        assert_eq!(reply.status, 400, "{name}: {value}");
    }
    let (asked, _) = world
        .ask("PUT", "/s3/b/k")
        .header("x-amz-decoded-content-length", "5")
        .signed_in_form("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    assert_eq!(code(&asked.body(body.clone()).await), "SignatureDoesNotMatch");
    // The presigned URL does not contain the payload format, so the header determines the format.
    let url = presigned_with("PUT", "/s3/b/k", "");
    let asked = world.ask("PUT", &url).header("host", "localhost").header("x-amz-decoded-content-length", "5");
    assert_eq!(asked.body(body.clone()).await.status, 403, "a header that is not signed");
    let asked = world.ask("PUT", &url).header("host", "localhost").header("x-amz-content-sha256", &sha256("other"));
    assert_eq!(code(&asked.body("x").await), "XAmzContentSHA256Mismatch");
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
}

fn sha256(text: &str) -> String {
    hex::encode(sha2::Sha256::digest(text))
}

#[tokio::test]
async fn headers_in_the_query_of_a_link_count() {
    let world = world().await;
    world.put("b/source", "hello").await.ok();
    let ask = |method: &str, key: &str, query: &str| {
        world.ask(method, &presigned_with(method, &format!("/s3/b/{key}"), query)).header("host", "localhost")
    };
    ask("PUT", "k", "x-amz-meta-colour=red%20blue").body("x").await.ok();
    let shown = world.ask("GET", "/s3/b/k").signed().send().await.ok();
    assert_eq!(shown.header("x-amz-meta-colour"), "red blue");
    ask("PUT", "copy", "x-amz-copy-source=b%2Fsource").send().await.ok();
    assert_eq!(world.ask("GET", "/s3/b/copy").signed().send().await.ok().text(), "hello");
    // A wrong checksum is refused. The checksum of an empty body, which SDKs add to presigned URLs, is ignored.
    let wrong = ask("PUT", "sum", "x-amz-checksum-crc32=DUoRhQ%3D%3D").body("x").await;
    assert_eq!(code(&wrong), "BadDigest");
    ask("PUT", "sum", "x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32").body("x").await.ok();
    let asked = ask("PUT", "k", "x-amz-meta-colour=red").header("x-amz-meta-colour", "blue");
    assert_eq!(asked.body("x").await.status, 403, "a header that is not signed");
    let twice = world.ask("GET", "/s3/b/k?versionId=1&versionId=2").signed().send().await;
    assert_eq!((twice.status.as_u16(), code(&twice)), (400, "InvalidArgument".to_owned()));
}

#[tokio::test]
async fn a_copy_asks_for_its_source() {
    const OLD: &str = "Thu, 01 Jan 2015 00:00:00 GMT";
    const LATER: &str = "Fri, 01 Jan 2100 00:00:00 GMT";
    let world = world().await;
    world.put("b/source", "hello").await.ok();
    let etag = world.ask("HEAD", "/s3/b/source").signed().send().await.ok().header("etag").to_owned();
    let id = multipart::begin(&world, "parts").await;
    for path in ["/s3/b/copy".to_owned(), format!("/s3/b/parts?partNumber=1&uploadId={id}")] {
        let copy = async |headers: &[(&str, &str)]| {
            let asked = world.ask("PUT", &path).header("x-amz-copy-source", "b/source");
            let asked = headers.iter().fold(asked, |asked, (n, v)| asked.header(&format!("x-amz-copy-source-{n}"), v));
            asked.signed().send().await.status.as_u16()
        };
        assert_eq!(copy(&[("if-match", "\"0\"")]).await, 412, "{path}");
        assert_eq!(copy(&[("if-none-match", &etag)]).await, 412, "{path}");
        assert_eq!(copy(&[("if-unmodified-since", OLD)]).await, 412, "{path}");
        assert_eq!(copy(&[("if-modified-since", LATER)]).await, 412, "{path}");
        // The two combinations of headers that Amazon documents.
        assert_eq!(copy(&[("if-none-match", &etag), ("if-modified-since", OLD)]).await, 412, "{path}");
        assert_eq!(copy(&[("if-match", &etag), ("if-unmodified-since", OLD)]).await, 200, "{path}");
        assert_eq!(copy(&[("if-none-match", "\"0\"")]).await, 200, "{path}");
    }
    // Conditions on the destination object of a copy.
    let copy = async |name: &str, value: &str| {
        let asked = world.ask("PUT", "/s3/b/copy").header("x-amz-copy-source", "b/source").header(name, value);
        asked.signed().send().await.status.as_u16()
    };
    assert_eq!(copy("if-none-match", "*").await, 412);
    assert_eq!(copy("if-match", "\"0\"").await, 412);
    assert_eq!(copy("if-match", &etag).await, 200);
    assert_eq!(copy("if-none-match", "\"0\"").await, 501);
}

#[tokio::test]
async fn numbers_are_digits() {
    let world = world().await;
    world.put("b/a", "x").await.ok();
    world.put("b/c", "x").await.ok();
    let id = multipart::begin(&world, "k").await;
    let get = async |path: &str| world.ask("GET", path).signed().send().await;
    for number in ["1e3", "+1", "0", "10001", "1.0", "", " 1", "0x1"] {
        let path = format!("/s3/b/k?partNumber={}&uploadId={id}", number.replace('+', "%2B").replace(' ', "%20"));
        let reply = world.ask("PUT", &path).signed().body("x").await;
        assert_eq!((reply.status.as_u16(), code(&reply).as_str()), (400, "InvalidArgument"), "{number}");
        let reply = get(&format!("/s3/b/a?partNumber={}", number.replace('+', "%2B").replace(' ', "%20"))).await;
        assert_eq!((reply.status.as_u16(), code(&reply).as_str()), (400, "InvalidArgument"), "{number}");
    }
    for path in ["/s3/b?max-keys=1e1", "/s3/b?max-keys=-1", "/s3/b?max-keys=x&versions"] {
        assert_eq!(code(&get(path).await), "InvalidArgument", "{path}");
    }
    for path in ["/s3/b?max-keys=0", "/s3/b?list-type=2&max-keys=0", "/s3/b?max-keys=0&versions"] {
        let text = get(path).await.ok().text();
        assert!(text.contains("<IsTruncated>false</IsTruncated>") && text.contains("<MaxKeys>0</MaxKeys>"), "{text}");
        assert!(!text.contains("<Key>") && !text.contains("Next"), "{text}");
    }
    assert!(get("/s3/b?max-keys=99999").await.ok().text().contains("<MaxKeys>1000</MaxKeys>"));
}

#[tokio::test]
async fn a_part_is_read_by_its_number() {
    let world = world().await;
    world.put("b/plain", "hello").await.ok();
    let get = async |path: &str| world.ask("GET", path).signed().send().await;
    let one = get("/s3/b/plain?partNumber=1").await;
    assert_eq!((one.status.as_u16(), one.text().as_str(), one.header("content-range")), (206, "hello", "bytes 0-4/5"));
    assert_eq!(code(&get("/s3/b/plain?partNumber=2").await), "InvalidPartNumber");
    // Conditions are evaluated before the part number, in the same way as before a range.
    for method in ["GET", "HEAD"] {
        for (header, value, status) in [("if-match", "\"0\"", 412), ("if-none-match", one.header("etag"), 304)] {
            let asked = world.ask(method, "/s3/b/plain?partNumber=2").signed().header(header, value);
            assert_eq!(asked.send().await.status, status, "{method} {header}");
        }
    }
    let both = world.ask("GET", "/s3/b/plain?partNumber=1").signed().header("range", "bytes=0-1").send().await;
    assert_eq!(both.status, 400);

    let id = multipart::begin(&world, "parts").await;
    let mut etags = Vec::new();
    for (number, text) in [(1, "aaa"), (2, "bbb"), (3, "c")] {
        etags.push(multipart::part(&world, ("parts", &id), number, Ok(text)).await.ok().header("etag").to_owned());
    }
    multipart::complete(&world, ("parts", &id), &etags).await.ok();
    for (number, text) in [(1, "aaa"), (2, "bbb"), (3, "c")] {
        let path = format!("/s3/b/parts?partNumber={number}");
        let part = get(&path).await;
        assert_eq!((part.status.as_u16(), part.text().as_str(), part.header("x-amz-mp-parts-count")), (206, text, "3"));
        let head = world.ask("HEAD", &path).signed().send().await;
        assert_eq!((head.status.as_u16(), head.header("content-length")), (206, text.len().to_string().as_str()));
    }
    assert_eq!(code(&get("/s3/b/parts?partNumber=4").await), "InvalidPartNumber");
    // Without the field `partSize` in the metadata, the sizes of the parts are unknown.
    world.sql("update storage.objects set metadata = metadata - 'partSize'").await;
    assert_eq!(get("/s3/b/parts?partNumber=2").await.status, 501);
}

#[tokio::test]
async fn a_quiet_deletion_shows_refusals_only() {
    let world = world().await;
    world.put("b/a", "x").await.ok();
    let body = "<Delete><Quiet>true</Quiet><Object><Key>a</Key></Object></Delete>";
    let text = world.ask("POST", "/s3/b?delete").signed().body(body).await.ok().text();
    assert!(!text.contains("<Deleted>"), "{text}");
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
}
