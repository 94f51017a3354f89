//! `POST /upload/resumable`: begins an upload, possibly with its first bytes.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::address::UploadId;
use super::error::{Result, TusError};
use super::headers::{self, Expected, Metadata, check_version, length_or_deferred};
use super::hold::Hold;
use super::receive::{Receiving, receive};
use super::record::Record;
use super::right::{Right, Upload};
use super::{VERSION, finish};
use crate::backend::BlobKey;
use crate::error::Error;
use crate::object::serve::http_date;
use crate::operation::Operation;
use crate::request::Visitor;
use crate::rows::bucket::Rules;
use crate::rules::mime::MediaType;
use crate::rules::{mime, name, size};
use crate::state::StorageState;
use crate::upload::pipeline;

/// For a caller with a token.
pub(crate) async fn create(state: State<StorageState>, visitor: Visitor, body: Body) -> Result<Response> {
    Right::of_caller(&visitor)?;
    begin(state, visitor, body, Operation::TusCreate).await
}

/// For whoever holds a link.
pub(crate) async fn create_signed(state: State<StorageState>, visitor: Visitor, body: Body) -> Result<Response> {
    begin(state, visitor, body, Operation::TusCreateSigned).await
}

async fn begin(
    State(state): State<StorageState>,
    visitor: Visitor,
    body: Body,
    operation: Operation,
) -> Result<Response> {
    let signed = operation == Operation::TusCreateSigned;
    let headers = visitor.headers();
    check_version(headers)?;
    let length = length_or_deferred(headers)?;
    let metadata = Metadata::of(headers)?;
    let expected = Expected::of(headers)?;
    name::valid_bucket(&metadata.bucket)?;
    name::valid_object(&metadata.object)?;
    let id = UploadId { bucket: metadata.bucket.clone(), object: metadata.object.clone(), version: BlobKey::fresh() };
    let right = match signed {
        true => Right::of_link(&state, &visitor, &id.bucket, &id.object)?,
        false => Right::of_caller(&visitor)?,
    };
    let upload = Upload {
        id: &id,
        content_type: metadata.content_type.as_ref(),
        length,
        user_metadata: metadata.user_metadata.as_ref(),
    };
    // A bucket that is not there is told before the policies are asked, which would only find a missing reference.
    let rules = pipeline::find_bucket(&state, &id.bucket).await?.into();
    right.check(&state, operation, &upload, Some(length.unwrap_or(0))).await?;
    let limit = size_limit(&state, &rules);
    if length.is_some_and(|length| length > limit) {
        return Err(TusError::TOO_LARGE);
    }
    check_type(&rules, metadata.content_type.as_ref())?;
    state.space().check(length.unwrap_or(0))?;

    let location = id.location(state.settings(), headers, signed);
    let mut record = Record::insert(&state, id, length, metadata, &right).await?;
    let has_bytes = headers::has_bytes(headers);
    if has_bytes {
        let hold = Hold::acquire(&state, record.id.version).await?;
        let limit = length.unwrap_or(limit);
        let receiving = Receiving { state, hold, record, right, operation, limit, expected };
        record = receive(receiving, body).await?;
    } else if record.is_whole() {
        let hold = Hold::acquire(&state, record.id.version).await?;
        finish::finish(&state, &mut record, &right.asking, operation).await?;
        hold.release().await;
    }
    let mut response = (StatusCode::CREATED, progress(&record, has_bytes)).into_response();
    let location = HeaderValue::from_str(&location)
        .map_err(|source| Error::Internal { context: "writing a location", source: source.into() })?;
    response.headers_mut().insert(LOCATION, location);
    Ok(response)
}

/// The most bytes a resumable upload into a bucket may have. A limit of nothing counts as none here, as upstream.
pub(super) fn size_limit(state: &StorageState, rules: &Rules) -> u64 {
    size::effective(state.settings().file_size_limit, rules.file_size_limit.filter(|limit| *limit > 0))
}

/// A file that does not say its type has that of its bytes, once they are here; an empty list, unlike none, takes no type.
fn check_type(rules: &Rules, content_type: Option<&MediaType>) -> Result<()> {
    match (content_type, &rules.allowed_mime_types) {
        (Some(content_type), Some(allowed)) => Ok(mime::check_allowed(content_type, allowed)?),
        _ => Ok(()),
    }
}

/// The headers that tell how far an upload has come.
pub(super) fn progress(record: &Record, with_offset: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("tus-resumable", HeaderValue::from_static(VERSION));
    if with_offset {
        headers.insert("upload-offset", record.offset().into());
    }
    if record.completed {
        headers.insert("tus-complete", HeaderValue::from_static("1"));
    } else if let Ok(expires) = HeaderValue::from_str(&http_date(record.expires_at)) {
        headers.insert("upload-expires", expires);
    }
    headers
}
