//! Tests of the mails that inform an entrant about the new state of an entry. Each mail is written once, with the text of the preview.

use std::time::Duration;

use serde_json::json;

use crate::mail_jobs::{RECIPIENTS, Worker, enter_for};
use crate::support::Site;

async fn until_written(site: &Site) {
    for _ in 0..1200 {
        if site.value::<i64>("select count(*) from club.mail_jobs where kind = 'winner' and state = 'queued'").await
            == 0
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("mails are left: {:?}", site.value::<Option<String>>("select max(last_error) from club.mail_jobs").await);
}

/// Queues the mail of the state `winner` for all entries of artists.
async fn send(site: &Site) {
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::raw_sql(
        r#"set local request.jwt.claims = '{"role": "service_role"}';
           select * from public.send_state_mails('artist', (select array_agg(id) from public.young_artist_entries), 'winner')"#,
    )
    .execute(&mut *transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn the_mail_of_a_state_is_written_once_and_none_for_a_withdrawn_entry() {
    let site = Site::open().await;
    enter_for(&site, "Ann <b>", "ann@example.org", &[]).await;
    enter_for(&site, "Bob", "bob@example.org", &[]).await;
    site.sql("update public.mail_templates set subject = '{name}: {result}', body = E'Hello,\\n\\n{name}\\n{award}'")
        .await;
    site.sql("update public.young_artist_entries set withdrawn_at = now() where entrant_name = 'Bob'").await;
    send(&site).await;
    send(&site).await;
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    until_written(&site).await;
    let mails: Vec<_> = site.mails().await.into_iter().filter(|mail| mail["kind"] == "winner").collect();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0]["recipients"], json!(["ann@example.org"]));
    assert_eq!(mails[0]["reply_to"], json!("awards@example.org"));
    assert_eq!(mails[0]["subject"], "Ann <b>: a winner");
    let html = mails[0]["html"].as_str().unwrap();
    assert!(html.contains("<p>Hello,</p>\n<p>Ann &lt;b&gt;<br>Young Artist</p>"), "{html}");
}

/// `xn--a` is not a valid internationalised domain label. Only the server detects this, not the checks in the database.
#[tokio::test]
async fn the_mail_to_an_address_that_cannot_exist_fails_at_the_first_attempt() {
    let site = Site::open().await;
    enter_for(&site, "Ann", "ann@xn--a.example", &[]).await;
    send(&site).await;
    let _node = Worker::start(&site, RECIPIENTS);
    until_written(&site).await;
    let query = "select concat_ws(' ', state, attempts, last_error) from club.mail_jobs where kind = 'winner'";
    let found = site.value::<String>(query).await;
    assert!(found.starts_with("failed 1 ") && found.contains("Correct the address"), "{found}");
}
