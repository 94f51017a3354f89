//! Tests the permissions to see and delete object versions.

use std::time::Duration;

use serde_json::json;

use super::{POLICIES, rows};
use crate::support::{OTHER, USER, World};

#[tokio::test]
async fn what_may_not_be() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    world.replace(Some(USER), "b/a", "two").await.ok();
    let old = world.all().await[1].1.clone();
    let path = format!("/object/authenticated/b/a?versionId={old}");
    world.ask("GET", &path).user(OTHER).send().await.refused("404", "NoSuchKey");
    world.ask("GET", &path).anon().send().await.refused("404", "NoSuchKey");
    world.ask("GET", &format!("/object/public/b/a?versionId={old}")).send().await.refused("404", "NoSuchBucket");
    world.ask("GET", &format!("/object/info/b/a?versionId={old}")).user(OTHER).send().await.refused("404", "NoSuchKey");
    let sign = json!({"expiresIn": 60, "versionId": old});
    world.ask("POST", "/object/sign/b/a").user(OTHER).json(sign).await.refused("404", "NoSuchKey");
    let copy = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "c", "sourceVersionId": old});
    world.ask("POST", "/object/copy").user(OTHER).json(copy.clone()).await.refused("404", "NoSuchKey");
    world.ask("POST", "/object/move").user(OTHER).json(copy).await.refused("404", "NoSuchKey");
    let items = json!({"prefixes": [{"path": "a", "versionId": old}]});
    let gone = world.ask("DELETE", "/object/b").user(OTHER).json(items.clone()).await.ok().json();
    assert_eq!(gone, json!([]));
    let options = json!({"noncurrentVersions": "include"});
    let seen = world.ask("POST", "/object/list-v2/b").user(OTHER).json(options.clone()).await.ok().json();
    assert_eq!(seen["objects"], json!([]));
    assert_eq!(world.all().await.len(), 2, "nothing is lost");

    // The same rule applies to a deleted object: only the owner of the deleted object has access to its versions.
    world.ask("DELETE", "/object/b/a").user(USER).send().await.ok();
    world.ask("GET", &path).user(OTHER).send().await.refused("404", "NoSuchKey");
    let gone = world.ask("DELETE", "/object/b").user(OTHER).json(items).await.ok().json();
    assert_eq!(gone, json!([]));
    let seen = world.ask("POST", "/object/list-v2/b").user(OTHER).json(options.clone()).await.ok().json();
    assert_eq!(seen["objects"], json!([]));
    let seen = world.ask("POST", "/object/list-v2/b").user(USER).json(options).await.ok().json();
    assert_eq!(rows(&seen["objects"]).len(), 2);
    assert_eq!(world.ask("GET", &path).user(USER).send().await.ok().text(), "one");
    assert_eq!(
        world.count("select count(*) from storage.objects").await,
        0,
        "what was put back for the policies is gone"
    );

    for (method, path, body) in [
        ("PUT", "/bucket/b", json!({"versioning_status": "DISABLED"})),
        ("POST", "/bucket", json!({"name": "c", "versioning_status": "SUSPENDED"})),
        ("POST", "/bucket", json!({"name": "c", "versioning_status": "ON"})),
        ("DELETE", "/object/b", json!({"prefixes": [{"path": "a"}]})),
        ("DELETE", "/object/b", json!({"prefixes": []})),
        ("POST", "/object/list-v2/b", json!({"noncurrentVersions": "some"})),
        ("POST", "/object/list-v2/b", json!({"exactMatch": true, "sortBy": {"column": "created_at"}})),
    ] {
        world.ask(method, path).service().json(body).await.refused("400", "InvalidRequest");
    }
    for version in ["", "null", "x", "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10", "'; drop table x"] {
        let path = format!("/object/b/a?versionId={}", version.replace([' ', ';'], "%20"));
        world.read(&path).await.refused("404", "NoSuchKey");
    }
}

