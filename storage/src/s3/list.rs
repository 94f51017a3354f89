//! The S3 operations ListObjects and ListObjectsV2.

use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::request::S3Request;
use super::xml::Document;
use crate::db::iso;
use crate::db::listing::{self, Entry};
use crate::error::{Error, Result};
use crate::model::meta::Meta;
use crate::operation::Operation;
use crate::upload::authorize::find_bucket;

const MAX_KEYS: i64 = 1000;
pub(super) const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// Handles ListObjectsV2, or ListObjects if `list-type` is not 2.
pub(crate) async fn objects(mut request: S3Request) -> Result<Response> {
    let second = request.param("list-type").as_deref() == Some("2");
    let prefix = request.param("prefix").unwrap_or_default();
    let delimiter = request.param("delimiter").unwrap_or_default();
    let encoded = is_encoded(&mut request)?;
    let max = max_keys(&mut request)?;
    let token = request.param("continuation-token").map(|token| after_token(&token)).transpose()?;
    let start_after = request.param(if second { "start-after" } else { "marker" });
    let after = token.or(start_after.clone()).unwrap_or_default();

    // The existence of a bucket is not confidential. The RLS policies only control which of its objects are listed.
    find_bucket(&request.state, &request.path.bucket).await?;
    let mut tx = request.identity.begin(request.state.database(), Operation::S3ObjectList).await?;
    let mut entries = listing::delimited(&mut tx, &request.path.bucket, &prefix, &delimiter, max + 1, &after).await?;
    tx.commit().await?;
    // With `max-keys=0`, a page is never marked as truncated, as with Amazon S3.
    let truncated = max > 0 && entries.len() > usize::try_from(max).unwrap_or(usize::MAX);
    entries.truncate(usize::try_from(max).unwrap_or(usize::MAX));

    let name = |key: &str| if encoded { utf8_percent_encode(key, UNRESERVED).to_string() } else { key.to_owned() };
    let mut document = Document::new("ListBucketResult");
    document.element("Name", &request.path.bucket).element("Prefix", name(&prefix));
    for entry in entries.iter().filter(|entry| entry.id.is_some()) {
        contents(&mut document, entry, &name);
    }
    document.element("IsTruncated", truncated).element("MaxKeys", max);
    document.optional("Delimiter", Some(name(&delimiter)).filter(|text| !text.is_empty()));
    document.optional("EncodingType", encoded.then_some("url"));
    let last = entries.last().map(|entry| entry.name.clone());
    if second {
        document.element("KeyCount", entries.len());
        let next = last.filter(|_| truncated).map(|last| STANDARD.encode(format!("l:{last}")));
        document.optional("NextContinuationToken", next);
        document.optional("StartAfter", start_after.map(|key| name(&key)));
    } else {
        document.element("Marker", name(&start_after.unwrap_or_default()));
        // Amazon S3 sends `NextMarker` only with a delimiter. Without a delimiter, clients continue after the last key of the page.
        document.optional("NextMarker", last.filter(|_| truncated && !delimiter.is_empty()).map(|last| name(&last)));
    }
    for entry in entries.iter().filter(|entry| entry.id.is_none()) {
        document.nested("CommonPrefixes", |shown| {
            shown.element("Prefix", name(&entry.name));
        });
    }
    Ok(document.into_response())
}

/// Whether the client requests percent-encoded object keys in the response.
///
/// # Errors
/// 400 for an encoding type other than `url`.
pub(super) fn is_encoded(request: &mut S3Request) -> Result<bool> {
    match request.param("encoding-type").as_deref() {
        None => Ok(false),
        Some("url") => Ok(true),
        Some(_) => Err(Error::S3(400, "InvalidArgument", "Invalid Encoding Method specified in Request".to_owned())),
    }
}

/// Returns the maximum number of entries of a listing's page. Values above [`MAX_KEYS`] are reduced to [`MAX_KEYS`], as Amazon S3 does.
///
/// # Errors
/// 400 if the parameter `max-keys` is not a number.
pub(super) fn max_keys(request: &mut S3Request) -> Result<i64> {
    let wanted = request.number("max-keys")?;
    Ok(wanted.and_then(|max| i64::try_from(max).ok()).unwrap_or(MAX_KEYS).min(MAX_KEYS))
}

fn contents(document: &mut Document, entry: &Entry, name: &impl Fn(&str) -> String) {
    let meta = Meta::of_metadata(entry.metadata.as_ref());
    document.nested("Contents", |shown| {
        shown
            .element("Key", name(&entry.name))
            .optional("LastModified", entry.updated_at.map(iso))
            .optional("ETag", meta.etag)
            .element("Size", meta.size.unwrap_or(0))
            .element("StorageClass", "STANDARD");
    });
}

fn after_token(token: &str) -> Result<String> {
    let decoded = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded
        .and_then(|text| text.strip_prefix("l:").map(str::to_owned))
        .ok_or_else(|| Error::InvalidParameter("Invalid Parameter continuation token".to_owned()))
}
