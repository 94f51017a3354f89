//! Writes and parses XML documents of the S3 protocol.

use std::fmt::Write;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use quick_xml::escape::escape;

use crate::error::{Error, Result};

pub(crate) const CONTENT_TYPE_XML: &str = "application/xml; charset=utf-8";
pub(crate) const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// An XML document that is being written, with escaped text.
#[derive(Debug)]
pub(crate) struct Document {
    root: &'static str,
    text: String,
}

impl Document {
    pub(crate) fn new(root: &'static str) -> Self {
        Self { root, text: format!("<{root} xmlns=\"{NAMESPACE}\">") }
    }

    /// Appends text to the root element.
    pub(crate) fn content(&mut self, text: &str) -> &mut Self {
        self.text.push_str(&escape(text));
        self
    }

    /// Appends an element that contains text.
    pub(crate) fn element(&mut self, name: &str, text: impl std::fmt::Display) -> &mut Self {
        let text = text.to_string();
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "<{name}>{}</{name}>", escape(text.as_str()));
        self
    }

    /// Appends an element that contains `text`, unless `text` is `None`.
    pub(crate) fn optional(&mut self, name: &str, text: Option<impl std::fmt::Display>) -> &mut Self {
        if let Some(text) = text {
            self.element(name, text);
        }
        self
    }

    /// Appends an element with child elements.
    pub(crate) fn nested(&mut self, name: &str, write: impl FnOnce(&mut Self)) -> &mut Self {
        let _ = write!(self.text, "<{name}>");
        write(self);
        let _ = write!(self.text, "</{name}>");
        self
    }

    pub(crate) fn finish(self) -> String {
        format!("{DECLARATION}{}", self.without_declaration())
    }

    pub(crate) fn without_declaration(mut self) -> String {
        let _ = write!(self.text, "</{}>", self.root);
        self.text
    }

    pub(crate) fn into_response(self) -> Response {
        ([(CONTENT_TYPE, CONTENT_TYPE_XML)], self.finish()).into_response()
    }
}

/// Creates an error document. Unlike other documents it has no namespace, as with Amazon S3, because botocore does not find the error code
/// in a document with a namespace.
pub(crate) fn error(resource: &str, error: &Error) -> Document {
    let mut document = Document { root: "Error", text: "<Error>".to_owned() };
    document.element("Resource", resource).element("Code", error.code()).element("Message", error.message());
    document
}

/// Parses an XML document. Custom entities are not supported, so entity expansion attacks are impossible.
pub(crate) fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let malformed = || Error::S3(400, "MalformedXML", "The XML you provided was not well-formed".to_owned());
    quick_xml::de::from_reader(bytes).map_err(|_| malformed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert!(error("b/<k>&", &Error::NoSuchKey).finish().contains("<Resource>b/&lt;k&gt;&amp;</Resource>"));
    }

    #[test]
    fn refuses_entities() {
        let bomb = br#"<!DOCTYPE x [<!ENTITY a "aaaa">]><Delete><Object><Key>&a;</Key></Object></Delete>"#;
        assert!(read::<crate::s3::objects::Delete>(bomb).is_err());
        assert_eq!(read::<crate::s3::objects::Delete>(b"not xml").unwrap_err().code(), "MalformedXML");
    }
}
