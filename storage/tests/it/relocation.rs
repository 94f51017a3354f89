use serde_json::{Value, json};

use crate::support::{USER, World};

async fn world(policies: &str) -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.bucket("c", false).await;
    world.put("b/a.txt", "hello").await.ok();
    world.sql(policies).await;
    world
}

fn to(name: &str) -> Value {
    json!({"bucketId": "b", "sourceKey": "a.txt", "destinationKey": name})
}

const READ_A: &str = "create policy s on storage.objects for select to authenticated using (name = 'a.txt')";

#[tokio::test]
async fn what_cannot_be_seen_cannot_be_moved_or_copied() {
    let world = world("create policy i on storage.objects for insert to authenticated with check (true)").await;
    world.ask("POST", "/object/move").user(USER).json(to("n")).await.refused("404", "NoSuchKey");
    world.ask("POST", "/object/copy").user(USER).json(to("n")).await.refused("404", "NoSuchKey");
    world.sql(READ_A).await;
    world.ask("POST", "/object/move").user(USER).json(to("n")).await.refused("404", "NoSuchKey");
    world.ask("POST", "/object/copy").user(USER).json(to("n")).await.ok();
    assert_eq!(world.files(), 2);
}

#[tokio::test]
async fn the_new_name_must_pass_the_policies_too() {
    let world = world(READ_A).await;
    world.sql("create policy u on storage.objects for update to authenticated using (name = 'a.txt')").await;
    world.ask("POST", "/object/move").user(USER).json(to("n")).await.refused("403", "AccessDenied");
    world.ask("POST", "/object/copy").user(USER).json(to("n")).await.refused("403", "AccessDenied");
    assert_eq!(world.files(), 1);
    world.ask("GET", "/object/b/a.txt").service().send().await.ok();
}

#[tokio::test]
async fn moving_keeps_the_row_and_the_bytes() {
    let world = world("").await;
    world.put("b/taken", "x").await.ok();
    let before = world.ask("GET", "/object/info/b/a.txt").service().send().await.ok().json();
    world.ask("POST", "/object/move").service().json(to("taken")).await.refused("409", "ResourceAlreadyExists");
    world.ask("POST", "/object/move").service().json(to("%%")).await.refused("400", "InvalidKey");
    world.ask("POST", "/object/move").service().json(to("a.txt")).await.ok();
    let elsewhere = json!({"bucketId": "b", "sourceKey": "a.txt", "destinationBucket": "none", "destinationKey": "n"});
    let reply = world.ask("POST", "/object/move").service().json(elsewhere).await.refused("404", "InvalidRequest");
    assert_eq!(reply.json()["message"], "The related resource does not exist");
    let elsewhere = json!({"bucketId": "b", "sourceKey": "a.txt", "destinationBucket": "c", "destinationKey": "x/n"});
    let moved = world.ask("POST", "/object/move").service().json(elsewhere).await.ok();
    assert_eq!(moved.json(), json!({"message": "Successfully moved"}));
    let after = world.ask("GET", "/object/info/c/x/n").service().send().await.ok().json();
    assert_eq!((&after["id"], &after["created_at"]), (&before["id"], &before["created_at"]));
    assert_eq!(world.ask("GET", "/object/c/x/n").service().send().await.text(), "hello");
    world.ask("GET", "/object/b/a.txt").service().send().await.refused("404", "NoSuchKey");
}

#[tokio::test]
async fn a_copy_stands_alone() {
    let world = world("").await;
    let copied = world.ask("POST", "/object/copy").service().json(to("n")).await.ok().json();
    assert_eq!(
        (&copied["Key"], &copied["name"], &copied["metadata"]["mimetype"]),
        (&json!("b/n"), &json!("n"), &json!("text/plain"))
    );
    assert_eq!(copied["Id"], copied["id"]);
    world.ask("POST", "/object/copy").service().json(to("n")).await.refused("409", "KeyAlreadyExists");
    world.ask("POST", "/object/copy").service().header("x-upsert", "true").json(to("n")).await.ok();
    world.settle(2).await;
    world.ask("DELETE", "/object/b/a.txt").service().send().await.ok();
    world.settle(1).await;
    assert_eq!(world.ask("GET", "/object/b/n").service().send().await.text(), "hello");
    let change = json!({"bucketId": "b", "sourceKey": "n", "destinationKey": "m", "copyMetadata": false,
        "metadata": {"mimetype": "text/css"}});
    let changed = world.ask("POST", "/object/copy").service().json(change).await.ok().json();
    assert_eq!((&changed["metadata"]["mimetype"], &changed["user_metadata"]), (&json!("text/css"), &Value::Null));
}