#[tokio::test]
async fn a_version_stays_its_owners_when_another_takes_the_key() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    for name in ["uploaded", "moved"] {
        world.replace(Some(USER), &format!("b/{name}"), "mine").await.ok();
        world.ask("DELETE", &format!("/object/b/{name}")).user(USER).send().await.ok();
    }
    let mine = world.all().await;
    world.replace(Some(OTHER), "b/uploaded", "theirs").await.ok();
    world.replace(Some(OTHER), "b/x", "theirs").await.ok();
    let body = json!({"bucketId": "b", "sourceKey": "x", "destinationKey": "moved"});
    world.ask("POST", "/object/move").user(OTHER).json(body).await.ok();
    for (name, version, _, is_marker) in &mine {
        let path = format!("/object/authenticated/b/{name}?versionId={version}");
        world.ask("GET", &path).user(OTHER).send().await.refused("404", "NoSuchKey");
        let copy = json!({"bucketId": "b", "sourceKey": name, "destinationKey": "c", "sourceVersionId": version});
        world.ask("POST", "/object/copy").user(OTHER).json(copy).await.refused("404", "NoSuchKey");
        assert_eq!(world.discard(OTHER, name, version).await, 0);
        if !is_marker {
            assert_eq!(world.ask("GET", &path).user(USER).send().await.ok().text(), "mine");
        }
    }
    let seen = |rows: Vec<(String, String, bool, bool)>| rows.into_iter().map(|row| row.1).collect::<Vec<_>>();
    let (of_owner, of_other) = (seen(world.all_of(USER).await), seen(world.all_of(OTHER).await));
    assert_eq!(of_other.len(), 3, "two objects, and the marker where one was moved from");
    assert!(of_other.iter().all(|version| !of_owner.contains(version)));
    assert_eq!(of_owner.len(), 4);
    for (name, version, ..) in &mine {
        assert_eq!(world.discard(USER, name, version).await, 1);
    }
    assert_eq!(world.all_of(USER).await, []);
    assert_eq!(world.read("/object/b/uploaded").await.ok().text(), "theirs");
}

#[tokio::test]
async fn a_trigger_that_fails_lets_nobody_delete() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.sql(POLICIES).await;
    world
        .sql(&format!(
            "create table public.people (id text primary key);
             create table public.uploads (person text references public.people);
             insert into public.people values ('{USER}');
             create function public.log_upload() returns trigger language plpgsql security definer as $$
             begin insert into public.uploads values (new.owner_id); return new; end $$;
             create trigger log_upload after insert on storage.objects for each row execute function public.log_upload()"
        ))
        .await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    world.keep_versions("b").await;
    world.ask("DELETE", "/object/b/a").user(USER).send().await.ok();
    // Simulates that the owner of the file has been deleted.
    world.sql("delete from public.uploads; delete from public.people").await;
    let items = json!({"prefixes": [{"path": "a", "versionId": "null"}]});
    let gone = world.ask("DELETE", "/object/b").anon().json(items).await.ok().json();
    assert_eq!(gone, json!([]));
    assert_eq!(world.discard(OTHER, "a", "null").await, 0);
    assert_eq!(world.read("/object/b/a?versionId=null").await.ok().text(), "one");
    assert_eq!(world.discard(USER, "a", "null").await, 1);
}

#[tokio::test]
async fn a_trigger_that_sets_owners_takes_nobody_for_the_owner() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    world
        .sql(
            "create function public.set_owner() returns trigger language plpgsql as $$
             begin new.owner_id := coalesce(auth.uid()::text, new.owner_id); return new; end $$;
             create trigger set_owner before insert or update on storage.objects for each row execute function public.set_owner()",
        )
        .await;
    for text in ["one", "two"] {
        world.replace(Some(USER), "b/a", text).await.ok();
    }
    world.ask("DELETE", "/object/b/a").user(USER).send().await.ok();
    let all = world.all().await;
    for (_, version, ..) in &all {
        let path = format!("/object/authenticated/b/a?versionId={version}");
        world.ask("GET", &path).user(OTHER).send().await.refused("404", "NoSuchKey");
        assert_eq!(world.discard(OTHER, "a", version).await, 0);
    }
    assert_eq!(world.all_of(OTHER).await, []);
    // An editor may delete objects of other users, but does not become the owner of these objects.
    world
        .sql(&format!(
            "create policy editor on storage.objects for all to authenticated using (auth.uid() = '{OTHER}')"
        ))
        .await;
    let of_user = format!("select count(*) from storage.objects where owner_id = '{USER}'");
    assert_eq!(world.discard(OTHER, "a", &all[0].1).await, 1);
    assert_eq!(world.count(&of_user).await, 1, "the row that came back");
    assert_eq!(world.discard(OTHER, "a", &all[1].1).await, 1);
    assert_eq!(world.count(&of_user).await, 1, "the row that was updated");
    assert_eq!(world.read("/object/b/a").await.ok().text(), "one");
}

