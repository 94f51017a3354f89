//! The S3 operation GetObjectAttributes: returns an object's entity tag, checksum, number of parts, storage class and size without its
//! content.

use axum::http::header::LAST_MODIFIED;
use axum::response::Response;

use super::objects::find;
use super::request::S3Request;
use super::versions;
use super::xml::Document;
use crate::error::{Error, Result};
use crate::http_headers::{http_date, put};
use crate::operation::Operation;
use crate::upload::checksum::Checksum;

const ATTRIBUTES: [&str; 5] = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"];

pub(crate) async fn get(request: S3Request) -> Result<Response> {
    let wanted: Vec<String> = wanted(&request)?;
    let (object, version) = find(&request, Operation::S3ObjectInfo).await?;
    let meta = object.meta();
    let is_wanted = |name: &str| wanted.iter().any(|wanted| wanted == name);
    let etag = meta.etag.as_deref().unwrap_or_default().trim_matches('"').to_owned();
    let mut document = Document::new("GetObjectAttributesResponse");
    if is_wanted("ETag") {
        document.element("ETag", &etag);
    }
    let checksum = Checksum::of_metadata(object.metadata.as_ref()).filter(|_| is_wanted("Checksum"));
    if let Some(checksum) = checksum {
        document.nested("Checksum", |shown| {
            let name = format!("Checksum{}", checksum.algorithm.name());
            shown.element(&name, &checksum.value).element("ChecksumType", "FULL_OBJECT");
        });
    }
    let parts = etag.split_once('-').filter(|_| is_wanted("ObjectParts"));
    if let Some((_, count)) = parts {
        document.nested("ObjectParts", |shown| {
            shown.element("PartsCount", count);
        });
    }
    document.optional("StorageClass", is_wanted("StorageClass").then_some("STANDARD"));
    document.optional("ObjectSize", meta.size.filter(|_| is_wanted("ObjectSize")));
    let mut response = document.into_response();
    versions::describe(response.headers_mut(), version.as_deref(), false);
    if let Some(time) = meta.last_modified {
        put(response.headers_mut(), LAST_MODIFIED, &http_date(time));
    }
    Ok(response)
}

/// Parses the attribute names in the header `x-amz-object-attributes`.
fn wanted(request: &S3Request) -> Result<Vec<String>> {
    let lists = request.headers().get_all("x-amz-object-attributes").iter();
    let names = lists.flat_map(|list| list.to_str().unwrap_or("?").split(','));
    let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    if names.is_empty() || names.iter().any(|name| !ATTRIBUTES.contains(&name.as_str())) {
        let message = "Invalid attribute name specified.".to_owned();
        return Err(Error::S3(400, "InvalidArgument", message));
    }
    Ok(names)
}
