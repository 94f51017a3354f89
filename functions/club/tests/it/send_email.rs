//! Tests of send-email: recipients of visitors (callers without a session) and administrators, sanitised content, and attachments.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{BUCKET, Site};

fn mail(changes: Value) -> Value {
    let mut body = json!({"to": ["awards@example.org"], "subject": "Young Artist Entry - Ann", "message": "<p>Hello</p>", "name": "Ann"});
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn a_visitor_writes_to_the_club_and_nobody_else() {
    let site = Site::open().await;
    let (anon, member) = (site.anon(), site.member("eve@example.org").await);
    let judge = site.sign(&json!({"role": "judge", "exp": 4_000_000_000_u64}));
    for to in [
        json!("victim@example.net"),
        json!(["club@example.org", "victim@example.net"]),
        json!("club@example.org.evil.example"),
        json!("club@example.org,victim@example.net"),
        json!("club@example.org\r\nBcc: victim@example.net"),
        json!("<victim@example.net> club@example.org"),
        json!("\"club@example.org\" <victim@example.net>"),
        json!("club@example.org@evil.example"),
        json!("club%example.net@example.org"),
    ] {
        for token in [&anon, &member, &judge] {
            let reply = site.call("send-email", token, &mail(json!({"to": to}))).await;
            assert!(matches!(reply.status, 400 | 403), "{to}: {reply:?}");
        }
    }
    assert!(site.mails().await.is_empty());

    // Addresses are compared case-insensitively, and `to` may be a string or a list.
    for to in [json!("club@example.org"), json!(["Club@Example.ORG", "officer@example.org"])] {
        let reply = site.call("send-email", &anon, &mail(json!({"to": to}))).await;
        assert_eq!((reply.status, reply.body["queued"].clone()), (200, json!(true)), "{reply:?}");
    }
    let admin = site.admin("ann@example.org").await;
    assert_eq!(site.call("send-email", &admin, &mail(json!({"to": "anyone@example.net"}))).await.status, 200);
    assert_eq!(site.mails().await.len(), 3);
}

#[tokio::test]
async fn a_removed_admin_is_a_visitor() {
    let site = Site::open().await;
    let admin = site.admin("ann@example.org").await;
    site.sql("delete from public.user_roles").await;
    let reply = site.call("send-email", &admin, &mail(json!({"to": "anyone@example.net"}))).await;
    assert_eq!(reply.status, 403);
}

#[tokio::test]
async fn no_field_carries_a_header() {
    let site = Site::open().await;
    let evil = "x\r\nBcc: victim@example.net";
    for field in ["to", "subject", "name", "replyTo", "attachments"] {
        let reply = site.call("send-email", &site.anon(), &mail(json!({field: evil}))).await;
        assert_eq!(reply.status, 400, "{field}: {reply:?}");
    }
    assert_eq!(site.call("send-email", &site.anon(), &mail(json!({"bcc": "victim@example.net"}))).await.status, 400);
    assert!(site.mails().await.is_empty());
}

#[tokio::test]
async fn what_arrives_is_the_cleaned_message() {
    let site = Site::open().await;
    let message = "<h2>Entry</h2><p onclick=alert(1)>Line<br>two</p><script>alert(1)</script><style>p{}</style>\
                   <img src=https://t.example/pixel.gif><iframe src=https://t.example></iframe>\
                   <form action=https://t.example><input></form><a href='data:text/html,x'>a</a>";
    let reply = site
        .call(
            "send-email",
            &site.anon(),
            &mail(json!({"message": message, "name": "<b>Ann", "replyTo": "ann@example.net"})),
        )
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mail = &site.mails().await[0];
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains("<h2>Entry</h2><p>Line<br>two</p>"), "{html}");
    for bad in ["alert", "t.example", "<form", "<input", "<iframe", "data:", "<script", "onclick"] {
        assert!(!html.contains(bad), "{bad}: {html}");
    }
    assert!(html.contains("&lt;b&gt;Ann"));
    assert_eq!(mail["reply_to"], "ann@example.net");
    assert_eq!(mail["id"], reply.body["id"]);
    let text = mail["body_text"].as_str().unwrap();
    assert!(text.contains("Line\ntwo") && text.contains("<b>Ann"), "{text}");
}

