//! Handles the S3 operation POST Object (`POST /{bucket}` as `multipart/form-data`): a web page uploads a file with a POST policy that is
//! signed with one of the project's keys.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use chrono::Utc;
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};

use super::post_answer::PostAnswer;
use super::post_policy::Policy;
use super::signature_v4;
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::http_headers::header;
use crate::model::object_path::ObjectPath;
use crate::model::representation::Representation;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::body::frames;
use crate::request::multipart_form::{Form, Part};
use crate::state::StorageState;
use crate::upload::limits::limited;
use crate::upload::request::{FileDetails, IncomingFile};
use crate::upload::{Upload, UploadTarget};
use crate::validation::cache_control::CacheControl;
use crate::validation::media_type::MediaType;

/// Maximum total length in bytes of the names and values of all form fields before the file.
const MAX_FIELDS_BYTES: usize = 64 * 1024;
/// Estimated memory of a form field in bytes, in addition to its name and value.
const FIELD_OVERHEAD_BYTES: usize = 128;

/// Whether the request is a POST Object form.
pub(super) fn is_form(parts: &Parts, bucket: &str, key: &str) -> bool {
    let form =
        header(&parts.headers, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with("multipart/form-data"));
    parts.method == Method::POST && !bucket.is_empty() && key.is_empty() && form
}

pub(super) async fn post(state: &StorageState, parts: &Parts, bucket: String, body: Body) -> Result<Response> {
    let kind = header(&parts.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    let form = Form::new(kind, frames(body, state.settings().slow_client))?;
    let (mut fields, file) = read(form).await?;
    fields.insert("bucket".to_owned(), bucket.clone());

    let caller = signature_v4::verify_form(state, &fields).await?;
    let policy = Policy::read(fields.get("policy").map_or("", String::as_str))?;
    let sizes = policy.check(&fields, Utc::now())?;
    let answer = PostAnswer::read(&fields)?;
    let field = |name: &str| fields.get(name).cloned();
    let name = field("key").ok_or(Error::MissingParameter("Key"))?;
    let name = name.replace("${filename}", file.file_name().unwrap_or_default());
    let identity = Authenticated::of_caller(parts, caller);
    let details = FileDetails {
        mimetype: field("content-type").as_deref().map(MediaType::parse_or_default).unwrap_or_default(),
        cache_control: CacheControl::new(fields.get("cache-control").map(String::as_str))?,
        user_metadata: user_metadata(&fields),
        representation: Representation::of_fields(|name| fields.get(name).map(String::as_str))?,
        ..FileDetails::default()
    };
    let path = ObjectPath { bucket, name };
    let owner = identity.owner();
    let target = UploadTarget { path: path.clone(), owner, upsert: true, if_match: None, check_policies: true };
    let bytes = at_least(limited(bytes_of(file), *sizes.end()), *sizes.start());
    let upload = Upload { state, identity: &identity, operation: Operation::S3Upload, target };
    let stored = upload.store(IncomingFile { details, bytes, trailing: None }).await?;
    Ok(answer.into_response(&state.settings().base_path, &path, &stored.etag))
}

/// Reads the form fields before the file, with their names in lower case. Fields after the file are ignored.
async fn read(mut form: Form) -> Result<(BTreeMap<String, String>, Part)> {
    let (mut fields, mut size) = (BTreeMap::new(), 0);
    while let Some(mut field) = form.next_part().await? {
        let name = field.name().unwrap_or_default().to_ascii_lowercase();
        if name == "file" {
            return Ok((fields, field));
        }
        size += name.len() + FIELD_OVERHEAD_BYTES;
        let mut value = Vec::new();
        while let Some(chunk) = field.chunk().await? {
            size += chunk.len();
            if size > MAX_FIELDS_BYTES {
                return Err(Error::EntityTooLarge);
            }
            value.extend_from_slice(&chunk);
        }
        let value = String::from_utf8(value)
            .map_err(|_| Error::InvalidRequest(format!("The value of the field {name} is not UTF-8")))?;
        // Duplicate fields are refused, because different programs could use different values of the same field.
        if fields.insert(name, value).is_some() {
            return Err(Error::InvalidSignature("Duplicate form field in POST policy request"));
        }
    }
    Err(Error::InvalidParameter("Missing file".to_owned()))
}

fn bytes_of(file: Part) -> ByteStream {
    stream::unfold(Some(file), |file| async move {
        let mut file = file?;
        match file.chunk().await {
            Ok(Some(chunk)) => Some((Ok(chunk), Some(file))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

/// Returns a stream with the bytes of the file. The stream ends with an error if the file has fewer than `least` bytes, the minimum size in the
/// POST policy.
fn at_least(bytes: ByteStream, least: u64) -> ByteStream {
    stream::unfold((bytes, 0_u64), move |(mut bytes, seen)| async move {
        match bytes.next().await {
            Some(Ok(chunk)) => {
                let seen = seen.saturating_add(chunk.len() as u64);
                Some((Ok(chunk), (bytes, seen)))
            }
            None if seen < least => {
                let message = "Your proposed upload is smaller than the minimum allowed size".to_owned();
                Some((Err(Error::S3(400, "EntityTooSmall", message)), (bytes, least)))
            }
            ended => ended.map(|error| (error, (bytes, seen))),
        }
    })
    .boxed()
}

fn user_metadata(fields: &BTreeMap<String, String>) -> Option<Value> {
    let pairs = fields
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("x-amz-meta-")?.to_owned(), Value::String(value.clone()))));
    let map: Map<String, Value> = pairs.collect();
    (!map.is_empty()).then_some(Value::Object(map))
}
