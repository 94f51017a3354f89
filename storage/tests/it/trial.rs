//! Tests permission checks before the body of an upload is read.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use futures_util::stream;

use crate::support::{Reply, USER, World};

/// Uploads an object as a user, or as the service role if `user` is `None`. Returns the response and whether any byte of the body was read.
async fn upload(world: &World, user: Option<&str>, method: &str, path: &str) -> (Reply, bool) {
    let is_read = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_read);
    let bytes = stream::once(async move {
        noted.store(true, Ordering::SeqCst);
        Ok::<_, Infallible>("bytes")
    });
    let asked = world.ask(method, &format!("/object/{path}"));
    let asked = match user {
        Some(user) => asked.user(user),
        None => asked.service(),
    };
    let reply = asked.body(Body::from_stream(bytes)).await;
    (reply, is_read.load(Ordering::SeqCst))
}

async fn bucket(policies: &str) -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/taken", "x").await.ok();
    world.sql("create policy all_of_it on storage.objects to authenticated using (true) with check (true)").await;
    world.sql(policies).await;
    world
}

#[tokio::test]
async fn a_taken_key_is_refused_before_the_bytes() {
    let world = bucket("").await;
    for user in [Some(USER), None] {
        let (reply, is_read) = upload(&world, user, "POST", "b/taken").await;
        reply.refused("409", "KeyAlreadyExists");
        assert!(!is_read, "{user:?}");
        let (reply, is_read) = upload(&world, user, "PUT", "b/taken").await;
        reply.ok();
        assert!(is_read, "{user:?}");
    }
    let (reply, is_read) = upload(&world, None, "POST", "none/a").await;
    reply.refused("404", "NoSuchBucket");
    assert!(!is_read);
}

#[tokio::test]
async fn a_trigger_is_asked_before_the_bytes_whoever_uploads() {
    for when in ["before", "after"] {
        let world = bucket(&format!(
            "create function public.refuse() returns trigger language plpgsql as $$ begin raise insufficient_privilege; end $$;
             create trigger refuse {when} insert or update on storage.objects for each row execute function public.refuse()"
        ))
        .await;
        for user in [Some(USER), None] {
            for (method, path) in [("POST", "b/new"), ("PUT", "b/taken")] {
                let (reply, is_read) = upload(&world, user, method, path).await;
                reply.refused("403", "AccessDenied");
                assert!(!is_read, "{when} {user:?} {method}");
            }
        }
    }
}

/// Tests that the permission check does not run for the service role. The row of this check lacks properties that are known only after the
/// upload, such as the entity tag, and would violate the constraint.
#[tokio::test]
async fn the_service_role_is_not_tried_where_nothing_could_refuse_it() {
    let world = bucket("alter table storage.objects add check (metadata ? 'eTag')").await;
    for (method, path) in [("POST", "b/new"), ("PUT", "b/taken")] {
        let (reply, is_read) = upload(&world, Some(USER), method, path).await;
        assert!(!reply.status.is_success() && !is_read, "{method}");
        let (reply, _) = upload(&world, None, method, path).await;
        reply.ok();
    }
}

/// Tests a constraint that only the final row violates: the error is reported after the body is read, and the blob is deleted.
#[tokio::test]
async fn what_is_not_tried_is_refused_by_the_write() {
    let world = bucket("alter table storage.objects add check (name <> 'refused')").await;
    let (reply, _) = upload(&world, None, "POST", "b/refused").await;
    assert!(!reply.status.is_success());
    world.settle(1).await;
    assert_eq!(world.count("select count(*) from storage.objects").await, 1);
}

#[tokio::test]
async fn a_trigger_that_drops_the_row_is_no_lost_database() {
    let world = bucket(
        "create function public.skip() returns trigger language plpgsql as $$ begin return null; end $$;
         create trigger skip before insert or update on storage.objects for each row
           when (new.name = 'skipped') execute function public.skip()",
    )
    .await;
    for (method, user) in [("POST", Some(USER)), ("PUT", Some(USER)), ("POST", None)] {
        let (reply, _) = upload(&world, user, method, "b/skipped").await;
        assert_eq!(reply.json()["message"], "database error, code: P0002");
        reply.refused("500", "DatabaseError");
    }
    world.settle(1).await;
}
