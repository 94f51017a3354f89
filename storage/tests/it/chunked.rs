//! Tests `aws-chunked` bodies of the S3 protocol with trailers and checksums: a body is stored only if it matches its headers completely.

use axum::body::Body;
use futures_util::stream;

use crate::multipart;
use crate::support::{Asked, Reply, World};

const UNSIGNED: &str = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
const SIGNED: &str = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const SIGNED_TRAILER: &str = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
const CHUNKS: [&str; 3] = ["hello ", "wor", "ld"];
const TEXT: &str = "hello world";
/// Checksums of `hello world` in base64, computed with Python (zlib, hashlib, and bitwise CRC implementations).
const CHECKSUMS: [(&str, &str); 5] = [
    ("x-amz-checksum-crc32", "DUoRhQ=="),
    ("x-amz-checksum-crc32c", "yZRlqg=="),
    ("x-amz-checksum-crc64nvme", CRC64NVME),
    ("x-amz-checksum-sha1", "Kq5sNclPz7QV2+lfQIuc6R7oRu0="),
    ("x-amz-checksum-sha256", "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="),
];
const CRC64NVME: &str = "jSnVw/bqjr4=";
const CRC32: &str = "x-amz-checksum-crc32:DUoRhQ==";

/// Creates a request with the payload format `form`, and its chunked body. If `line` is given, it is the trailer of the body.
fn chunked<'a>(asked: Asked<'a>, form: &str, line: Option<&str>) -> (Asked<'a>, String) {
    chunked_of(asked, form, line, &TEXT.len().to_string())
}

/// Creates a request and a body like [`chunked`], and declares `length` as the content length.
fn chunked_of<'a>(asked: Asked<'a>, form: &str, line: Option<&str>, length: &str) -> (Asked<'a>, String) {
    let asked = asked.header("x-amz-decoded-content-length", length);
    let trailer = line.and_then(|line| line.split(':').next());
    let asked = trailer.into_iter().fold(asked, |asked, name| asked.header("x-amz-trailer", name));
    let (asked, mut seed) = asked.signed_in_form(form);
    let mut body = String::new();
    for chunk in CHUNKS.iter().chain([&""]) {
        body.push_str(&format!("{:x}", chunk.len()));
        if form != UNSIGNED {
            body.push_str(&format!(";chunk-signature={}", seed.chunk(chunk)));
        }
        body.push_str("\r\n");
        if !chunk.is_empty() {
            body.push_str(&format!("{chunk}\r\n"));
        }
    }
    if let Some(line) = line {
        body.push_str(&format!("{line}\r\n"));
        if form == SIGNED_TRAILER {
            body.push_str(&format!("x-amz-trailer-signature:{}\r\n", seed.trailer(line)));
        }
    }
    body.push_str("\r\n");
    (asked, body)
}

/// Sends a request body in pieces of `size` bytes.
async fn send(asked: Asked<'_>, body: &[u8], size: usize) -> Reply {
    let pieces: Vec<_> = body.chunks(size).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
    asked.body(Body::from_stream(stream::iter(pieces))).await
}

fn code(reply: &Reply) -> String {
    let text = reply.text();
    text.split_once("<Code>").map_or("", |(_, rest)| rest.split('<').next().unwrap()).to_owned()
}

async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
}

async fn has_nothing(world: &World) {
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    world.settle(0).await;
}

#[tokio::test]
async fn cut_off_at_any_byte_it_is_no_object() {
    let world = world().await;
    for (form, line) in [(UNSIGNED, Some(CRC32)), (SIGNED, None), (SIGNED_TRAILER, Some(CRC32)), (UNSIGNED, None)] {
        let whole = chunked(world.ask("PUT", "/s3/b/k"), form, line).1.len();
        for length in 0..whole {
            let (asked, body) = chunked(world.ask("PUT", "/s3/b/k"), form, line);
            let reply = send(asked, &body.as_bytes()[..length], if length % 2 == 0 { 1 } else { 1000 }).await;
            assert_eq!((reply.status.as_u16(), code(&reply)), (400, "InvalidRequest".to_owned()), "{form} {length}");
        }
        has_nothing(&world).await;
        for size in [1, 7, 1000] {
            let (asked, body) = chunked(world.ask("PUT", "/s3/b/k"), form, line);
            send(asked, body.as_bytes(), size).await.ok();
            assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), TEXT, "{form}");
        }
        world.ask("DELETE", "/object/b/k").service().send().await.ok();
    }
}

