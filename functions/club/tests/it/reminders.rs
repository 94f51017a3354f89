//! Tests of the reminders before the last day for entries. Each address gets at most one mail, and no mail is sent after the last day.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mail_jobs::{RECIPIENTS, Worker, enter_for};
use crate::support::Site;

async fn reminders(site: &Site) -> Vec<Value> {
    for _ in 0..1200 {
        if site.value::<i64>("select count(*) from club.mail_jobs where kind = 'reminder' and state = 'queued'").await
            == 0
        {
            return site.mails().await.into_iter().filter(|mail| mail["kind"] == "reminder").collect();
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("mails are left: {:?}", site.value::<Option<String>>("select max(last_error) from club.mail_jobs").await);
}

/// Opens a season whose last day for entries is in ten days.
async fn open_season(site: &Site) {
    site.sql("delete from public.seasons").await;
    site.sql(
        "insert into public.seasons (name, event_on, deadline_on) values ('Now', club.today() + 30, club.today() + 10)",
    )
    .await;
}

/// Queues reminders for all recipients of a group, as an administrator. Returns the outcomes.
async fn send(site: &Site, audience: &str) -> Vec<String> {
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::raw_sql(r#"set local request.jwt.claims = '{"role": "service_role"}'"#)
        .execute(&mut *transaction)
        .await
        .unwrap();
    let query =
        "select outcome from public.send_reminders($1, (select array_agg(recipient) from public.list_reminders($1)))";
    let outcomes = sqlx::query_scalar(query).bind(audience).fetch_all(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    outcomes
}

#[tokio::test]
async fn one_address_gets_one_mail_with_the_last_day_of_the_season() {
    let site = Site::open().await;
    open_season(&site).await;
    enter_for(&site, "Ann <b>", "parent@example.org", &[]).await;
    enter_for(&site, "Bob", "Parent@Example.org", &[]).await;
    enter_for(&site, "Cat", "other@example.org", &["artist/cat/1-sea.png".to_owned()]).await;
    site.sql("update public.mail_templates set subject = '{deadline} {left}', body = E'{name}\\n\\n{list}' where state = 'reminder_files'")
        .await;
    assert_eq!(send(&site, "files").await, ["queued"]);
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    let mails = reminders(&site).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0]["reply_to"], json!("awards@example.org"));
    let subject: String = site.value("select to_char(club.today() + 10, 'FMDD FMMonth YYYY') || ' in 10 days'").await;
    assert_eq!(mails[0]["subject"], json!(subject));
    let html = mails[0]["html"].as_str().unwrap();
    assert!(html.contains("<p>Ann &lt;b&gt;, Bob</p>"), "{html}");
    assert_eq!(html.matches("Young Artist, Senior, reference ").count(), 2, "{html}");
    // The mail belongs to both entries, and is deleted with one of them.
    let listed = "select count(*) from club.mail_jobs as j join cloch.mail_outbox as m on m.id = j.message_id
                   where j.kind = 'reminder' and j.entry in (select id from public.young_artist_entries)";
    assert_eq!(site.value::<i64>(listed).await, 2);
}

#[tokio::test]
async fn a_reminder_that_waits_is_not_written_after_the_last_day_nor_after_the_files_have_come() {
    let site = Site::open().await;
    open_season(&site).await;
    enter_for(&site, "Ann", "ann@example.org", &[]).await;
    enter_for(&site, "Bob", "bob@example.org", &[]).await;
    assert_eq!(send(&site, "files").await, ["queued", "queued"]);
    site.sql(
        "update public.young_artist_entries set uploaded_files = '{artist/bob/1-sea.png}' where entrant_name = 'Bob'",
    )
    .await;
    let worker = Worker::start(&site, RECIPIENTS);
    let mails = reminders(&site).await;
    assert_eq!(mails.iter().map(|mail| &mail["recipients"]).collect::<Vec<_>>(), [&json!(["ann@example.org"])]);
    drop(worker);

    enter_for(&site, "Cat", "cat@example.org", &[]).await;
    let outcomes = send(&site, "files").await;
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "queued").count(), 1, "{outcomes:?}");
    site.sql("update public.seasons set deadline_on = club.today() - 1").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    assert_eq!(reminders(&site).await.len(), 1);
}
