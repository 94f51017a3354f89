//! The S3 operation ListMultipartUploads, with pagination.

use axum::response::Response;
use percent_encoding::utf8_percent_encode;

use super::list::{UNRESERVED, is_encoded};
use super::request::S3Request;
use super::xml::Document;
use crate::db::iso;
use crate::db::multipart_uploads::{self as rows, ListUploads};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::upload::authorize::find_bucket;

const MAX_UPLOADS: i64 = 1000;

pub(crate) async fn handle(mut request: S3Request) -> Result<Response> {
    let max = limit(&mut request, "max-uploads", "MaxUploads", MAX_UPLOADS)?;
    let encoded = is_encoded(&mut request)?;
    let bucket = request.path.bucket.clone();
    let mut text = |name: &str| request.param(name).unwrap_or_default();
    let (prefix, delimiter, key_marker) = (text("prefix"), text("delimiter"), text("key-marker"));
    // Ignore `upload-id-marker` if `key-marker` is absent, as Amazon S3 does.
    let id_marker = Some(text("upload-id-marker")).filter(|_| !key_marker.is_empty()).unwrap_or_default();

    find_bucket(&request.state, &bucket).await?;
    let mut tx = request.identity.begin(request.state.database(), Operation::S3MultipartList).await?;
    let wanted = ListUploads {
        bucket: &bucket,
        prefix: &prefix,
        delimiter: &delimiter,
        key_marker: &key_marker,
        id_marker: &id_marker,
        limit: max + 1,
    };
    let mut entries = rows::list(&mut tx, &wanted).await?;
    tx.commit().await?;
    let page = usize::try_from(max).unwrap_or(usize::MAX);
    let truncated = entries.len() > page;
    entries.truncate(page);

    let name = |key: &str| if encoded { utf8_percent_encode(key, UNRESERVED).to_string() } else { key.to_owned() };
    let given = |text: &str| Some(name(text)).filter(|text| !text.is_empty());
    let mut document = Document::new("ListMultipartUploadsResult");
    document.element("Bucket", &bucket).element("KeyMarker", name(&key_marker)).element("UploadIdMarker", &id_marker);
    document.element("Prefix", name(&prefix)).optional("Delimiter", given(&delimiter));
    document.optional("EncodingType", encoded.then_some("url"));
    if let Some(last) = entries.last().filter(|_| truncated) {
        document.element("NextKeyMarker", name(&last.key));
        document.element("NextUploadIdMarker", last.id.as_deref().unwrap_or_default());
    }
    document.element("MaxUploads", max).element("IsTruncated", truncated);
    for entry in &entries {
        let Some(id) = &entry.id else { continue };
        document.nested("Upload", |shown| {
            shown.element("Key", name(&entry.key)).element("UploadId", id).element("StorageClass", "STANDARD");
            shown.optional("Initiated", entry.created_at.map(iso));
        });
    }
    for folder in entries.iter().filter(|entry| entry.id.is_none()) {
        document.nested("CommonPrefixes", |shown| {
            shown.element("Prefix", name(&folder.key));
        });
    }
    Ok(document.into_response())
}

/// Returns the maximum number of entries of a listing's page from the query parameter `parameter`. `shown` is the name of the parameter in the
/// error message.
///
/// # Errors
/// [`Error::InvalidParameter`] if the value is not between 1 and `max`.
pub(super) fn limit(request: &mut S3Request, parameter: &str, shown: &str, max: i64) -> Result<i64> {
    let invalid = || Error::InvalidParameter(format!("Invalid Parameter {shown}"));
    match request.number(parameter).map_err(|_| invalid())? {
        None => Ok(max),
        Some(limit) => i64::try_from(limit).ok().filter(|limit| (1..=max).contains(limit)).ok_or_else(invalid),
    }
}
