//! Serving a single-page app: its files, precompressed where the build left them so, and its page for every path of its own.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use sha2::{Digest, Sha256};

use super::assets::Assets;
use super::{headers, landing};

/// Encodings a build may leave beside a file, the smallest first.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// A web app that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The named folder holds no app.
    #[error("cloch.toml: web.app: {} has no index.html: build the app first, or write app = \"embedded\"", .0.display())]
    NoPage(PathBuf),
    /// The program was built without the app.
    #[error(
        "cloch.toml: web.app: this program has no embedded web app: build web/ first (make run does), or name a folder"
    )]
    NotEmbedded,
}

/// What is served at the paths that belong to no API.
#[derive(Clone, Debug)]
pub enum WebApp {
    /// The project names no app.
    Landing,
    /// The app of the project.
    App(AppFiles),
}

/// The files of an app.
#[derive(Clone, Debug)]
pub struct AppFiles(Assets);

impl WebApp {
    /// The app that cloch.toml names: `embedded`, or a folder relative to the project's.
    ///
    /// # Errors
    /// When there is no app there.
    pub async fn open(name: Option<&str>, project: &Path) -> Result<Self, WebError> {
        let assets = match name {
            None => return Ok(Self::Landing),
            Some("embedded") => Assets::Embedded,
            Some(folder) => Assets::Folder(project.join(folder)),
        };
        if !assets.has_page().await {
            return Err(match assets {
                Assets::Embedded => WebError::NotEmbedded,
                Assets::Folder(folder) => WebError::NoPage(folder),
            });
        }
        Ok(Self::App(AppFiles(assets)))
    }

    /// The fallback behind the APIs.
    pub fn router(self) -> Router {
        match self {
            Self::Landing => Router::new().fallback(landing::show),
            Self::App(files) => Router::new().fallback(serve).with_state(files),
        }
    }
}

async fn serve(State(AppFiles(assets)): State<AppFiles>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    let wanted = match percent_encoding::percent_decode_str(path).decode_utf8() {
        Ok(path) if !path.is_empty() && path != "index.html" => path,
        Ok(_) => Cow::Borrowed("index.html"),
        Err(_) => return StatusCode::BAD_REQUEST.into_response(),
    };
    if let Some(response) = file(&assets, &wanted, request.headers()).await {
        return response;
    }
    // A path with an extension was meant to be a file; every other one is a page of the app, which knows its own "not found".
    let is_file = Path::new(wanted.as_ref()).extension().is_some() || wanted.starts_with("assets/");
    if is_file || wanted.starts_with("_/") {
        return missing();
    }
    match file(&assets, "index.html", request.headers()).await {
        Some(response) => response,
        None => missing(),
    }
}

fn missing() -> Response {
    let mut response = (StatusCode::NOT_FOUND, "Not found\n").into_response();
    headers::secure(response.headers_mut());
    response
}

async fn file(assets: &Assets, path: &str, asked: &HeaderMap) -> Option<Response> {
    let (content, encoding) = best(assets, path, asked).await?;
    let digest = Sha256::digest(&content);
    let tag = format!("\"{}\"", hex::encode(digest.get(..16).unwrap_or_default()));
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
    answered.insert(ETAG, HeaderValue::from_str(&tag).ok()?);
    if let Some(encoding) = encoding {
        answered.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    let known = asked.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)) {
        answered.remove(CONTENT_ENCODING);
        return Some((StatusCode::NOT_MODIFIED, answered).into_response());
    }
    let body = match content {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    Some((StatusCode::OK, answered, Body::from(body)).into_response())
}

/// The file in the best encoding that the client takes and the build left.
async fn best(assets: &Assets, path: &str, asked: &HeaderMap) -> Option<(Cow<'static, [u8]>, Option<&'static str>)> {
    let accepted = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    for (encoding, suffix) in ENCODINGS {
        let takes = accepted.split(',').any(|one| {
            let mut parts = one.trim().split(';');
            parts.next() == Some(encoding) && parts.all(|weight| weight.trim() != "q=0")
        });
        if takes && let Some(content) = assets.get(&format!("{path}.{suffix}")).await {
            return Some((content, Some(encoding)));
        }
    }
    assets.get(path).await.map(|content| (content, None))
}

/// Hashed names never change their content; everything else is asked for again.
fn lifetime(path: &str) -> &'static str {
    if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}
