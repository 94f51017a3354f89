//! Tests that uploaded files cannot run scripts: stored media types, types that buckets allow, and headers of downloads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::multipart::{complete, etag, part};
use crate::support::{Reply, World};

const HTML: &str = "<script>document.title = 'run'</script>";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
/// Media types as sent by the client and as stored.
const TYPES: [(&str, &str); 7] = [
    ("audio/mpeg; a=b, text/html", "audio/mpeg"),
    ("audio/x; a=b, text/html", "audio/x"),
    ("Image/SVG+XML", "image/svg+xml"),
    ("application/xhtml+xml;charset=utf-8", "application/xhtml+xml"),
    ("text/html;charset=UTF-8", "text/html;charset=UTF-8"),
    ("text/plain;charset=UTF-8", "text/plain;charset=UTF-8"),
    ("image/png;\"x, text/html", "image/png"),
];
/// Invalid media types. Raw uploads with an invalid type are refused, as in Supabase Storage; other endpoints use the default type.
const NO_TYPES: [&str; 3] = ["audio/mpeg, text/html", "text/html,", "a/b/c"];

fn form(kind: &str, field: &str) -> String {
    format!(
        "--X\r\ncontent-disposition: form-data; name=\"contentType\"\r\n\r\n{field}\r\n\
         --X\r\ncontent-disposition: form-data; name=\"\"; filename=\"a\"\r\ncontent-type: {kind}\r\n\r\n{HTML}\r\n--X--\r\n"
    )
}

/// Uploads a file with a media type through every upload endpoint. Returns the paths of the objects.
async fn through_all_doors(world: &World, kind: &str, number: usize) -> Vec<String> {
    let at = |door: &str| format!("{door}{number}");
    let x_form = "multipart/form-data; boundary=X";
    let post = |path: &str| world.ask("POST", &format!("/object/b/{path}")).service().header("content-type", x_form);
    post(&at("part")).body(form(kind, "")).await.ok();
    post(&at("field")).body(form("image/png", kind)).await.ok();

    let pairs = [("bucketName", "b"), ("objectName", &at("tus")), ("contentType", kind)];
    let pairs = pairs.map(|(name, value)| format!("{name} {}", STANDARD.encode(value)));
    let asked = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
    let asked = asked.header("upload-length", &HTML.len().to_string()).header("upload-metadata", &pairs.join(","));
    asked.header("content-type", "application/offset+octet-stream").body(HTML).await.ok();

    let put = |name: &str| world.ask("PUT", &format!("/s3/b/{name}")).signed().header("content-type", kind);
    put(&at("s3")).body(HTML).await.ok();
    let asked = world.ask("POST", &format!("/s3/b/{}?uploads", at("parts"))).signed().header("content-type", kind);
    let begun = asked.send().await.ok().text();
    let id = begun.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let sent = part(world, (&at("parts"), &id), 1, Ok(HTML)).await.ok();
    complete(world, (&at("parts"), &id), &[etag(&sent)]).await.ok();
    let replaced = put(&at("s3copy")).header("x-amz-copy-source", "b/plain");
    replaced.header("x-amz-metadata-directive", "REPLACE").send().await.ok();

    let copy = json!({"bucketId": "b", "sourceKey": "plain", "destinationKey": at("copy"), "copyMetadata": false,
        "metadata": {"mimetype": kind}});
    world.ask("POST", "/object/copy").service().json(copy).await.ok();
    ["part", "field", "tus", "s3", "parts", "s3copy", "copy"].map(at).to_vec()
}

async fn kept(world: &World, name: &str) -> Value {
    world.ask("GET", &format!("/object/info/b/{name}")).service().send().await.ok().json()["content_type"].clone()
}

