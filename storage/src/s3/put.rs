//! PutObject and CopyObject.

use axum::body::Body;
use axum::http::header::ETAG;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::xml::Document;
use super::{S3Request, chunked};
use crate::error::{Error, Result};
use crate::object::copy::{self, Replaced};
use crate::object::meta::Meta;
use crate::object::relocate::Route;
use crate::operation::Operation;
use crate::rows::iso;
use crate::rules::mime::MediaType;
use crate::upload::body::{Arriving, frames, header};
use crate::upload::pipeline::{Target, store};
use crate::upload::{Details, Incoming};

/// What the headers say of a file.
pub(super) fn details(headers: &HeaderMap) -> Details {
    let length = header(headers, "x-amz-decoded-content-length").or_else(|| header(headers, "content-length"));
    Details {
        mimetype: header(headers, "content-type").map(MediaType::parse_or_default).unwrap_or_default(),
        cache_control: header(headers, "cache-control").unwrap_or("no-cache").to_owned(),
        user_metadata: user_metadata(headers),
        robots: None,
        declared_length: length.and_then(|text| text.parse().ok()),
    }
}

/// The `x-amz-meta-…` headers.
pub(super) fn user_metadata(headers: &HeaderMap) -> Option<Value> {
    let pairs = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix("x-amz-meta-")?;
        Some((name.to_owned(), Value::String(String::from_utf8_lossy(value.as_bytes()).into_owned())))
    });
    let map: Map<String, Value> = pairs.collect();
    (!map.is_empty()).then_some(Value::Object(map))
}

/// PutObject: overwrites whatever is at the key.
pub(crate) async fn put(request: S3Request, body: Body) -> Result<Response> {
    let (state, asking) = (&request.state, &request.asking);
    let mut details = details(asking.headers());
    let mut name = request.key.clone();
    // How tools make folders.
    if name.ends_with('/') && details.declared_length == Some(0) {
        name.push_str(".emptyFolderPlaceholder");
        details.mimetype = MediaType::default();
    }
    let target = Target { bucket: request.bucket.clone(), name, owner: asking.owner(), upsert: true, ask: true };
    let bytes = chunked::payload(&request.signed, frames(body, state.settings().slow_client));
    let arriving = Arriving { incoming: Incoming { details, bytes }, trailing: None };
    let stored = store(state, asking, Operation::S3Upload, target, arriving).await?;
    Ok((StatusCode::OK, [(ETAG, format!("\"{}\"", stored.etag))]).into_response())
}

/// The bucket and key of `x-amz-copy-source`.
pub(super) fn copy_source(headers: &HeaderMap) -> Result<(String, String)> {
    let text = header(headers, "x-amz-copy-source").unwrap_or_default();
    let path = text.split("?versionId=").next().unwrap_or(text);
    let decoded = percent_decode_str(path).decode_utf8().map_err(|_| Error::BadUrl(path.to_owned()))?;
    let (bucket, key) = decoded.trim_start_matches('/').split_once('/').ok_or(Error::MissingParameter("CopySource"))?;
    Ok((bucket.to_owned(), key.to_owned()))
}

/// CopyObject
pub(crate) async fn copy(request: S3Request) -> Result<Response> {
    let headers = request.headers();
    let (source_bucket, source) = copy_source(headers)?;
    let replaced = match header(headers, "x-amz-metadata-directive") {
        Some("REPLACE") => Replaced {
            cache_control: Some(header(headers, "cache-control").unwrap_or("no-cache").to_owned()),
            mimetype: Some(header(headers, "content-type").map(MediaType::parse_or_default).unwrap_or_default()),
            user_metadata: Some(user_metadata(headers)),
        },
        _ => Replaced::default(),
    };
    let route = Route { source_bucket, source, destination_bucket: request.bucket, destination: request.key };
    let copied = copy::copy(&request.state, &request.asking, Operation::S3ObjectCopy, &route, true, replaced).await?;
    let mut document = Document::new("CopyObjectResult");
    document.optional("ETag", Meta::of(&copied).etag).optional("LastModified", copied.updated_at.map(iso));
    Ok(document.into_response())
}
