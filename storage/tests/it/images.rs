use std::io::Cursor;
use std::path::PathBuf;

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::json;

use crate::support::{USER, World};

async fn world() -> World {
    world_with_cache(tempfile::tempdir().unwrap().keep()).await
}

async fn world_with_cache(cache: PathBuf) -> World {
    let world = World::with(|settings| settings.images.cache_folder = Some(cache)).await;
    world.bucket("b", true).await;
    world.bucket("p", false).await;
    let mut png = Cursor::new(Vec::new());
    RgbImage::from_pixel(100, 50, Rgb([200, 10, 10])).write_to(&mut png, ImageFormat::Png).unwrap();
    for bucket in ["b", "p"] {
        let asked = world.ask("POST", &format!("/object/{bucket}/a.png")).service().header("content-type", "image/png");
        asked.header("cache-control", "max-age=60").body(png.get_ref().clone()).await.ok();
    }
    world.put("b/a.txt", "no image").await.ok();
    world
}

#[tokio::test]
async fn what_may_not_be_seen_is_not_rendered() {
    let world = world().await;
    world.ask("GET", "/render/image/public/p/a.png").send().await.refused("404", "NoSuchBucket");
    world.ask("GET", "/render/image/authenticated/b/a.png").user(USER).send().await.refused("404", "NoSuchKey");
    world.ask("GET", "/render/image/authenticated/b/a.png").send().await.refused("403", "AccessDenied");
    world.ask("GET", "/render/image/public/b/a.txt").send().await.refused("400", "InvalidRequest");
    world.ask("GET", "/render/image/public/b/a.png?quality=7").send().await.refused("400", "InvalidRequest");
    world.ask("GET", "/render/image/sign/p/a.png?token=x").send().await.refused("400", "InvalidJWT");
}

#[tokio::test]
async fn an_image_is_made_to_measure() {
    let world = world().await;
    for _ in 0..2 {
        let got = world
            .ask("GET", "/render/image/public/b/a.png?width=20&height=20&quality=60")
            .header("accept", "image/webp,*/*")
            .send()
            .await
            .ok();
        assert_eq!((got.header("content-type"), got.header("cache-control")), ("image/webp", "max-age=60"));
        assert_eq!(got.header("x-transformations"), "height:20,width:20,resizing_type:fill,quality:60");
        let image = image::load_from_memory(&got.bytes).unwrap();
        assert_eq!((image.width(), image.height()), (20, 20));
    }
    let head = world.ask("HEAD", "/render/image/public/b/a.png?width=20").send().await.ok();
    assert_eq!(head.header("content-type"), "image/png");
}

#[tokio::test]
async fn a_signed_rendering_is_what_was_signed() {
    let world = world().await;
    let sign = async |transform: serde_json::Value| {
        let body = json!({"expiresIn": 60, "transform": transform});
        world.ask("POST", "/object/sign/p/a.png").service().json(body).await.ok().json()["signedURL"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let url = sign(json!({"width": 30, "resize": "contain", "format": "webp"})).await;
    assert!(url.starts_with("/render/image/sign/p/a.png?token="));
    let got = world.ask("GET", &format!("{url}&width=90")).send().await.ok();
    let image = image::load_from_memory(&got.bytes).unwrap();
    assert_eq!((image.width(), got.header("content-type"), got.header("cache-control")), (30, "image/webp", ""));
    assert!(sign(json!({"format": "origin"})).await.starts_with("/object/sign/"));
    world.ask("GET", &url.replace("/render/image/", "/object/")).send().await.ok();
}

#[tokio::test]
async fn an_svg_image_is_returned_without_scripts() {
    let world = world().await;
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" onload=\"alert(1)\"><script>alert(1)</script><rect width=\"5\"/></svg>";
    let upload = world.ask("POST", "/object/b/a.svg").service().header("content-type", "image/svg+xml");
    upload.body(svg).await.ok();
    // The second response comes from the cache.
    for _ in 0..2 {
        let got = world
            .ask("GET", "/render/image/public/b/a.svg?width=50")
            .header("accept", "image/webp,*/*")
            .send()
            .await
            .ok();
        assert_eq!((got.header("content-type"), got.header("x-content-type-options")), ("image/svg+xml", "nosniff"));
        assert!(got.header("content-security-policy").contains("sandbox"));
        let text = got.text();
        assert!(text.contains("<rect width=\"5\"") && !text.contains("alert"), "{text}");
    }
    world.put("b/broken.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect>").await.ok();
    world.ask("GET", "/render/image/public/b/broken.svg").send().await.refused("400", "InvalidRequest");
}

#[tokio::test]
async fn rendered_images_are_deleted_with_their_source() {
    let cache = tempfile::tempdir().unwrap();
    std::fs::write(cache.path().join("0b5e0f5a"), "of an earlier version").unwrap();
    let world = world_with_cache(cache.path().to_owned()).await;
    let cached = || std::fs::read_dir(cache.path()).unwrap().count();
    assert_eq!(cached(), 0);
    for width in [20, 30] {
        for bucket in ["b", "p"] {
            let path = format!("/render/image/authenticated/{bucket}/a.png?width={width}");
            world.ask("GET", &path).service().send().await.ok();
        }
    }
    assert_eq!(cached(), 4);
    world.ask("DELETE", "/object/b/a.png").service().send().await.ok();
    // One image and one text are left.
    world.settle(2).await;
    assert_eq!(cached(), 2, "the images of the other bucket stay");
    world.sql("set storage.allow_delete_query = 'true'; delete from storage.objects where bucket_id = 'p'").await;
    world.sweep().await;
    assert_eq!(cached(), 0, "a sweep deletes what SQL has orphaned");
}
