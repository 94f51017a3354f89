use axum::body::Body;
use cloch_storage::settings::BucketSettings;
use serde_json::json;

use crate::support::{USER, World};

#[tokio::test]
async fn an_upload_is_served_with_its_headers() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let stored = world
        .ask("POST", "/object/b/dir/hello%20world.txt")
        .service()
        .header("content-type", "text/plain")
        .header("cache-control", "max-age=60")
        .body("hello world")
        .await
        .ok();
    assert_eq!(stored.json()["Key"], "b/dir/hello world.txt");
    let got = world.ask("GET", "/object/public/b/dir/hello%20world.txt?download=a%20b.txt").send().await.ok();
    assert_eq!(got.text(), "hello world");
    for (name, value) in [
        ("content-type", "text/plain"),
        ("cache-control", "max-age=60"),
        ("etag", "\"5eb63bbbe01eeed093cb22bb8f5acdc3\""),
        ("content-length", "11"),
        ("accept-ranges", "bytes"),
        ("x-robots-tag", "none"),
        ("x-content-type-options", "nosniff"),
        ("content-disposition", "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"),
    ] {
        assert_eq!(got.header(name), value, "{name}");
    }
    let etag = got.header("etag").to_owned();
    let modified = got.header("last-modified").to_owned();
    let again = world.ask("GET", "/object/public/b/dir/hello%20world.txt").header("if-none-match", &etag).send().await;
    assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
    let again = world.ask("GET", "/object/b/dir/hello%20world.txt").header("if-modified-since", &modified).send().await;
    assert_eq!(again.status, 304);
    let again = world.ask("GET", "/object/b/dir/hello%20world.txt").header("if-none-match", "\"x\"").send().await.ok();
    assert_eq!(again.header("cache-control"), "max-age=60, stale-while-revalidate=30");
    let head = world.ask("HEAD", "/object/b/dir/hello%20world.txt").header("if-none-match", "\"x\"").send().await.ok();
    assert_eq!((head.header("content-length"), head.header("cache-control")), ("11", "max-age=60, must-revalidate"));
    let info = world.ask("GET", "/object/info/b/dir/hello%20world.txt").send().await.ok().json();
    assert_eq!(
        (&info["size"], &info["content_type"], &info["metadata"]),
        (&json!(11), &json!("text/plain"), &json!({}))
    );
}

#[tokio::test]
async fn ranges() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "0123456789").await.ok();
    let got = world.ask("GET", "/object/public/b/a").header("range", "bytes=2-4").send().await;
    assert_eq!((got.status.as_u16(), got.text().as_str(), got.header("content-range")), (206, "234", "bytes 2-4/10"));
    let got =
        world.ask("GET", "/object/public/b/a").header("range", "bytes=20-").send().await.refused("416", "InvalidRange");
    assert_eq!(got.status, 416);
}

#[tokio::test]
async fn large_files_stream_both_ways() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let bytes: Vec<u8> = (0..3_000_017_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let chunks: Vec<Result<_, std::io::Error>> = bytes.chunks(10_007).map(|chunk| Ok(chunk.to_vec())).collect();
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    world.ask("POST", "/object/b/big").service().body(body).await.ok();
    assert!(world.ask("GET", "/object/b/big").service().send().await.ok().bytes == bytes);
    let part = world.ask("GET", "/object/b/big").service().header("range", "bytes=1000000-2999999").send().await;
    assert!(part.bytes == bytes[1_000_000..3_000_000]);
}

#[tokio::test]
async fn an_upload_cut_short_leaves_nothing() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "old").await.ok();
    let chunks = [Ok(vec![0_u8; 500_000]), Err(std::io::Error::other("gone"))];
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    let reply = world.ask("PUT", "/object/b/a").service().body(body).await;
    assert_eq!(reply.status, 500);
    world.settle(1).await;
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "old");
}

