//! Tests that hostile values in every field, parameter, header and path are accepted or refused, and never cause an internal error.

use axum::http;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::support::{Reply, World};

/// Returns texts that may be invalid in PostgreSQL, a header or a path.
fn texts() -> Vec<String> {
    let plain = [
        "",
        "\0",
        "a\0b",
        "\u{ffff}",
        "\u{10ffff}",
        "../..",
        "/",
        "'\"\\;--",
        "%",
        "%00",
        "_",
        "\r\nx: y",
        "NaN",
        "-1",
    ];
    let mut texts: Vec<String> = plain.iter().map(|text| (*text).to_owned()).collect();
    texts.extend(["9".repeat(40), "x".repeat(1024), "x".repeat(30_000), "/".repeat(3000), "é".repeat(600)]);
    texts
}

fn values() -> Vec<Value> {
    let deep = |open: &str, close: &str| serde_json::from_str(&(open.repeat(100) + "1" + &close.repeat(100))).unwrap();
    let mut values: Vec<Value> = texts().into_iter().map(Value::from).collect();
    values.extend([json!(null), json!(true), json!(0), json!(-1), json!(i64::MAX), json!(i64::MIN), json!(u64::MAX)]);
    values.extend([json!(1e300), json!(0.5), json!([]), json!({}), json!(["\0"]), json!({"a": "\0"}), json!([null])]);
    values.extend([deep("[", "]"), deep("{\"a\":", "}")]);
    values
}

async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "a").await.ok();
    world
}

#[track_caller]
fn is_no_fault(reply: &Reply, what: &str) {
    let status = reply.status.as_u16();
    let shown: String = what.chars().take(300).collect();
    assert!(status < 500 || status == 501, "{status} {} for {shown}", reply.text());
}

/// Returns the endpoints with a JSON body, and a valid body for each endpoint.
fn bodies() -> Vec<(&'static str, &'static str, Value)> {
    let sort = json!({"column": "name", "order": "asc"});
    let metadata = json!({"cacheControl": "1", "mimetype": "text/plain"});
    let transform = json!({"width": 1, "height": 1, "resize": "fill", "quality": 20, "format": "webp"});
    let route = json!({"bucketId": "b", "sourceKey": "a", "destinationBucket": "b", "destinationKey": "c",
                       "copyMetadata": false, "metadata": metadata});
    vec![
        (
            "POST",
            "/bucket",
            json!({"name": "n", "id": "n", "public": true, "file_size_limit": 1, "allowed_mime_types": ["a/b"], "type": "STANDARD"}),
        ),
        ("PUT", "/bucket/b", json!({"public": true, "file_size_limit": 1000, "allowed_mime_types": ["text/plain"]})),
        ("POST", "/object/list/b", json!({"prefix": "", "limit": 1, "offset": 0, "search": "", "sortBy": sort})),
        (
            "POST",
            "/object/list-v2/b",
            json!({"prefix": "", "limit": 1, "cursor": "", "with_delimiter": true, "sortBy": sort}),
        ),
        ("POST", "/object/sign/b", json!({"expiresIn": 1, "paths": ["a"]})),
        ("POST", "/object/sign/b/a", json!({"expiresIn": 1, "transform": transform})),
        ("POST", "/object/upload/sign/b/x", json!({})),
        ("POST", "/object/copy", route.clone()),
        ("POST", "/object/move", route),
        ("DELETE", "/object/b", json!({"prefixes": ["x"]})),
        ("POST", "/archive/b", json!({"paths": ["a"], "names": ["a"], "name": "z.zip"})),
    ]
}

#[tokio::test]
async fn in_json_bodies() {
    let world = world().await;
    for (method, path, body) in bodies() {
        let fields: Vec<String> = body.as_object().unwrap().keys().cloned().collect();
        for value in values() {
            let whole = world.ask(method, path).service().json(value.clone()).await;
            is_no_fault(&whole, &format!("{method} {path} {value}"));
            for field in &fields {
                let mut changed = body.clone();
                changed[field] = value.clone();
                let inner: Vec<String> =
                    body[field].as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
                let nested = inner.iter().map(|name| {
                    let mut nested = body.clone();
                    nested[field][name] = value.clone();
                    nested
                });
                for asked in [changed].into_iter().chain(nested) {
                    let reply = world.ask(method, path).service().json(asked).await;
                    is_no_fault(&reply, &format!("{method} {path} {field} {value}"));
                }
            }
        }
    }
}

