//! Tests that no name, at any endpoint and in any encoding, gives read or write access outside the folder of the objects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::body::{Body, to_bytes};
use axum::http::{Request, Uri};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::Utc;
use cloch_core::Secret;
use cloch_storage::settings::AccessKey;
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use crate::support::World;

/// Content of a file outside the folder of the objects, which no response may contain.
const OUTSIDE: &str = "nobody may read this";
const KEY: &str = "625729a08b95bf1b7ff351a663f3a23c";

/// Returns all files below a folder with their content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                drop(found.insert(path.clone(), std::fs::read(path).unwrap()))
            }
        }
    }
    found
}

/// Generates a segment of a path that tries to leave the folder of the objects. `{root}` stands for the absolute path of the folder.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "..",
        ".",
        "",
        "%2e%2e",
        "%2E.",
        "%252e%252e",
        "..%2f",
        "..%2F..",
        "%2f",
        "%5c",
        "..%5c",
        "\\",
        "..\\",
        "C:",
        "C:%5c",
        "%5c%5cserver%5cshare",
        "//server/share",
        "%00",
        "a%00b",
        "%c0%ae%c0%ae",
        "%c0%af",
        "%e0%80%ae",
        "%ef%bc%8f",
        "%u002e",
        "~",
        "~root",
        "etc",
        "passwd",
        "outside.txt",
        "objects",
        "{root}",
        "%7broot%7d",
        "file:",
        "a",
        "b",
        "00",
    ];
    prop_oneof![
        4 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9._~!$&'()*+,;=:@%-]{0,12}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    (proptest::collection::vec(piece(), 1..6), proptest::sample::select(&["/", "%2f", "", "//", "%5c"][..]))
        .prop_map(|(pieces, between)| pieces.join(between))
}

/// Sends a request as the service role. The response must not contain the content of the file outside the folder of the objects.
async fn send(world: &World, method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) {
    // Texts that are not valid URIs cannot be sent.
    let Ok(uri) = path.parse::<Uri>() else { return };
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let Ok(request) = request.body(Body::from(body)) else { return };
    let answer = world.router.clone().oneshot(request).await.unwrap();
    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains(OUTSIDE), "{method} {path} reads what lies outside");
}

async fn every_endpoint(world: &World, token: &str, name: &str) {
    let bearer = format!("Bearer {token}");
    let plain = [("authorization", bearer.as_str()), ("content-type", "text/plain"), ("x-upsert", "true")];
    let json_type = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let decoded = percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned();
    let link = world.token(&json!({"url": format!("main/{decoded}"), "scope": "download", "exp": 4_102_444_800_u32}));
    let upload = world
        .token(&json!({"url": format!("main/{decoded}"), "scope": "upload", "upsert": true, "exp": 4_102_444_800_u32}));

    for (bucket, object) in [("main", name), (name, "a"), (name, name)] {
        for (method, path) in [
            ("POST", format!("/object/{bucket}/{object}")),
            ("PUT", format!("/object/{bucket}/{object}")),
            ("GET", format!("/object/{bucket}/{object}")),
            ("HEAD", format!("/object/{bucket}/{object}")),
            ("GET", format!("/object/authenticated/{bucket}/{object}")),
            ("GET", format!("/object/public/{bucket}/{object}")),
            ("GET", format!("/object/info/{bucket}/{object}")),
            ("GET", format!("/object/sign/{bucket}/{object}?token={link}")),
            ("PUT", format!("/object/upload/sign/{bucket}/{object}?token={upload}")),
            ("POST", format!("/object/upload/sign/{bucket}/{object}")),
            ("GET", format!("/render/image/authenticated/{bucket}/{object}?width=5")),
            ("GET", format!("/render/image/public/{bucket}/{object}?width=5")),
            ("DELETE", format!("/cdn/{bucket}/{object}")),
            ("DELETE", format!("/object/{bucket}/{object}")),
        ] {
            send(world, method, &path, &plain, b"x".to_vec()).await;
        }
        send(world, "POST", &format!("/object/sign/{bucket}/{object}"), &json_type, br#"{"expiresIn":60}"#.to_vec())
            .await;
    }
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/empty")] {
        send(world, method, &format!("/bucket/{name}{path}"), &json_type[..1], Vec::new()).await;
    }
    for text in [name, &decoded] {
        let route = |from: &str, to: &str| json!({"bucketId": "main", "sourceKey": from, "destinationKey": to});
        let bodies: [(&str, &str, Value); 9] = [
            ("POST", "/bucket", json!({"name": text})),
            ("POST", "/bucket", json!({"name": "c", "id": text})),
            ("POST", "/object/copy", route("treasure", text)),
            ("POST", "/object/copy", route(text, "copied")),
            ("POST", "/object/move", route(text, "moved")),
            ("POST", "/object/list/main", json!({"prefix": text, "search": text})),
            ("POST", "/object/list-v2/main", json!({"prefix": text, "with_delimiter": true})),
            ("POST", "/object/sign/main", json!({"expiresIn": 60, "paths": [text]})),
            ("DELETE", "/object/main", json!({"prefixes": [text]})),
        ];
        for (method, path, body) in bodies {
            send(world, method, path, &json_type, body.to_string().into_bytes()).await;
        }
        let id = URL_SAFE_NO_PAD.encode(format!("main/{text}/{text}"));
        let known = URL_SAFE_NO_PAD.encode(format!("main/{text}/6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10"));
        let metadata = format!("bucketName {},objectName {}", STANDARD.encode("main"), STANDARD.encode(text));
        let tus = [
            ("authorization", bearer.as_str()),
            ("tus-resumable", "1.0.0"),
            ("upload-length", "1"),
            ("upload-metadata", metadata.as_str()),
            ("content-type", "application/offset+octet-stream"),
            ("x-upsert", "true"),
        ];
        send(world, "POST", "/upload/resumable", &tus, b"x".to_vec()).await;
        for id in [&id, &known, name] {
            for method in ["HEAD", "PATCH", "DELETE"] {
                let path = format!("/upload/resumable/{id}");
                send(world, method, &path, &[&tus[..2], &[("upload-offset", "0"), tus[4]]].concat(), b"x".to_vec())
                    .await;
            }
        }
    }
    for (method, query) in [("PUT", ""), ("GET", ""), ("HEAD", ""), ("POST", "uploads="), ("DELETE", "")] {
        let path = format!("/s3/main/{name}");
        send(world, method, &presigned(method, &path, query), &[], b"x".to_vec()).await;
    }
    let part = format!(
        "partNumber=1&uploadId={}",
        percent_encoding::utf8_percent_encode(&decoded, percent_encoding::NON_ALPHANUMERIC)
    );
    send(world, "PUT", &presigned("PUT", "/s3/main/part", &part), &[], b"x".to_vec()).await;
}

