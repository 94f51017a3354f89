//! Tests that object versions are kept and can be restored.

use serde_json::json;

use super::POLICIES;
use crate::support::{USER, World};

#[tokio::test]
async fn every_version_can_be_read() {
    let world = World::new().await;
    world.versioned("b").await;
    for text in ["one", "two", "three"] {
        world.replace(None, "b/a", text).await.ok();
    }
    world.settle(3).await;
    let all = world.all().await;
    assert_eq!(all.iter().map(|row| row.2).collect::<Vec<_>>(), [true, false, false]);
    for (index, text) in ["three", "two", "one"].into_iter().enumerate() {
        let version = &all[index].1;
        assert_eq!(world.read(&format!("/object/b/a?versionId={version}")).await.ok().text(), text);
        let info = world.read(&format!("/object/info/b/a?versionId={version}")).await.ok().json();
        assert_eq!((&info["version"], info["archived_at"].is_null()), (&json!(version), index == 0));
        let body = json!({"expiresIn": 60, "versionId": version});
        let url = world.ask("POST", "/object/sign/b/a").service().json(body).await.ok().json()["signedURL"].clone();
        assert_eq!(world.ask("GET", url.as_str().unwrap()).send().await.ok().text(), text);
    }
    let path = format!("/s3/b/a?attributes&versionId={}", all[2].1);
    let attributes = world.ask("GET", &path).signed().header("x-amz-object-attributes", "ObjectSize").send().await.ok();
    assert_eq!(attributes.header("x-amz-version-id"), all[2].1);
    assert!(attributes.text().contains("<ObjectSize>3</ObjectSize>"), "{}", attributes.text());
    assert_eq!(world.read("/object/b/a").await.ok().text(), "three");
    // A signed URL of the object returns the current object and ignores a version id in the query.
    let body = json!({"expiresIn": 60});
    let url = world.ask("POST", "/object/sign/b/a").service().json(body).await.ok().json()["signedURL"].clone();
    let url = format!("{}&versionId={}", url.as_str().unwrap(), all[2].1);
    assert_eq!(world.ask("GET", &url).send().await.ok().text(), "three");
    let swept = world.sweep().await;
    assert_eq!((swept.blobs, world.files()), (0, 3), "a blob that a version names is no orphan");
    let bucket = world.read("/bucket/b").await.ok().json();
    assert_eq!(bucket["versioning_status"], "ENABLED");
}

#[tokio::test]
async fn a_deleted_object_comes_back() {
    let world = World::new().await;
    world.versioned("b").await;
    world.replace(None, "b/a", "one").await.ok();
    world.replace(None, "b/a", "two").await.ok();
    let id = world.read("/object/info/b/a").await.json()["id"].clone();
    let gone = world.remove(json!(["a"])).await;
    assert_eq!(gone[0]["name"], "a");
    world.read("/object/b/a").await.refused("404", "NoSuchKey");
    assert_eq!(world.ask("POST", "/object/list-v2/b").service().json(json!({})).await.json()["objects"], json!([]));
    let all = world.all().await;
    assert_eq!(
        all.iter().map(|row| (row.2, row.3)).collect::<Vec<_>>(),
        [(true, true), (false, false), (false, false)]
    );
    let markers = world.listed(json!({"deleteMarkers": "only"})).await;
    assert_eq!(markers, all[..1]);
    world.read(&format!("/object/b/a?versionId={}", all[0].1)).await.refused("404", "NoSuchKey");
    assert_eq!(world.read(&format!("/object/b/a?versionId={}", all[2].1)).await.ok().text(), "one");

    // Deleting the delete marker makes the newest version the current object again.
    let gone = world.remove(json!([{"path": "a", "versionId": all[0].1}])).await;
    assert_eq!((&gone[0]["is_delete_marker"], gone.as_array().unwrap().len()), (&json!(true), 1));
    assert_eq!(world.read("/object/b/a").await.ok().text(), "two");
    assert_eq!(world.read("/object/info/b/a").await.json()["id"], id);
    assert_eq!(
        world.all().await,
        [("a".to_owned(), all[1].1.clone(), true, false), ("a".to_owned(), all[2].1.clone(), false, false),]
    );

    // Deleting the current version makes the previous version the current object.
    world.remove(json!([{"path": "a", "versionId": all[1].1}])).await;
    assert_eq!(world.read("/object/b/a").await.ok().text(), "one");
    assert_eq!(world.read("/object/info/b/a").await.json()["id"], id, "the row stays, and what refers to it");
    world.settle(1).await;
    world.remove(json!([{"path": "a", "versionId": all[2].1}])).await;
    assert_eq!(world.all().await, []);
    world.settle(0).await;
}

#[tokio::test]
async fn an_upload_after_a_deletion_leaves_the_marker_behind() {
    let world = World::new().await;
    world.versioned("b").await;
    world.put("b/a", "one").await.ok();
    world.ask("DELETE", "/object/b/a").service().send().await.ok();
    world.put("b/a", "two").await.ok();
    world.put("b/a", "three").await.refused("409", "KeyAlreadyExists");
    let all = world.all().await;
    assert_eq!(
        all.iter().map(|row| (row.2, row.3)).collect::<Vec<_>>(),
        [(true, false), (false, true), (false, false)]
    );
    assert_eq!(world.listed(json!({"noncurrentVersions": "only"})).await, all[2..]);
    assert_eq!(world.listed(json!({"noncurrentVersions": "only", "deleteMarkers": "only"})).await, all[1..2]);
}