#[tokio::test]
async fn limits_of_size_type_and_name() {
    let world = World::with(|settings| settings.file_size_limit = 100).await;
    world
        .ask("POST", "/bucket")
        .service()
        .json(json!({"name": "b", "file_size_limit": 10, "allowed_mime_types": ["text/plain"]}))
        .await
        .ok();
    let send = async |name: &str, kind: &str, body: Body| {
        world.ask("POST", &format!("/object/b/{name}")).service().header("content-type", kind).body(body).await
    };
    send("a", "image/png", "x".into()).await.refused("415", "InvalidMimeType");
    send("a", "nonsense", "x".into()).await.refused("415", "InvalidMimeType");
    let long = Body::from_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("x".repeat(11))]));
    send("a", "text/plain", long).await.refused("413", "EntityTooLarge");
    send("%C3%A4", "text/plain", "x".into()).await.refused("400", "InvalidKey");
    send("a/%2e%2e/b", "text/plain", "x".into()).await.refused("400", "InvalidKey");
    assert_eq!(send("a%zz", "text/plain", "x".into()).await.json()["code"], "FST_ERR_BAD_URL");
    send("x/.emptyFolderPlaceholder", "image/png", "x".into()).await.refused("413", "EntityTooLarge");
    send("x/.emptyFolderPlaceholder", "image/png", Body::empty()).await.ok();
    send("a", "text/plain", "1234567890".into()).await.ok();
    let reply = world.ask("POST", "/object/none/a").service().body("x").await.refused("404", "NoSuchBucket");
    assert_eq!(reply.status, 400);
    assert_eq!(world.files(), 2);
}

#[tokio::test]
async fn forms_as_clients_send_them() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let form = "--X\r\ncontent-disposition: form-data; name=\"cacheControl\"\r\n\r\n3600\r\n\
                --X\r\ncontent-disposition: form-data; name=\"metadata\"\r\n\r\n{\"a\":1}\r\n\
                --X\r\ncontent-disposition: form-data; name=\"\"; filename=\"blob\"\r\ncontent-type: image/png\r\n\r\nPNG\r\n--X--\r\n";
    let asked =
        world.ask("POST", "/object/b/a.png").service().header("content-type", "multipart/form-data; boundary=X");
    asked.body(form).await.ok();
    let info = world.ask("GET", "/object/info/public/b/a.png").send().await.ok().json();
    assert_eq!(
        (&info["cache_control"], &info["metadata"], &info["content_type"], &info["size"]),
        (&json!("max-age=3600"), &json!({"a": 1}), &json!("image/png"), &json!(3))
    );
    let cut = world.ask("POST", "/object/b/b.png").service().header("content-type", "multipart/form-data; boundary=X");
    cut.body(form[..form.len() - 20].to_owned()).await.refused("400", "InvalidRequest");
    world.settle(1).await;
}

#[tokio::test]
async fn cache_control_of_every_way_in_is_bounded() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/source", "x").await.ok();
    let long = "a".repeat(1025);
    for method in ["POST", "PUT"] {
        let upload = world.ask(method, "/object/b/source").service().header("cache-control", &long).body("x");
        upload.await.refused("400", "InvalidRequest");
    }
    let form = |before: &str, after: &str| {
        format!("{before}--X\r\ncontent-disposition: form-data; name=\"\"; filename=\"a\"\r\n\r\nx\r\n{after}--X--\r\n")
    };
    let field = format!("--X\r\ncontent-disposition: form-data; name=\"cacheControl\"\r\n\r\n{long}\r\n");
    for form in [form(&field, ""), form("", &field)] {
        let upload =
            world.ask("POST", "/object/b/a").service().header("content-type", "multipart/form-data; boundary=X");
        upload.body(form).await.refused("400", "InvalidRequest");
    }
    let copy = json!({"bucketId": "b", "sourceKey": "source", "destinationKey": "c", "copyMetadata": false,
                      "metadata": {"cacheControl": long}});
    world.ask("POST", "/object/copy").service().json(copy).await.refused("400", "InvalidRequest");
    let put = world.ask("PUT", "/s3/b/a").header("cache-control", &long).signed().body("x").await;
    assert_eq!(put.status.as_u16(), 400, "{}", put.text());
    world.settle(1).await;
    assert_eq!(world.files(), 1);
    let without = world.ask("POST", "/object/b/empty").service().header("content-type", "text/plain");
    without.header("cache-control", "").body("x").await.ok();
    assert_eq!(world.ask("HEAD", "/object/public/b/empty").send().await.ok().header("cache-control"), "no-cache");
}

#[tokio::test]
async fn html_is_never_served_as_html() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world
        .ask("POST", "/object/b/x")
        .service()
        .header("content-type", "text/html; charset=utf-8")
        .body("<p>")
        .await
        .ok();
    let got = world.ask("GET", "/object/public/b/x").send().await;
    assert_eq!(got.header("content-type"), "text/plain");
}

