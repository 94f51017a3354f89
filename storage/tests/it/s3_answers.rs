//! Tests responses of the S3 protocol: pagination, headers, ranges of copies, presigned URLs.

use serde_json::json;

use crate::multipart::{begin, part};
use crate::signing::{presigned, presigned_for, presigned_with};
use crate::support::{Reply, World};

/// Returns the texts of all XML elements with the given name.
fn elements(reply: &Reply, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let text = reply.text();
    text.split(&open).skip(1).map(|rest| rest.split(&close).next().unwrap().to_owned()).collect()
}

fn element(reply: &Reply, name: &str) -> String {
    elements(reply, name).into_iter().next().unwrap_or_default()
}

async fn get(world: &World, path: &str) -> Reply {
    world.ask("GET", path).signed().send().await
}

async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
}

#[tokio::test]
async fn multipart_uploads_are_listed_page_by_page() {
    let world = world().await;
    let missing = get(&world, "/s3/none?uploads").await;
    assert_eq!((missing.status.as_u16(), element(&missing, "Code")), (404, "NoSuchBucket".to_owned()));
    for max in ["0", "1001", "-1", "x"] {
        assert_eq!(get(&world, &format!("/s3/b?max-uploads={max}&uploads")).await.status, 400, "{max}");
    }
    for key in ["a", "a", "d/1", "d/2", "e%20f", "z"] {
        begin(&world, key).await;
    }
    let all = get(&world, "/s3/b?uploads").await.ok();
    assert_eq!(elements(&all, "Key"), ["a", "a", "d/1", "d/2", "e f", "z"]);
    assert_eq!((element(&all, "IsTruncated"), element(&all, "MaxUploads")), ("false".to_owned(), "1000".to_owned()));
    assert_eq!(elements(&get(&world, "/s3/b?prefix=d%2F&uploads").await, "Key"), ["d/1", "d/2"]);
    assert_eq!(elements(&get(&world, "/s3/b?encoding-type=url&uploads").await, "Key")[4], "e%20f");
    let grouped = get(&world, "/s3/b?delimiter=%2F&uploads").await.ok();
    assert_eq!(elements(&grouped, "Key"), ["a", "a", "e f", "z"]);
    assert!(grouped.text().contains("<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>"), "{}", grouped.text());

    let (mut seen, mut key, mut id) = (Vec::new(), String::new(), String::new());
    loop {
        let markers = if key.is_empty() { String::new() } else { format!("&key-marker={key}") };
        let after = if id.is_empty() { String::new() } else { format!("&upload-id-marker={id}") };
        let path = format!("/s3/b?delimiter=%2F&encoding-type=url{markers}&max-uploads=1{after}&uploads");
        // The query parameters are in alphabetical order, as the signature requires: `upload-id-marker` before `uploads`.
        let page = get(&world, &path).await.ok();
        seen.extend(elements(&page, "Key"));
        seen.extend(elements(&page, "CommonPrefixes"));
        if element(&page, "IsTruncated") == "false" {
            break;
        }
        (key, id) = (element(&page, "NextKeyMarker").replace('/', "%2F"), element(&page, "NextUploadIdMarker"));
    }
    assert_eq!(seen, ["a", "a", "<Prefix>d/</Prefix>", "e%20f", "z"]);
    // Without an upload id marker, all uploads of the key marker are skipped. An upload id marker without a key marker is ignored.
    assert_eq!(elements(&get(&world, "/s3/b?key-marker=a&uploads").await, "Key").len(), 4);
    assert_eq!(elements(&get(&world, "/s3/b?upload-id-marker=zzz&uploads").await, "Key").len(), 6);
}

#[tokio::test]
async fn parts_are_listed_page_by_page() {
    let world = world().await;
    let id = begin(&world, "k").await;
    for number in [1, 2, 5] {
        part(&world, ("k", &id), number, Ok("x")).await.ok();
    }
    for query in ["max-parts=0", "max-parts=1001", "part-number-marker=-1", "part-number-marker=x"] {
        assert_eq!(get(&world, &format!("/s3/b/k?{query}&uploadId={id}")).await.status, 400, "{query}");
    }
    assert_eq!(get(&world, "/s3/b/k?uploadId=none").await.status, 404);
    let first = get(&world, &format!("/s3/b/k?max-parts=2&uploadId={id}")).await.ok();
    assert_eq!(elements(&first, "PartNumber"), ["1", "2"]);
    assert_eq!((element(&first, "IsTruncated"), element(&first, "NextPartNumberMarker")), ("true".into(), "2".into()));
    let second = get(&world, &format!("/s3/b/k?max-parts=2&part-number-marker=2&uploadId={id}")).await.ok();
    assert_eq!(elements(&second, "PartNumber"), ["5"]);
    assert_eq!(
        (element(&second, "IsTruncated"), element(&second, "NextPartNumberMarker")),
        ("false".into(), "".into())
    );
}

