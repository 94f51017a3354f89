//! The buckets that config.toml declares: created if they are missing, updated or kept if they exist.

use cloch_storage::{BucketSeed, Difference, Existing, ensure_buckets};
use serde_json::{Value, json};

use crate::support::World;

fn seed(name: &str, public: bool) -> BucketSeed {
    BucketSeed {
        name: name.into(),
        public: Some(public),
        file_size_limit: Some(10),
        default_file_size_limit: None,
        allowed_mime_types: Some(vec!["image/*".into(), "text/plain".into()]),
    }
}

async fn shown(world: &World, bucket: &str) -> [Value; 3] {
    let shown = world.ask("GET", &format!("/bucket/{bucket}")).service().send().await.ok().json();
    ["public", "file_size_limit", "allowed_mime_types"].map(|setting| shown[setting].clone())
}

#[tokio::test]
async fn own_buckets_get_the_declared_settings_and_each_change_is_returned() {
    let world = World::new().await;
    let ensure = async |seeds: &[BucketSeed]| ensure_buckets(&world.state, seeds, Existing::Update).await;
    ensure(&[seed("b", true), BucketSeed { name: "a/b".into(), ..BucketSeed::default() }]).await.unwrap_err();
    assert_eq!(ensure(&[seed("b", true)]).await.unwrap(), []);
    assert_eq!(shown(&world, "b").await, [json!(true), json!(10), json!(["image/*", "text/plain"])]);
    let changed = ensure(&[seed("b", false)]).await.unwrap();
    let expected =
        Difference { bucket: "b".into(), setting: "public", in_database: true.into(), declared: false.into() };
    assert_eq!(changed, [expected]);
    assert_eq!(shown(&world, "b").await[0], json!(false));
    // What the declaration leaves open stays as it is.
    assert_eq!(ensure(&[BucketSeed { name: "b".into(), ..BucketSeed::default() }]).await.unwrap(), []);
    assert_eq!(shown(&world, "b").await, [json!(false), json!(10), json!(["image/*", "text/plain"])]);
}

#[tokio::test]
async fn the_default_limit_is_for_new_buckets_and_for_those_of_a_new_database() {
    let world = World::new().await;
    world.sql("insert into storage.buckets (id, name, file_size_limit) values ('b', 'b', 7)").await;
    let declared = |name: &str, file_size_limit| BucketSeed {
        name: name.into(),
        file_size_limit,
        default_file_size_limit: Some(20),
        ..BucketSeed::default()
    };
    let seeds = [declared("b", None), declared("new", None), declared("own", Some(5))];
    for existing in [Existing::Keep, Existing::Update] {
        assert_eq!(ensure_buckets(&world.state, &seeds, existing).await.unwrap(), []);
    }
    assert_eq!(shown(&world, "b").await[1], json!(7));
    assert_eq!(shown(&world, "new").await[1], json!(20));
    assert_eq!(shown(&world, "own").await[1], json!(5));
    let changed = ensure_buckets(&world.state, &seeds, Existing::Replace).await.unwrap();
    let expected =
        Difference { bucket: "b".into(), setting: "file_size_limit", in_database: json!(7), declared: json!(20) };
    assert_eq!(changed, [expected]);
    assert_eq!(shown(&world, "b").await[1], json!(20));
}

#[tokio::test]
async fn kept_buckets_stay_byte_for_byte_and_missing_ones_are_created() {
    let world = World::new().await;
    world
        .sql(
            "insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, updated_at)
             values ('b', 'b', true, 7, '{image/png}', '2020-01-01'), ('same', 'same', false, 10, '{text/plain,image/*}', null),
                    ('open', 'open', null, null, '{}', null), ('other-id', 'named', false, 10, '{text/plain,image/*}', null)",
        )
        .await;
    let rows = "select string_agg(b::text, E'\\n' order by id) from storage.buckets as b where id <> 'new'";
    let before = world.text(rows).await;
    let open = BucketSeed {
        name: "open".into(),
        public: Some(false),
        allowed_mime_types: Some(Vec::new()),
        ..BucketSeed::default()
    };
    let seeds = [seed("b", false), seed("same", false), open, seed("named", false), seed("new", false)];
    let kept = ensure_buckets(&world.state, &seeds, Existing::Keep).await.unwrap();
    assert_eq!(world.text(rows).await, before);
    let texts: Vec<String> = kept
        .iter()
        .map(|kept| format!("{} {}: {} / {}", kept.bucket, kept.setting, kept.in_database, kept.declared))
        .collect();
    assert_eq!(
        texts,
        [
            "b public: true / false",
            "b file_size_limit: 7 / 10",
            "b allowed_mime_types: [\"image/png\"] / [\"image/*\",\"text/plain\"]"
        ]
    );
    assert_eq!(shown(&world, "new").await[1], json!(10));
}
