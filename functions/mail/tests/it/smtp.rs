//! Tests of the delivery to a real SMTP server: delivered content, refusals and retries.

use crate::support::{Certificate, Post, SmtpServer, message, to};
use cloch_core::Secret;
use cloch_mail::{Attachment, Message, Settings, Smtp, TlsMode};
use serde_json::json;

#[tokio::test]
async fn a_message_arrives_whole() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let sent = message(&["ann@example.org"])
        .with_reply_to("visitor@example.net".parse().unwrap())
        .with_attachment(Attachment::new("Föto \"1\".png", "image/png", vec![0, 255, 10, 13, 46, 13, 10]));
    let id = post.queue(&sent).await;

    let mail = server.next().await;
    assert_eq!(mail["rcpt_tos"], json!(["ann@example.org"]));
    assert_eq!(mail["mail_from"], "club@example.org");
    let headers = &mail["headers"];
    assert_eq!(headers["from"], "Gourock Club <club@example.org>");
    assert_eq!(headers["to"], "ann@example.org");
    assert_eq!(headers["reply-to"], "visitor@example.net");
    assert_eq!(headers["subject"], "Grüße from Gourock");
    assert_eq!(headers["message-id"], format!("<{id}@example.org>"));
    assert_eq!(headers["auto-submitted"], "auto-generated");
    assert!(headers["date"].as_str().unwrap().len() > 20);
    assert_eq!(mail["html"].as_str().unwrap().trim(), "<p>Hello <b>you</b>, it’s us.</p>");
    assert_eq!(mail["text"].as_str().unwrap().trim(), "Hello you, it’s us.");
    assert_eq!(mail["files"], json!([{"name": "Föto \"1\".png", "type": "image/png", "hex": "00ff0a0d2e0d0a"}]));

    let row = post.row_when(id, |row| row["state"] == "sent").await;
    assert_eq!((row["attempts"].as_i64(), row["pending"].clone()), (Some(1), json!([])));
}

#[tokio::test]
async fn a_server_that_offers_no_sign_in_is_named_so() {
    let certificate = Certificate::make();
    let server = SmtpServer::start(&["--tls", "starttls", "--cert", &certificate.cert(), "--key", &certificate.key()]);
    // The SMTP server does not offer AUTH before STARTTLS.
    let smtp = Smtp {
        user: Some("u".to_owned()),
        pass: Secret::new("p"),
        tls: TlsMode::None,
        ..Smtp::new("127.0.0.1", server.port)
    };
    let error = cloch_mail::log_in(&smtp).await.unwrap_err().to_string();
    assert!(error.contains("offers no sign-in: leave out user and pass"), "{error}");
}

#[tokio::test]
async fn nothing_in_a_message_becomes_a_header_or_a_recipient() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let evil = "x\r\nBcc: victim@example.net\r\n\r\n<p>body</p>";
    let sent = Message::new("test", to(&["ann@example.org"]), evil, evil)
        .unwrap()
        .with_text(format!("{evil}\r\n.\r\nMAIL FROM:<a@b>"))
        .with_attachment(Attachment::new(evil, evil, b"x".to_vec()));
    post.queue(&sent).await;

    let mail = server.next().await;
    assert_eq!(mail["rcpt_tos"], json!(["ann@example.org"]));
    let names = mail["header_names"].as_array().unwrap();
    assert!(!names.contains(&json!("bcc")), "{names:?}");
    assert_eq!(mail["headers"]["subject"], "x Bcc: victim@example.net <p>body</p>");
    assert!(mail["text"].as_str().unwrap().contains("MAIL FROM"));
    assert!(server.took_nothing_more());
}

