//! Images made to measure: `/render/image/…`.

mod cache;
mod pixels;
mod transform;
mod turn;

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{ACCEPT, ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

pub(crate) use cache::Rendered;
pub(crate) use transform::Transform;

use self::pixels::Format;
use crate::backend::Content;
use crate::error::{Error, Result};
use crate::object::download::download;
use crate::object::meta::Meta;
use crate::object::serve::{Serving, disposition, put, response};
use crate::object::{content_headers, link, visible};
use crate::operation::Operation;
use crate::request::{Asking, Visitor};
use crate::rows::object::{self, Object};
use crate::rules::mime::MediaType;
use crate::state::StorageState;

/// `GET /render/image/authenticated/{bucket}/{name}`: as the policies say, also in public buckets.
pub(crate) async fn authenticated(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    asking: Asking,
) -> Result<Response> {
    let transform = Transform::of_query(query.as_deref())?;
    let serving = Serving { download: download(query.as_deref())?, expires: None };
    let mut tx = asking.begin(&state, Operation::RenderAuthenticated).await?;
    let object = object::get(&mut tx, &bucket, &name).await?;
    tx.rollback().await?;
    render(&state, asking.headers(), &object, &transform, &serving).await
}

/// `GET /render/image/public/{bucket}/{name}`
pub(crate) async fn public(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let transform = Transform::of_query(query.as_deref())?;
    let serving = Serving { download: download(query.as_deref())?, expires: None };
    let object = visible::public(&state, &visitor, Operation::RenderPublic, (&bucket, &name)).await?;
    render(&state, visitor.headers(), &object, &transform, &serving).await
}

/// `GET /render/image/sign/{bucket}/{name}?token=…`: as it was signed, whatever the query says.
pub(crate) async fn signed(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let token = link::token(query.as_deref())?;
    let link = state.links().verify(&token, &bucket, &name)?;
    let transform = Transform::of_link(link.transformations.as_deref(), link.format.as_deref())?;
    let serving = Serving { download: download(query.as_deref())?, expires: Some(link.expires) };
    let object = visible::to_link(&state, &visitor, Operation::RenderSigned, (&bucket, &name)).await?;
    render(&state, visitor.headers(), &object, &transform, &serving).await
}

async fn render(
    state: &StorageState,
    headers: &HeaderMap,
    object: &Object,
    transform: &Transform,
    serving: &Serving,
) -> Result<Response> {
    let limits = &state.settings().images;
    if !limits.enabled {
        return Err(Error::FeatureNotEnabled("Image transformation is not enabled"));
    }
    let transform = transform.clamped(limits.max_dimension);
    let meta = Meta::of(object);
    let key = meta.key()?;
    let accepts_webp =
        headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|v| v.contains("image/webp"));
    let name = transform.cache_name(key, accepts_webp);
    let rendered = match state.rendered().get(&name).await {
        Some(rendered) => rendered,
        None => {
            // Before the source is read: whoever waits holds no memory.
            let turn = state.rendered().turn().await?;
            match state.rendered().get(&name).await {
                // Somebody else has made it meanwhile.
                Some(rendered) => rendered,
                None => {
                    let source = read(state, &meta).await?;
                    let rendered = turn.render(source, transform, accepts_webp, limits.clone()).await?;
                    state.rendered().insert(&name, &rendered).await;
                    rendered
                }
            }
        }
    };
    Ok(answer(headers, &meta, &transform, serving, rendered))
}

fn answer(
    headers: &HeaderMap,
    meta: &Meta,
    transform: &Transform,
    serving: &Serving,
    (format, bytes): (Format, Bytes),
) -> Response {
    let length = bytes.len();
    let mut response = response(StatusCode::OK, headers, meta, serving, Body::from(bytes));
    let headers = response.headers_mut();
    // A range of an image that is made anew each time means nothing.
    headers.remove(ACCEPT_RANGES);
    content_headers::set(headers, &MediaType::parse_or_default(format.content_type()));
    if let Some(name) = &serving.download {
        put(headers, CONTENT_DISPOSITION, &disposition(name));
    }
    headers.insert(CONTENT_LENGTH, length.into());
    if let Some(applied) = transform.applied() {
        put(headers, HeaderName::from_static("x-transformations"), &applied);
    }
    put(headers, HeaderName::from_static("vary"), "accept");
    response
}

/// Reads the source image whole; its size is limited for that reason.
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
