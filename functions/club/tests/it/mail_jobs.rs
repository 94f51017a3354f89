//! Mails that the database requests are written exactly once, even if the browser or the server fails.

use cloch_club::mail_jobs;
use cloch_club::settings::Recipients;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{BUCKET, Site};

pub const RECIPIENTS: &str = "awardsEmail = 'awards@example.org'\nofficerEmail = 'officer@example.org'";

/// The mail job worker of a node, which stops when this value is dropped.
pub struct Worker(CancellationToken);

impl Worker {
    pub fn start(site: &Site, web_settings: &str) -> Self {
        let recipients = Recipients::read(&web_settings.parse().unwrap()).unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(mail_jobs::run(site.services(), recipients, stop.clone()));
        Self(stop)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Waits until all entries are announced to the club.
async fn until_done(site: &Site) {
    for _ in 0..1200 {
        if site.value::<i64>("select count(*) from club.mail_jobs where kind = 'entry' and state = 'queued'").await == 0
        {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("jobs are left: {:?}", site.value::<Option<String>>("select max(last_error) from club.mail_jobs").await);
}

/// Returns the mails that announce entries to the club, oldest first.
async fn announcements(site: &Site) -> Vec<Value> {
    site.mails().await.into_iter().filter(|mail| mail["kind"] == "entry").collect()
}

/// Inserts an entry of an artist with the given files, as a visitor (role `anon`).
async fn enter(site: &Site, name: &str, files: &[String]) {
    enter_for(site, name, "parent@example.org", files).await;
}

/// Inserts an entry of an artist with the given address of a parent, as a visitor (role `anon`) of the network 192.0.2.1.
pub async fn enter_for(site: &Site, name: &str, parent: &str, files: &[String]) {
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::query("set local role anon").execute(&mut *transaction).await.unwrap();
    sqlx::query("set local cloch.network = '192.0.2.1'").execute(&mut *transaction).await.unwrap();
    sqlx::query(
        "insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, uploaded_files)
         values ($1, 12, $2, 'senior', $3)",
    )
    .bind(name)
    .bind(parent)
    .bind(files)
    .execute(&mut *transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn a_saved_entry_is_announced_with_its_files_however_old() {
    let site = Site::open().await;
    let path = "artist/ann/1720000000001-sea.png".to_owned();
    site.upload(BUCKET, &path, "image/png", vec![1; 3000]).await;
    site.sql("update storage.objects set created_at = now() - interval '3 days'").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    enter(&site, "Ann <b>", &[path, "artist/ann/1720000000002-gone.png".to_owned()]).await;
    until_done(&site).await;
    let mail = announcements(&site).await.pop().unwrap();
    assert_eq!(mail["recipients"], json!(["officer@example.org"]));
    assert_eq!((&mail["kind"], &mail["reply_to"]), (&json!("entry"), &json!("parent@example.org")));
    assert_eq!(mail["subject"], "Young Artist Entry - Ann <b>");
    assert_eq!(mail["files"], json!([{"name": "sea.png", "type": "image/png", "size": 3000}]));
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains("<p><strong>Name:</strong> Ann &lt;b&gt;</p>"), "{html}");
    assert!(html.contains("Files that were named and are not stored: 1."), "{html}");
    let entry: String = site.value("select id::text from public.young_artist_entries").await;
    let link = format!("href=\"https://club.example/admin?tab=artist&amp;entry={entry}\"");
    assert!(html.contains(&link), "{html}");
    assert!(site.value::<bool>("select message_id is not null from club.mail_jobs where kind = 'entry'").await);
}

#[tokio::test]
async fn an_entry_that_is_not_saved_has_no_mail() {
    let site = Site::open().await;
    let mut transaction = cloch_sql::transaction::begin(site.pool()).await.unwrap();
    sqlx::query("insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('Ann', 12, 'p@example.org', 'vocal')")
        .execute(&mut *transaction)
        .await
        .unwrap();
    transaction.rollback().await.unwrap();
    assert_eq!(site.value::<i64>("select count(*) from club.mail_jobs").await, 0);
    // An entry is deleted before its mail is written.
    enter(&site, "Bob", &[]).await;
    site.sql("delete from public.young_artist_entries").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    until_done(&site).await;
    assert!(site.mails().await.is_empty());
}

#[tokio::test]
async fn a_class_of_one_network_has_a_mail_each_and_two_nodes_send_none_twice() {
    let site = Site::open().await;
    let _nodes = [Worker::start(&site, RECIPIENTS), Worker::start(&site, RECIPIENTS)];
    for pupil in 0..30 {
        enter(&site, &format!("Pupil {pupil}"), &[]).await;
    }
    until_done(&site).await;
    let mut subjects: Vec<String> =
        announcements(&site).await.iter().map(|mail| mail["subject"].as_str().unwrap().to_owned()).collect();
    subjects.sort();
    subjects.dedup();
    assert_eq!((subjects.len(), announcements(&site).await.len()), (30, 30));
}

#[tokio::test]
async fn what_cannot_be_written_now_is_written_later() {
    let site = Site::open().await;
    enter(&site, "Ann", &[]).await;
    {
        let _worker = Worker::start(&site, "");
        while site.value::<i32>("select max(attempts) from club.mail_jobs where kind = 'entry'").await == 0
            || site.value::<bool>("select last_error is null from club.mail_jobs where kind = 'entry'").await
        {
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
    }
    assert!(announcements(&site).await.is_empty());
    assert!(site.value::<bool>("select bool_and(state = 'queued' and due_at > now()) from club.mail_jobs").await);
    // After the lease, a second worker claims the mail job of a killed worker.
    site.sql("update club.mail_jobs set due_at = now()").await;
    let _worker = Worker::start(&site, RECIPIENTS);
    until_done(&site).await;
    assert_eq!(announcements(&site).await.len(), 1);
}

#[tokio::test]
async fn files_too_large_for_a_mail_are_behind_the_sign_in() {
    let site = Site::open().await;
    let mut paths = Vec::new();
    for number in 1..=3 {
        let path = format!("artist/ann/172000000000{number}-sea{number}.png");
        site.upload(BUCKET, &path, "image/png", vec![number; 7 * 1024 * 1024]).await;
        paths.push(path);
    }
    let _worker = Worker::start(&site, RECIPIENTS);
    enter(&site, "Ann", &paths).await;
    until_done(&site).await;
    let mail: Value = announcements(&site).await.pop().unwrap();
    assert_eq!(mail["files"], json!([]));
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains("<li>sea1.png</li>") && html.contains("<li>sea3.png</li>"), "{html}");
    assert!(!html.contains("/storage/v1/"), "a file of a minor lies behind no open link: {html}");
}
