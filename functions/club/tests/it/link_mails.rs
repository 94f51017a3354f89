//! Tests of the mail with links that a visitor can request. The mail is sent only to the address of an entry, and its links work.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mail_jobs::{RECIPIENTS, Worker, enter_for};
use crate::support::Site;

/// Requests a mail with the links of an address, as a visitor.
async fn ask(site: &Site, address: &str) {
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::query("set local role anon").execute(&mut *transaction).await.unwrap();
    sqlx::query("select public.ask_entry_link($1)").bind(address).execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn link_mails(site: &Site) -> Vec<Value> {
    for _ in 0..1200 {
        if site.value::<i64>("select count(*) from club.link_requests").await == 0
            && site
                .value::<i64>("select count(*) from club.mail_jobs where kind = 'entry_link' and state = 'queued'")
                .await
                == 0
        {
            return site.mails().await.into_iter().filter(|mail| mail["kind"] == "entry_link").collect();
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("requests are left: {:?}", site.value::<Option<String>>("select max(last_error) from club.mail_jobs").await);
}

#[tokio::test]
async fn the_address_of_an_entry_gets_links_that_open_it_and_no_word_that_was_typed() {
    let site = Site::open().await;
    enter_for(&site, "Buy at evil.example", "Parent@example.org", &[]).await;
    enter_for(&site, "Bob", "parent@example.org", &[]).await;
    enter_for(&site, "Cat", "other@example.org", &[]).await;
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    ask(&site, "parent@EXAMPLE.org").await;
    let mails = link_mails(&site).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0]["recipients"].as_array().unwrap().len(), 1);
    assert_eq!(mails[0]["recipients"][0].as_str().unwrap().to_lowercase(), "parent@example.org");
    assert_eq!(mails[0]["reply_to"], json!("awards@example.org"));
    let html = mails[0]["html"].as_str().unwrap();
    assert_eq!(html.matches("<li>Young Artist entry, Senior (14-17), 0 files").count(), 2, "{html}");
    assert!(!html.contains("evil") && !html.contains("Bob"), "{html}");
    let tokens: Vec<&str> =
        html.split("href=\"https://club.example/my-entry#entry=").skip(1).map(|rest| &rest[..64]).collect();
    assert_eq!(tokens.len(), 2, "{html}");
    let mut names = Vec::new();
    for token in tokens {
        let opened: Value =
            sqlx::query_scalar("select public.entry_by_link($1)").bind(token).fetch_one(site.pool()).await.unwrap();
        names.push(opened["columns"]["entrant_name"].as_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["Bob", "Buy at evil.example"]);
    // The mail is listed with both entries, and is deleted with one of them.
    let listed = "select count(*) from club.mail_jobs as j join cloch.mail_outbox as m on m.id = j.message_id
                   where j.kind = 'entry_link' and j.entry in (select id from public.young_artist_entries)";
    assert_eq!(site.value::<i64>(listed).await, 2);
}

#[tokio::test]
async fn nobody_else_gets_a_mail_and_a_mailbox_gets_one_in_five_minutes() {
    let site = Site::open().await;
    enter_for(&site, "Ann", "par.ent@example.org", &[]).await;
    let _worker = Worker::start(&site, RECIPIENTS);
    for address in
        ["parent@example.org", "nobody@example.org", "par.ent+1@example.org", "par.ent@example.org,x@example.org"]
    {
        ask(&site, address).await;
    }
    assert!(link_mails(&site).await.is_empty());
    assert_eq!(site.value::<i64>("select count(*) from public.entry_links").await, 0);
    ask(&site, "par.ent@example.org").await;
    ask(&site, "par.ent@example.org").await;
    assert_eq!(link_mails(&site).await.len(), 1);
    assert_eq!(site.value::<i64>("select count(*) from public.entry_links").await, 1);
    site.sql("update public.young_artist_entries set withdrawn_at = now()").await;
    site.sql("delete from cloch.rate_limits").await;
    ask(&site, "par.ent@example.org").await;
    assert_eq!(link_mails(&site).await.len(), 1);
}

#[tokio::test]
async fn a_request_is_kept_until_its_mail_can_be_written() {
    let site = Site::open().await;
    enter_for(&site, "Ann", "parent@example.org", &[]).await;
    ask(&site, "parent@example.org").await;
    {
        let _worker = Worker::start(&site, "officerEmail = 'officer@example.org'");
        let failed = "select count(*) from club.mail_jobs where kind = 'entry_link' and last_error is not null";
        for _ in 0..400 {
            if site.value::<i64>(failed).await == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        assert_eq!(site.value::<i64>(failed).await, 1);
    }
    assert_eq!(site.value::<i64>("select count(*) from public.entry_links").await, 0);
    site.sql("update club.mail_jobs set due_at = now()").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    assert_eq!(link_mails(&site).await.len(), 1);
}
