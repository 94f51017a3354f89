//! Tests the deletion of object versions when buckets are emptied and by lifecycle rules.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{USER, World};

impl World {
    async fn rules(&self, bucket: &str, rules: Value) {
        let path = format!("/bucket/{bucket}/lifecycle");
        self.ask("PUT", &path).service().json(json!({"rules": rules})).await.ok();
    }

    /// Changes the times of all objects to more than ten days ago.
    async fn age(&self) {
        self.sql(
            "set session_replication_role = replica;
             update storage.objects set updated_at = now() - interval '11 days', created_at = now() - interval '11 days';
             set session_replication_role = origin",
        )
        .await;
    }
}

#[tokio::test]
async fn a_bucket_with_versions_is_deleted_once_it_is_emptied() {
    let world = World::new().await;
    world.versioned("b").await;
    world.replace(None, "b/a", "one").await.ok();
    world.replace(None, "b/a", "two").await.ok();
    world.remove(json!(["a"])).await;
    world.ask("DELETE", "/bucket/b").service().send().await.refused("409", "ResourceNotEmpty");
    world.ask("POST", "/bucket/b/empty").user(USER).json(json!({})).await.refused("403", "AccessDenied");
    world.ask("POST", "/bucket/b/empty").service().json(json!({})).await.ok();
    assert_eq!((world.all().await.len(), world.files()), (0, 0));
    world.ask("DELETE", "/bucket/b").service().send().await.ok();
}

#[tokio::test]
async fn lifecycle_rules_are_the_bucket_owners() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let rules = json!({"rules": [{"id": "x", "status": "Enabled", "filter": {}, "noncurrentVersionExpiration": {"noncurrentDays": 30, "newerNoncurrentVersions": 2}}]});
    let path = "/bucket/b/lifecycle";
    world.ask("GET", path).service().send().await.refused("404", "NoSuchLifecycleConfiguration");
    world.ask("GET", path).user(USER).send().await.refused("404", "NoSuchBucket");
    world.ask("PUT", path).user(USER).json(rules.clone()).await.refused("404", "NoSuchBucket");
    world.ask("DELETE", path).user(USER).send().await.refused("404", "NoSuchBucket");
    world.ask("PUT", path).service().json(json!({"rules": []})).await.refused("400", "InvalidRequest");
    world.sql("create policy s on storage.buckets for select to authenticated using (true)").await;
    world.ask("PUT", path).user(USER).json(rules.clone()).await.refused("404", "NoSuchBucket");
    assert_eq!(world.ask("PUT", path).service().json(rules.clone()).await.ok().json(), rules);
    assert_eq!(world.ask("GET", path).user(USER).send().await.ok().json(), rules);
    world.sql("create policy u on storage.buckets for update to authenticated using (true)").await;
    let gone = world.ask("DELETE", path).user(USER).send().await.ok().json();
    assert_eq!(gone, json!({"message": "Successfully deleted"}));
    world.ask("DELETE", path).service().send().await.ok();
    world.ask("GET", path).service().send().await.refused("404", "NoSuchLifecycleConfiguration");
}

#[tokio::test]
async fn the_sweep_expires_what_the_rules_name_and_nothing_else() {
    let world = World::new().await;
    world.versioned("b").await;
    world.versioned("other").await;
    for text in ["1", "2", "3", "4", "5"] {
        world.replace(None, "b/a", text).await.ok();
        world.replace(None, "b/keep/a", text).await.ok();
        world.replace(None, "other/a", text).await.ok();
    }
    let rules = |status: &str| json!({"rules": [{"status": status, "filter": {"prefix": "a"}, "noncurrentVersionExpiration": {"noncurrentDays": 3, "newerNoncurrentVersions": 1}}]});
    let put = async |rules: Value| world.ask("PUT", "/bucket/b/lifecycle").service().json(rules).await.ok();
    let age = "update cloch.object_versions set archived_at = archived_at - interval '4 days'";
    put(rules("Enabled")).await;
    assert_eq!(world.sweep().await.expired_objects, 0, "they are young");
    world.sql(age).await;
    put(rules("Disabled")).await;
    assert_eq!(world.sweep().await.expired_objects, 0, "the rule is off");
    put(rules("Enabled")).await;
    assert_eq!(world.sweep().await.expired_objects, 3);
    assert_eq!(world.count("select count(*) from cloch.object_versions where bucket_id = 'b' and name = 'a'").await, 1);
    assert_eq!(world.count("select count(*) from cloch.object_versions").await, 1 + 4 + 4);
    assert_eq!(world.read("/object/b/a").await.ok().text(), "5");
    world.settle(2 + 5 + 5).await;

    // When the current object expires, it becomes an archived version and a delete marker is added. The marker is deleted when no version
    // remains.
    put(json!({"rules": [
        {"status": "Enabled", "filter": {}, "expiration": {"days": 10}},
        {"status": "Enabled", "filter": {}, "noncurrentVersionExpiration": {"noncurrentDays": 3}},
        {"status": "Enabled", "filter": {}, "expiration": {"expiredObjectDeleteMarker": true}},
    ]}))
    .await;
    world.sql("set session_replication_role = replica; update storage.objects set updated_at = now() - interval '11 days' where bucket_id = 'b'; set session_replication_role = origin").await;
    assert_eq!(world.sweep().await.expired_objects, 2 + 5, "two objects, and the versions from before");
    world.read("/object/b/a").await.refused("404", "NoSuchKey");
    assert_eq!(world.all().await.len(), 4);
    world.sql(age).await;
    assert_eq!(world.sweep().await.expired_objects, 2 + 2, "what they had become, and the markers");
    assert_eq!((world.all().await.len(), world.read("/object/other/a").await.text()), (0, "5".to_owned()));
    world.settle(5).await;
}

