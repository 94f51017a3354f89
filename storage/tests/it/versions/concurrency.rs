//! Tests concurrent writes of objects, and writes that are executed twice.

use std::time::Duration;

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn of_many_writers_at_once_none_loses_a_version() {
    let world = World::new().await;
    world.versioned("b").await;
    let writes = (0..12).map(|number| {
        let world = &world;
        async move { world.replace(None, "b/a", &number.to_string()).await.ok() }
    });
    futures_util::future::join_all(writes).await;
    assert_eq!((world.all().await.len(), world.files()), (12, 12));
    let removals = (0..4).map(|number| {
        let world = &world;
        async move {
            match number % 2 {
                0 => drop(world.ask("DELETE", "/object/b/a").service().send().await),
                _ => drop(world.replace(None, "b/a", "again").await.ok()),
            }
        }
    });
    futures_util::future::join_all(removals).await;
    let all = world.all().await;
    assert_eq!(all.iter().filter(|row| row.2).count(), 1, "{all:?}");
    assert_eq!(all.iter().filter(|row| !row.3).count(), 14, "every version is there: {all:?}");
}

/// Returns a SQL statement that writes an object version as the superuser.
fn write(version: &str) -> String {
    format!("select cloch.write_object('{{}}', '{{}}', 'b', 'a', null, null, '{version}', '{{}}', null, true)")
}

#[tokio::test]
async fn an_upload_that_is_executed_again_leaves_what_came_after_it() {
    let world = World::new().await;
    world.versioned("b").await;
    let (lost, next) = ("6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10", "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a11");
    for version in [lost, lost, next, lost] {
        world.sql(&write(version)).await;
    }
    let versions = |all: Vec<(String, String, bool, bool)>| all.into_iter().map(|row| row.1).collect::<Vec<_>>();
    assert_eq!(versions(world.all().await), [next, lost]);
    world.remove(json!(["a"])).await;
    world.sql(&write(lost)).await;
    let all = world.all().await;
    assert!(all[0].3, "it was deleted meanwhile: {all:?}");
    assert_eq!(versions(all[1..].to_vec()), [next, lost]);
}

#[tokio::test]
async fn a_move_and_an_upload_to_a_deleted_key_do_not_wait_for_each_other() {
    let world = World::new().await;
    world.versioned("b").await;
    world.put("b/a", "moved").await.ok();
    world.put("b/c", "deleted").await.ok();
    world.remove(json!(["c"])).await;
    // Simulate a slow upload: it archives the delete marker and writes the object's row later.
    let mut upload = cloch_sql::transaction::begin(world.database.superuser()).await.unwrap();
    sqlx::query("update cloch.object_versions set archived_at = now() where name = 'c' and archived_at is null")
        .execute(&mut *upload)
        .await
        .unwrap();
    let moved = async {
        let body = json!({"bucketId": "b", "sourceKey": "a", "destinationKey": "c"});
        world.ask("POST", "/object/move").service().json(body).await
    };
    let uploaded = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let row = "insert into storage.objects (bucket_id, name, version) values ('b', 'c', gen_random_uuid())";
        let written = sqlx::query(row).execute(&mut *upload).await;
        upload.commit().await.unwrap();
        written
    };
    let (moved, uploaded) = tokio::join!(moved, uploaded);
    assert!(uploaded.is_ok(), "{uploaded:?}");
    moved.refused("409", "ResourceAlreadyExists");
}

#[tokio::test]
async fn an_upload_ends_where_a_trigger_lets_no_row_in() {
    let world = World::new().await;
    world.versioned("b").await;
    world
        .sql(
            "create function public.skip() returns trigger language plpgsql as $$
             begin if new.version = '1' then return new; end if; return null; end $$;
             create trigger skip before insert on storage.objects for each row execute function public.skip()",
        )
        .await;
    let upload = tokio::time::timeout(Duration::from_secs(5), world.replace(None, "b/a", "one")).await;
    upload.unwrap().refused("423", "ResourceLocked");
    world.settle(0).await;
}
