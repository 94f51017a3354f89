//! Tests of the built-in inbox over HTTP, as a browser and a test program use it.

use crate::support::{Post, SmtpServer, message, to};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use cloch_mail::{Attachment, Message, Settings, inbox};
use cloch_sql::Caller;
use cloch_sql::caller::{CallerResult, ClientAddress};
use serde_json::{Value, json};

/// Serves the mail inbox. The header `x-test-service-key` replaces the gateway's check of the service key.
async fn serve(post: &Post) -> String {
    let resolve = async |mut request: Request, next: Next| {
        let peer = request.extensions().get::<ConnectInfo<std::net::SocketAddr>>().unwrap().0.ip();
        let address =
            request.headers().get("x-test-address").map_or(peer, |text| text.to_str().unwrap().parse().unwrap());
        let key = request.headers().contains_key("x-test-service-key");
        let caller = if key { Caller::service_role() } else { Caller::anon() };
        request.extensions_mut().insert(ClientAddress(address));
        request.extensions_mut().insert::<CallerResult>(Ok(caller));
        next.run(request).await
    };
    let app = Router::new().nest("/_/inbox", inbox::router(post.mailer.clone())).layer(from_fn(resolve));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/_/inbox", listener.local_addr().unwrap());
    tokio::spawn(async move {
        axum::serve(listener, app.into_make_service_with_connect_info::<std::net::SocketAddr>()).await.unwrap();
    });
    url
}

async fn get(url: String) -> reqwest::Response {
    reqwest::get(url).await.unwrap()
}