#[tokio::test]
async fn a_suspended_bucket_keeps_what_it_has_and_one_version_without_a_number() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "before").await.ok();
    let body = json!({"versioning_status": "ENABLED"});
    world.ask("PUT", "/bucket/b").service().json(body).await.ok();
    world.replace(None, "b/a", "kept").await.ok();
    assert_eq!(world.all().await.len(), 2, "also what was there before");
    world.suspend("b").await;
    world.replace(None, "b/a", "x").await.ok();
    // The version from before versioning was enabled also had the id `null`, so the upload of `x` has replaced it.
    let all = world.all().await;
    assert_eq!(all.len(), 2);
    assert_eq!(world.read(&format!("/object/b/a?versionId={}", all[1].1)).await.ok().text(), "kept");
    world.replace(None, "b/a", "y").await.ok();
    assert_eq!(world.all().await[1], all[1]);
    world.settle(2).await;
    assert_eq!(world.read("/object/b/a?versionId=null").await.ok().text(), "y");
    world.ask("DELETE", "/object/b/a").service().send().await.ok();
    let left = world.all().await;
    assert_eq!((left.len(), left[0].3, &left[1]), (2, true, &all[1]));
    world.settle(1).await;
    world.put("b/a", "z").await.ok();
    let left = world.all().await;
    assert_eq!((left.len(), left[0].3, &left[1]), (2, false, &all[1]));
}

#[tokio::test]
async fn versions_are_copied_moved_and_restored() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    world.replace(Some(USER), "b/a", "two").await.ok();
    let old = world.all().await[1].1.clone();
    let body = |to: &str| json!({"bucketId": "b", "sourceKey": "a", "destinationKey": to, "sourceVersionId": old});
    world.ask("POST", "/object/copy").user(USER).json(body("copy")).await.ok();
    assert_eq!(world.read("/object/b/copy").await.ok().text(), "one");
    // Moving a version to its own key makes it the current object. The previous object becomes an archived version.
    world.ask("POST", "/object/move").user(USER).json(body("a")).await.ok();
    assert_eq!(world.read("/object/b/a").await.ok().text(), "one");
    let all = world.all().await;
    assert_eq!(all.iter().filter(|row| row.0 == "a").count(), 2);
    assert_eq!(world.read(&format!("/object/b/a?versionId={}", all[1].1)).await.ok().text(), "two");
    // Moving an object leaves a delete marker at its old key.
    let body = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "moved"});
    world.ask("POST", "/object/move").user(USER).json(body).await.ok();
    let all = world.all().await;
    let of = |name: &str| all.iter().filter(|row| row.0 == name).map(|row| (row.2, row.3)).collect::<Vec<_>>();
    assert_eq!((of("a"), of("moved")), (vec![(true, true), (false, false)], vec![(true, false)]));
    world.put("b/a", "three").await.ok();
    world.sweep().await;
    assert_eq!(world.files(), 4);
}

#[tokio::test]
async fn what_a_suspended_bucket_calls_null_moves_to_its_own_key() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "before").await.ok();
    world.keep_versions("b").await;
    world.replace(None, "b/a", "kept").await.ok();
    world.suspend("b").await;
    let body = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "a", "sourceVersionId": "null"});
    world.ask("POST", "/object/move").service().json(body).await.ok();
    assert_eq!(world.read("/object/b/a").await.ok().text(), "before");
    let all = world.all().await;
    assert_eq!(all.len(), 2);
    assert_eq!(world.read(&format!("/object/b/a?versionId={}", all[1].1)).await.ok().text(), "kept");
    world.sweep().await;
    assert_eq!((world.files(), world.read("/object/b/a").await.ok().text()), (2, "before".to_owned()));
}

#[tokio::test]
async fn what_comes_back_was_made_then_and_changed_now() {
    let world = World::new().await;
    world.versioned("b").await;
    for text in ["one", "two"] {
        world.replace(None, "b/a", text).await.ok();
    }
    world.sql("update cloch.object_versions set created_at = created_at - interval '9 days', updated_at = updated_at - interval '9 days'").await;
    let all = world.all().await;
    let recent = "select count(*) from storage.objects
                   where created_at < now() - interval '8 days' and updated_at > now() - interval '1 minute'";
    // Restore an object version into the existing row, and later into a new row.
    world.remove(json!([{"path": "a", "versionId": all[0].1}])).await;
    assert_eq!(world.count(recent).await, 1);
    world.remove(json!(["a"])).await;
    world.sql("update cloch.object_versions set updated_at = updated_at - interval '9 days'").await;
    let marker = world.all().await[0].1.clone();
    world.remove(json!([{"path": "a", "versionId": marker}])).await;
    assert_eq!((world.count(recent).await, world.read("/object/b/a").await.ok().text()), (1, "one".to_owned()));

    // Rows inserted by SQL do not archive the delete marker of the object.
    world.remove(json!(["a"])).await;
    world.sql("insert into storage.objects (bucket_id, name, version) values ('b', 'a', gen_random_uuid())").await;
    let marker = world.listed(json!({"deleteMarkers": "only"})).await[0].1.clone();
    world.remove(json!([{"path": "a", "versionId": marker}])).await;
    assert_eq!(world.count("select count(*) from cloch.object_versions where not is_delete_marker").await, 1);
}

#[tokio::test]
async fn no_version_is_the_one_that_is_there() {
    let world = World::new().await;
    world.versioned("b").await;
    world.put("b/a", "one").await.ok();
    for version in [json!(null), json!("")] {
        let body = json!({"expiresIn": 60, "versionId": version});
        let url = world.ask("POST", "/object/sign/b/a").service().json(body).await.ok().json()["signedURL"].clone();
        assert_eq!(world.ask("GET", url.as_str().unwrap()).send().await.ok().text(), "one");
    }
}
