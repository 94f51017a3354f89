use serde_json::{Value, json};

use crate::support::{USER, World};

#[tokio::test]
async fn without_policies_nobody_but_the_service_sees_or_makes_buckets() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.ask("POST", "/bucket").user(USER).json(json!({"name": "mine"})).await.refused("403", "AccessDenied");
    world.ask("GET", "/bucket/b").anon().send().await.refused("404", "NoSuchBucket");
    world.ask("PUT", "/bucket/b").user(USER).json(json!({"public": true})).await.refused("404", "NoSuchBucket");
    world.ask("DELETE", "/bucket/b").user(USER).send().await.refused("404", "NoSuchBucket");
    assert_eq!(world.ask("GET", "/bucket").anon().send().await.json(), json!([]));
    let reply = world.ask("POST", "/bucket/b/empty").user(USER).send().await.refused("403", "AccessDenied");
    assert_eq!((reply.status.as_u16(), reply.json()["message"].as_str()), (403, Some("Access denied: Invalid role")));
}

#[tokio::test]
async fn tokens_are_refused_in_this_apis_words() {
    let world = World::new().await;
    for (authorization, message) in [
        ("", "Invalid Compact JWS"),
        ("Bearer x", "Invalid Compact JWS"),
        ("Bearer eyJhbGciOiJIUzI1NiJ9.e30.AAAA", "signature verification failed"),
    ] {
        let reply = world.ask("GET", "/bucket").header("authorization", authorization).send().await;
        assert_eq!(reply.status, 400);
        assert_eq!(
            reply.json(),
            json!({"statusCode": "403", "error": "Unauthorized", "message": message, "code": "AccessDenied"})
        );
    }
    let expired = world.token(&json!({"role": "service_role", "exp": 1}));
    let reply = world.ask("GET", "/bucket").token(&expired).send().await;
    assert_eq!(reply.json()["message"], "\"exp\" claim timestamp check failed");
    world.ask("GET", "/bucket").send().await.refused("403", "AccessDenied");
    let stranger = world.token(&json!({"role": "nobody_knows_me"}));
    let reply = world.ask("GET", "/bucket").token(&stranger).send().await.refused("403", "AccessDenied");
    let message = "role \"nobody_knows_me\" does not exist";
    assert_eq!((reply.status.as_u16(), reply.json()["message"].as_str()), (400, Some(message)));
}

#[tokio::test]
async fn bad_settings_are_refused() {
    let world = World::new().await;
    let refused = async |body: Value| world.ask("POST", "/bucket").service().json(body).await;
    refused(json!({})).await.refused("400", "InvalidRequest");
    refused(json!({"name": " a"})).await.refused("400", "InvalidBucketName");
    refused(json!({"name": "a/b"})).await.refused("400", "InvalidBucketName");
    let size = refused(json!({"name": "a", "file_size_limit": "1TB"})).await.refused("400", "InvalidRequest");
    assert!(size.json()["message"].as_str().unwrap().starts_with("body/file_size_limit must be integer, "));
    refused(json!({"name": "a", "file_size_limit": "1GB"})).await.refused("413", "EntityTooLarge");
    refused(json!({"name": "a", "allowed_mime_types": ["image"]})).await.refused("415", "InvalidMimeType");
    refused(json!([])).await.refused("400", "InvalidRequest");
    let broken = world.ask("POST", "/bucket").service().header("content-type", "application/json").body("{").await;
    assert_eq!(broken.json()["error"], "FastifyError");
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(1024 * 1024));
    let large = world.ask("POST", "/bucket").service().header("content-type", "application/json").body(large).await;
    assert_eq!(large.status, 413);
    assert_eq!(world.count("select count(*) from storage.buckets").await, 0);
}

#[tokio::test]
async fn a_bucket_lives_its_life() {
    let world = World::new().await;
    let made = world.ask("POST", "/bucket").service().json(json!({
        "name": "b", "public": true, "file_size_limit": "1.2345kb", "allowed_mime_types": ["image/*", ""],
    }));
    assert_eq!(made.await.ok().json(), json!({"name": "b"}));
    world.ask("POST", "/bucket").service().json(json!({"name": "b"})).await.refused("409", "BucketAlreadyExists");
    let shown = world.ask("GET", "/bucket/b").service().send().await.ok().json();
    assert_eq!(
        (&shown["id"], &shown["owner"], &shown["public"], &shown["file_size_limit"], &shown["allowed_mime_types"]),
        (&json!("b"), &json!(""), &json!(true), &json!(1230), &json!(["image/*"]))
    );
    assert!(shown.get("type").is_none() && shown["created_at"].as_str().unwrap().ends_with('Z'));
    let listed =
        world.ask("GET", "/bucket?search=B&sortColumn=name&sortOrder=desc&limit=5").service().send().await.ok();
    assert_eq!(listed.json()[0]["type"], "STANDARD");
    world.ask("PUT", "/bucket/b").service().json(json!({"file_size_limit": null})).await.ok();
    let shown = world.ask("GET", "/bucket/b").service().send().await.ok().json();
    assert_eq!((&shown["file_size_limit"], &shown["public"]), (&Value::Null, &json!(true)));
    world.ask("PUT", "/bucket/b").service().json(json!({})).await.refused("400", "InvalidRequest");
    world.ask("DELETE", "/bucket/b").service().header("content-type", "application/json").body("{}").await.ok();
    world.ask("GET", "/bucket/b").service().send().await.refused("404", "NoSuchBucket");
}

#[tokio::test]
async fn a_full_bucket_is_not_deleted_but_can_be_emptied() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for name in ["a", "b/c", "d"] {
        world.put(&format!("b/{name}"), "x").await.ok();
    }
    world.ask("DELETE", "/bucket/b").service().send().await.refused("409", "ResourceNotEmpty");
    world.ask("POST", "/bucket/b/empty").service().json(json!({})).await.ok();
    assert_eq!(world.files(), 0);
    world.ask("DELETE", "/bucket/b").service().send().await.ok();
    world.ask("POST", "/bucket/b/empty").service().send().await.refused("404", "NoSuchBucket");
}