#[tokio::test]
async fn in_paths_and_queries() {
    let world = world().await;
    let areas = [
        "/object",
        "/object/public",
        "/object/info",
        "/object/info/public",
        "/object/sign",
        "/object/upload/sign",
        "/render/image/public",
        "/render/image/authenticated",
        "/s3",
        "/bucket",
        "/upload/resumable",
        "/cdn",
    ];
    for text in texts() {
        let text = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
        for area in areas {
            let paths = [
                format!("{area}/b/{text}"),
                format!("{area}/{text}/a"),
                format!("{area}/{text}"),
                format!("{area}/b/a?token={text}"),
            ];
            for path in paths {
                for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"] {
                    // Skip paths that are not valid URIs. Also skip the deletion of buckets: a bucket with the hostile name may exist, but
                    // the test's bucket must not be deleted.
                    if path.parse::<http::Uri>().is_err() || (method, area) == ("DELETE", "/bucket") {
                        continue;
                    }
                    let asked = world.ask(method, &path);
                    let asked =
                        if area == "/s3" { asked.signed() } else { asked.service().header("tus-resumable", "1.0.0") };
                    is_no_fault(&asked.body("x").await, &format!("{method} {path}"));
                }
            }
        }
        for query in ["limit", "offset", "search", "sortColumn", "sortOrder"] {
            is_no_fault(
                &world.ask("GET", &format!("/bucket?{query}={text}")).service().send().await,
                &format!("{query}={text}"),
            );
        }
        for query in ["width", "quality", "format", "resize"] {
            let reply = world.ask("GET", &format!("/render/image/public/b/a?{query}={text}")).send().await;
            is_no_fault(&reply, &format!("{query}={text}"));
        }
        for query in [
            "continuation-token",
            "delimiter",
            "encoding-type",
            "list-type",
            "max-keys",
            "prefix",
            "start-after",
            "uploadId",
        ] {
            let reply = world.ask("GET", &format!("/s3/b?{query}={text}")).signed().send().await;
            is_no_fault(&reply, &format!("S3 {query}={text}"));
        }
    }
}

#[tokio::test]
async fn in_headers_forms_and_xml() {
    let world = world().await;
    let names = [
        "cache-control",
        "content-type",
        "x-metadata",
        "x-upsert",
        "range",
        "if-none-match",
        "if-modified-since",
        "x-amz-copy-source",
        "x-amz-copy-source-range",
        "x-amz-meta-a",
        "upload-length",
        "upload-metadata",
        "accept",
    ];
    let texts = texts().into_iter().chain([STANDARD.encode(json!({"a": "\0"}).to_string()), "bytes=0-,1-2".to_owned()]);
    for text in texts {
        for name in names.into_iter().filter(|_| http::HeaderValue::from_str(&text).is_ok()) {
            let what = format!("{name}: {text}");
            is_no_fault(
                &world
                    .ask("POST", "/object/b/new")
                    .service()
                    .header(name, &text)
                    .header("x-upsert", "true")
                    .body("x")
                    .await,
                &what,
            );
            is_no_fault(&world.ask("GET", "/object/b/a").service().header(name, &text).send().await, &what);
            is_no_fault(&world.ask("PUT", "/s3/b/new").signed().header(name, &text).body("x").await, &what);
            let asked = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
            is_no_fault(&asked.header(name, &text).send().await, &what);
        }
        for field in ["bucketName", "objectName", "contentType", "cacheControl", "metadata"] {
            let given = [("bucketName", "b"), ("objectName", "t")].into_iter().filter(|(name, _)| *name != field);
            let pairs: Vec<String> = given
                .chain([(field, text.as_str())])
                .map(|(name, value)| format!("{name} {}", STANDARD.encode(value)))
                .collect();
            let asked = world
                .ask("POST", "/upload/resumable")
                .service()
                .header("tus-resumable", "1.0.0")
                .header("upload-length", "0");
            let reply = asked.header("x-upsert", "true").header("upload-metadata", &pairs.join(",")).send().await;
            is_no_fault(&reply, &format!("upload-metadata {field} {text}"));
        }
        for field in ["cacheControl", "metadata", "contentType", "x"] {
            let part =
                |head: &str, body: &str| format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{body}\r\n");
            for value in [text.clone(), json!({"a": text}).to_string()] {
                let form =
                    part(&format!("name=\"{field}\""), &value) + &part("name=\"\"; filename=\"f\"", "x") + "--x--\r\n";
                let asked = world.ask("POST", "/object/b/new").service().header("x-upsert", "true");
                let reply = asked.header("content-type", "multipart/form-data; boundary=x").body(form).await;
                is_no_fault(&reply, &format!("form {field} {value}"));
            }
        }
        for key in [text.clone(), "&#0;".to_owned(), "&#xFFFF;".to_owned()] {
            let body = format!("<Delete><Object><Key>{key}</Key></Object></Delete>");
            is_no_fault(&world.ask("POST", "/s3/b?delete").signed().body(body).await, &format!("S3 delete {key}"));
            let body = format!(
                "<CompleteMultipartUpload><Part><PartNumber>{key}</PartNumber><ETag>{key}</ETag></Part></CompleteMultipartUpload>"
            );
            is_no_fault(
                &world.ask("POST", "/s3/b/k?uploadId=1").signed().body(body).await,
                &format!("S3 complete {key}"),
            );
        }
    }
}
