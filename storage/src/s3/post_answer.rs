//! Selects the response to a POST Object form. The form can choose the status, or a page to which the browser is redirected; the POST policy
//! must allow both fields.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::http::header::{ETAG, LOCATION};
use axum::response::{IntoResponse, Response};
use percent_encoding::utf8_percent_encode;
use url::Url;

use super::list::UNRESERVED;
use super::xml::Document;
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PostAnswer {
    Status(StatusCode),
    Redirect(Box<Url>),
}

fn invalid(field: &str, allowed: &str) -> Error {
    Error::S3(400, "InvalidArgument", format!("{field} must be {allowed}"))
}

impl PostAnswer {
    /// Reads the fields of a form, with their names in lower case. Without such a field, the status is 200, as with Supabase's storage.
    ///
    /// # Errors
    /// 400 if the status is not one that S3 has for this operation, or the page is no HTTP URL.
    pub(super) fn read(fields: &BTreeMap<String, String>) -> Result<Self> {
        if let Some(page) = fields.get("success_action_redirect").or_else(|| fields.get("redirect")) {
            let url = Url::parse(page).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            return Ok(Self::Redirect(Box::new(url.ok_or(invalid("success_action_redirect", "an HTTP URL"))?)));
        }
        match fields.get("success_action_status").map(String::as_str) {
            None | Some("200") => Ok(Self::Status(StatusCode::OK)),
            Some("201") => Ok(Self::Status(StatusCode::CREATED)),
            Some("204") => Ok(Self::Status(StatusCode::NO_CONTENT)),
            Some(_) => Err(invalid("success_action_status", "200, 201 or 204")),
        }
    }

    /// Creates the response for the stored object. `base_path` is the external path of the storage API.
    pub(super) fn into_response(
        self,
        base_path: &str,
        ObjectPath { bucket, name }: &ObjectPath,
        etag: &str,
    ) -> Response {
        let etag = format!("\"{etag}\"");
        match self {
            Self::Redirect(mut page) => {
                page.query_pairs_mut()
                    .append_pair("bucket", bucket)
                    .append_pair("key", name)
                    .append_pair("etag", &etag);
                (StatusCode::SEE_OTHER, [(LOCATION, page.to_string()), (ETAG, etag)]).into_response()
            }
            Self::Status(StatusCode::CREATED) => {
                let encoded = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
                let base = base_path.trim_end_matches('/');
                let location = format!("{base}/s3/{}/{}", encoded(bucket), encoded(name));
                let mut document = Document::new("PostResponse");
                document.element("Location", &location).element("Bucket", bucket).element("Key", name);
                document.element("ETag", &etag);
                (StatusCode::CREATED, [(LOCATION, location), (ETAG, etag)], document.into_response()).into_response()
            }
            Self::Status(status) => (status, [(ETAG, etag)]).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str) -> ObjectPath {
        ObjectPath { bucket: "b".to_owned(), name: name.to_owned() }
    }

    fn read(fields: &[(&str, &str)]) -> Result<PostAnswer> {
        PostAnswer::read(&fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn the_form_chooses_the_status() {
        assert_eq!(read(&[]).unwrap(), PostAnswer::Status(StatusCode::OK));
        for (text, status) in [("200", 200), ("201", 201), ("204", 204)] {
            let answer =
                read(&[("success_action_status", text)]).unwrap().into_response("/storage/v1", &object("k ü/l"), "e");
            assert_eq!((answer.status().as_u16(), &answer.headers()[ETAG]), (status, &"\"e\"".parse().unwrap()));
            let location = answer.headers().get(LOCATION).map(|value| value.to_str().unwrap());
            assert_eq!(location, (status == 201).then_some("/storage/v1/s3/b/k%20%C3%BC/l"));
        }
        for text in ["", "303", "500", "ok"] {
            assert_eq!(read(&[("success_action_status", text)]).unwrap_err().code(), "InvalidArgument", "{text}");
        }
    }

    #[test]
    fn the_form_chooses_a_page() {
        let fields = [("success_action_redirect", "https://club.example/done?a=1"), ("success_action_status", "201")];
        let answer = read(&fields).unwrap().into_response("", &object("k &"), "e");
        let expected = "https://club.example/done?a=1&bucket=b&key=k+%26&etag=%22e%22";
        assert_eq!((answer.status(), &answer.headers()[LOCATION]), (StatusCode::SEE_OTHER, &expected.parse().unwrap()));
        for page in ["", "/done", "javascript:alert(1)", "file:///etc/passwd"] {
            assert_eq!(read(&[("success_action_redirect", page)]).unwrap_err().code(), "InvalidArgument", "{page}");
        }
    }
}
