//! Tests of receipts for parents and nominators. A receipt contains no text that a stranger could abuse.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mail_jobs::{RECIPIENTS, Worker, enter_for};
use crate::support::Site;

/// Waits until each receipt is written or postponed.
async fn until_settled(site: &Site) {
    let unsettled = "select count(*) from club.mail_jobs
                      where kind = 'receipt' and state = 'queued' and (attempts > 0 or due_at <= now())";
    for _ in 0..1200 {
        if site.value::<i64>(unsettled).await == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("receipts are left: {:?}", site.value::<Option<String>>("select max(last_error) from club.mail_jobs").await);
}

async fn receipts(site: &Site) -> Vec<Value> {
    site.mails().await.into_iter().filter(|mail| mail["kind"] == "receipt").collect()
}

/// Resets the hourly limits of receipts, and makes postponed mail jobs due immediately.
async fn let_an_hour_pass(site: &Site) {
    site.sql("delete from cloch.rate_limits where subject like 'club/receipts/%/hour'").await;
    site.sql("update club.mail_jobs set due_at = now() where state = 'queued'").await;
    site.sql("select pg_notify('club_mail_jobs', '')").await;
}

#[tokio::test]
async fn what_a_stranger_typed_is_not_in_the_mail_to_a_third_party() {
    let site = Site::open().await;
    let _worker = Worker::start(&site, RECIPIENTS);
    enter_for(
        &site,
        "Buy at https://evil.example now",
        "victim@example.org",
        &["artist/evil/1-evil.example.png".to_owned()],
    )
    .await;
    until_settled(&site).await;
    let mail = receipts(&site).await.pop().unwrap();
    assert_eq!(mail["recipients"], json!(["victim@example.org"]));
    assert_eq!(mail["files"], json!([]));
    for part in ["subject", "html", "body_text"] {
        let text = mail[part].as_str().unwrap();
        assert!(!text.to_lowercase().contains("evil"), "{part}: {text}");
    }
}

#[tokio::test]
async fn one_mailbox_has_one_receipt_in_an_hour_and_three_in_a_day_however_it_is_written() {
    let site = Site::open().await;
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    let spellings = ["victim@example.org", "VICTIM@example.org", "vic.tim@example.org", "victim+1@example.org"];
    for round in 0..5 {
        for spelling in spellings {
            enter_for(&site, "Ann", spelling, &[]).await;
        }
        until_settled(&site).await;
        assert_eq!(receipts(&site).await.len(), 3.min(round + 1), "after {round} hours");
        let_an_hour_pass(&site).await;
        until_settled(&site).await;
    }
    assert_eq!(receipts(&site).await.len(), 3);
    // Each entry is saved and announced to the club, regardless of the limit of receipts.
    assert_eq!(site.value::<i64>("select count(*) from public.young_artist_entries").await, 20);
    assert_eq!(site.value::<i64>("select count(*) from club.mail_jobs where kind = 'entry'").await, 20);
}

#[tokio::test]
async fn a_network_that_had_its_receipts_has_its_entries_saved_without() {
    let site = Site::open().await;
    site.sql("select cloch.take_amount('club/receipts/network/192.0.2.1', 100, 100, interval '1 hour')").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    until_settled(&site).await;
    assert!(receipts(&site).await.is_empty());
    assert_eq!(site.value::<i64>("select count(*) from public.young_artist_entries").await, 1);
    let kept = "select state || ': ' || last_error from club.mail_jobs where kind = 'receipt'";
    assert_eq!(site.value::<String>(kept).await, "failed: A hundred receipts in an hour for one network");
}

#[tokio::test]
async fn a_network_that_had_its_receipts_writes_without_waiting() {
    let site = Site::open().await;
    site.sql("select cloch.take_amount('club/receipts/network/192.0.2.1', 100, 100, interval '1 hour')").await;
    let mut other = cloch_sql::transaction::begin(site.database.superuser()).await.unwrap();
    let hold = "select from cloch.rate_limits where subject = 'club/receipts/network/192.0.2.1' for update";
    sqlx::query(hold).execute(&mut *other).await.unwrap();
    let entered =
        tokio::time::timeout(Duration::from_secs(5), enter_for(&site, "Ann", "parent@example.org", &[])).await;
    other.rollback().await.unwrap();
    entered.expect("the entry waits for the count");
    let kept = "select last_error from club.mail_jobs where kind = 'receipt'";
    assert_eq!(site.value::<String>(kept).await, "A hundred receipts in an hour for one network");
}

#[tokio::test]
async fn a_receipt_that_cannot_be_queued_does_not_refuse_the_entry() {
    let site = Site::open().await;
    site.sql("alter table club.mail_jobs add constraint none check (kind <> 'receipt')").await;
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    assert_eq!(site.value::<i64>("select count(*) from public.young_artist_entries").await, 1);
}

#[tokio::test]
async fn what_an_admin_enters_has_no_receipt() {
    let site = Site::open().await;
    site.sql("insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category) values ('Ann', 12, 'p@example.org', 'senior')").await;
    assert_eq!(site.value::<i64>("select count(*) from club.mail_jobs where kind = 'receipt'").await, 0);
}

#[tokio::test]
async fn thirty_entries_with_a_teachers_address_are_told_in_two_mails() {
    let site = Site::open().await;
    enter_for(&site, "Pupil 1", "teacher@example.org", &[]).await;
    let _worker = Worker::start(&site, RECIPIENTS);
    until_settled(&site).await;
    for pupil in 2..=30 {
        enter_for(&site, &format!("Pupil {pupil}"), "teacher@example.org", &[]).await;
    }
    until_settled(&site).await;
    assert_eq!(receipts(&site).await.len(), 1);
    let_an_hour_pass(&site).await;
    until_settled(&site).await;
    let mails = receipts(&site).await;
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[1]["subject"], "We have received 29 entries to the youth awards");
    assert_eq!(mails[1]["html"].as_str().unwrap().matches("<li>Young Artist entry").count(), 29);
}

