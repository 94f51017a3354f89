//! Tests that conditional reads (RFC 9110, 13 and 14) behave the same at all endpoints.

use serde_json::json;

use crate::signing::presigned;
use crate::support::{Asked, Reply, World};

/// Creates a storage API under test with a public object of five bytes and an empty object.
async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "hello").await.ok();
    world.put("b/empty", "").await.ok();
    world
}

/// Returns method and path of all requests that read an object, including signed URLs and S3.
async fn doors(world: &World, name: &str) -> Vec<(&'static str, String)> {
    let signed = world.ask("POST", &format!("/object/sign/b/{name}")).service().json(json!({"expiresIn": 60}));
    let link = signed.await.ok().json()["signedURL"].as_str().unwrap().to_owned();
    let paths = [
        format!("/object/public/b/{name}"),
        format!("/object/authenticated/b/{name}"),
        format!("/object/b/{name}"),
        link,
        format!("/s3/b/{name}"),
    ];
    paths.iter().flat_map(|path| ["GET", "HEAD"].map(|method| (method, path.clone()))).collect()
}

fn ask<'a>(world: &'a World, (method, path): &(&'static str, String)) -> Asked<'a> {
    let asked = world.ask(method, path);
    if path.starts_with("/s3/") { asked.signed() } else { asked.service() }
}

async fn status(world: &World, door: &(&'static str, String), headers: &[(&str, &str)]) -> Reply {
    headers.iter().fold(ask(world, door), |asked, (name, value)| asked.header(name, value)).send().await
}

#[tokio::test]
async fn conditions_hold_at_every_door() {
    const OLD: &str = "Thu, 01 Jan 2015 00:00:00 GMT";
    let world = world().await;
    let mut all = doors(&world, "a").await;
    for path in ["/object/info/b/a", "/object/info/public/b/a", "/object/info/authenticated/b/a"] {
        all.extend(["GET", "HEAD"].map(|method| (method, path.to_owned())));
    }
    for door in &all {
        let whole = ask(&world, door).send().await.ok();
        let (etag, modified) = (whole.header("etag").to_owned(), whole.header("last-modified").to_owned());
        let (weak, listed) = (format!("W/{etag}"), format!("\"0\", {etag}"));
        for (headers, expected) in [
            (&[("if-match", "\"0\"")][..], 412),
            (&[("if-match", weak.as_str())], 412),
            (&[("if-unmodified-since", OLD)], 412),
            (&[("if-match", "\"0\""), ("if-none-match", etag.as_str())], 412),
            (&[("if-match", listed.as_str()), ("if-unmodified-since", OLD)], 200),
            (&[("if-match", "*")], 200),
            (&[("if-none-match", etag.as_str())], 304),
            (&[("if-none-match", weak.as_str())], 304),
            (&[("if-none-match", listed.as_str())], 304),
            (&[("if-none-match", "*")], 304),
            (&[("if-none-match", etag.as_str()), ("if-modified-since", OLD)], 304),
            (&[("if-none-match", "\"0\""), ("if-modified-since", modified.as_str())], 200),
            (&[("if-modified-since", modified.as_str())], 304),
            (&[("if-modified-since", OLD)], 200),
        ] {
            let reply = status(&world, door, headers).await;
            assert_eq!(reply.status.as_u16(), expected, "{door:?} {headers:?}");
            if expected == 304 {
                assert_eq!((reply.header("etag"), reply.bytes.len()), (etag.as_str(), 0), "{door:?}");
            }
        }
    }
}

#[tokio::test]
async fn ranges_are_the_same_at_every_door() {
    let world = world().await;
    for door in doors(&world, "a").await.iter().filter(|(method, _)| *method == "GET") {
        let etag = ask(&world, door).send().await.ok().header("etag").to_owned();
        for (range, expected, text) in [
            ("bytes=1-2", 206, "el"),
            ("bytes=-2", 206, "lo"),
            ("bytes=2-99", 206, "llo"),
            ("items=0-1", 200, "hello"),
            ("bytes=0-1,3-4", 200, "hello"),
            ("bytes=5-2", 200, "hello"),
            ("nonsense", 200, "hello"),
        ] {
            let reply = status(&world, door, &[("range", range)]).await;
            assert_eq!((reply.status.as_u16(), reply.text().as_str()), (expected, text), "{door:?} {range}");
        }
        for range in ["bytes=99-", "bytes=-0", "bytes=5-", "bytes=99999999999999999999-"] {
            let reply = status(&world, door, &[("range", range)]).await;
            assert_eq!((reply.status.as_u16(), reply.header("content-range")), (416, "bytes */5"), "{door:?} {range}");
        }
        for (if_range, expected) in [(etag.as_str(), 206), ("\"0\"", 200), ("Thu, 01 Jan 2015 00:00:00 GMT", 200)] {
            let reply = status(&world, door, &[("range", "bytes=0-0"), ("if-range", if_range)]).await;
            assert_eq!(reply.status.as_u16(), expected, "{door:?} {if_range}");
        }
        // The condition `If-None-Match` is evaluated before the range.
        let reply = status(&world, door, &[("range", "bytes=99-"), ("if-none-match", "*")]).await;
        assert_eq!(reply.status.as_u16(), 304, "{door:?}");
    }
    for door in doors(&world, "empty").await.iter().filter(|(method, _)| *method == "GET") {
        let reply = status(&world, door, &[("range", "bytes=0-")]).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-range")), (416, "bytes */0"), "{door:?}");
        assert_eq!(status(&world, door, &[("range", "bytes=-5")]).await.status, 200, "{door:?}");
    }
}

/// Tests the use of `If-Match` by boto3's `download_file`: it reads the ranges of an object with the entity tag that the response to the
/// first range contained.
#[tokio::test]
async fn a_download_in_parts_is_never_a_mixture() {
    let world = world().await;
    let part = async |etag: &str, range: &str| {
        world.ask("GET", "/s3/b/a").signed().header("if-match", etag).header("range", range).send().await
    };
    let etag = world.ask("HEAD", "/s3/b/a").signed().send().await.ok().header("etag").to_owned();
    assert_eq!(part(&etag, "bytes=0-1").await.text(), "he");
    world.ask("PUT", "/s3/b/a").signed().body("HELLO").await.ok();
    let refused = part(&etag, "bytes=2-4").await;
    assert_eq!(refused.status, 412);
    assert!(refused.text().contains("<Code>PreconditionFailed</Code>"));
}

#[tokio::test]
async fn a_link_holds_its_conditions() {
    let world = world().await;
    let get = async |name: &str, value: &str| {
        let asked = world.ask("GET", &presigned("/s3/b/a", 1, 60)).header("host", "localhost");
        asked.header(name, value).send().await.status.as_u16()
    };
    assert_eq!(get("if-match", "\"0\"").await, 412);
    assert_eq!(get("if-none-match", "*").await, 304);
    assert_eq!(get("range", "bytes=9-").await, 416);
}

#[tokio::test]
async fn a_rendered_image_is_not_rendered_again() {
    let world = world().await;
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(4, 4).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let asked = world.ask("POST", "/object/b/p.png").service().header("content-type", "image/png");
    asked.body(bytes.into_inner()).await.ok();
    let path = "/render/image/public/b/p.png?width=2";
    let etag = world.ask("GET", path).send().await.ok().header("etag").to_owned();
    assert_eq!(world.ask("GET", path).header("if-none-match", &etag).send().await.status, 304);
    assert_eq!(world.ask("GET", path).header("if-match", "\"0\"").send().await.status, 412);
    assert_eq!(world.ask("GET", path).header("range", "bytes=0-1").send().await.status, 200);
}

#[tokio::test]
async fn what_is_written_or_deleted_on_a_condition() {
    let world = world().await;
    let put = async |method: &str, name: &str, value: &str| {
        let asked = world.ask(method, "/object/b/a").service().header("content-type", "text/plain");
        asked.header("x-upsert", "true").header(name, value).body("new").await.json()["statusCode"].clone()
    };
    for method in ["POST", "PUT"] {
        assert_eq!(put(method, "if-match", "\"0\"").await, "412");
        assert_eq!(put(method, "if-none-match", "*").await, "412");
        assert_eq!(put(method, "if-match", "\"0\", \"1\"").await, "501");
        assert_eq!(put(method, "if-unmodified-since", "Thu, 01 Jan 2015 00:00:00 GMT").await, "501");
    }
    for (path, signed) in [("/object/b/a", false), ("/s3/b/a", true)] {
        let asked = world.ask("DELETE", path).header("if-match", "\"0\"");
        let asked = if signed { asked.signed() } else { asked.service() };
        assert_eq!(asked.send().await.status, 412, "{path}");
    }
    let body = "<Delete><Object><Key>a</Key><ETag>\"0\"</ETag></Object></Delete>";
    assert_eq!(world.ask("POST", "/s3/b?delete").signed().body(body).await.status, 501);
    assert_eq!(world.ask("GET", "/object/public/b/a").send().await.ok().text(), "hello");
    let etag = world.ask("HEAD", "/object/public/b/a").send().await.ok().header("etag").to_owned();
    let asked = world.ask("PUT", "/object/b/a").service().header("content-type", "text/plain");
    asked.header("if-match", &etag).body("new").await.ok();
    let etag = world.ask("HEAD", "/object/public/b/a").send().await.ok().header("etag").to_owned();
    world.ask("DELETE", "/s3/b/a").signed().header("if-match", &etag).send().await.ok();
    world.ask("GET", "/object/public/b/a").send().await.refused("404", "NoSuchKey");
}
