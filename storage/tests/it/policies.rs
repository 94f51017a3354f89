use crate::support::{OTHER, USER, World};
use serde_json::json;

/// Creates a storage API under test with a private bucket `b`, an object `a.txt` in it, and the given RLS policies on storage.objects.
async fn world(policies: &str) -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a.txt", "secret").await.ok();
    world.sql(policies).await;
    world
}

#[tokio::test]
async fn without_policies_everything_is_refused() {
    let world = world("").await;
    world.ask("GET", "/object/b/a.txt").user(USER).send().await.refused("404", "NoSuchKey");
    world.ask("GET", "/object/authenticated/b/a.txt").anon().send().await.refused("404", "NoSuchKey");
    world.ask("GET", "/object/b/a.txt").send().await.refused("404", "NoSuchBucket");
    world.ask("GET", "/object/public/b/a.txt").service().send().await.refused("404", "NoSuchBucket");
    world.ask("GET", "/object/info/b/a.txt").user(USER).send().await.refused("404", "NoSuchKey");
    assert_eq!(world.ask("HEAD", "/object/b/a.txt").user(USER).send().await.status, 400);
    world.ask("POST", "/object/b/new").user(USER).body("x").await.refused("403", "AccessDenied");
    world.ask("POST", "/object/b/a.txt").user(USER).body("x").await.refused("403", "AccessDenied");
    world.ask("PUT", "/object/b/a.txt").user(USER).body("x").await.refused("403", "AccessDenied");
    world.ask("DELETE", "/object/b/a.txt").user(USER).send().await.refused("403", "AccessDenied");
    world
        .ask("POST", "/object/sign/b/a.txt")
        .user(USER)
        .json(json!({"expiresIn": 60}))
        .await
        .refused("404", "NoSuchKey");
    let many = world.ask("POST", "/object/sign/b").user(USER).json(json!({"expiresIn": 60, "paths": ["a.txt"]}));
    assert_eq!(many.await.ok().json()[0]["signedURL"], json!(null));
    let listed = world.ask("POST", "/object/list/b").user(USER).json(json!({"prefix": ""})).await.ok();
    assert_eq!(listed.json(), json!([]));
    let deleted = world.ask("DELETE", "/object/b").user(USER).json(json!({"prefixes": ["a.txt"]})).await.ok();
    assert_eq!(deleted.json(), json!([]));
    assert_eq!(world.files(), 1);
    world.ask("GET", "/object/b/a.txt").service().send().await.ok();
}

#[tokio::test]
async fn insert_alone_is_enough_to_upload_and_to_nothing_else() {
    let world = world("create policy i on storage.objects for insert to anon with check (bucket_id = 'b')").await;
    let stored = world.ask("POST", "/object/b/new.txt").anon().body("hello").await.ok().json();
    assert_eq!(stored["Key"], "b/new.txt");
    assert!(stored["Id"].as_str().is_some());
    world.ask("POST", "/object/b/new.txt").anon().body("again").await.refused("409", "KeyAlreadyExists");
    world
        .ask("POST", "/object/b/up.txt")
        .anon()
        .header("x-upsert", "true")
        .body("x")
        .await
        .refused("403", "AccessDenied");
    world.ask("PUT", "/object/b/up.txt").anon().body("x").await.refused("403", "AccessDenied");
    world.ask("GET", "/object/b/new.txt").anon().send().await.refused("404", "NoSuchKey");
    world.ask("DELETE", "/object/b/new.txt").anon().send().await.refused("403", "AccessDenied");
    assert_eq!(world.ask("GET", "/object/b/new.txt").service().send().await.text(), "hello");
    assert_eq!(world.files(), 2);
}

#[tokio::test]
async fn policies_see_the_file_before_its_bytes() {
    let world = world(
        "create policy i on storage.objects for insert to authenticated with check (
           metadata->>'mimetype' = 'image/png' and (metadata->>'contentLength')::int <= 5
           and (storage.foldername(name))[1] = auth.uid()::text and owner_id = auth.uid()::text
           and storage.operation() = 'storage.object.upload')",
    )
    .await;
    let at = |id: &str| format!("/object/b/{id}/x.png");
    let send = async |path: String, kind: &str, body: &str| {
        let length = body.len().to_string();
        world
            .ask("POST", &path)
            .user(USER)
            .header("content-type", kind)
            .header("content-length", &length)
            .body(body.to_owned())
            .await
    };
    send(at(OTHER), "image/png", "12345").await.refused("403", "AccessDenied");
    send(at(USER), "image/gif", "12345").await.refused("403", "AccessDenied");
    send(at(USER), "image/png", "123456").await.refused("403", "AccessDenied");
    send(at(USER), "image/png", "12345").await.ok();
    let owner =
        world.count("select count(*) from storage.objects where owner::text = owner_id and name like '%x.png'").await;
    assert_eq!(owner, 1);
}

#[tokio::test]
async fn an_upsert_needs_select_and_update_where_the_key_is_taken() {
    let world = world(
        "create policy i on storage.objects for insert to authenticated with check (true);
         create policy s on storage.objects for select to authenticated using (true)",
    )
    .await;
    world.ask("PUT", "/object/b/new.txt").user(USER).body("x").await.ok();
    world.ask("PUT", "/object/b/a.txt").user(USER).body("x").await.refused("403", "AccessDenied");
    world.sql("create policy u on storage.objects for update to authenticated using (true)").await;
    world.ask("PUT", "/object/b/a.txt").user(USER).body("replaced").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a.txt").user(USER).send().await.text(), "replaced");
    world.settle(2).await;
}

#[tokio::test]
async fn a_raising_trigger_shows_its_code_only() {
    let world = world(
        "create function no() returns trigger language plpgsql as $$ begin raise 'the secret reason'; end $$;
         create trigger no before insert on storage.objects for each row execute function no()",
    )
    .await;
    let reply = world.put("b/new", "x").await.refused("500", "DatabaseError");
    assert_eq!((reply.status.as_u16(), reply.json()["message"].as_str()), (500, Some("database error, code: P0001")));
    assert_eq!(world.files(), 1);
}
