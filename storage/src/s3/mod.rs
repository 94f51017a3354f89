//! The S3 protocol at `/storage/v1/s3`, with path-style URLs. A request is signed with one of the project's access keys or with a session
//! token. An access key has the rights of the service role. A session token has the rights of its user under the RLS policies.

mod attributes;
mod aws_chunked;
mod buckets;
mod canonical_request;
mod copy_range;
mod hoisted_headers;
mod keep_alive_response;
mod lifecycle;
mod list;
mod list_uploads;
mod multipart;
mod objects;
mod part_number;
mod parts;
mod payload;
mod post_answer;
mod post_object;
mod post_policy;
mod put_object;
mod request;
mod signature_v4;
mod versions;
pub(crate) mod xml;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cloch_core::log_fields::LogFields;
use percent_encoding::percent_decode_str;

use self::request::S3Request;
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::model::object_path::ObjectPath;
use crate::request::Authenticated;
use crate::state::StorageState;
use crate::upload::preconditions::not_implemented;

pub(crate) async fn handle(State(state): State<StorageState>, request: Request) -> Response {
    let is_head = request.method() == Method::HEAD;
    let resource = request.uri().path().strip_prefix("/s3").unwrap_or_default().trim_matches('/').to_owned();
    match verified(state, request).await {
        Ok(response) => response,
        Err(error) => {
            error.log();
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let body = if is_head { Body::empty() } else { Body::from(xml::error(&resource, &error).finish()) };
            let mut response = (status, body).into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(xml::CONTENT_TYPE_XML));
            response.headers_mut().extend(error.header());
            LogFields::set_code(response.extensions_mut(), error.code());
            response
        }
    }
}

async fn verified(state: StorageState, request: Request) -> Result<Response> {
    if !state.settings().s3_protocol.enabled {
        return Err(Error::NoRoute(request.method().to_string(), request.uri().path().to_owned()));
    }
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().strip_prefix("/s3").unwrap_or_default().trim_start_matches('/').to_owned();
    let decoded = percent_decode_str(&path).decode_utf8().map_err(|_| Error::BadUrl(path.clone()))?;
    let (bucket, key) = decoded.split_once('/').unwrap_or((&decoded, ""));
    if post_object::is_form(&parts, bucket, key) {
        return post_object::post(&state, &parts, bucket.to_owned(), body).await;
    }
    let signed = signature_v4::verify(&state, &parts).await?;
    hoisted_headers::add(&mut parts)?;
    check_headers(&parts.headers)?;
    let identity = Authenticated::of_caller(&parts, signed.caller.clone());
    let query = Fields::of_signed_query(parts.uri.query());
    if let Some(name) = query.repeated() {
        return Err(Error::S3(400, "InvalidArgument", format!("The parameter {name} is given more than once")));
    }
    let request = S3Request { state, identity, signed, path: ObjectPath::new(bucket, key), query };
    dispatch(parts.method, request, body).await
}

/// Prefixes of headers of unsupported S3 features. Requests with these headers are refused. Otherwise an object would be stored without the
/// feature that the client has requested.
const UNSUPPORTED_HEADERS: [&str; 7] = [
    "x-amz-object-lock-",
    "x-amz-rename-source",
    "x-amz-write-offset-bytes",
    "x-amz-server-side-encryption",
    "x-amz-copy-source-server-side-encryption",
    "x-amz-tagging",
    "x-amz-website-redirect-location",
];
/// Header that selects how tags are copied. The header is allowed although tags are not supported: it has no effect, because objects have
/// no tags.
const TAGGING_DIRECTIVE: &str = "x-amz-tagging-directive";

/// Refuses a request with headers of unsupported S3 features.
fn check_headers(headers: &HeaderMap) -> Result<()> {
    for (name, value) in headers {
        let name = name.as_str();
        let is_unsupported = UNSUPPORTED_HEADERS.iter().any(|prefix| name.starts_with(prefix));
        if is_unsupported && name != TAGGING_DIRECTIVE {
            return Err(not_implemented());
        }
        // Other headers must be text. A value that is not text would be treated as if the header were absent.
        let is_text = value.to_str().is_ok() || name == "x-amz-copy-source" || name.starts_with("x-amz-meta-");
        if name.starts_with("x-amz-") && !is_text {
            return Err(Error::S3(400, "InvalidArgument", format!("The header {name} is not valid")));
        }
    }
    Ok(())
}

