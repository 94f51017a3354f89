use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;
use http::header::ACCEPT_ENCODING;
use http_body_util::BodyExt;
use serde_json::json;
use tempfile::TempDir;
use tower::ServiceExt;

use super::*;

const MARKED: &str = "<title>Events</title><p>{cloch:text:clubName|A club}</p>";

async fn app(files: &[(&str, &str)]) -> (Router, TempDir) {
    let project = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = project.path().join("dist").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let config = json!({ "anonKey": "key", "settings": { "clubName": "Tom & Jo" } });
    (WebApp::open(Some("dist"), project.path(), config).await.unwrap().router(), project)
}

const BUILT: [(&str, &str); 7] = [
    ("index.html", "home"),
    ("200.html", "shell"),
    ("events/index.html", MARKED),
    ("events/index.html.br", "not filled"),
    ("plain/index.html", "plain"),
    ("plain/index.html.gz", "small"),
    ("assets/a-1.js", "script"),
];

async fn ask(app: &Router, path: &str, headers: &[(http::HeaderName, &str)]) -> (StatusCode, HeaderMap, Vec<u8>) {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let response = app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
}

async fn text(app: &Router, path: &str) -> String {
    String::from_utf8(ask(app, path, &[]).await.2).unwrap()
}

#[tokio::test]
async fn what_is_no_page_and_no_file_is_not_found() {
    let (app, _folder) = app(&BUILT).await;
    for path in ["/none.js", "/assets/none", "/_/none", "/_", "/events/none.css"] {
        let (status, headers, body) = ask(&app, path, &[]).await;
        assert_eq!((status, body.as_slice()), (StatusCode::NOT_FOUND, b"Not found\n".as_slice()), "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
    }
    assert_eq!(ask(&app, "/%ff", &[]).await.0, StatusCode::BAD_REQUEST);
    for path in ["/../Cargo.toml", "/%2e%2e/secret/index.html", "/events/..%2f..%2fx"] {
        assert!(!text(&app, path).await.contains("workspace"), "{path}");
    }
}

#[tokio::test]
async fn every_other_path_is_the_shell() {
    let (app, _folder) = app(&BUILT).await;
    for path in ["/admin", "/no/such/page", "/events/none", "/?code=1", "/events?view=form", "/%2e%2e/events"] {
        let (status, headers, body) = ask(&app, path, &[]).await;
        assert_eq!((status, body.as_slice()), (StatusCode::OK, b"shell".as_slice()), "{path}");
        assert_eq!(headers.get(CACHE_CONTROL).unwrap(), "no-cache", "{path}");
    }
}

#[tokio::test]
async fn a_query_with_a_page_of_its_own_gets_that_page() {
    let mut built = BUILT.to_vec();
    built.extend([
        ("events/index.view=form.html", "<p>{cloch:text:clubName|A club}: form"),
        ("index.view=form.html", "home form"),
    ]);
    let (app, _folder) = app(&built).await;
    for (path, page) in [
        ("/events?view=form", "<p>Tom &amp; Jo: form"),
        ("/events/?view=form", "<p>Tom &amp; Jo: form"),
        ("/?view=form", "home form"),
        // A prerendered page is sent only for exactly its own query.
        ("/events", "<title>Events</title><p>Tom &amp; Jo</p>"),
        ("/events?", "shell"),
        ("/events?view=form&x=1", "shell"),
        ("/events?view=Form", "shell"),
        ("/events?view=%66orm", "shell"),
        ("/events?view=form.html", "shell"),
        ("/events?/../../index.view=form", "shell"),
        ("/plain?view=form", "shell"),
    ] {
        let (status, _, body) = ask(&app, path, &[]).await;
        assert_eq!((status, body.as_slice()), (StatusCode::OK, page.as_bytes()), "{path}");
    }
    assert_eq!(ask(&app, "/events/index.none=1.html", &[]).await.0, StatusCode::NOT_FOUND);
    assert_eq!(text(&app, &format!("/events?{}", "a".repeat(10_000))).await, "shell");
}

#[tokio::test]
async fn an_app_that_names_its_pages_answers_others_with_404() {
    let mut built = BUILT.to_vec();
    built.extend([("404.html", "<p>{cloch:text:clubName|A club}: no such page"), ("admin/index.html", "shell")]);
    let (app, _folder) = app(&built).await;
    for path in ["/no/such/page", "/events/none", "/none?code=1", "/%2e%2e/events"] {
        let (status, headers, body) = ask(&app, path, &[(IF_NONE_MATCH, "*"), (ACCEPT_ENCODING, "gzip")]).await;
        assert_eq!(
            (status, body.as_slice()),
            (StatusCode::NOT_FOUND, b"<p>Tom &amp; Jo: no such page".as_slice()),
            "{path}"
        );
        assert_eq!(headers.get(CONTENT_TYPE).unwrap(), "text/html; charset=utf-8", "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
    }
    for (path, page) in
        [("/admin", "shell"), ("/admin?tab=artist", "shell"), ("/events?view=form", "shell"), ("/?code=1", "shell")]
    {
        let (status, _, body) = ask(&app, path, &[]).await;
        assert_eq!((status, body.as_slice()), (StatusCode::OK, page.as_bytes()), "{path}");
    }
}

#[tokio::test]
async fn an_app_of_one_page_is_served_as_ever() {
    let (app, _folder) = app(&[("index.html", "only"), ("a.txt", "file")]).await;
    for path in ["/", "/index.html", "/any/where", "/?x=1"] {
        assert_eq!(text(&app, path).await, "only", "{path}");
    }
    assert_eq!(text(&app, "/a.txt").await, "file");
}

#[tokio::test]
async fn a_drawn_page_answers_its_path_with_the_projects_settings() {
    let (app, _folder) = app(&BUILT).await;
    assert_eq!(text(&app, "/").await, "home");
    let page = "<title>Events</title><p>Tom &amp; Jo</p>";
    for path in ["/events", "/events/", "/events/index.html"] {
        assert_eq!(text(&app, path).await, page, "{path}");
    }
    let (_, headers, body) = ask(&app, "/events", &[(ACCEPT_ENCODING, "br, gzip")]).await;
    assert_eq!(headers.get(CONTENT_ENCODING).unwrap(), "gzip");
    assert_eq!(headers.get(CONTENT_TYPE).unwrap(), "text/html; charset=utf-8");
    let mut unpacked = String::new();
    GzDecoder::new(body.as_slice()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, page);
    // The app's build contains a compressed file of this page. The page has no placeholders, so this file is sent unchanged.
    assert_eq!(ask(&app, "/plain", &[(ACCEPT_ENCODING, "gzip")]).await.2, b"small");
}

#[tokio::test]
async fn a_page_that_is_known_is_not_sent_again() {
    let (app, folder) = app(&BUILT).await;
    let (_, headers, _) = ask(&app, "/events", &[]).await;
    let tag = headers.get(ETAG).unwrap().to_str().unwrap().to_owned();
    let (status, headers, body) = ask(&app, "/events", &[(IF_NONE_MATCH, &tag)]).await;
    assert_eq!((status, body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(headers.get(CACHE_CONTROL).unwrap(), "no-cache");
    assert_eq!(headers.get(VARY).unwrap(), "Accept-Encoding");
    // The compressed page has another ETag, because it is another representation. A page of a new build also has another ETag.
    assert_eq!(ask(&app, "/events", &[(IF_NONE_MATCH, &tag), (ACCEPT_ENCODING, "gzip")]).await.0, StatusCode::OK);
    fs::write(folder.path().join("dist/events/index.html"), "new").unwrap();
    assert_eq!(ask(&app, "/events", &[(IF_NONE_MATCH, &tag)]).await.2, b"new");
    let (_, headers, _) = ask(&app, "/assets/a-1.js", &[]).await;
    assert_eq!(headers.get(CACHE_CONTROL).unwrap(), "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn a_page_is_filled_with_what_is_published() {
    let template = "<ul>{cloch:each:content.events}<li>{cloch:text:item.title|}</li>{cloch:end}</ul>";
    let project = tempfile::tempdir().unwrap();
    fs::create_dir_all(project.path().join("dist")).unwrap();
    fs::write(project.path().join("dist/index.html"), template).unwrap();
    let open = || WebApp::open(Some("dist"), project.path(), json!({}));
    let mut tags = Vec::new();
    for (published, page) in [
        (Published::default(), "<ul></ul>"),
        (Published::fixed(json!({ "events": [{ "title": "One" }] })), "<ul><li>One</li></ul>"),
        (Published::fixed(json!({ "events": [{ "title": "<Two>" }] })), "<ul><li>&lt;Two&gt;</li></ul>"),
    ] {
        let app = open().await.unwrap().with_published(published).router();
        assert_eq!(text(&app, "/").await, page);
        tags.push(ask(&app, "/", &[]).await.1.get(ETAG).unwrap().clone());
    }
    tags.dedup();
    assert_eq!(tags.len(), 3, "new content is another page to a browser's cache");
}