async fn list(url: &str, query: &str) -> Vec<Value> {
    let body: Value = get(format!("{url}/api/messages{query}")).await.json().await.unwrap();
    body["messages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn nobody_else_reads_it() {
    let post = Post::open(Settings::default()).await;
    let id = post.queue(&message(&["ann@example.org"])).await;
    let url = serve(&post).await;
    let client = reqwest::Client::new();
    for path in
        ["", "/api/messages", "/style.css", &format!("/{id}"), &format!("/{id}/html"), &format!("/api/messages/{id}")]
    {
        let stranger = client.get(format!("{url}{path}")).header("x-test-address", "192.0.2.7").send().await.unwrap();
        assert_eq!(stranger.status(), 403, "{path}");
        let site = client.get(format!("{url}{path}")).header("origin", "https://evil.example").send().await.unwrap();
        assert_eq!(site.status(), 403, "{path}");
        let key =
            client.get(format!("{url}{path}")).header("x-test-address", "192.0.2.7").header("x-test-service-key", "1");
        assert_eq!(key.send().await.unwrap().status(), 200, "{path}");
    }
    let delete =
        client.delete(format!("{url}/api/messages/{id}")).header("x-test-address", "192.0.2.7").send().await.unwrap();
    assert_eq!(delete.status(), 403);
    let form = client.post(format!("{url}/delete")).header("origin", "https://evil.example").send().await.unwrap();
    assert_eq!(form.status(), 403);
    assert_eq!(list(&url, "").await.len(), 1);
}

#[tokio::test]
async fn where_real_mail_is_sent_the_key_alone_opens_it() {
    let server = SmtpServer::start(&[]);
    let post = Post::open(server.settings()).await;
    let url = serve(&post).await;
    assert_eq!(get(format!("{url}/api/messages")).await.status(), 403);
    let with_key = reqwest::Client::new().get(format!("{url}/api/messages")).header("x-test-service-key", "1");
    assert_eq!(with_key.send().await.unwrap().status(), 200);
}

/// If a project has other users, a local address may be the address of a proxy.
#[tokio::test]
async fn where_others_use_the_project_a_key_opens_it() {
    let settings = Settings {
        local_inbox: Some(false),
        inbox_key: cloch_core::Secret::new("the-key-of-the-link"),
        inbox_is_https: true,
        ..Settings::default()
    };
    let post = Post::open(settings).await;
    let id = post.queue(&message(&["ann@example.org"])).await;
    let url = serve(&post).await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let open = async |path: &str, cookie: &str| {
        let call = client.get(format!("{url}{path}")).header("host", "127.0.0.1").header("cookie", cookie);
        call.send().await.unwrap()
    };
    for path in [
        "",
        "/api/messages",
        &format!("/{id}"),
        &format!("/{id}/html"),
        "?key=",
        "?key=other",
        "?key=the-key-of-the-lin",
    ] {
        for cookie in ["", "cloch-inbox=", "cloch-inbox=other", "other=the-key-of-the-link"] {
            assert_eq!(open(path, cookie).await.status(), 403, "{path} {cookie}");
        }
    }
    // If no inbox key is configured, an empty key grants no access.
    let keyless = Post::open(Settings { local_inbox: Some(false), ..Settings::default() }).await;
    let keyless = serve(&keyless).await;
    for link in [format!("{keyless}?key="), format!("{keyless}?key")] {
        assert_eq!(client.get(link).header("cookie", "cloch-inbox=").send().await.unwrap().status(), 403);
    }

    let entered = open("?key=the-key-of-the-link", "").await;
    assert_eq!((entered.status().as_u16(), &entered.headers()["location"]), (303, &"/_/inbox".parse().unwrap()));
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().to_owned();
    for part in ["; HttpOnly", "; SameSite=Lax", "; Secure", "; Path=/_/inbox"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = format!("x=y; {}", cookie.split(';').next().unwrap());
    assert_eq!(open("/api/messages", &cookie).await.status(), 200);
    // A different website cannot use the cookie of a browser.
    let form = client.post(format!("{url}/delete")).header("cookie", &cookie).header("origin", "https://evil.example");
    assert_eq!(form.send().await.unwrap().status(), 403);
    assert_eq!(open("", &cookie).await.text().await.unwrap().matches("ann@example.org").count(), 1);
}

#[tokio::test]
async fn programs_find_read_and_delete_messages() {
    let post = Post::open(Settings::default()).await;
    let url = serve(&post).await;
    post.queue(&message(&["ann@example.org", "Bob@example.org"])).await;
    let id = post
        .queue(&message(&["cat@example.org"]).with_attachment(Attachment::new(
            "a.pdf",
            "application/pdf",
            vec![7; 2000],
        )))
        .await;

    assert_eq!(list(&url, "").await.len(), 2);
    assert_eq!(list(&url, "?limit=1").await[0]["id"], id.to_string());
    assert_eq!(list(&url, "?to=bob@example.org").await.len(), 1);
    assert_eq!(list(&url, "?to=nobody@example.org").await.len(), 0);
    let one: Value = get(format!("{url}/api/messages/{id}")).await.json().await.unwrap();
    assert_eq!(one["to"], json!(["cat@example.org"]));
    assert_eq!(one["state"], "delivered");
    assert_eq!(one["attachments"], json!([{"filename": "a.pdf", "content_type": "application/pdf", "size": 2000}]));
    assert_eq!(one["text"], "Hello you, it’s us.");

    let client = reqwest::Client::new();
    let delete = || client.delete(format!("{url}/api/messages/{id}")).send();
    assert_eq!(delete().await.unwrap().status(), 204);
    assert_eq!(delete().await.unwrap().status(), 404);
    assert_eq!(get(format!("{url}/api/messages/nonsense")).await.status(), 400);
    assert_eq!(client.delete(format!("{url}/api/messages")).send().await.unwrap().status(), 204);
    assert_eq!(list(&url, "").await.len(), 0);
}

#[tokio::test]
async fn a_page_shows_a_hostile_message_harmlessly() {
    let post = Post::open(Settings::default()).await;
    let url = serve(&post).await;
    let evil = "<script>alert(1)</script>";
    let sent = Message::new(evil, to(&["ann@example.org"]), evil, evil).unwrap().with_attachment(Attachment::new(
        &format!("{evil}\".html"),
        "text/html",
        evil.into(),
    ));
    let id = post.queue(&sent).await;

    for path in ["".to_owned(), format!("/{id}"), format!("/{id}?view=text"), format!("/{id}?view=source")] {
        let page = get(format!("{url}{path}")).await;
        assert_eq!(page.status(), 200);
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.headers()["cache-control"], "no-store");
        let html = page.text().await.unwrap();
        assert!(!html.contains("<script") && html.contains("&lt;script"), "{path}: {html}");
    }
    let frame = get(format!("{url}/{id}/html")).await;
    let policy = frame.headers()["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains("allow-scripts"),
        "{policy}"
    );
    let file = get(format!("{url}/{id}/files/1")).await;
    assert_eq!(file.headers()["content-type"], "application/octet-stream");
    assert!(file.headers()["content-disposition"].to_str().unwrap().starts_with("attachment; filename=\""));
    assert_eq!(file.bytes().await.unwrap(), evil.as_bytes());
    for position in ["0", "2"] {
        assert_eq!(get(format!("{url}/{id}/files/{position}")).await.status(), 404);
    }
    let source = get(format!("{url}/{id}/source")).await;
    assert_eq!(source.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(source.text().await.unwrap().contains("Message-ID: "));
}

#[tokio::test]
async fn what_waited_for_a_server_that_is_gone_is_handed_over() {
    let post = Post::open(Settings::default()).await;
    post.sql(
        "insert into cloch.mail_outbox (id, kind, recipients, pending, subject, html, body_text, state)
         values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a11', 'test', '{ann@example.org}', '{ann@example.org}', 'waited', 'h', 't', 'queued');
         insert into cloch.mail_outbox (id, kind, recipients, subject, html, body_text, state, finished_at)
         values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10', 'test', '{ann@example.org}', 'old', 'h', 't', 'delivered', now() - interval '31 days')",
    )
    .await;
    // When the delivery worker starts, it deletes old messages and delivers queued messages to the inbox.
    let shutdown = tokio_util::sync::CancellationToken::new();
    let worker = tokio::spawn(cloch_mail::worker::run(post.mailer.clone(), shutdown.clone()));
    let url = serve(&post).await;
    let id = "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10".parse().unwrap();
    post.row_when(id, Value::is_null).await;
    let waited = "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a11".parse().unwrap();
    post.row_when(waited, |row| row["state"] == "delivered").await;
    let messages = list(&url, "").await;
    assert_eq!((messages.len(), messages[0]["state"].clone()), (1, json!("delivered")));
    shutdown.cancel();
    worker.await.unwrap();
}
