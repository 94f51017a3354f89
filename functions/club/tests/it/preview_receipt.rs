//! Tests of the preview of a receipt: only administrators can read it, and it equals the mail that is sent.

use serde_json::{Value, json};

use crate::mail_jobs::{Worker, enter_for};
use crate::support::Site;

/// The receipt that was sent.
async fn sent(site: &Site) -> Value {
    for _ in 0..1200 {
        if let Some(mail) = site.mails().await.into_iter().find(|mail| mail["kind"] == "receipt") {
            return mail;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("no receipt was sent");
}

#[tokio::test]
async fn an_administrator_reads_the_receipt_as_it_is_sent_and_nothing_is_sent_by_reading() {
    let site = Site::open().await;
    let settings =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../supabase-config/cloch.toml")).unwrap();
    let settings: toml::Table = settings.parse().unwrap();
    let web = settings["web"]["settings"].as_table().unwrap().to_string();
    enter_for(&site, "Ann", "parent@example.org", &["artist/ann/1-sea.png".to_owned()]).await;
    let entry: uuid::Uuid = site.value("select id from public.young_artist_entries").await;
    let input = json!({"award": "artist", "entry": entry});

    let admin = site.admin("desk@example.org").await;
    let reply = site.call("preview-receipt", &admin, &input).await;
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    assert_eq!(reply.body["address"], "parent@example.org");
    assert_eq!(site.value::<i64>("select count(*) from cloch.mail_outbox").await, 0);

    let _worker = Worker::start(&site, &web);
    let mail = sent(&site).await;
    assert_eq!((&reply.body["subject"], &reply.body["body"]), (&mail["subject"], &mail["body_text"]));
    assert!(
        reply.body["body"].as_str().unwrap().contains("Young Artist entry, Senior (14-17), 1 file"),
        "{:?}",
        reply.body
    );
}

#[tokio::test]
async fn a_visitor_a_stranger_and_a_judge_read_nothing() {
    let site = Site::open().await;
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    let entry: uuid::Uuid = site.value("select id from public.young_artist_entries").await;
    let input = json!({"award": "artist", "entry": entry});
    let stranger = site.sign(&json!({"role": "authenticated", "sub": uuid::Uuid::new_v4(), "exp": 4_000_000_000_u64}));
    let judge = site.sign(&json!({"role": "judge", "exp": 4_000_000_000_u64}));
    for token in [site.anon(), stranger, judge] {
        let reply = site.call("preview-receipt", &token, &input).await;
        assert_eq!(reply.status, 403, "{:?}", reply.body);
        assert!(!reply.body.to_string().contains("parent@example.org"));
    }
    let admin = site.admin("desk@example.org").await;
    for (award, id, status) in [("artist", uuid::Uuid::nil(), 404), ("citizen", entry, 404), ("'", entry, 404)] {
        let reply = site.call("preview-receipt", &admin, &json!({"award": award, "entry": id})).await;
        assert_eq!(reply.status, status, "{:?}", reply.body);
    }
}

#[tokio::test]
async fn a_receipt_names_the_page_that_mails_the_link_while_entries_are_open() {
    let site = Site::open().await;
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    let entry: uuid::Uuid = site.value("select id from public.young_artist_entries").await;
    let admin = site.admin("desk@example.org").await;
    let read = async || {
        site.call("preview-receipt", &admin, &json!({"award": "artist", "entry": entry})).await.body["body"].to_string()
    };
    assert!(read().await.contains("https://club.example/my-entry"));
    site.sql("delete from public.seasons").await;
    site.sql(
        "insert into public.seasons (name, event_on, deadline_on) values ('Now', club.today() + 9, club.today() - 1)",
    )
    .await;
    assert!(!read().await.contains("my-entry"));
}