#[tokio::test]
async fn a_signed_upload_needs_the_right_when_it_is_signed_and_none_when_it_is_used() {
    let world = world("").await;
    world.ask("POST", "/object/upload/sign/b/n").user(USER).json(json!({})).await.refused("403", "AccessDenied");
    world.ask("POST", "/object/upload/sign/none/n").service().json(json!({})).await.refused("404", "InvalidRequest");
    world.ask("POST", "/object/upload/sign/b/a.txt").service().json(json!({})).await.refused("409", "KeyAlreadyExists");
    world.sql("create policy i on storage.objects for insert to authenticated with check (true)").await;
    let signed = world.ask("POST", "/object/upload/sign/b/n").user(USER).json(json!({})).await.ok().json();
    let url = signed["url"].as_str().unwrap();
    assert!(url.ends_with(signed["token"].as_str().unwrap()));
    world.ask("PUT", &url.replace("/n?", "/m?")).body("x").await.refused("400", "InvalidSignature");
    world.ask("PUT", "/object/upload/sign/b/n").body("x").await.refused("400", "InvalidRequest");
    let stored = world.ask("PUT", url).header("content-type", "text/plain").body("hi").await.ok();
    assert_eq!(stored.json(), json!({"Key": "b/n"}));
    world.ask("PUT", url).header("x-upsert", "true").body("x").await.refused("409", "KeyAlreadyExists");
    assert_eq!(world.count(&format!("select count(*) from storage.objects where owner_id = '{USER}'")).await, 1);
    let info = world.ask("GET", "/object/sign/b/n?token=x").send().await;
    info.refused("400", "InvalidJWT");
    let download = format!("/object/sign/b/n?token={}", signed["token"].as_str().unwrap());
    world.ask("GET", &download).send().await.refused("400", "InvalidSignature");
}

#[tokio::test]
async fn pages_of_the_second_listing() {
    let world = world("").await;
    for name in ["a/1", "a/2", "b/x", "z"] {
        world.put(&format!("c/{name}"), "x").await.ok();
    }
    let mut body = json!({"limit": 1, "with_delimiter": true, "sortBy": {"column": "name", "order": "desc"}});
    let mut names = Vec::new();
    loop {
        let page = world.ask("POST", "/object/list-v2/c").service().json(body.clone()).await.ok().json();
        for list in ["folders", "objects"] {
            names.extend(page[list].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()));
        }
        if page["hasNext"] == false {
            assert!(page.get("nextCursor").is_none());
            break;
        }
        body["cursor"] = page["nextCursor"].clone();
    }
    assert_eq!(names, ["z", "b/", "a/"]);
    for column in ["name", "created_at", "updated_at"] {
        let mut body = json!({"limit": 2, "prefix": "", "sortBy": {"column": column, "order": "asc"}});
        let mut count = 0;
        loop {
            let page = world.ask("POST", "/object/list-v2/c").service().json(body.clone()).await.ok().json();
            count += page["objects"].as_array().unwrap().len();
            assert_eq!(page["objects"][0].get("key"), None);
            if page["hasNext"] == false {
                break;
            }
            body["cursor"] = page["nextCursor"].clone();
        }
        assert_eq!(count, 4, "{column}");
    }
    world
        .ask("POST", "/object/list-v2/c")
        .service()
        .json(json!({"cursor": "???"}))
        .await
        .refused("400", "InvalidParameter");
    let none = world.ask("POST", "/object/list-v2/c").user(USER).json(json!({})).await.ok().json();
    assert_eq!(none, json!({"hasNext": false, "folders": [], "objects": []}));
}