#[tokio::test]
async fn a_parent_is_told_what_was_received_and_how_to_withdraw_it() {
    let site = Site::open().await;
    let _worker = Worker::start(&site, &format!("{RECIPIENTS}\nclubName = 'The Club'\nclubEmail = 'club@example.org'"));
    enter_for(&site, "Ann Other", "parent@example.org", &["artist/ann/1-sea.png".to_owned()]).await;
    until_settled(&site).await;
    let mail = receipts(&site).await.pop().unwrap();
    assert_eq!(
        (&mail["subject"], &mail["reply_to"]),
        (&json!("We have received a Young Artist entry"), &json!("club@example.org"))
    );
    let reference: String = site.value("select upper(left(id::text, 8)) from public.young_artist_entries").await;
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains("The Club has received this"), "{html}");
    assert!(
        html.contains("Young Artist entry, Senior (14-17), 1 file, publicity: not specified. Received on "),
        "{html}"
    );
    assert!(html.contains(&format!("Reference {reference}.")), "{html}");
    assert!(html.contains("Write to <a href=\"mailto:club@example.org\">"), "{html}");
    assert!(html.contains("<a href=\"https://club.example/privacy\">"), "{html}");
    assert!(!html.contains("Ann"), "a minor’s name is not sent to an unproved address: {html}");
}

#[tokio::test]
async fn a_nominator_is_told_and_not_the_parent_who_may_not_know() {
    let site = Site::open().await;
    let _worker = Worker::start(&site, RECIPIENTS);
    site.sql(
        "begin; set local role anon;
         insert into public.young_citizen_nominations
           (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
         values ('group', 'The Beach Crew', 14, 'parent@example.org', 'Tom', 'tom@example.org', 'Swept', 'They did');
         commit",
    )
    .await;
    until_settled(&site).await;
    let mails = receipts(&site).await;
    assert_eq!(mails.iter().map(|mail| &mail["recipients"]).collect::<Vec<_>>(), [&json!(["tom@example.org"])]);
    assert!(
        mails[0]["html"].as_str().unwrap().contains("Young Citizen Award nomination, Group, 0 files. Received on ")
    );
}

#[tokio::test]
async fn an_entry_that_is_deleted_takes_its_receipt_along() {
    let site = Site::open().await;
    let _worker = Worker::start(&site, RECIPIENTS);
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    until_settled(&site).await;
    assert_eq!(receipts(&site).await.len(), 1);
    let admin = site.admin("desk@example.org").await;
    let entry: uuid::Uuid = site.value("select id from public.young_artist_entries").await;
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    let sub: String = site.value("select user_id::text from public.user_roles limit 1").await;
    assert!(!admin.is_empty());
    sqlx::query("select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)")
        .bind(json!({"sub": sub, "role": "authenticated"}).to_string())
        .execute(&mut *transaction)
        .await
        .unwrap();
    sqlx::query("select public.delete_entry('artist', $1)").bind(entry).execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    assert!(receipts(&site).await.is_empty());
    assert_eq!(site.value::<i64>("select count(*) from club.mail_jobs").await, 0);
}