#[tokio::test]
async fn a_part_that_is_cut_off_is_no_part() {
    let world = world().await;
    let id = multipart::begin(&world, "k").await;
    let path = format!("/s3/b/k?partNumber=1&uploadId={id}");
    let whole = chunked(world.ask("PUT", &path), UNSIGNED, Some(CRC32)).1.len();
    for length in (0..whole).step_by(3) {
        let (asked, body) = chunked(world.ask("PUT", &path), UNSIGNED, Some(CRC32));
        assert_eq!(send(asked, &body.as_bytes()[..length], 5).await.status.as_u16(), 400, "{length}");
    }
    assert_eq!(world.count("select count(*) from storage.s3_multipart_uploads_parts").await, 0);
    world.settle(0).await;
    let (asked, body) = chunked(world.ask("PUT", &path), UNSIGNED, Some(CRC32));
    let sent = send(asked, body.as_bytes(), 5).await.ok();
    assert_eq!(sent.header("x-amz-checksum-crc32"), "DUoRhQ==");
}

#[tokio::test]
async fn what_is_not_as_announced_is_refused() {
    let world = world().await;
    let line = |line: &'static str| Some(line);
    // Sends a modified body in the given payload format with the given trailer, and returns status and error code.
    let refused = async |form: &str, line: Option<&str>, change: fn(String) -> String| {
        let (asked, body) = chunked(world.ask("PUT", "/s3/b/k"), form, line);
        let reply = send(asked, change(body).as_bytes(), 11).await;
        (reply.status.as_u16(), code(&reply))
    };
    let same = |body: String| body;
    let invalid = (400, "InvalidRequest".to_owned());
    let malformed = (400, "MalformedTrailerError".to_owned());
    let mismatch = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(refused(UNSIGNED, line(CRC32), |body| body + "x").await, invalid, "something follows");
    assert_eq!(refused(SIGNED, None, |body| body + "\r\n").await, invalid, "something follows");
    assert_eq!(refused(UNSIGNED, line("x-amz-checksum-crc32:AAAAAA=="), same).await, (400, "BadDigest".to_owned()));
    assert_eq!(refused(SIGNED_TRAILER, line("x-amz-checksum-sha1:AAAAAA=="), same).await, invalid);
    assert_eq!(refused(UNSIGNED, line("x-amz-checksum-md4:AAAAAA=="), same).await, invalid);
    assert_eq!(refused(UNSIGNED, line(CRC32), |body| body.replace(CRC32, "x-amz-meta-a:1")).await, malformed);
    assert_eq!(refused(UNSIGNED, line(CRC32), |body| body.replace(&format!("{CRC32}\r\n"), "")).await, malformed);
    let twice = |body: String| body.replace(CRC32, &format!("{CRC32}\r\n{CRC32}"));
    assert_eq!(refused(UNSIGNED, line(CRC32), twice).await, malformed);
    assert_eq!(refused(UNSIGNED, None, |body| body.replace("0\r\n", &format!("0\r\n{CRC32}\r\n"))).await, malformed);
    assert_eq!(refused(SIGNED_TRAILER, line(CRC32), |body| body.replace("DUoRhQ==", "AAAAAA==")).await, mismatch);
    let unsigned = |body: String| body.split("x-amz-trailer-signature").next().unwrap().to_owned() + "\r\n";
    assert_eq!(refused(SIGNED_TRAILER, line(CRC32), unsigned).await, malformed);
    assert_eq!(refused(SIGNED, None, |body| body.replace("wor", "war")).await, mismatch);
    assert_eq!(refused(SIGNED, line(CRC32), same).await, invalid, "a trailer in a form without");
    for form in ["STREAMING-UNSIGNED-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "what"] {
        assert_eq!(refused(form, None, same).await, invalid, "{form}");
    }
    for size in ["+6", "0x6", " 6", "", "fffffffffffffffff", "ffffffffffffffff"] {
        let (asked, body) = chunked(world.ask("PUT", "/s3/b/k"), UNSIGNED, None);
        let reply = send(asked, body.replacen('6', size, 1).as_bytes(), 1000).await;
        assert_eq!(reply.status.as_u16(), 400, "{size}");
    }
    for (length, expected) in [("10", "IncompleteBody"), ("12", "IncompleteBody"), ("x", "MissingContentLength")] {
        let (asked, body) = chunked_of(world.ask("PUT", "/s3/b/k"), UNSIGNED, Some(CRC32), length);
        assert_eq!(code(&send(asked, body.as_bytes(), 1000).await), expected, "{length}");
    }
    has_nothing(&world).await;
}

