//! Tests the database queries of an upload, and uploads during a restart of PostgreSQL.

use axum::body::Body;
use bytes::Bytes;
use cloch_sql::client::{BatchStatement, Rows};
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::support::{USER, World};

const CUT: &str = "select pg_terminate_backend(pid, 5000) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()";

/// Closes all database connections except the one that executes this statement, as a restart of PostgreSQL does. Retries the statement,
/// because the pool may first return a connection that is already closed.
pub(crate) async fn cut_off(world: &World) {
    while sqlx::raw_sql(CUT).execute(world.database.superuser()).await.is_err() {}
}

#[tokio::test]
async fn what_a_call_tells_is_gone_after_it() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
        .sql("create policy own on storage.objects for insert to authenticated with check (auth.uid() is not null)")
        .await;
    world.ask("POST", "/object/b/a").anon().body("x").await.refused("403", "AccessDenied");
    world.ask("POST", "/object/b/a").user(USER).body("x").await.ok();
    world.ask("PUT", "/object/b/a").service().body("y").await.ok();
    for at in ["/object/authenticated/b/a", "/object/info/authenticated/b/a", "/object/authenticated/none/a"] {
        world.ask("GET", at).user(USER).send().await;
        world.ask("GET", at).service().send().await;
    }
    let pool = world.database.database().objects();
    let mut connections = Vec::new();
    for _ in 0..pool.size() {
        let told = "select concat_ws(' ', nullif(current_user, session_user),
                                  nullif(current_setting('request.jwt.claims', true), ''),
                                  (select string_agg(name, ' ') from pg_settings
                                    where source = 'session' and name in ('role', 'search_path', 'synchronous_commit')))";
        let mut connection = pool.get().await.unwrap();
        let mut rows = Rows::default();
        connection.run("", &mut [BatchStatement { sql: told, params: &[], sink: Some(&mut rows) }]).await.unwrap();
        assert_eq!(rows.rows()[0].text(0), Some(""));
        connections.push(connection);
    }
}

#[tokio::test]
async fn nobody_else_may_call_what_writes_rows() {
    let world = World::new().await;
    for role in ["anon", "authenticated", "service_role"] {
        for call in ["try_object('{}', '{}', 'service_role',", "write_object('{}', '{}',"] {
            let mut tx = cloch_sql::transaction::begin(world.database.database().callers()).await.unwrap();
            sqlx::raw_sql(sqlx::AssertSqlSafe(format!("set local role {role}"))).execute(&mut *tx).await.unwrap();
            let version = if call.starts_with("try") { "" } else { "'v'," };
            let call = format!("select cloch.{call} 'b', 'n', null, null, {version} '{{}}'::jsonb, null, false)");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(call)).execute(&mut *tx).await.unwrap_err();
            assert_eq!(error.as_database_error().unwrap().code().as_deref(), Some("42501"), "{error}");
        }
    }
}

#[tokio::test]
async fn the_rules_of_a_bucket_come_before_the_policies() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let settings = json!({"allowed_mime_types": ["image/png"], "file_size_limit": 3});
    world.ask("PUT", "/bucket/b").service().json(settings).await.ok();
    let put =
        |path: &str, kind: &str| world.ask("POST", &format!("/object/{path}")).anon().header("content-type", kind);
    put("none/a", "image/png").body("x").await.refused("404", "NoSuchBucket");
    put("none/a", "nonsense").body("x").await.refused("404", "NoSuchBucket");
    put("b/a", "text/plain").body("x").await.refused("415", "InvalidMimeType");
    put("b/a", "image/png").header("content-length", "4").body("xxxx").await.refused("413", "EntityTooLarge");
    put("b/a%7C", "image/png").body("x").await.refused("400", "InvalidKey");
    put("b/a", "image/png").body("x").await.refused("403", "AccessDenied");
    assert_eq!(world.files(), 0);
}

/// Uploads an object in two halves. The second half is sent after `meanwhile` has finished.
async fn in_two_halves(
    world: &World,
    path: &str,
    meanwhile: impl Future<Output = ()> + Send + 'static,
) -> crate::support::Reply {
    let half = || Ok::<_, std::io::Error>(Bytes::from_static(&[7; 100_000]));
    let body = stream::iter([half()]).chain(stream::once(async move {
        meanwhile.await;
        half()
    }));
    world.ask("POST", path).service().body(Body::from_stream(body)).await
}

#[tokio::test]
async fn a_restart_of_the_database_is_not_noticed() {
    let world = World::new().await;
    world.bucket("b", true).await;
    world.put("b/a", "bytes").await.ok();
    for _ in 0..3 {
        cut_off(&world).await;
        assert_eq!(world.ask("GET", "/object/b/a").service().send().await.ok().text(), "bytes");
        cut_off(&world).await;
        world.ask("PUT", "/object/b/a").service().body("bytes").await.ok();
        cut_off(&world).await;
        world.ask("POST", "/object/list/b").service().json(json!({"prefix": ""})).await.ok();
    }
    // The pool tests a connection only after some idle time. Without this wait, queries of the test could get a closed connection.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    world.settle(1).await;
}

#[tokio::test]
async fn nor_one_while_a_file_arrives() {
    let world = World::new().await;
    world.bucket("b", true).await;
    let admin = world.database.superuser().clone();
    let cut = async move {
        sqlx::raw_sql(CUT).execute(&admin).await.unwrap();
    };
    in_two_halves(&world, "/object/b/a", cut).await.ok();
    let got = world.ask("GET", "/object/b/a").service().send().await.ok();
    assert_eq!(got.bytes.len(), 200_000);
    world.settle(1).await;
}

#[tokio::test]
async fn a_file_in_many_pieces_is_hashed_in_order() {
    use md5::{Digest, Md5};

    let world = World::new().await;
    world.bucket("b", true).await;
    let bytes: Vec<u8> = (0..3_000_017_u32).map(|number| (number % 251) as u8).collect();
    for piece in [70_001, 1_000_003] {
        let pieces: Vec<_> =
            bytes.chunks(piece).map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece))).collect();
        world.ask("PUT", "/object/b/a").service().body(Body::from_stream(stream::iter(pieces))).await.ok();
        let got = world.ask("GET", "/object/b/a").service().send().await.ok();
        assert!(got.bytes == bytes);
        assert_eq!(got.header("etag"), format!("\"{}\"", hex::encode(Md5::digest(&bytes))));
    }
    for (start, end) in [(0, 131_071), (131_071, 131_072), (100_000, 700_000), (2_999_000, 3_000_016)] {
        let range = format!("bytes={start}-{end}");
        let got = world.ask("GET", "/object/b/a").service().header("range", &range).send().await.ok();
        assert!(got.bytes == bytes[start..=end], "{range}");
    }
}

#[tokio::test]
async fn a_write_that_is_refused_leaves_the_old_object_and_the_connection() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "one").await.ok();
    // The row of the permission check has version 1. The trigger therefore refuses only the row that the upload finally writes.
    let refuse = "create function refuse() returns trigger language plpgsql as $$
        begin if new.version <> '1' then raise exception 'no'; end if; return new; end; $$;
        create trigger refuse before update on storage.objects for each row execute function refuse()";
    world.sql(refuse).await;
    for _ in 0..3 {
        world.ask("PUT", "/object/b/a").service().body("two").await.refused("500", "DatabaseError");
    }
    assert_eq!((world.files(), world.ask("GET", "/object/b/a").service().send().await.text()), (1, "one".to_owned()));
    world.sql("drop trigger refuse on storage.objects").await;
    world.ask("PUT", "/object/b/a").service().body("two").await.ok();
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "two");
}