#[tokio::test]
async fn a_bucket_bounds_how_long_signed_links_work() {
    let bounded = BucketSettings { max_signed_url_seconds: Some(3600), ..BucketSettings::default() };
    let world = World::with(|settings| settings.buckets = [("b".to_owned(), bounded)].into()).await;
    world.bucket("b", true).await;
    world.bucket("free", true).await;
    for bucket in ["b", "free"] {
        world.put(&format!("{bucket}/a.txt"), "hello").await.ok();
    }
    world.sql("create policy read on storage.objects for select to authenticated using (true)").await;
    let one = |bucket: &str| world.ask("POST", &format!("/object/sign/{bucket}/a.txt"));
    let many = |seconds: i64| json!({"expiresIn": seconds, "paths": ["a.txt"]});
    let (most, more) = (json!({"expiresIn": 3600}), json!({"expiresIn": 3601}));
    one("b").user(USER).json(more.clone()).await.refused("400", "InvalidParameter");
    world.ask("POST", "/object/sign/b").user(USER).json(many(3601)).await.refused("400", "InvalidParameter");
    one("b").user(USER).json(most).await.ok();
    world.ask("POST", "/object/sign/b").user(USER).json(many(3600)).await.ok();
    one("free").user(USER).json(more.clone()).await.ok();
    one("b").service().json(more).await.ok();
}

#[tokio::test]
async fn signed_links_open_one_object_until_they_expire() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a.txt", "hello").await.ok();
    world.put("b/b.txt", "other").await.ok();
    world
        .ask("POST", "/object/sign/b/a.txt")
        .service()
        .json(json!({"expiresIn": 0}))
        .await
        .refused("400", "InvalidRequest");
    world.ask("POST", "/object/sign/b/none").service().json(json!({"expiresIn": 60})).await.refused("404", "NoSuchKey");
    let signed = world.ask("POST", "/object/sign/b/a.txt").service().json(json!({"expiresIn": "60"})).await.ok().json();
    let url = signed["signedURL"].as_str().unwrap();
    let got = world.ask("GET", url).send().await.ok();
    assert_eq!((got.text().as_str(), got.header("cache-control")), ("hello", ""));
    assert!(got.header("expires").ends_with("GMT"));
    world.ask("HEAD", url).send().await.ok();
    world.ask("GET", &url.replace("a.txt", "b.txt")).send().await.refused("400", "InvalidSignature");
    world.ask("GET", "/object/sign/b/a.txt").send().await.refused("400", "InvalidRequest");
    world.ask("GET", "/object/sign/b/a.txt?token=").send().await.refused("400", "InvalidJWT");
    let many = world.ask("POST", "/object/sign/b").service().json(json!({"expiresIn": 60, "paths": ["b.txt", "none"]}));
    let many = many.await.ok().json();
    assert_eq!(world.ask("GET", many[0]["signedURL"].as_str().unwrap()).send().await.text(), "other");
    assert_eq!(many[1]["error"], "Either the object does not exist or you do not have access to it");
}

#[tokio::test]
async fn deleted_objects_are_gone_with_their_bytes() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for name in ["a", "b", "c"] {
        world.put(&format!("b/{name}"), "x").await.ok();
    }
    world.ask("DELETE", "/object/b/none").service().send().await.refused("404", "NoSuchKey");
    world.ask("DELETE", "/object/b/a").service().send().await.ok();
    let deleted = world.ask("DELETE", "/object/b").service().json(json!({"prefixes": ["b", "none"]})).await.ok().json();
    assert_eq!((deleted.as_array().unwrap().len(), &deleted[0]["name"]), (1, &json!("b")));
    world.ask("DELETE", "/object/b").service().json(json!({"prefixes": []})).await.refused("400", "InvalidRequest");
    world.settle(1).await;
}

#[tokio::test]
async fn a_listing_shows_one_level() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for name in ["x.txt", "Dir/a.txt", "Dir/sub/b.txt", "dir2/c.txt"] {
        world.put(&format!("b/{name}"), "x").await.ok();
    }
    let list = async |body: serde_json::Value| {
        let listed = world.ask("POST", "/object/list/b").service().json(body).await.ok().json();
        let names = listed.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(list(json!({"prefix": ""})).await, ["Dir", "dir2", "x.txt"]);
    assert_eq!(list(json!({"prefix": "dir"})).await, ["a.txt", "sub"]);
    assert_eq!(list(json!({"prefix": "", "search": "X"})).await, ["x.txt"]);
    assert_eq!(list(json!({"prefix": "", "limit": 1, "offset": 1})).await, ["dir2"]);
    let refused = world.ask("POST", "/object/list/b").service().json(json!({"limit": 0})).await;
    assert_eq!(refused.json()["message"], "body must have required property 'prefix'");
    assert_eq!(world.ask("POST", "/object/list/none").user(USER).json(json!({"prefix": ""})).await.json(), json!([]));
}