#[tokio::test]
async fn every_door_keeps_a_type_and_no_more() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/plain", HTML).await.ok();
    for (number, sent) in NO_TYPES.into_iter().enumerate() {
        let raw = world.ask("POST", "/object/b/raw").service().header("content-type", sent).body(HTML).await;
        let raw = raw.refused("415", "InvalidMimeType");
        assert_eq!((raw.status.as_u16(), &raw.json()["message"]), (400, &json!("Invalid Content-Type header")));
        for name in through_all_doors(&world, sent, number).await {
            assert_eq!(kept(&world, &name).await, "application/octet-stream", "{sent} {name}");
        }
    }
    for (number, (sent, expected)) in TYPES.into_iter().enumerate() {
        let raw = world.ask("POST", &format!("/object/b/raw{number}")).service().header("content-type", sent);
        raw.body(HTML).await.ok();
        let mut names = through_all_doors(&world, sent, 100 + number).await;
        names.push(format!("raw{number}"));
        for name in names {
            assert_eq!(kept(&world, &name).await, expected, "{sent} {name}");
        }
    }
}

#[track_caller]
fn assert_harmless(reply: &Reply, what: &str) {
    let kind = reply.header("content-type");
    assert!(reply.status.is_success() || reply.status == 304, "{what}: {} {}", reply.status, reply.text());
    assert_eq!(reply.header("x-content-type-options"), "nosniff", "{what}");
    assert!(reply.header("content-security-policy").starts_with("sandbox; default-src 'none'"), "{what}");
    assert!(!kind.contains(','), "{what}: {kind}");
    let shown = ["text/plain", "image/png", "audio/mpeg"].contains(&kind.split(';').next().unwrap());
    assert!(shown || reply.header("content-disposition").starts_with("attachment"), "{what}: {kind}");
}

#[tokio::test]
async fn every_way_out_is_harmless_whatever_a_row_says() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let kinds = TYPES.map(|(sent, _)| sent).into_iter().chain(NO_TYPES).chain(["text/html", "", "\u{1}"]);
    for (number, kind) in kinds.enumerate() {
        let name = format!("n{number}");
        world.put(&format!("b/{name}"), HTML).await.ok();
        // Simulates a row that another server or a SQL statement has written without validation.
        let metadata = json!({ "mimetype": kind }).to_string().replace('\'', "''");
        world
            .sql(&format!("update storage.objects set metadata = metadata || '{metadata}' where name = '{name}'"))
            .await;
        let sign = world.ask("POST", &format!("/object/sign/b/{name}")).service().json(json!({"expiresIn": 60})).await;
        let signed = sign.json()["signedURL"].as_str().unwrap().to_owned();
        for method in ["GET", "HEAD"] {
            for path in [
                format!("/object/b/{name}"),
                format!("/object/public/b/{name}"),
                format!("/object/authenticated/b/{name}"),
                signed.clone(),
            ] {
                assert_harmless(&world.ask(method, &path).service().send().await, &format!("{path} {kind}"));
            }
            let path = format!("/s3/b/{name}");
            assert_harmless(&world.ask(method, &path).signed().send().await, &format!("{path} {kind}"));
        }
        let tag = world.ask("GET", &signed).send().await.header("etag").to_owned();
        assert_harmless(&world.ask("GET", &signed).header("if-none-match", &tag).send().await, "304");
        assert_harmless(&world.ask("GET", &signed).header("range", "bytes=0-3").send().await, "206");
        let moved = json!({"bucketId": "b", "sourceKey": name, "destinationKey": format!("m{number}")});
        world.ask("POST", "/object/move").service().json(moved).await.ok();
        assert_harmless(&world.ask("GET", &format!("/object/public/b/m{number}")).send().await, "moved");
    }
    let archive = world.ask("POST", "/archive/b").service().json(json!({"paths": ["m0"]})).await;
    assert_harmless(&archive, "archive");
}