#[tokio::test]
async fn a_visitor_attaches_the_files_of_the_submission_just_made() {
    let site = Site::open().await;
    site.upload(BUCKET, "artist/ann/1720000000001-sea.png", "image/png", vec![1; 3000]).await;
    site.upload(BUCKET, "artist/ann/1720000000002-note.pdf", "application/pdf", vec![2; 10]).await;
    site.upload(BUCKET, "artist/bob/1720000000003-bob.png", "image/png", vec![3; 10]).await;
    site.upload("music-uploads", "ann/1720000000004-song.mp3", "audio/mpeg", vec![4; 10]).await;
    let send = async |paths: Value| site.call("send-email", &site.anon(), &mail(json!({"attachments": paths}))).await;

    // Files of a different submission, files in a different bucket, and invalid paths.
    for paths in [
        json!(["artist/ann/1720000000001-sea.png", "artist/bob/1720000000003-bob.png"]),
        json!(["artist/ann/../bob/1720000000003-bob.png"]),
        json!(["../music-uploads/ann/1720000000004-song.mp3"]),
        json!(["/artist/ann/1720000000001-sea.png"]),
        json!(["artist//ann/1720000000001-sea.png"]),
        json!(["sea.png"]),
    ] {
        assert_eq!(send(paths.clone()).await.status, 400, "{paths}");
    }
    assert!(site.mails().await.is_empty());

    assert_eq!(
        send(json!(["artist/ann/1720000000001-sea.png", "artist/ann/1720000000002-note.pdf"])).await.status,
        200
    );
    let expected = json!([
        {"name": "sea.png", "type": "image/png", "size": 3000},
        {"name": "note.pdf", "type": "application/pdf", "size": 10},
    ]);
    let attached = site.mails().await.pop().unwrap()["files"].clone();
    let mut files = attached.as_array().unwrap().clone();
    files.sort_by_key(|file| std::cmp::Reverse(file["size"].as_i64()));
    assert_eq!(Value::Array(files), expected);

    // For a visitor, an old file and a missing file have the same effect: the mail is sent without the file, and says that a file is
    // missing.
    site.sql("update storage.objects set created_at = now() - interval '61 minutes' where name like 'artist/bob/%'")
        .await;
    for path in ["artist/bob/1720000000003-bob.png", "artist/none/1720000000009-none.png", "ann/1720000000004-song.mp3"]
    {
        assert_eq!(send(json!([path])).await.status, 200);
        let mail = site.mails().await.pop().unwrap();
        assert_eq!(mail["files"], json!([]), "{path}");
        assert!(mail["body_text"].as_str().unwrap().contains("could not be attached: 1"), "{mail}");
    }
    // An administrator may attach files that policies allow the administrator to read.
    let admin = site.admin("cat@example.org").await;
    let body = mail(json!({"attachments": ["artist/bob/1720000000003-bob.png", "artist/ann/1720000000002-note.pdf"]}));
    assert_eq!(site.call("send-email", &admin, &body).await.status, 200);
    assert_eq!(site.mails().await.pop().unwrap()["files"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn large_files_become_links_that_expire() {
    let site = Site::open().await;
    let mut paths = Vec::new();
    for number in 1..=3 {
        let path = format!("artist/ann/172000000000{number}-sea{number}.png");
        site.upload(BUCKET, &path, "image/png", vec![number; 7 * 1024 * 1024]).await;
        paths.push(path);
    }
    let reply = site.call("send-email", &site.anon(), &mail(json!({"attachments": paths}))).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mail = site.mails().await.pop().unwrap();
    assert_eq!(mail["files"], json!([]));
    let html = mail["html"].as_str().unwrap();
    let until = html.split("These links work until ").nth(1).unwrap().split(';').next().unwrap();
    let until = chrono::NaiveDateTime::parse_from_str(until, "%d %B %Y, %H:%M UTC").unwrap().and_utc();
    assert!(until <= chrono::Utc::now() + chrono::TimeDelta::hours(1), "files of minors behind an open link: {until}");
    let links: Vec<String> =
        html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect();
    assert_eq!(links.len(), 3);
    for link in links {
        let path = link.strip_prefix("https://api.club.example").unwrap();
        let answer = site.client.get(format!("{}{path}", site.url)).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.bytes().await.unwrap().len()), (200, 7 * 1024 * 1024));
    }
}

#[tokio::test]
async fn mail_is_counted_with_its_transaction() {
    let site =
        Site::with("[functions.send-email]\nallowed_recipients = ['awards@example.org']\nmails_hourly = 2").await;
    // The count for the rate limit is rolled back together with the message.
    site.sql("alter table cloch.mail_outbox add constraint refuse_for_now check (subject <> 'fails')").await;
    let admin = site.admin("ann@example.org").await;
    for _ in 0..5 {
        assert_eq!(site.call("send-email", &admin, &mail(json!({"subject": "fails"}))).await.status, 500);
    }
    let body = mail(json!({}));
    let replies = join_all((0..10).map(|_| site.call("send-email", &admin, &body))).await;
    let statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 2, "{statuses:?}");
    assert_eq!(site.mails().await.len(), 2);
    // Messages of administrators do not use up the limit of visitors.
    assert_eq!(site.call("send-email", &site.anon(), &body).await.status, 200);
}