#[tokio::test]
async fn each_recipient_is_settled_on_its_own() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let id = post.queue(&message(&["ann@example.org", "refused@example.org", "later@example.org"])).await;

    let mail = server.next().await;
    assert_eq!(mail["rcpt_tos"], json!(["ann@example.org"]));
    assert_eq!(mail["headers"]["to"], "ann@example.org, refused@example.org, later@example.org");
    let row = post.row_when(id, |row| row["last_error"].as_str().is_some_and(|text| text.contains("451"))).await;
    assert_eq!((row["state"].clone(), row["pending"].clone()), (json!("queued"), json!(["later@example.org"])));
    assert_eq!(row["refused"], json!(["refused@example.org"]));
    let due_in = row["due_in"].as_f64().unwrap();
    assert!((10.0..20.0).contains(&due_in), "due in {due_in} s");

    // The second attempt skips recipients who already have the message, and the delay after the second attempt is longer.
    post.sql("update cloch.mail_outbox set due_at = now(); notify cloch_mail").await;
    let row = post.row_when(id, |row| row["attempts"] == 2 && row["due_in"].as_f64() < Some(50.0)).await;
    assert!((20.0..40.0).contains(&row["due_in"].as_f64().unwrap()), "{row}");
    assert!(server.took_nothing_more());
}

#[tokio::test]
async fn a_refused_message_fails_and_says_why() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let id = post.queue(&message(&["refused@example.org"])).await;
    let row = post.row_when(id, |row| row["state"] == "failed").await;
    assert!(row["last_error"].as_str().unwrap().contains("no such mailbox"), "{row}");
    assert!(row["finished_at"].is_string());
}

#[tokio::test]
async fn a_slow_or_broken_server_is_tried_again_later() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let slow = post.queue(&message(&["slow@example.org"])).await;
    let dropped = post.queue(&message(&["drop@example.org"])).await;
    let waiting = |row: &serde_json::Value| row["last_error"].is_string() && row["state"] == "queued";
    let row = post.row_when(slow, waiting).await;
    assert!(row["last_error"].as_str().unwrap().contains("within 6 s"), "{row}");
    post.row_when(dropped, waiting).await;
    // The two slow deliveries did not block other messages.
    let id = post.queue(&message(&["ann@example.org"])).await;
    post.row_when(id, |row| row["state"] == "sent").await;
}

#[tokio::test]
async fn no_server_at_all_is_tried_again_later() {
    let server = SmtpServer::start(&[]);
    let settings = server.settings_of(Smtp::new("127.0.0.1", 9));
    let post = Post::open(settings).await;
    let id = post.queue(&message(&["ann@example.org"])).await;
    let row = post.row_when(id, |row| row["last_error"].is_string()).await;
    assert_eq!(row["state"], "queued");
    assert!(post.mailer.test("ann@example.org").await.is_err());
}

#[tokio::test]
async fn a_worker_that_died_leaves_its_message_to_another() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    // The row of a message after a crash of the worker: one attempt was counted, and the lease has expired.
    post.sql(
        "insert into cloch.mail_outbox (id, kind, recipients, pending, subject, html, body_text, state, attempts, due_at)
         values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10', 'test', '{ann@example.org}', '{ann@example.org}', 's', 'h', 't',
                 'queued', 1, now() - interval '1 second')",
    )
    .await;
    assert_eq!(server.next().await["headers"]["subject"], "s");
    assert!(server.took_nothing_more());
}

#[tokio::test]
async fn an_idle_worker_stops_at_once() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let shutdown = tokio_util::sync::CancellationToken::new();
    let worker = tokio::spawn(cloch_mail::worker::run(post.mailer.clone(), shutdown.clone()));
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    shutdown.cancel();
    tokio::time::timeout(std::time::Duration::from_secs(2), worker).await.unwrap().unwrap();
}