#[tokio::test]
async fn a_signed_link_of_the_s3_protocol_opens_no_page() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", HTML).await.ok();
    for (query, kind, disposition) in [
        ("response-content-type=text%2Fhtml", "text/html", "attachment"),
        ("response-content-disposition=inline&response-content-type=text%2Fhtml", "text/html", "attachment"),
        ("response-content-type=image%2Fsvg%2Bxml", "image/svg+xml", "attachment"),
        ("response-content-type=audio%2Fmpeg%2C%20text%2Fhtml", "application/octet-stream", "attachment"),
        ("response-content-type=image%2Fpng", "image/png", ""),
        ("response-content-disposition=attachment%3B%20filename%3Da.txt", "text/plain", "attachment; filename=a.txt"),
        ("response-content-disposition=inline", "text/plain", "inline"),
    ] {
        let got = world.ask("GET", &format!("/s3/b/a?{query}")).signed().send().await;
        assert_harmless(&got, query);
        assert_eq!((got.header("content-type"), got.header("content-disposition")), (kind, disposition), "{query}");
    }
}

#[tokio::test]
async fn a_link_for_saving_says_how_a_file_is_called() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let asked = world.ask("POST", "/object/b/a.svg").service().header("content-type", "image/svg+xml");
    asked.body("<svg/>").await.ok();
    let get = async |query: &str| {
        let got = world.ask("GET", &format!("/object/public/b/a.svg{query}")).send().await.ok();
        got.header("content-disposition").to_owned()
    };
    assert_eq!(get("").await, "attachment");
    assert_eq!(get("?download").await, "attachment;");
    assert_eq!(get("?download=b.svg").await, "attachment; filename=b.svg; filename*=UTF-8''b.svg");
}

/// Creates a storage API under test with two buckets. The bucket `pictures` allows only PNG files of at most 20 bytes.
async fn with_pictures() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    let settings = json!({"name": "pictures", "allowed_mime_types": ["image/png"], "file_size_limit": 20});
    world.ask("POST", "/bucket").service().json(settings).await.ok();
    world.put("b/text", "text").await.ok();
    for (name, bytes) in [("small", PNG.to_vec()), ("large", [PNG, &[0; 9]].concat()), ("false", b"no png".to_vec())] {
        let asked = world.ask("POST", &format!("/object/b/{name}")).service().header("content-type", "image/png");
        asked.body(bytes).await.ok();
    }
    world
}

#[tokio::test]
async fn what_is_copied_or_moved_obeys_the_bucket_where_it_comes() {
    let world = with_pictures().await;
    let body = |name: &str| json!({"bucketId": "b", "sourceKey": name, "destinationBucket": "pictures", "destinationKey": name});
    for operation in ["/object/copy", "/object/move"] {
        for (name, code) in [
            ("text", ("415", "InvalidMimeType")),
            ("false", ("415", "InvalidMimeType")),
            ("large", ("413", "EntityTooLarge")),
        ] {
            world.ask("POST", operation).service().json(body(name)).await.refused(code.0, code.1);
        }
    }
    let named = async |source: &str, key: &str, kind: &str| {
        let asked = world.ask("PUT", &format!("/s3/pictures/{key}")).signed().header("x-amz-copy-source", source);
        asked.header("x-amz-metadata-directive", "REPLACE").header("content-type", kind).send().await.status.as_u16()
    };
    assert_eq!(named("b/text", "x", "text/plain").await, 415);
    assert_eq!(named("b/text", "x", "image/png").await, 415);
    assert_eq!(named("b/small", "x", "image/svg+xml").await, 415);
    let mut changed = body("small");
    changed["copyMetadata"] = json!(false);
    changed["metadata"] = json!({"mimetype": "image/svg+xml"});
    world.ask("POST", "/object/copy").service().json(changed).await.refused("415", "InvalidMimeType");
    assert_eq!(world.count("select count(*) from storage.objects where bucket_id = 'pictures'").await, 0);
    world.settle(4).await;

    world.ask("POST", "/object/copy").service().json(body("small")).await.ok();
    let mut moved = body("small");
    moved["destinationKey"] = json!("moved");
    world.ask("POST", "/object/move").service().json(moved).await.ok();
    // Existing objects can still be renamed after the restrictions became stricter.
    world.ask("PUT", "/bucket/pictures").service().json(json!({"file_size_limit": 1})).await.ok();
    let renamed = json!({"bucketId": "pictures", "sourceKey": "moved", "destinationKey": "renamed"});
    world.ask("POST", "/object/move").service().json(renamed).await.ok();
    world.settle(5).await;
}