/// Returns messages that are the most expensive for an HTML parser or for the conversion to text, compared with their length.
fn costly_messages() -> Vec<String> {
    let filled =
        |start: &str, repeated: &str| format!("{start}{}", repeated.repeat((90_000 - start.len()) / repeated.len()));
    vec![
        filled("x", "<div>"),
        filled("", "<blockquote>x"),
        filled("<p><b><i><u><small><code><em><strong></p>", "<p>x</p>"),
        filled("<table>", "<tr><td rowspan=9999>x</td></tr>"),
        filled(&"<table><tr><td>".repeat(20), "<p>x</p>"),
        filled(&"<blockquote>".repeat(50), "word "),
    ]
}

#[tokio::test]
async fn a_message_that_costs_a_parser_the_most_is_a_message() {
    let site = Site::open().await;
    let (anon, messages) = (site.anon(), costly_messages());
    let mails: Vec<Value> = messages.iter().map(|message| mail(json!({"message": message}))).collect();
    let replies = join_all(mails.iter().map(|mail| site.call("send-email", &anon, mail))).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    assert_eq!(site.mails().await.len(), messages.len());
    for mail in site.mails().await {
        let (html, text) = (mail["html"].as_str().unwrap(), mail["body_text"].as_str().unwrap());
        assert!(html.len() < 400_000 && text.len() < 700_000, "{} bytes of HTML, {} of text", html.len(), text.len());
    }
}

#[tokio::test]
async fn a_message_has_a_size() {
    let site = Site::open().await;
    let admin = site.admin("ann@example.org").await;
    let long = mail(json!({"message": "x".repeat(100_001)}));
    let reply = site.call("send-email", &site.anon(), &long).await;
    assert_eq!((reply.status, reply.body["code"].clone()), (413, json!("too_large")));
    assert_eq!(site.call("send-email", &admin, &long).await.status, 200);
    let reply = site.call("send-email", &admin, &mail(json!({"message": "x".repeat(1_000_001)}))).await;
    assert_eq!(reply.status, 413);
    for message in ["", "<img src=https://t.example/p>"] {
        assert_eq!(site.call("send-email", &site.anon(), &mail(json!({"message": message}))).await.status, 400);
    }
}

#[tokio::test]
async fn the_outbox_does_not_keep_every_visitors_files() {
    let site = Site::open().await;
    site.upload(BUCKET, "artist/ann/1720000000001-sea.png", "image/png", vec![1; 3000]).await;
    let mail = mail(json!({"attachments": ["artist/ann/1720000000001-sea.png"]}));
    site.sql("select cloch.take_amount('send-email/attached/192.0.2.1', 204799, 204800, interval '1 hour')").await;
    assert_eq!(site.call("send-email", &site.anon(), &mail).await.status, 200);
    let sent = site.mails().await.pop().unwrap();
    assert_eq!(sent["files"], json!([]));
    assert!(sent["html"].as_str().unwrap().contains("/storage/v1/object/sign/"), "{sent}");
    // A visitor (role `anon`) from a different network, and an administrator.
    let admin = site.admin("ann@example.org").await;
    for (address, token) in [("192.0.2.2", site.anon()), ("192.0.2.1", admin)] {
        assert_eq!(site.call_from(address, "send-email", &token, &mail).await.status, 200);
        assert_eq!(site.mails().await.pop().unwrap()["files"].as_array().unwrap().len(), 1, "{address}");
    }
}