#[tokio::test]
async fn other_settings_hold_for_the_next_message() {
    let (first, second) = (SmtpServer::start(&[]), SmtpServer::start(&[]));
    let post = Post::open(first.settings()).await;
    post.queue(&message(&["ann@example.org"])).await;
    first.next().await;
    let prepared = post.mailer.prepare(second.settings()).unwrap();
    post.queue(&message(&["ben@example.org"])).await;
    assert_eq!(first.next().await["rcpt_tos"], json!(["ben@example.org"]), "prepared settings change nothing");
    prepared();
    post.queue(&message(&["cat@example.org"])).await;
    assert_eq!(second.next().await["rcpt_tos"], json!(["cat@example.org"]));
    assert!(first.took_nothing_more());

    // If the mail server is removed from the settings, a mail that waits for the unreachable server is delivered to the inbox.
    post.mailer.prepare(first.settings_of(Smtp::new("127.0.0.1", 9))).unwrap()();
    let waiting = post.queue(&message(&["dan@example.org"])).await;
    post.row_when(waiting, |row| row["last_error"].is_string()).await;
    post.mailer.prepare(Settings::default()).unwrap()();
    post.row_when(waiting, |row| row["state"] == "delivered").await;
    post.mailer.prepare(second.settings()).unwrap()();
    post.queue(&message(&["eve@example.org"])).await;
    assert_eq!(second.next().await["rcpt_tos"], json!(["eve@example.org"]));
}

#[tokio::test]
async fn many_workers_send_each_message_once() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let second = tokio_util::sync::CancellationToken::new();
    tokio::spawn(cloch_mail::worker::run(post.mailer.clone(), second.clone()));
    for number in 0..30 {
        post.queue(&message(&[&format!("ann{number}@example.org")])).await;
    }
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..30 {
        assert!(seen.insert(server.next().await["rcpt_tos"].to_string()));
    }
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(server.took_nothing_more());
    second.cancel();
}

#[tokio::test]
async fn a_transaction_that_rolls_back_sends_nothing() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let mut transaction = cloch_sql::transaction::begin(post.database.superuser()).await.unwrap();
    let id = post.mailer.queue(&mut *transaction, &message(&["ann@example.org"])).await.unwrap();
    transaction.rollback().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(server.took_nothing_more());
    assert!(post.row(id).await.is_null());
}

#[tokio::test]
async fn tls_and_login() {
    let certificate = Certificate::make();
    for (mode, tls) in [("starttls", TlsMode::Starttls), ("implicit", TlsMode::Implicit)] {
        let server = SmtpServer::start(&[
            "--tls",
            mode,
            "--cert",
            &certificate.cert(),
            "--key",
            &certificate.key(),
            "--login",
            "club:right",
        ]);
        let smtp = |pass: &str, trusted: bool| {
            let ca_file = trusted.then(|| certificate.cert().into());
            let smtp = Smtp::new("127.0.0.1", server.port);
            server.settings_of(Smtp { user: Some("club".into()), pass: Secret::new(pass), tls, ca_file, ..smtp })
        };
        let untrusted = Post::open(smtp("right", false)).await;
        let error = untrusted.mailer.test("ann@example.org").await.unwrap_err().to_string();
        assert!(error.contains("certificate") || error.contains("UnknownIssuer"), "{error}");

        // A failed login to the mail server is a configuration error, so the message stays queued.
        let locked_out = Post::open(smtp("wrong", true)).await;
        let id = locked_out.queue(&message(&["ann@example.org"])).await;
        let row = locked_out.row_when(id, |row| row["last_error"].is_string()).await;
        assert_eq!(row["state"], "queued", "{row}");
        assert!(row["last_error"].as_str().unwrap().contains("535") && !row.to_string().contains("wrong"), "{row}");

        let post = Post::open(smtp("right", true)).await;
        assert!(post.mailer.test("ann@example.org").await.unwrap().contains("taken as 42"));
        let mail = server.next().await;
        assert_eq!((mail["tls"].clone(), mail["login"].clone()), (json!(true), json!(true)));
    }
}

#[tokio::test]
async fn a_server_without_tls_gets_nothing_where_tls_is_asked_for() {
    let server = SmtpServer::start(&[]);
    let smtp = Smtp { tls: TlsMode::Starttls, ..Smtp::new("127.0.0.1", server.port) };
    let post = Post::open(server.settings_of(smtp)).await;
    let error = post.mailer.test("ann@example.org").await.unwrap_err().to_string();
    assert!(error.to_lowercase().contains("tls"), "{error}");
    assert!(server.took_nothing_more());
}