/// Returns a presigned path of the S3 protocol (AWS Signature Version 4 in the query).
fn presigned(method: &str, path: &str, query: &str) -> String {
    let mac = |key: &[u8], text: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    };
    let time = Utc::now().format("%Y%m%dT%H%M%SZ").to_string();
    let scope = format!("{}/local/s3/aws4_request", &time[..8]);
    let credential = format!("{KEY}/{scope}").replace('/', "%2F");
    let own = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={time}&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
    );
    let mut pairs: Vec<&str> = own.split('&').chain(query.split('&').filter(|pair| !pair.is_empty())).collect();
    pairs.sort_unstable();
    let query = pairs.join("&");
    let request = format!("{method}\n/storage/v1{path}\n{query}\nhost:localhost\n\nhost\nUNSIGNED-PAYLOAD");
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex::encode(Sha256::digest(request)));
    let key = [&time[..8], "local", "s3", "aws4_request"]
        .iter()
        .fold(format!("AWS4{KEY}").into_bytes(), |key, part| mac(&key, part));
    format!("{path}?{query}&X-Amz-Signature={}", hex::encode(mac(&key, &text)))
}

#[tokio::test(flavor = "multi_thread")]
async fn no_name_reaches_outside() {
    let key = AccessKey { id: KEY.to_owned(), secret: Secret::new(KEY) };
    let world = World::with(|settings| settings.s3_protocol.access_keys = vec![key]).await;
    world.bucket("main", true).await;
    world.put("main/treasure", "inside").await.ok();
    let root = world.folder.path().to_owned();
    std::fs::create_dir_all(root.join("b/a")).unwrap();
    for file in ["outside.txt", "passwd", "b/kept", "b/a/b", "kept"] {
        std::fs::write(root.join(file), OUTSIDE).unwrap();
    }
    // Rows as in a restored dump, whose versions are not valid blob keys.
    let outside = root.join("outside.txt").display().to_string();
    for (number, version) in
        ["../outside.txt", "../../outside.txt", &outside, "..", "", "\\..\\outside.txt"].iter().enumerate()
    {
        world
            .sql(&format!(
                "insert into storage.objects (bucket_id, name, version, metadata)
                 values ('main', 'hostile{number}', '{version}', '{{\"size\": 20, \"mimetype\": \"image/png\"}}')"
            ))
            .await;
    }
    let beside = |root: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        snapshot(root).into_iter().filter(|(path, _)| !path.starts_with(root.join("objects"))).collect()
    };
    let before = beside(&root);
    let token = world.token(&json!({"role": "service_role"}));

    let run = |name: String| {
        let name = name.replace("{root}", &root.display().to_string());
        tokio::runtime::Handle::current().block_on(every_endpoint(&world, &token, &name));
        assert_eq!(beside(&root), before, "{name} changes what lies outside");
        for path in snapshot(&root.join("objects")).keys() {
            let file = path.strip_prefix(root.join("objects")).unwrap();
            let parts: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
            let [shard, blob] = parts.as_slice() else { panic!("{name} makes {}", file.display()) };
            let stem = blob.split('.').next().unwrap();
            assert!(
                uuid::Uuid::try_parse(stem).is_ok() && stem.starts_with(&**shard),
                "{name} makes {}",
                file.display()
            );
        }
    };
    tokio::task::block_in_place(|| {
        for number in 0..6 {
            run(format!("hostile{number}"));
        }
        let mut runner = TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
        runner
            .run(&name(), |name| {
                run(name);
                Ok(())
            })
            .unwrap();
    });
    assert_eq!(world.ask("GET", "/object/public/main/treasure").send().await.text(), "inside");
}
