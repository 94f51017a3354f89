//! Tests listings of object versions.

use serde_json::{Value, json};
use sqlx::Row;

use super::{POLICIES, rows};
use crate::support::{OTHER, USER, World};

#[tokio::test]
async fn listings_of_versions_go_on_page_by_page() {
    let world = World::new().await;
    world.versioned("b").await;
    for name in ["a", "d/1", "d/2", "e"] {
        for text in ["one", "two", "three"] {
            world.replace(None, &format!("b/{name}"), text).await.ok();
        }
    }
    world.remove(json!(["d/2", "e"])).await;
    let all = world.all().await;
    assert_eq!(all.len(), 14);
    for (folders, expected) in [(false, 14), (true, 3 + 1 + 4)] {
        for limit in [1, 2, 3, 5] {
            let (mut seen, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let mut options = json!({"noncurrentVersions": "include", "deleteMarkers": "include", "limit": limit, "with_delimiter": folders});
                if !cursor.is_null() {
                    options["cursor"] = cursor;
                }
                let page = world.ask("POST", "/object/list-v2/b").service().json(options).await.ok().json();
                seen.extend(rows(&page["objects"]));
                for folder in page["folders"].as_array().unwrap() {
                    seen.push((folder["name"].as_str().unwrap().to_owned(), String::new(), false, false));
                }
                if page["hasNext"] != true {
                    break;
                }
                cursor = page["nextCursor"].clone();
            }
            assert_eq!(seen.len(), expected, "{limit} {folders} {seen:?}");
            if !folders {
                assert_eq!(seen, all);
            }
        }
    }
    let body = json!({"prefix": "d", "noncurrentVersions": "include", "sortBy": {"column": "name", "order": "desc"}});
    let level = world.ask("POST", "/object/list/b").service().json(body).await.ok().json();
    let names: Vec<&str> = level.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["2", "2", "2", "1", "1", "1"]);
    let body = json!({"prefix": "d/1", "noncurrentVersions": "include", "exactMatch": true});
    let exact = world.ask("POST", "/object/list/b").service().json(body).await.ok().json();
    assert_eq!((exact.as_array().unwrap().len(), &exact[0]["name"]), (3, &json!("1")));
}

#[tokio::test]
async fn pages_go_on_when_what_was_listed_is_deleted() {
    let world = World::new().await;
    world.versioned("b").await;
    world.sql(POLICIES).await;
    for name in ["a", "c"] {
        for text in ["1", "2", "3", "4", "5"] {
            world.replace(Some(USER), &format!("b/{name}"), text).await.ok();
        }
    }
    world.ask("DELETE", "/object/b/c").user(USER).send().await.ok();
    let (mut cursor, mut pages) = (Value::Null, 0);
    loop {
        let mut options = json!({"noncurrentVersions": "include", "deleteMarkers": "include", "limit": 2});
        if !cursor.is_null() {
            options["cursor"] = cursor;
        }
        let page = world.ask("POST", "/object/list-v2/b").user(USER).json(options).await.ok().json();
        for (name, version, ..) in rows(&page["objects"]) {
            assert_eq!(world.discard(USER, &name, &version).await, 1);
        }
        pages += 1;
        if page["hasNext"] != true {
            break;
        }
        cursor = page["nextCursor"].clone();
    }
    assert_eq!((world.all().await, pages), (vec![], 6));
    world.ask("DELETE", "/bucket/b").service().send().await.ok();
}

impl World {
    /// Lists the versions of a bucket with many versions, for a role and a prefix. Returns the number of rows of `storage.objects` and
    /// `cloch.object_versions` that the listing reads.
    async fn rows_read(&self, role: &str, prefix: &str, exact: bool) -> i64 {
        let mut tx = cloch_sql::transaction::begin(self.database.superuser()).await.unwrap();
        let list = "select count(*) from cloch.list_versions($1, 'b', $2, $3, '', 'include', 'include', '', '', 10)";
        sqlx::query(list).bind(role).bind(prefix).bind(exact).execute(&mut *tx).await.unwrap();
        sqlx::query("reset role").execute(&mut *tx).await.unwrap();
        let read = "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint
                      from pg_stat_xact_all_tables where relid in ('storage.objects'::regclass, 'cloch.object_versions'::regclass)";
        let read = sqlx::query(read).fetch_one(&mut *tx).await.unwrap().get(0);
        tx.rollback().await.unwrap();
        read
    }
}