#[tokio::test]
async fn the_first_version_of_the_list_names_where_to_continue_with_a_delimiter_only() {
    let world = world().await;
    for name in ["a", "b/1", "b/2", "c"] {
        world.put(&format!("b/{name}"), "x").await.ok();
    }
    assert_eq!(elements(&get(&world, "/s3/b?max-keys=2").await.ok(), "NextMarker"), Vec::<String>::new());
    let (mut seen, mut marker) = (Vec::new(), String::new());
    loop {
        let after = if marker.is_empty() { String::new() } else { format!("&marker={marker}") };
        let page = get(&world, &format!("/s3/b?delimiter=%2F{after}&max-keys=1")).await.ok();
        seen.extend(elements(&page, "Key"));
        seen.extend(elements(&page, "CommonPrefixes"));
        assert_eq!(element(&page, "Marker"), marker.replace("%2F", "/"));
        marker = element(&page, "NextMarker").replace('/', "%2F");
        if element(&page, "IsTruncated") == "false" {
            break;
        }
    }
    assert_eq!(seen, ["a", "<Prefix>b/</Prefix>", "c"]);
    assert_eq!(marker, "");
}

#[tokio::test]
async fn objects_of_a_missing_bucket_are_not_deleted() {
    let world = world().await;
    let delete = |bucket: &str| {
        let asked = world.ask("POST", &format!("/s3/{bucket}?delete")).signed();
        asked.body("<Delete><Object><Key>k</Key></Object></Delete>")
    };
    let missing = delete("none").await;
    assert_eq!((missing.status.as_u16(), element(&missing, "Code")), (404, "NoSuchBucket".to_owned()));
    assert_eq!(elements(&delete("b").await.ok(), "Deleted").len(), 1);
}

#[tokio::test]
async fn a_part_is_copied_from_inside_the_source_only() {
    let world = world().await;
    world.put("b/source", "0123456789").await.ok();
    let id = begin(&world, "k").await;
    let copy = async |range: &str| {
        let asked = world.ask("PUT", &format!("/s3/b/k?partNumber=1&uploadId={id}")).signed();
        asked.header("x-amz-copy-source", "b/source").header("x-amz-copy-source-range", range).send().await
    };
    for range in ["bytes=0-10", "bytes=10-10", "bytes=-3", "bytes=4-", "bytes=3-2", "0-3"] {
        let refused = copy(range).await;
        assert_eq!((refused.status.as_u16(), element(&refused, "Code")), (400, "InvalidArgument".into()), "{range}");
    }
    assert_eq!(world.count("select count(*) from storage.s3_multipart_uploads_parts").await, 0);
    copy("bytes=0-9").await.ok();
}

#[tokio::test]
async fn metadata_that_no_header_can_carry_is_counted() {
    let world = world().await;
    world.put("b/k", "x").await.ok();
    let long = "x".repeat(8 * 1024 + 1);
    let metadata = json!({"good": "a b", "empty": "", "number": 1, "accent": "é", "lines": "a\nb", "tab": "a\tb", "a name": "x", "long": long});
    world.sql(&format!("update storage.objects set user_metadata = '{metadata}'")).await;
    for method in ["GET", "HEAD"] {
        let shown = world.ask(method, "/s3/b/k").signed().send().await.ok();
        assert_eq!(shown.header("x-amz-meta-good"), "a b");
        assert!(shown.headers.contains_key("x-amz-meta-empty"));
        assert_eq!(shown.header("x-amz-missing-meta"), "6");
        assert_eq!(shown.headers.keys().filter(|name| name.as_str().starts_with("x-amz-meta-")).count(), 2);
    }
}

#[tokio::test]
async fn a_signed_request_says_how_it_is_answered() {
    let world = world().await;
    world.put("b/k", "x").await.ok();
    let query = "response-content-encoding=identity&response-content-language=gd&response-expires=Thu%2C%2001%20Jan%202026%2000%3A00%3A00%20GMT";
    let shown = get(&world, &format!("/s3/b/k?{query}")).await.ok();
    let headers = ["content-encoding", "content-language", "expires"].map(|name| shown.header(name));
    assert_eq!(headers, ["identity", "gd", "Thu, 01 Jan 2026 00:00:00 GMT"]);
}

#[tokio::test]
async fn a_presigned_url_ends_with_its_time() {
    let world = world().await;
    world.put("b/k", "x").await.ok();
    let ask = async |age, expires| {
        world.ask("GET", &presigned("/s3/b/k", age, expires)).header("host", "localhost").send().await
    };
    // `X-Amz-Date` has a resolution of one second, so its time may be up to one second ago. A URL that is valid for one second has
    // therefore expired now.
    let refused = ask(1, 1).await;
    assert_eq!((refused.status.as_u16(), element(&refused, "Code")), (400, "ExpiredToken".to_owned()));
    assert_eq!(ask(1, 30).await.ok().text(), "x");
}