#[tokio::test]
async fn bytes_are_what_their_type_says_where_a_bucket_asks_for_types() {
    let world = with_pictures().await;
    world.ask("PUT", "/bucket/pictures").service().json(json!({"file_size_limit": 1000})).await.ok();
    let raw = async |kind: &str, body: &[u8]| {
        world.ask("POST", "/object/pictures/raw").service().header("content-type", kind).body(body.to_vec()).await
    };
    let refused = raw("image/png", b"no picture").await.refused("415", "InvalidMimeType");
    let message = "mime type image/png is not supported: the content of the file is text";
    assert_eq!(refused.json()["message"], message);
    raw("image/png", b"").await.refused("415", "InvalidMimeType");
    raw("image/png", b"\xff\xd8\xff\xe0").await.refused("415", "InvalidMimeType");

    let x_form = "multipart/form-data; boundary=X";
    let post = || world.ask("POST", "/object/pictures/form").service().header("content-type", x_form);
    post().body(form("image/png", "")).await.refused("415", "InvalidMimeType");
    // The form field that declares an image type comes after the file.
    let parts: Vec<String> = form("text/html", "image/png").split("--X").map(str::to_owned).collect();
    let late = format!("--X{}--X{}--X--\r\n", parts[2], parts[1]);
    post().body(late).await.refused("415", "InvalidMimeType");

    let tus = async |name: &str, kind: Option<&str>, body: &[u8]| {
        let mut pairs = vec![("bucketName", "pictures"), ("objectName", name)];
        pairs.extend(kind.map(|kind| ("contentType", kind)));
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name} {}", STANDARD.encode(value))).collect();
        let asked = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
        let asked = asked.header("upload-length", &body.len().to_string()).header("upload-metadata", &pairs.join(","));
        asked.header("content-type", "application/offset+octet-stream").body(body.to_vec()).await.status.as_u16()
    };
    assert_eq!(tus("tus", Some("image/png"), b"no picture").await, 415);
    // A file without a declared type gets the type that is detected from its content.
    assert_eq!(tus("tus", None, b"no picture").await, 415);
    assert_eq!(tus("tus", None, b"\xff\xd8\xff\xe0").await, 415);

    let s3 = world.ask("PUT", "/s3/pictures/s3").signed().header("content-type", "image/png");
    assert_eq!(s3.body("no picture").await.status, 415);
    world.ask("PUT", "/bucket/b").service().json(json!({"allowed_mime_types": ["image/png"]})).await.ok();
    let asked = world.ask("POST", "/s3/b/parts?uploads").signed().header("content-type", "image/png");
    let begun = asked.send().await.ok().text();
    let id = begun.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let sent = part(&world, ("parts", &id), 1, Ok("no picture")).await.ok();
    assert_eq!(complete(&world, ("parts", &id), &[etag(&sent)]).await.status, 415);
    world.ask("DELETE", &format!("/s3/b/parts?uploadId={id}")).signed().send().await.ok();
    assert_eq!(world.count("select count(*) from storage.objects where bucket_id = 'pictures'").await, 0);
    world.settle(4).await;

    raw("image/png", PNG).await.ok();
    assert_eq!(tus("tus", Some("image/png"), PNG).await, 201);
    assert_eq!(tus("untyped", None, PNG).await, 201);
    let info = world.ask("GET", "/object/info/pictures/untyped").service().send().await.ok().json();
    assert_eq!((&info["content_type"], &info["size"]), (&json!("image/png"), &json!(PNG.len())));
    world.settle(7).await;
}