#[tokio::test]
async fn a_public_bucket_serves_nobody_what_was_deleted() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "deleted").await.ok();
    world.replace(Some(USER), "b/c", "there").await.ok();
    world.keep_versions("b").await;
    world.ask("DELETE", "/object/b/a").user(USER).send().await.ok();
    for path in ["/object/public/b/a", "/object/b/a", "/object/info/public/b/a", "/render/image/public/b/a"] {
        world.ask("GET", &format!("{path}?versionId=null")).send().await.refused("404", "NoSuchKey");
    }
    for path in ["/object/authenticated/b/a", "/object/b/a", "/object/info/b/a"] {
        let path = format!("{path}?versionId=null");
        world.ask("GET", &path).anon().send().await.refused("404", "NoSuchKey");
        world.ask("GET", &path).user(OTHER).send().await.refused("404", "NoSuchKey");
        world.ask("GET", &path).user(USER).send().await.ok();
    }
    assert_eq!(world.ask("GET", "/object/public/b/c?versionId=null").send().await.ok().text(), "there");
    let body = json!({"expiresIn": 60, "versionId": "null"});
    world.ask("POST", "/object/sign/b/a").user(OTHER).json(body.clone()).await.refused("404", "NoSuchKey");
    let url = world.ask("POST", "/object/sign/b/a").user(USER).json(body).await.ok().json()["signedURL"].clone();
    assert_eq!(world.ask("GET", url.as_str().unwrap()).send().await.ok().text(), "deleted");
    // The signed URL refers to the version that had the id `null` when the URL was signed, not to a later version with this id.
    world.suspend("b").await;
    world.replace(Some(USER), "b/a", "later").await.ok();
    world.ask("GET", url.as_str().unwrap()).send().await.refused("404", "NoSuchKey");
}

#[tokio::test]
async fn a_request_that_names_a_version_changes_no_other() {
    let world = World::new().await;
    world.bucket("plain", false).await;
    world.put("plain/a", "kept").await.ok();
    let unknown = "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10";
    let path = format!("/object/plain/a?versionId={unknown}");
    world.ask("DELETE", &path).service().send().await.refused("404", "NoSuchKey");
    for method in ["POST", "PUT"] {
        let asked = world.ask(method, &path).service().header("x-upsert", "true").header("content-type", "text/plain");
        asked.body("new").await.refused("400", "InvalidRequest");
    }
    let many = json!({"prefixes": ["a"]});
    world.ask("DELETE", "/object/plain?versionId=null").service().json(many).await.refused("400", "InvalidRequest");
    assert_eq!(world.read("/object/plain/a").await.ok().text(), "kept");

    world.versioned("b").await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    world.replace(Some(USER), "b/a", "two").await.ok();
    let old = format!("/object/b/a?versionId={}", world.all().await[1].1);
    world.ask("DELETE", &old).user(OTHER).send().await.refused("404", "NoSuchKey");
    world.sql("create policy read on storage.objects for select to authenticated using (true)").await;
    world.ask("DELETE", &old).user(OTHER).send().await.refused("403", "AccessDenied");
    assert_eq!(world.all().await.len(), 2);
    world.ask("DELETE", &old).user(USER).send().await.ok();
    assert_eq!((world.all().await.len(), world.read("/object/b/a").await.ok().text()), (1, "two".to_owned()));
}