#[tokio::test]
async fn every_checksum_is_checked_and_kept() {
    let world = world().await;
    for (name, value) in CHECKSUMS {
        // A wrong checksum in a header. Its form is valid, but it belongs to other content.
        let wrong = CHECKSUMS.iter().find(|(other, _)| *other == name).map(|(_, value)| flipped(value)).unwrap();
        let reply = world.ask("PUT", "/s3/b/k").signed().header(name, &wrong).body(TEXT).await;
        assert_eq!(code(&reply), "BadDigest", "{name}");
        let (asked, body) = chunked(world.ask("PUT", "/s3/b/k"), SIGNED_TRAILER, Some(&format!("{name}:{wrong}")));
        assert_eq!(code(&send(asked, body.as_bytes(), 9).await), "BadDigest", "{name}");
        has_nothing(&world).await;

        let stored = world.ask("PUT", "/s3/b/header").signed().header(name, value).body(TEXT).await.ok();
        assert_eq!(stored.header(name), value);
        let line = format!("{name}:{value}");
        let (asked, body) = chunked(world.ask("PUT", "/s3/b/trailer"), SIGNED_TRAILER, Some(&line));
        assert_eq!(send(asked, body.as_bytes(), 9).await.ok().header(name), value);
        world.ask("PUT", "/s3/b/copy").signed().header("x-amz-copy-source", "b/trailer").send().await.ok();
        for key in ["header", "trailer", "copy"] {
            for method in ["HEAD", "GET"] {
                let path = format!("/s3/b/{key}");
                assert_eq!(world.ask(method, &path).signed().send().await.ok().header(name), "", "not asked for");
                let asked = world.ask(method, &path).signed().header("x-amz-checksum-mode", "ENABLED");
                let shown = asked.send().await.ok();
                assert_eq!((shown.header(name), shown.header("x-amz-checksum-type")), (value, "FULL_OBJECT"), "{key}");
            }
            let asked = world.ask("GET", &format!("/s3/b/{key}?attributes")).signed();
            let shown = asked.header("x-amz-object-attributes", "Checksum").send().await.ok().text();
            assert!(shown.contains(&format!(">{value}</Checksum")), "{shown}");
        }
        let part = world.ask("GET", "/s3/b/header").signed().header("range", "bytes=0-3");
        assert_eq!(part.header("x-amz-checksum-mode", "ENABLED").send().await.ok().header(name), "");
        let names = serde_json::json!({"prefixes": ["header", "trailer", "copy"]});
        world.ask("DELETE", "/object/b").service().json(names).await.ok();
    }
    let two = world.ask("PUT", "/s3/b/k").signed().header(CHECKSUMS[0].0, CHECKSUMS[0].1);
    assert_eq!(code(&two.header(CHECKSUMS[1].0, CHECKSUMS[1].1).body(TEXT).await), "InvalidRequest");
    has_nothing(&world).await;
}

#[tokio::test]
async fn a_completed_upload_has_the_checksum_of_the_whole() {
    let world = world().await;
    let id = multipart::begin(&world, "k").await;
    let part = multipart::part(&world, ("k", &id), 1, Ok(TEXT)).await.ok();
    let etag = part.header("etag");
    let body = format!(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part></CompleteMultipartUpload>"
    );
    let complete = async |value: &str| {
        let asked = world.ask("POST", &format!("/s3/b/k?uploadId={id}")).signed();
        asked.header("x-amz-checksum-crc64nvme", value).body(body.clone()).await
    };
    assert_eq!(code(&complete(&flipped(CRC64NVME)).await), "BadDigest");
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    let done = complete(CRC64NVME).await.ok().text();
    assert!(done.contains(&format!("<ChecksumCRC64NVME>{CRC64NVME}</ChecksumCRC64NVME>")), "{done}");
}

/// Returns a different checksum of the same length.
fn flipped(value: &str) -> String {
    let first = if value.starts_with('A') { "B" } else { "A" };
    format!("{first}{}", &value[1..])
}