/// SQL statements that create objects, versions and delete markers of two owners in three folders.
const MIXED: &str = "
  insert into storage.objects (bucket_id, name, version, owner_id, metadata, user_metadata, is_versioned)
  select 'b', 'f' || number % 3 || '/' || number, gen_random_uuid(), owner(number),
         jsonb_build_object('size', number), jsonb_build_object('tag', number % 5), true
    from generate_series(1, 300) as number;
  insert into cloch.object_versions (bucket_id, name, version, object_id, owner_id, archived_at, is_delete_marker, is_versioned,
                                     metadata, user_metadata, created_at, updated_at)
  select 'b', 'f' || number % 3 || '/' || number % 350, gen_random_uuid(), gen_random_uuid(), owner(number),
         case when number % 350 <= 300 then now() end, number % 350 > 300 and number > 700 or number % 7 = 0,
         true, case when number % 7 <> 0 then jsonb_build_object('size', number) end, jsonb_build_object('tag', number % 5), now(), now()
    from generate_series(1, 1049) as number
   where number % 350 between 1 and 300 or number > 700 and number % 350 <> 0";

/// Tests RLS policies that use every column: each column also exists for versions.
#[tokio::test]
async fn a_listing_shows_what_the_policies_say_of_each_version() {
    let world = World::new().await;
    world.versioned("b").await;
    world
        .sql(&format!(
            "create function public.owner(number integer) returns text language sql as
               $$ select case when number % 4 = 0 then '{USER}' else '{OTHER}' end $$;
             create policy own on storage.objects for select to authenticated using (
               owner_id = auth.uid()::text and ((metadata ->> 'size')::int % 2 = 0 or path_tokens[1] = 'f1')
               or user_metadata ->> 'tag' = '3' and storage.filename(name) < '2' and not is_delete_marker
               or id < '10000000-0000-0000-0000-000000000000' or archived_at is null and version < '1');
             {MIXED}"
        ))
        .await;
    // The same check for individual object versions.
    let mut connection = world.database.superuser().acquire().await.unwrap().detach();
    let claims = "select set_config('request.jwt.claims', json_build_object('sub', $1)::text, false), set_config('request.jwt.claim.sub', $1, false)";
    sqlx::query(claims).bind(USER).execute(&mut connection).await.unwrap();
    let asked = "select (v).name, (v).version
                   from (select v from cloch.object_versions as v
                         union all select cloch.current_version(o) from storage.objects as o) as either (v)
                  where cloch.may_version('authenticated', v, false)
                  order by (v).name, (v).number desc";
    let expected: Vec<(String, String)> = sqlx::query_as(asked).fetch_all(&mut connection).await.unwrap();
    assert!(expected.len() > 100 && expected.len() < 1000, "{}", expected.len());
    for limit in [1000, 90] {
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let mut options = json!({"noncurrentVersions": "include", "deleteMarkers": "include", "limit": limit});
            if !cursor.is_null() {
                options["cursor"] = cursor;
            }
            let page = world.ask("POST", "/object/list-v2/b").user(USER).json(options).await.ok().json();
            seen.extend(rows(&page["objects"]).into_iter().map(|(name, version, ..)| (name, version)));
            if page["hasNext"] != true {
                break;
            }
            cursor = page["nextCursor"].clone();
        }
        assert_eq!(seen, expected, "{limit}");
    }
    let folders =
        json!({"noncurrentVersions": "include", "deleteMarkers": "include", "with_delimiter": true, "limit": 2});
    let page = world.ask("POST", "/object/list-v2/b").user(USER).json(folders).await.ok().json();
    assert_eq!((&page["folders"], &page["hasNext"]), (&json!([{"name": "f0/"}, {"name": "f1/"}]), &json!(true)));
}

#[tokio::test]
async fn a_listing_reads_what_it_may_show() {
    let world = World::new().await;
    world.versioned("b").await;
    world.put("b/a", "one").await.ok();
    world
        .sql(
            "insert into storage.objects (bucket_id, name, version)
             select 'b', 'z' || number, gen_random_uuid() from generate_series(1, 5000) as number;
             insert into cloch.object_versions (bucket_id, name, version, object_id, archived_at, is_versioned)
             select 'b', 'z' || number, gen_random_uuid(), gen_random_uuid(), now(), true from generate_series(1, 5000) as number",
        )
        .await;
    world.sql("analyze storage.objects, cloch.object_versions").await;
    for (role, prefix, exact) in [("service_role", "a", false), ("service_role", "a", true), ("anon", "", false)] {
        let read = world.rows_read(role, prefix, exact).await;
        assert!(read < 100, "{role} {prefix} {exact}: {read}");
    }
    assert!(world.rows_read("service_role", "", false).await < 1000);
}