#[tokio::test]
async fn the_order_of_names_counts_the_slash_of_a_folder() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for name in ["dir/x", "dir-1.txt", "dir.txt", "dir2/x", "dirt", "Dir0"] {
        world.put(&format!("b/{name}"), "x").await.ok();
    }
    let mut expected = vec!["dir-1.txt", "dir.txt", "dir", "Dir0", "dir2", "dirt"];
    for order in ["asc", "desc"] {
        let body = json!({"prefix": "", "sortBy": {"column": "name", "order": order}});
        let listed = world.ask("POST", "/object/list/b").service().json(body).await.ok().json();
        let names: Vec<_> = listed.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected, "{order}");
        expected.reverse();
    }
}

#[tokio::test]
async fn an_object_without_an_owner_has_an_empty_text_as_its_owner() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "x").await.ok();
    let body = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "c"});
    let copied = world.ask("POST", "/object/copy").service().json(body).await.ok().json();
    let deleted = world.ask("DELETE", "/object/b").service().json(json!({"prefixes": ["a"]})).await.ok().json();
    for object in [&copied, &deleted[0]] {
        assert_eq!((&object["owner"], &object["owner_id"]), (&json!(""), &json!("")));
    }
}

#[tokio::test]
async fn unknown_routes() {
    let world = World::new().await;
    let reply = world.ask("GET", "/object/x").service().send().await;
    assert_eq!(reply.status, 404);
    assert_eq!(
        reply.json(),
        json!({"statusCode": "404", "error": "Not Found", "message": "Route GET:/object/x not found", "code": "InvalidRequest"})
    );
    let reply = world.ask("GET", "/nothing?a=1").service().send().await;
    assert_eq!(
        reply.json(),
        json!({"message": "Route GET:/nothing?a=1 not found", "error": "Not Found", "statusCode": 404})
    );
}

#[tokio::test]
async fn endpoints_that_move_no_objects() {
    let world = World::new().await;
    world.ask("GET", "/health").send().await.refused("403", "AccessDenied");
    let healthy = world.ask("GET", "/health").service().send().await.ok();
    assert_eq!(
        (healthy.json(), healthy.header("content-type")),
        (json!({"healthy": true}), "application/json; charset=utf-8")
    );
    world.ask("GET", "/status").send().await.ok();
    world.ask("HEAD", "/status").send().await.ok();
    for path in ["/cdn", "/cdn/b", "/cdn/b/a/c.txt?transformations=true"] {
        let refused = world.ask("DELETE", path).user(USER).send().await;
        assert_eq!((refused.status.as_u16(), refused.refused("403", "AccessDenied").status.as_u16()), (403, 403));
        world.ask("DELETE", path).service().send().await.refused("400", "MissingParameter");
    }
    world.ask("GET", "/object").service().send().await.refused("404", "InvalidRequest");
    let nameless = world.ask("POST", "/object/b/").service().body("x").await;
    assert_eq!(nameless.refused("400", "InvalidKey").json()["message"], "Invalid key: ");
}

#[tokio::test]
async fn conditions_and_ranges_as_clients_write_them() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "hello").await.ok();
    let get = async |name: &str, value: &str| world.ask("GET", "/object/public/b/a").header(name, value).send().await;
    assert_eq!(get("range", "bytes= 0-1").await.text(), "he");
    assert_eq!(get("range", "bytes=1-2").await.text(), "el");
    assert_eq!(get("range", "").await.ok().text(), "hello");
    // The day of the week in this date is wrong, which must be ignored.
    assert_eq!(get("if-modified-since", "Wed, 21 Oct 2035 07:28:00 GMT").await.status, 304);
    assert_eq!(get("if-modified-since", "Wed, 21 Oct 2015 07:28:00 GMT").await.status, 200);
    let signed = world.ask("POST", "/object/sign/b/a").service().json(json!({"expiresIn": 60})).await.ok().json();
    let link = format!("{}&download=x", signed["signedURL"].as_str().unwrap());
    let head = world.ask("HEAD", &link).header("range", "bytes=0-1").send().await;
    // RFC 9110, 14.2: `Range` applies only to GET.
    assert_eq!((head.status.as_u16(), head.header("content-length")), (200, "5"));
    assert!(head.header("content-disposition").starts_with("attachment"));
}
