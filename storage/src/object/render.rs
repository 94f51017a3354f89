//! `GET /render/image/…`: returns an image with another size, crop or format.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ACCEPT, ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::backend::Content;
use crate::conditions::Conditions;
use crate::content_disposition::attachment;
use crate::db::objects::Object;
use crate::error::{Error, Result};
use crate::http_headers::put;
use crate::model::content_headers;
use crate::model::meta::Meta;
use crate::operation::Operation;
use crate::read::access::{Access, ReadAccess, ReadOperations};
use crate::read::response::{ResponseOptions, response};
use crate::render::pixels::Format;
use crate::render::transform::Transform;
use crate::state::StorageState;
use crate::validation::media_type::MediaType;

const BY_ACCEPT: HeaderValue = HeaderValue::from_static("accept");

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::RenderAuthenticated,
    public: Operation::RenderPublic,
    signed: Operation::RenderSigned,
};

/// Renders an image for a caller with read access. A signed URL contains the transformation in its token; in this case, the query
/// parameters are ignored.
pub(crate) async fn render<A: Access>(
    State(state): State<StorageState>,
    ReadAccess { grant, .. }: ReadAccess<A>,
) -> Result<Response> {
    let transform = match grant.signed_url() {
        Some(url) => Transform::of_signed_url(url.transformations.as_deref(), url.format.as_deref())?,
        None => Transform::of_query(grant.query())?,
    };
    let options = grant.response_options()?;
    let object = grant.load_row(&state, &OPERATIONS).await?;
    rendered(&state, grant.headers(), &object, &transform, &options).await
}

async fn rendered(
    state: &StorageState,
    headers: &HeaderMap,
    object: &Object,
    transform: &Transform,
    options: &ResponseOptions,
) -> Result<Response> {
    let limits = &state.settings().images;
    if !limits.enabled {
        return Err(Error::FeatureNotEnabled("Image transformation is not enabled"));
    }
    let transform = transform.clamped(limits.max_dimension);
    let meta = object.meta();
    if !Conditions::of_read(headers).wants_representation(meta.validators())? {
        let mut response = response(StatusCode::NOT_MODIFIED, headers, &meta, options, Body::empty());
        response.headers_mut().insert(VARY, BY_ACCEPT);
        return Ok(response);
    }
    let key = meta.key()?;
    let accepts_webp =
        headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|v| v.contains("image/webp"));
    let name = transform.cache_name(key, accepts_webp);
    let cache = state.render_cache();
    let rendered = match cache.get(&name).await {
        Some(rendered) => rendered,
        None => {
            // Acquire the render permit before reading the source image, so that waiting requests hold no image in memory.
            let permit = state.render_permits().acquire(transform.takes_long(accepts_webp)).await?;
            match cache.get(&name).await {
                // Another request has rendered and cached the image in the meantime.
                Some(rendered) => rendered,
                None => {
                    let source = read(state, &meta).await?;
                    let rendered = permit.render(source, transform, accepts_webp, limits.clone()).await?;
                    cache.insert(&name, &rendered).await;
                    rendered
                }
            }
        }
    };
    Ok(answer(headers, &meta, &transform, options, rendered))
}

fn answer(
    headers: &HeaderMap,
    meta: &Meta,
    transform: &Transform,
    options: &ResponseOptions,
    (format, bytes): (Format, Bytes),
) -> Response {
    let length = bytes.len();
    let mut response = response(StatusCode::OK, headers, meta, options, Body::from(bytes));
    let headers = response.headers_mut();
    // Range requests for rendered images are not supported, because rendering the same image again may produce different bytes.
    headers.remove(ACCEPT_RANGES);
    headers.remove(CONTENT_ENCODING);
    content_headers::set(headers, &MediaType::parse_or_default(format.content_type()));
    if let Some(name) = &options.save_as {
        put(headers, CONTENT_DISPOSITION, &attachment(name));
    }
    headers.insert(CONTENT_LENGTH, length.into());
    if let Some(applied) = transform.applied() {
        put(headers, HeaderName::from_static("x-transformations"), &applied);
    }
    headers.insert(VARY, BY_ACCEPT);
    response
}

/// Reads the whole source image into memory, up to the limit `max_source_bytes`.
async fn read(state: &StorageState, meta: &Meta) -> Result<Bytes> {
    let key = meta.key()?;
    let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
    if size > state.settings().images.max_source_bytes {
        return Err(Error::Image("The source image file is too large to process"));
    }
    match state.backend().get(key, 0..size).await? {
        Content::Whole(bytes) => Ok(bytes),
        content => {
            let mut chunks = content.into_stream();
            let mut all = BytesMut::with_capacity(usize::try_from(size).unwrap_or(0));
            while let Some(chunk) = chunks.next().await {
                all.extend_from_slice(&chunk?);
            }
            Ok(all.freeze())
        }
    }
}
