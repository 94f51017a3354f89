//! Tests the list-v2 endpoint sorted by time: a folder is sorted by the earliest created_at of the objects in it.

use std::collections::{BTreeMap, BTreeSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::{USER, World};

/// Objects in the order of their names, with the minute of their creation.
const OBJECTS: [(&str, u32); 9] =
    [("a", 5), ("b/1", 9), ("b/2", 2), ("b/x/3", 7), ("b%_c/1", 4), ("b0", 3), ("c/1", 1), ("c/d/e", 8), ("z", 6)];
const BY_TIME: [&str; 6] = ["c/", "b/", "b0", "b%_c/", "a", "z"];

async fn world() -> World {
    let world = World::new().await;
    world.bucket("b", false).await;
    for (name, minute) in OBJECTS {
        world
            .sql(&format!(
                "insert into storage.objects (bucket_id, name, owner_id, created_at, updated_at)
                 values ('b', '{name}', '{USER}', '2026-01-01T00:{minute:02}:00Z', '2026-01-01T00:{minute:02}:00Z')"
            ))
            .await;
    }
    world
}

/// Returns the pages of a listing. Entries are sorted by time, because folders and objects are returned in separate lists.
async fn pages(world: &World, body: &Value) -> Vec<Vec<(String, String)>> {
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let mut body = body.clone();
        body["cursor"] = cursor.as_str().into();
        let page = world.ask("POST", "/object/list-v2/b").service().json(body.clone()).await.ok().json();
        let column = body["sortBy"]["column"].as_str().unwrap();
        let lists = [&page["folders"], &page["objects"]].map(|list| list.as_array().unwrap().clone()).concat();
        let entry =
            |entry: &Value| (entry["name"].as_str().unwrap().to_owned(), entry[column].as_str().unwrap().to_owned());
        let mut entries: Vec<_> = lists.iter().map(entry).collect();
        entries.sort_by(|one, other| one.1.cmp(&other.1));
        if body["sortBy"]["order"] == "desc" {
            entries.reverse();
        }
        pages.push(entries);
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return pages,
        }
    }
}

fn names(pages: &[Vec<(String, String)>]) -> Vec<String> {
    pages.iter().flatten().map(|(name, _)| name.clone()).collect()
}

#[tokio::test]
async fn folders_stand_among_the_objects_on_every_page_and_both_ways() {
    let world = world().await;
    for column in ["created_at", "updated_at"] {
        for limit in 1..=7 {
            let list = |order: &str| json!({"with_delimiter": true, "limit": limit, "sortBy": {"column": column, "order": order}});
            let ascending = pages(&world, &list("asc")).await;
            assert_eq!(names(&ascending), BY_TIME, "{column} {limit}");
            assert!(ascending.iter().all(|page| page.len() <= limit));
            assert_eq!(ascending[0][0].1, "2026-01-01T00:01:00.000Z", "the earliest below");
            let descending = pages(&world, &list("desc")).await;
            assert_eq!(names(&descending), BY_TIME.into_iter().rev().collect::<Vec<_>>(), "{column} {limit}");
        }
    }
}

#[tokio::test]
async fn below_a_prefix_its_characters_mean_themselves() {
    let world = world().await;
    let list = async |prefix: &str| {
        let body =
            json!({"prefix": prefix, "with_delimiter": true, "sortBy": {"column": "created_at", "order": "asc"}});
        names(&pages(&world, &body).await)
    };
    assert_eq!(list("b/").await, ["b/2", "b/x/", "b/1"]);
    assert_eq!(list("b%_").await, ["b%_c/"]);
    assert_eq!(list("c/d").await, ["c/d/"]);
    assert_eq!(list("_").await, Vec::<String>::new());
}

#[tokio::test]
async fn what_policies_hide_has_no_time() {
    let world = world().await;
    let list = async || {
        let body = json!({"with_delimiter": true, "sortBy": {"column": "created_at", "order": "asc"}});
        world.ask("POST", "/object/list-v2/b").user(USER).json(body).await.ok().json()["folders"].clone()
    };
    assert_eq!(list().await, json!([]));
    world
        .sql("create policy p on storage.objects for select to authenticated using (name not in ('b/2', 'c/1'))")
        .await;
    let folders = list().await;
    let times: Vec<_> =
        folders.as_array().unwrap().iter().map(|folder| folder["created_at"].as_str().unwrap()).collect();
    assert_eq!(times, ["2026-01-01T00:04:00.000Z", "2026-01-01T00:07:00.000Z", "2026-01-01T00:08:00.000Z"]);
}

/// Returns the expected entries of a level in the order of time and name: objects, and folders with the earliest minute of their objects.
fn level(tree: &BTreeMap<String, u64>, prefix: &str) -> Vec<String> {
    let mut entries = BTreeMap::new();
    for (name, minute) in tree.iter().filter(|(name, _)| name.starts_with(prefix)) {
        let rest = &name[prefix.len()..];
        let entry = rest.find('/').map_or(name.as_str(), |slash| &name[..prefix.len() + slash + 1]);
        let earliest = entries.entry(entry.to_owned()).or_insert(*minute);
        *earliest = (*earliest).min(*minute);
    }
    let mut entries: Vec<(u64, String)> = entries.into_iter().map(|(name, minute)| (minute, name)).collect();
    entries.sort();
    entries.into_iter().map(|(_, name)| name).collect()
}

/// Returns the names of a level in the order of pages. Entries of one page are sorted by time and name, because folders and objects are
/// returned in separate lists.
async fn listed(world: &World, prefix: &str, limit: u64, order: &str) -> Vec<String> {
    let sort = json!({"column": "created_at", "order": order});
    let list = json!({"prefix": prefix, "with_delimiter": true, "limit": limit, "sortBy": sort});
    let mut names = Vec::new();
    for mut page in pages(world, &list).await {
        page.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
        if order == "desc" {
            page.reverse();
        }
        names.extend(page.into_iter().map(|(name, _)| name));
    }
    names
}

#[tokio::test]
async fn random_trees_are_listed_as_a_model_of_them() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let mut runner = TestRunner::deterministic();
    let name = proptest::collection::vec("[ab0.%_é𝒜]{1,2}", 1..=4).prop_map(|parts| parts.join("/"));
    // The minutes are in a small range, so that many objects have the same creation time.
    let objects = proptest::collection::vec((name, 0_u64..20), 160);
    let tree: BTreeMap<String, u64> = objects.new_tree(&mut runner).unwrap().current().into_iter().collect();
    let rows: Vec<String> = tree
        .iter()
        .map(|(name, minute)| format!("('b', '{name}', '{USER}', '2026-01-01T00:{minute:02}:00Z')"))
        .collect();
    world
        .sql(&format!("insert into storage.objects (bucket_id, name, owner_id, created_at) values {}", rows.join(", ")))
        .await;
    let prefixes: BTreeSet<String> = tree
        .keys()
        .flat_map(|name| name.match_indices('/').map(|(at, _)| name[..=at].to_owned()))
        .chain(["", "a", "%", "é"].map(str::to_owned))
        .collect();
    for prefix in prefixes {
        let expected = level(&tree, &prefix);
        for limit in [(1_u64..8).new_tree(&mut runner).unwrap().current(), 1000] {
            assert_eq!(listed(&world, &prefix, limit, "asc").await, expected, "{prefix:?} by {limit}");
            let mut backwards = listed(&world, &prefix, limit, "desc").await;
            backwards.reverse();
            assert_eq!(backwards, expected, "{prefix:?} by {limit}, backwards");
        }
    }
}
