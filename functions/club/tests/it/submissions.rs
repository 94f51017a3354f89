//! Tests that a form's call of `send-email` sends the queued mail of its record. Exactly one mail is sent, regardless of the order of the
//! events.

use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::mail_jobs::{RECIPIENTS, Worker};
use crate::support::{BUCKET, Reply, Site};

/// Inserts a record with a submission key as a visitor (role `anon`) of the network 192.0.2.1. Returns the key.
async fn enter(site: &Site, insert: &'static str, files: &[String]) -> Uuid {
    let key = Uuid::new_v4();
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::query("set local role anon").execute(&mut *transaction).await.unwrap();
    sqlx::query("set local cloch.network = '192.0.2.1'").execute(&mut *transaction).await.unwrap();
    sqlx::query(insert).bind(key).bind(files).execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    key
}

const ARTIST: &str = "insert into public.young_artist_entries
    (submission_key, uploaded_files, entrant_name, age, parent_guardian_email, category)
    values ($1, $2, 'Ann', 12, 'parent@example.org', 'senior')";

async fn call(site: &Site, to: Value, key: Uuid) -> Reply {
    let body = json!({
        "to": to, "subject": "Young Artist Entry - Somebody else", "message": "<p>Other words</p>", "name": "Ann",
        "attachments": [], "submission": key,
    });
    site.call("send-email", &site.anon(), &body).await
}

/// Returns the mails that announce records to the club.
async fn announcements(site: &Site) -> Vec<Value> {
    site.mails().await.into_iter().filter(|mail| mail["kind"] == "entry").collect()
}

#[tokio::test]
async fn refused_calls_send_nothing() {
    let site = Site::open().await;
    let key = enter(&site, ARTIST, &[]).await;
    assert_eq!(call(&site, json!(["officer@example.org"]), Uuid::new_v4()).await.status, 404);
    assert_eq!(call(&site, json!(["victim@example.net"]), key).await.status, 403);
    let body = json!({"to": "club@example.org", "subject": "s", "message": "m", "submission": "1 or 1=1"});
    assert_eq!(site.call("send-email", &site.anon(), &body).await.status, 400);
    assert!(site.mails().await.is_empty());
}

#[tokio::test]
async fn the_call_sends_the_mail_of_the_record_without_a_worker() {
    let site = Site::open().await;
    let path = "artist/ann/1720000000001-sea.png".to_owned();
    site.upload(BUCKET, &path, "image/png", vec![1; 3000]).await;
    let key = enter(&site, ARTIST, &[path]).await;
    let reply = call(&site, json!(["officer@example.org"]), key).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mails = announcements(&site).await;
    assert_eq!((mails.len(), &mails[0]["id"]), (1, &reply.body["id"]));
    // The stored record is announced, not the text of the call.
    assert_eq!(mails[0]["subject"], "Young Artist Entry - Ann");
    assert!(!mails[0]["html"].as_str().unwrap().contains("Other words"));
    assert_eq!(mails[0]["files"], json!([{"name": "sea.png", "type": "image/png", "size": 3000}]));

    let again = call(&site, json!(["officer@example.org"]), key).await;
    assert_eq!((again.status, &again.body["id"]), (200, &reply.body["id"]));
    let _worker = Worker::start(&site, RECIPIENTS);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(announcements(&site).await.len(), 1);
}

#[tokio::test]
async fn many_calls_and_workers_at_once_send_one_mail() {
    let site = Site::open().await;
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    for _ in 0..5 {
        let key = enter(&site, ARTIST, &[]).await;
        let replies = join_all((0..10).map(|_| call(&site, json!("officer@example.org"), key))).await;
        assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
        assert!(replies.iter().all(|reply| reply.body["id"] == replies[0].body["id"]), "{replies:?}");
    }
    assert_eq!(announcements(&site).await.len(), 5);
}

#[tokio::test]
async fn a_mail_that_fails_leaves_the_record_and_is_sent_once_later() {
    // Without `officerEmail` in the configuration, the mail cannot be written.
    let site = Site::with("[functions.send-email]\nallowed_recipients = ['officer@example.org']").await;
    let key = enter(&site, ARTIST, &[]).await;
    for _ in 0..2 {
        assert_eq!(call(&site, json!("officer@example.org"), key).await.status, 500);
    }
    assert_eq!(site.value::<i64>("select count(*) from public.young_artist_entries").await, 1);
    assert!(announcements(&site).await.is_empty());
    let waits = "select state = 'queued' and last_error is not null and due_at > now() from club.mail_jobs where kind = 'entry'";
    assert!(site.value::<bool>(waits).await);

    site.sql("update club.mail_jobs set due_at = now()").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    while announcements(&site).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert_eq!(call(&site, json!("officer@example.org"), key).await.status, 200);
    assert_eq!(announcements(&site).await.len(), 1);
}

#[tokio::test]
async fn a_job_that_was_given_up_is_sent_by_the_next_call() {
    let site = Site::open().await;
    let key = enter(&site, ARTIST, &[]).await;
    site.sql("update club.mail_jobs set state = 'failed', attempts = 20, finished_at = now()").await;
    assert_eq!(call(&site, json!("officer@example.org"), key).await.status, 200);
    assert_eq!(announcements(&site).await.len(), 1);
}

#[tokio::test]
async fn additional_files_go_to_both_addresses() {
    let site = Site::open().await;
    let path = "artist/ann/1720000000001-more.png".to_owned();
    site.upload(BUCKET, &path, "image/png", vec![1; 30]).await;
    let insert = "insert into public.extra_files (submission_key, uploaded_files, kind, entrant_name, organisation)
                  values ($1, $2, 'additional', 'Ann', 'Sample Academy')";
    let key = enter(&site, insert, &[path]).await;
    let reply = call(&site, json!(["awards@example.org", "officer@example.org"]), key).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mails = announcements(&site).await;
    assert_eq!((mails.len(), &mails[0]["recipients"]), (1, &json!(["awards@example.org", "officer@example.org"])));
}

#[tokio::test]
async fn a_class_of_one_network_is_not_refused_and_messages_are_counted() {
    let site = Site::open().await;
    for _ in 0..30 {
        let key = enter(&site, ARTIST, &[]).await;
        assert_eq!(call(&site, json!("officer@example.org"), key).await.status, 200);
    }
    assert_eq!(announcements(&site).await.len(), 30);
    let message = json!({"to": "club@example.org", "subject": "Hello", "message": "<p>Hello</p>"});
    let mut statuses = Vec::new();
    for _ in 0..21 {
        statuses.push(site.call("send-email", &site.anon(), &message).await.status);
    }
    assert_eq!((&statuses[..20], statuses[20]), (&[200; 20][..], 429));
}