#[tokio::test]
async fn policies_are_asked_as_the_database_asks_them() {
    let world = World::new().await;
    world.versioned("b").await;
    world
        .sql(
            "create table public.shares (object_id uuid, reader text);
             grant select on public.shares to authenticated;
             create policy shared on storage.objects for select to authenticated using (
               exists (select from public.shares as s where s.object_id = objects.id and s.reader = auth.uid()::text)
               or (storage.foldername(name))[1] = auth.uid()::text and path_tokens[1] = auth.uid()::text);
             create policy texts on storage.objects as restrictive for select to public using (metadata ->> 'mimetype' = 'text/plain');
             create policy nothing on storage.objects for select to anon using (false)",
        )
        .await;
    let folder = format!("{USER}/a");
    for name in ["a", &folder] {
        world.replace(None, &format!("b/{name}"), "old").await.ok();
        world.replace(None, &format!("b/{name}"), "new").await.ok();
    }
    world.remove(json!(["a", folder])).await;
    let names = |rows: Vec<(String, String, bool, bool)>| rows.into_iter().map(|row| row.0).collect::<Vec<_>>();
    assert_eq!(names(world.all_of(USER).await), [&*folder, &*folder, &*folder], "the marker as what it hides");
    assert_eq!(names(world.all_of(OTHER).await), [""; 0]);
    world
        .sql(&format!(
            "insert into public.shares select object_id, '{OTHER}' from cloch.object_versions where name = 'a' limit 1"
        ))
        .await;
    assert_eq!(names(world.all_of(OTHER).await), ["a", "a", "a"]);
    world.sql("update cloch.object_versions set metadata = metadata || '{\"mimetype\": \"image/png\"}'").await;
    assert_eq!(
        (world.all_of(USER).await.len(), world.all_of(OTHER).await.len()),
        (0, 0),
        "a restrictive policy refuses"
    );
    // A user who can see a version may not delete it without a DELETE policy.
    world.sql("drop policy texts on storage.objects").await;
    let all = world.all_of(OTHER).await;
    assert_eq!(world.discard(OTHER, "a", &all[1].1).await, 0);
    world.sql("create policy deletion on storage.objects for delete to authenticated using (true)").await;
    assert_eq!(world.discard(OTHER, "a", &all[1].1).await, 1);
    assert_eq!(
        world.discard(OTHER, &folder, &world.all_of(USER).await[0].1).await,
        0,
        "what may be deleted may not be seen"
    );
    world.sql("revoke select on storage.objects from authenticated").await;
    assert_eq!(world.all_of(OTHER).await, []);
}

#[tokio::test]
async fn what_was_moved_and_then_deleted_is_listed() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    let body = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "c"});
    world.ask("POST", "/object/move").user(USER).json(body).await.ok();
    world.ask("DELETE", "/object/b/c").user(USER).send().await.ok();
    let listed = world.all_of(USER).await;
    assert_eq!(listed.iter().map(|row| (&*row.0, row.3)).collect::<Vec<_>>(), [("a", true), ("c", true), ("c", false)]);
    assert_eq!(world.all().await, listed);
}

#[tokio::test]
async fn an_upload_that_is_not_done_stops_no_reader() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    world.replace(Some(USER), "b/a", "one").await.ok();
    world.ask("DELETE", "/object/b/a").user(USER).send().await.ok();
    let version = world.all().await[1].1.clone();
    let mut upload = cloch_sql::transaction::begin(world.database.superuser()).await.unwrap();
    sqlx::query("insert into storage.objects (bucket_id, name, version) values ('b', 'a', gen_random_uuid())")
        .execute(&mut *upload)
        .await
        .unwrap();
    let read = async {
        let path = format!("/object/authenticated/b/a?versionId={version}");
        let text = world.ask("GET", &path).user(USER).send().await.ok().text();
        (text, world.all_of(USER).await.len())
    };
    let read = tokio::time::timeout(Duration::from_secs(4), read).await;
    assert_eq!(read.unwrap(), ("one".to_owned(), 2));
    upload.rollback().await.unwrap();
}