/// Tests that `+` and `%2B` in the query both mean a plus sign and not a space, because both have the same signature.
#[tokio::test]
async fn a_plus_in_a_signed_query_is_no_space() {
    let world = world().await;
    for name in ["b/a%20b/one", "b/a+b/two"] {
        world.put(name, "x").await.ok();
    }
    let url = presigned_with("GET", "/s3/b", "list-type=2&prefix=a%2Bb");
    for url in [url.clone(), url.replace("%2B", "+")] {
        let listed = world.ask("GET", &url).header("host", "localhost").send().await.ok();
        assert_eq!(
            (element(&listed, "Key"), element(&listed, "KeyCount")),
            ("a+b/two".to_owned(), "1".to_owned()),
            "{url}"
        );
    }
    let url = presigned_with("GET", "/s3/b", "list-type=2&prefix=a%20b");
    let listed = world.ask("GET", &url).header("host", "localhost").send().await.ok();
    assert_eq!(element(&listed, "Key"), "a b/one");
}

/// Tests that nobody can add unsigned headers to a presigned upload URL in order to copy another object or to change access.
#[tokio::test]
async fn a_header_that_is_not_signed_is_refused() {
    let world = world().await;
    world.bucket("other", false).await;
    world.put("other/k", "secret").await.ok();
    let put = presigned_for("PUT", "/s3/b/mine", 1, 60);
    for (name, value) in [("x-amz-copy-source", "/other/k"), ("x-amz-acl", "public-read"), ("x-amz-meta-a", "1")] {
        let asked = world.ask("PUT", &put).header("host", "localhost").header(name, value);
        let refused = asked.body("x").await;
        assert_eq!((refused.status.as_u16(), element(&refused, "Code")), (403, "AccessDenied".to_owned()), "{name}");
        let asked = world.ask("PUT", "/s3/b/mine").signed().sign().header(name, value);
        assert_eq!(asked.body("x").await.status, 403, "{name}");
    }
    assert_eq!(world.count("select count(*) from storage.objects where name = 'mine'").await, 0);
    let covered = world.ask("PUT", &put).header("host", "localhost").header("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    covered.header("content-type", "text/plain").body("x").await.ok();
}

#[tokio::test]
async fn a_list_to_delete_does_not_tell_what_is_hidden() {
    let world = world().await;
    world.put("b/hidden", "x").await.ok();
    let token = world.token(&json!({"role": "anon"}));
    let ask = async |inner: &str| {
        let body = format!(
            "<Delete><Object><Key>hidden</Key>{inner}</Object><Object><Key>absent</Key>{inner}</Object></Delete>"
        );
        world.ask("POST", "/s3/b?delete").signed_by(&token).body(body).await.ok().text()
    };
    for inner in ["", "<VersionId>null</VersionId>"] {
        let shown = ask(inner).await;
        assert_eq!((shown.matches("AccessDenied").count(), shown.matches("<Deleted>").count()), (0, 2), "{shown}");
    }
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);
}

#[tokio::test]
async fn attributes_of_an_object() {
    let world = world().await;
    world.put("b/k", "hello").await.ok();
    let ask = async |key: &str, names: &str| {
        world
            .ask("GET", &format!("/s3/b/{key}?attributes"))
            .signed()
            .header("x-amz-object-attributes", names)
            .send()
            .await
    };
    assert_eq!(ask("none", "ETag").await.status, 404);
    assert_eq!(ask("k", "Colour").await.status, 400);
    assert_eq!(get(&world, "/s3/b/k?attributes").await.status, 400);
    let shown = ask("k", "ETag, ObjectSize,StorageClass,ObjectParts,Checksum").await.ok();
    assert_eq!(element(&shown, "ETag"), "5d41402abc4b2a76b9719d911017c592");
    assert_eq!((element(&shown, "ObjectSize"), element(&shown, "StorageClass")), ("5".into(), "STANDARD".into()));
    assert!(elements(&shown, "ObjectParts").is_empty() && elements(&shown, "Checksum").is_empty());
    assert_eq!(element(&ask("k", "ObjectSize").await.ok(), "ETag"), "");
}

#[tokio::test]
async fn rows_of_another_server_are_described() {
    let world = world().await;
    world.put("b/k", "hello").await.ok();
    for time in ["\"2026-01-02T03:04:05.678Z\"", "\"Fri, 02 Jan 2026 03:04:05 GMT\"", "1767323045678"] {
        let metadata =
            format!("{{\"size\": 7, \"contentLength\": 5, \"lastModified\": {time}, \"eTag\": \"\\\"x\\\"\"}}");
        world.sql(&format!("update storage.objects set metadata = '{metadata}'")).await;
        let shown = world.ask("HEAD", "/object/b/k").service().send().await.ok();
        assert_eq!(
            (shown.header("last-modified"), shown.header("content-length")),
            ("Fri, 02 Jan 2026 03:04:05 GMT", "5")
        );
        let shown = world.ask("GET", "/object/info/b/k").service().send().await.ok();
        assert_eq!(shown.header("last-modified"), "Fri, 02 Jan 2026 03:04:05 GMT");
    }
    world.sql("update storage.objects set metadata = '{\"size\": 5, \"lastModified\": \"soon\"}'").await;
    let shown = world.ask("HEAD", "/object/b/k").service().send().await.ok();
    assert_eq!((shown.header("last-modified"), shown.header("content-length")), ("", "5"));
}
