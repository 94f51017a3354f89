//! Reading and deleting objects.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::SERVICE_ROLE;
use serde::Deserialize;
use serde_json::Value;

use super::xml::{self, Document};
use super::{S3Request, chunked};
use crate::error::{Error, Result};
use crate::object::content_headers;
use crate::object::meta::Meta;
use crate::object::serve::{Serving, put, response, serve};
use crate::operation::Operation;
use crate::request::asking::set_role;
use crate::request::fields::MAX_ITEMS;
use crate::request::json;
use crate::rows::object::{self, Object};
use crate::rules::mime::MediaType;
use crate::upload::body::frames;
use crate::upload::commit;
use crate::upload::pipeline::find_bucket;

/// GetObject
pub(crate) async fn get(mut request: S3Request) -> Result<Response> {
    let object = find(&request, Operation::S3ObjectGet).await?;
    let meta = Meta::of(&object);
    let mut response = serve(&request.state, request.headers(), &meta, &Serving::default()).await?;
    describe(response.headers_mut(), &object, &meta);
    replace(response.headers_mut(), &mut request, &meta);
    Ok(response)
}

/// What a link has replaced in the headers: whoever signed it may have signed anything.
fn replace(headers: &mut HeaderMap, request: &mut S3Request, meta: &Meta) {
    let mut media_type = meta.media_type();
    if let Some(wanted) = request.param("response-content-type") {
        media_type = MediaType::parse_or_default(&wanted);
        content_headers::set(headers, &media_type);
    }
    if let Some(wanted) = request.param("response-content-disposition") {
        content_headers::set_disposition(headers, &media_type, &wanted);
    }
    if let Some(wanted) = request.param("response-cache-control") {
        put(headers, CACHE_CONTROL, &wanted);
    }
}

/// HeadObject
pub(crate) async fn head(request: S3Request) -> Result<Response> {
    let object = find(&request, Operation::S3ObjectInfo).await?;
    let meta = Meta::of(&object);
    let mut response = response(StatusCode::OK, request.headers(), &meta, &Serving::default(), Body::empty());
    describe(response.headers_mut(), &object, &meta);
    response.headers_mut().insert(CONTENT_LENGTH, meta.size.unwrap_or(0).into());
    Ok(response)
}

/// GetObjectTagging
pub(crate) async fn tags(request: S3Request) -> Result<Response> {
    find(&request, Operation::S3ObjectTagging).await?;
    let mut document = Document::new("Tagging");
    document.nested("TagSet", |_| {});
    Ok(document.into_response())
}

async fn find(request: &S3Request, operation: Operation) -> Result<Object> {
    let mut tx = request.asking.begin(&request.state, operation).await?;
    object::get(&mut tx, &request.bucket, &request.key).await
}

/// The headers that this protocol adds. Types are told as they are stored, HTML too: tools compare them. In a browser it is saved.
fn describe(headers: &mut HeaderMap, object: &Object, meta: &Meta) {
    content_headers::set(headers, &meta.media_type());
    let mut unsayable = 0_u64;
    for (name, value) in object.user_metadata.iter().filter_map(Value::as_object).flatten() {
        let header = HeaderName::try_from(format!("x-amz-meta-{}", name.to_ascii_lowercase()));
        match (header, value) {
            (Ok(header), Value::String(value)) => put(headers, header, value),
            _ => unsayable += 1,
        }
    }
    if unsayable > 0 {
        headers.insert("x-amz-missing-meta", unsayable.into());
    }
}

/// DeleteObject
pub(crate) async fn delete(request: S3Request) -> Result<Response> {
    find_bucket(&request.state, &request.bucket).await?;
    let mut tx = request.asking.begin(&request.state, Operation::S3ObjectDelete).await?;
    let deleted = object::delete(&mut tx, &request.bucket, std::slice::from_ref(&request.key)).await?;
    if deleted.is_empty() && object::find(&mut tx, &request.bucket, &request.key).await?.is_some() {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    tx.commit().await?;
    commit::discard_rows(&request.state, &deleted);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// What DeleteObjects asks for.
#[derive(Debug, Deserialize)]
pub(crate) struct Delete {
    #[serde(rename = "Object", default)]
    objects: Vec<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    #[serde(rename = "Key")]
    key: String,
}

/// DeleteObjects
pub(crate) async fn delete_many(request: S3Request, body: Body) -> Result<Response> {
    let body = frames(body, request.state.settings().slow_client);
    let body = json::gather(chunked::payload(&request.signed, body)).await?;
    let wanted: Delete = xml::read(&body)?;
    if wanted.objects.len() > MAX_ITEMS {
        return Err(Error::S3(400, "MalformedXML", format!("More than {MAX_ITEMS} objects in one request")));
    }
    let names: Vec<String> = wanted.objects.into_iter().map(|object| object.key).collect();
    let mut tx = request.asking.begin(&request.state, Operation::S3ObjectDeleteMany).await?;
    let deleted = object::delete(&mut tx, &request.bucket, &names).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    let kept = object::find_names(&mut tx, &request.bucket, &names).await?;
    tx.commit().await?;
    commit::discard_rows(&request.state, &deleted);
    let mut document = Document::new("DeleteResult");
    for name in names {
        if kept.contains(&name) {
            document.nested("Error", |shown| {
                shown.element("Key", &name).element("Code", "AccessDenied").element("Message", "Access Denied");
            });
        } else {
            document.nested("Deleted", |shown| {
                shown.element("Key", &name);
            });
        }
    }
    Ok(document.into_response())
}