#[tokio::test]
async fn an_upload_while_the_old_object_expires_stays() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "old").await.ok();
    world.put("b/c", "old").await.ok();
    world.rules("b", json!([{"status": "Enabled", "filter": {}, "expiration": {"days": 10}}])).await;
    world.age().await;
    let mut upload = cloch_sql::transaction::begin(world.database.superuser()).await.unwrap();
    sqlx::query("update storage.objects set metadata = metadata || '{\"new\": true}' where name = 'a'")
        .execute(&mut *upload)
        .await
        .unwrap();
    let uploaded = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        upload.commit().await.unwrap();
    };
    let (swept, ()) = tokio::join!(world.sweep(), uploaded);
    assert_eq!(swept.expired_objects, 1);
    assert_eq!(world.read("/object/b/a").await.ok().text(), "old");
    assert_eq!(world.sweep().await.expired_objects, 0);
}

#[tokio::test]
async fn a_rule_that_fails_stops_nothing_else() {
    let world = World::new().await;
    for bucket in ["a", "b", "c"] {
        world.bucket(bucket, false).await;
        for name in ["1", "2", "3"] {
            world.put(&format!("{bucket}/{name}"), "x").await.ok();
        }
        world.rules(bucket, json!([{"status": "Enabled", "filter": {}, "expiration": {"days": 10}}])).await;
    }
    world.put("a/lost", "x").await.ok();
    world.age().await;
    world
        .sql(
            "create table public.kept (id uuid references storage.objects);
             insert into public.kept select id from storage.objects where bucket_id = 'a' and name = '2';
             set storage.allow_delete_query = 'true'; delete from storage.objects where name = 'lost';
             update cloch.bucket_lifecycles set rules = '[{\"status\": \"Enabled\", \"filter\": {}, \"expiration\": {\"days\": 2147483647}}]'
              where bucket_id = 'b'",
        )
        .await;
    let swept = world.sweep().await;
    assert_eq!((swept.expired_objects, swept.blobs), (2 + 3, 1));
    let left = "select count(*) from storage.objects where (bucket_id, name) = ('a', '2') or bucket_id = 'b'";
    assert_eq!((world.count(left).await, world.count("select count(*) from storage.objects").await), (4, 4));
    world.sql("delete from public.kept").await;
    assert_eq!(world.sweep().await.expired_objects, 1);
    let rules = json!({"rules": [{"status": "Enabled", "filter": {}, "expiration": {"days": 36_501}}]});
    world.ask("PUT", "/bucket/a/lifecycle").service().json(rules).await.refused("400", "InvalidRequest");
}

#[tokio::test]
async fn what_a_bucket_deleted_in_sql_leaves_is_swept() {
    let world = World::new().await;
    world.versioned("b").await;
    world.versioned("other").await;
    for path in ["b/a", "b/a", "other/a", "other/a"] {
        world.replace(None, path, "x").await.ok();
    }
    world.rules("b", json!([{"status": "Enabled", "filter": {}, "expiration": {"days": 10}}])).await;
    world.sql("set storage.allow_delete_query = 'true'; delete from storage.objects where bucket_id = 'b'; delete from storage.buckets where id = 'b'").await;
    world
        .sql(
            "insert into cloch.object_versions (bucket_id, name, version, object_id, archived_at, is_versioned)
             select 'b', 'z' || number, gen_random_uuid(), gen_random_uuid(), now(), true from generate_series(1, 1200) as number",
        )
        .await;
    world.sweep().await;
    assert_eq!(world.count("select count(*) from cloch.object_versions").await, 1);
    assert_eq!(world.count("select count(*) from cloch.bucket_lifecycles").await, 0);
}
