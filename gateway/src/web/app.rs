//! Serves a single-page app: its files (compressed, if the build contains compressed files) and, for every path without a file, the app's
//! HTML page.

use std::path::{Path, PathBuf};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::Value;

use super::assets::Assets;
use super::content::Content;
use super::published::Published;
use super::{headers, landing};

/// Pages that are sent for paths without a file, in order of preference: the first page that exists is sent. In some apps, index.html is
/// the prerendered page of the path `/`. Such an app has a 200.html for all other paths.
const FALLBACK_PAGES: [&str; 2] = ["200.html", "index.html"];
/// Page that is sent with status 404 for paths without a file. Only an app that has a file for each of its paths contains this page.
const NOT_FOUND_PAGE: &str = "404.html";

/// Maximum length in bytes of a query for which an app can have a prerendered page.
const MAX_PAGE_QUERY_LENGTH: usize = 64;

/// Error: the web app cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The folder in `[web] app` contains no index.html.
    #[error("cloch.toml: web.app: {} has no index.html: build the app first, or write app = \"embedded\"", .0.display())]
    NoPage(PathBuf),
    /// The program was built without the embedded app.
    #[error(
        "cloch.toml: web.app: this program has no embedded web app: build web/ first (make run does), or name a folder"
    )]
    NotEmbedded,
}

/// Content of the paths that belong to no API.
#[derive(Clone, Debug)]
pub enum WebApp {
    /// No app is configured: serves the landing page.
    Landing,
    /// The project's app.
    App(AppFiles),
}

/// The files and pages of a web app.
#[derive(Clone, Debug)]
pub struct AppFiles(Content);

impl WebApp {
    /// Checks, before the server starts, that the folder in `[web] app` contains an app.
    ///
    /// # Errors
    /// When the folder has no index.html.
    pub fn check(name: Option<&str>, project: &Path) -> Result<(), WebError> {
        let folder = name.filter(|name| *name != "embedded").map(|folder| project.join(folder));
        match folder.filter(|folder| !folder.join("index.html").is_file()) {
            Some(folder) => Err(WebError::NoPage(folder)),
            None => Ok(()),
        }
    }

    /// Opens the app that `[web] app` names: `embedded`, or a folder relative to the project's folder. `config` contains the values that
    /// replace the placeholders in the app's pages.
    ///
    /// # Errors
    /// When the app has no index.html.
    pub async fn open(name: Option<&str>, project: &Path, config: Value) -> Result<Self, WebError> {
        let assets = match name {
            None => return Ok(Self::Landing),
            Some("embedded") => Assets::Embedded,
            Some(folder) => Assets::Folder(project.join(folder)),
        };
        if !assets.has_page().await {
            return Err(match assets {
                Assets::Embedded | Assets::Dashboard | Assets::Docs => WebError::NotEmbedded,
                Assets::Folder(folder) => WebError::NoPage(folder),
            });
        }
        Ok(Self::App(AppFiles(Content::new(assets, config))))
    }

    /// Adds the content that the project publishes in the app's pages. Has no effect without an app.
    #[must_use]
    pub fn with_published(self, published: Published) -> Self {
        match self {
            Self::Landing => Self::Landing,
            Self::App(AppFiles(content)) => Self::App(AppFiles(content.with_published(published))),
        }
    }

    /// Returns the router for all paths that belong to no API.
    pub fn router(self) -> Router {
        match self {
            Self::Landing => Router::new().fallback(landing::show),
            Self::App(files) => Router::new().fallback(serve).with_state(files),
        }
    }
}

async fn serve(State(AppFiles(content)): State<AppFiles>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path().trim_matches('/');
    let Ok(path) = percent_encoding::percent_decode_str(path).decode_utf8() else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    for name in candidates(&path, request.uri().query()) {
        if name != path
            && FALLBACK_PAGES.contains(&name.as_str())
            && !content.has(&page_file(&path)).await
            && let Some(mut response) = file(&content, NOT_FOUND_PAGE, &HeaderMap::new()).await
        {
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        }
        if let Some(response) = file(&content, &name, request.headers()).await {
            return response;
        }
    }
    let mut response = (StatusCode::NOT_FOUND, "Not found\n").into_response();
    headers::secure(response.headers_mut());
    response
}

/// Returns the names of the files that may be sent for a path. The first of them that exists is sent.
fn candidates(path: &str, query: Option<&str>) -> Vec<String> {
    let mut names = Vec::with_capacity(4);
    if !path.is_empty() {
        names.push(path.to_owned());
    }
    // A path with a file extension can only be a file. Every other path is a page of the app. The app itself shows a "not found" page for
    // unknown paths.
    let is_file = Path::new(path).extension().is_some() || path.starts_with("assets/");
    if is_file || path == "_" || path.starts_with("_/") {
        return names;
    }
    // A prerendered page shows the state of the app for one query, or for no query. For any other query the app may show a different state,
    // so the prerendered page is not sent.
    match query {
        None => names.push(page_file(path)),
        Some(query) => names.extend(query_page_file(path, query)),
    }
    names.extend(FALLBACK_PAGES.map(str::to_owned));
    names
}

/// Returns the name of the file that contains the prerendered page of a path.
fn page_file(path: &str) -> String {
    format!("{path}/index.html").trim_start_matches('/').to_owned()
}

/// Returns the name of the file that contains the prerendered page of a path with a query: `young-artist/index.view=form.html` for
/// `/young-artist?view=form`. Returns `None` for queries with escaped characters or several parameters, because no file has such a name.
fn query_page_file(path: &str, query: &str) -> Option<String> {
    let is_plain = query.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=-_".contains(&byte));
    let is_name = is_plain && !query.is_empty() && query.len() <= MAX_PAGE_QUERY_LENGTH;
    is_name.then(|| format!("{path}/index.{query}.html").trim_start_matches('/').to_owned())
}

/// Returns the response that contains a file of the app; `None` if the file does not exist.
pub(super) async fn file(content: &Content, path: &str, asked: &HeaderMap) -> Option<Response> {
    let body = content.best(path, asked).await?;
    let mut answered = HeaderMap::new();
    headers::secure(&mut answered);
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind = match kind.type_() {
        mime_guess::mime::TEXT => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    };
    answered.insert(CONTENT_TYPE, HeaderValue::from_str(&kind).ok()?);
    answered.insert(CACHE_CONTROL, HeaderValue::from_static(lifetime(path)));
    answered.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    answered.insert(ETAG, HeaderValue::from_str(&body.tag).ok()?);
    let known = asked.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == body.tag)) {
        return Some((StatusCode::NOT_MODIFIED, answered).into_response());
    }
    if let Some(encoding) = body.encoding {
        answered.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some((StatusCode::OK, answered, Body::from(body.bytes)).into_response())
}

/// Returns the value of `Cache-Control` for the file at a path. Files below `assets/` have a hash in their name and never change. Browsers
/// must revalidate all other files.
fn lifetime(path: &str) -> &'static str {
    if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

#[cfg(test)]
#[path = "app_tests.rs"]
mod tests;