/// Query parameters of unsupported S3 subresources. Requests with these parameters are refused, because ignoring the parameter would
/// execute another operation.
const UNSUPPORTED: [&str; 32] = [
    "abac",
    "accelerate",
    "acl",
    "analytics",
    "append",
    "cors",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "logging",
    "metadataConfiguration",
    "metadataInventoryTable",
    "metadataJournalTable",
    "metadataTable",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "renameObject",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "session",
    "tagging",
    "torrent",
    "website",
];
/// Query parameters that are allowed in S3 requests that write or delete.
const OF_WRITES: [&str; 7] = ["delete", "lifecycle", "partNumber", "uploadId", "uploads", "versioning", "versions"];
/// Query parameters that set headers of the response to a download. Some clients add them to presigned URLs of uploads too, where they have no
/// effect, as with Amazon S3.
const OF_RESPONSES: [&str; 6] = [
    "response-cache-control",
    "response-content-disposition",
    "response-content-encoding",
    "response-content-language",
    "response-content-type",
    "response-expires",
];

/// Whether a query contains unsupported parameters. Requests that write or delete must not contain unknown parameters: otherwise a request
/// to delete an unknown subresource of a bucket would delete the bucket. A write must not contain `versionId` either, because an existing
/// version cannot be overwritten.
fn asks_for_more(method: &Method, query: &Fields) -> bool {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    query.names().any(|name| {
        if name == "versionId" {
            return !reads && *method != Method::DELETE;
        }
        let of_upload = *method == Method::PUT && OF_RESPONSES.contains(&name);
        let of_write = OF_WRITES.contains(&name) || name.to_ascii_lowercase().starts_with("x-");
        let is_known = reads || of_upload || of_write;
        !is_known || UNSUPPORTED.contains(&name)
    })
}

async fn dispatch(method: Method, request: S3Request, body: Body) -> Result<Response> {
    let has = |name: &str| request.query.has(name);
    let (bucket, key) = (!request.path.bucket.is_empty(), !request.path.name.is_empty());
    let is_answered = method == Method::GET && (key && has("tagging") || bucket && !key && has("requestPayment"));
    if !is_answered && asks_for_more(&method, &request.query) {
        return Err(not_implemented());
    }
    match (method.as_str(), bucket, key) {
        ("GET", false, _) => buckets::list(request).await,
        ("GET", true, false) if has("location") => buckets::location(request).await,
        ("GET", true, false) if has("requestPayment") => buckets::request_payment(request).await,
        ("GET", true, false) if has("versioning") => buckets::versioning(request).await,
        ("PUT", true, false) if has("versioning") => versions::configure(request, body).await,
        ("GET", true, false) if has("versions") => versions::list(request).await,
        ("GET", true, false) if has("lifecycle") => lifecycle::get(request).await,
        ("PUT", true, false) if has("lifecycle") => lifecycle::put(request, body).await,
        ("DELETE", true, false) if has("lifecycle") => lifecycle::delete(request).await,
        ("GET", true, false) if has("uploads") => list_uploads::handle(request).await,
        ("GET", true, false) => list::objects(request).await,
        ("HEAD", true, false) => buckets::head(request).await,
        ("PUT", true, false) => buckets::create(request).await,
        ("DELETE", true, false) => buckets::delete(request).await,
        ("POST", true, false) if has("delete") => objects::delete_many(request, body).await,
        ("GET", true, true) if has("tagging") => objects::tags(request).await,
        ("GET", true, true) if has("attributes") => attributes::get(request).await,
        ("GET", true, true) if has("uploadId") => parts::list(request).await,
        ("GET", true, true) => objects::get(request).await,
        ("HEAD", true, true) => objects::head(request).await,
        ("PUT", true, true) if has("uploadId") && request.headers().contains_key("x-amz-copy-source") => {
            parts::copy(request).await
        }
        ("PUT", true, true) if has("uploadId") => parts::upload(request, body).await,
        ("PUT", true, true) if request.headers().contains_key("x-amz-copy-source") => put_object::copy(request).await,
        ("PUT", true, true) => put_object::put(request, body).await,
        ("POST", true, true) if has("uploads") => multipart::create(request).await,
        ("POST", true, true) if has("uploadId") => multipart::complete(request, body).await,
        ("DELETE", true, true) if has("uploadId") => multipart::abort(request).await,
        ("DELETE", true, true) => objects::delete(request).await,
        (method, ..) => {
            let message = format!("The method {method} is not allowed against this resource.");
            Err(Error::S3(405, "MethodNotAllowed", message))
        }
    }
}
