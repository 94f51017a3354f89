//! Handles lifecycle rules of buckets in the XML format of the S3 protocol.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::payload::payload;
use super::request::S3Request;
use super::xml::{self, Document};
use crate::bucket::lifecycle;
use crate::error::{Error, Result};
use crate::lifecycle::rules::{
    AbortIncompleteMultipartUpload, Expiration, Filter, NoncurrentVersionExpiration, Rule, Status, checked,
};
use crate::operation::Operation;
use crate::request::body::frames;
use crate::request::json_body;

/// Handles PutBucketLifecycleConfiguration.
pub(crate) async fn put(request: S3Request, body: Body) -> Result<Response> {
    let body = frames(body, request.state.settings().slow_client);
    let body = json_body::gather(payload(&request.signed, request.headers(), body)?.bytes).await?;
    let wanted: XmlConfiguration = xml::read(&body)?;
    let rules = wanted.rules.into_iter().map(XmlRule::into_rule).collect::<Result<Vec<_>>>()?;
    let rules = checked(rules).map_err(|error| Error::S3(400, "InvalidArgument", error.message()))?;
    let operation = Operation::S3BucketPutLifecycle;
    lifecycle::put(&request.state, &request.identity, operation, &request.path.bucket, &rules).await?;
    Ok(StatusCode::OK.into_response())
}

/// Handles GetBucketLifecycleConfiguration.
pub(crate) async fn get(request: S3Request) -> Result<Response> {
    let operation = Operation::S3BucketGetLifecycle;
    let rules = lifecycle::find(&request.state, &request.identity, operation, &request.path.bucket).await?;
    let rules: Vec<Rule> =
        serde_json::from_value(rules).map_err(|source| Error::internal("reading lifecycle rules")(source.into()))?;
    let mut document = Document::new("LifecycleConfiguration");
    for rule in &rules {
        document.nested("Rule", |shown| show(shown, rule));
    }
    Ok(document.into_response())
}

/// Handles DeleteBucketLifecycle.
pub(crate) async fn delete(request: S3Request) -> Result<Response> {
    let operation = Operation::S3BucketDeleteLifecycle;
    lifecycle::delete(&request.state, &request.identity, operation, &request.path.bucket).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn show(shown: &mut Document, rule: &Rule) {
    shown
        .element("ID", &rule.id)
        .element("Status", if rule.status == Status::Enabled { "Enabled" } else { "Disabled" });
    shown.nested("Filter", |filter| {
        filter.element("Prefix", rule.prefix());
    });
    if let Some(expiration) = &rule.expiration {
        shown.nested("Expiration", |shown| {
            shown.optional("Days", expiration.days);
            shown.optional("ExpiredObjectDeleteMarker", expiration.expired_object_delete_marker);
        });
    }
    if let Some(noncurrent) = &rule.noncurrent_version_expiration {
        shown.nested("NoncurrentVersionExpiration", |shown| {
            shown.element("NoncurrentDays", noncurrent.noncurrent_days);
            shown.optional("NewerNoncurrentVersions", noncurrent.newer_noncurrent_versions);
        });
    }
    if let Some(abort) = &rule.abort_incomplete_multipart_upload {
        shown.nested("AbortIncompleteMultipartUpload", |shown| {
            shown.element("DaysAfterInitiation", abort.days_after_initiation);
        });
    }
}

#[derive(Debug, Deserialize)]
struct XmlConfiguration {
    #[serde(rename = "Rule", default)]
    rules: Vec<XmlRule>,
}

/// A lifecycle rule in the XML document. Unsupported elements are parsed so that they are refused instead of being ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct XmlRule {
    #[serde(rename = "ID")]
    id: Option<String>,
    status: Option<String>,
    /// Object name prefix, deprecated by AWS in favour of `filter`.
    prefix: Option<String>,
    filter: Option<XmlFilter>,
    expiration: Option<XmlExpiration>,
    noncurrent_version_expiration: Option<XmlNoncurrent>,
    abort_incomplete_multipart_upload: Option<XmlAbort>,
    #[serde(default)]
    transition: Vec<IgnoredAny>,
    #[serde(default)]
    noncurrent_version_transition: Vec<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct XmlFilter {
    prefix: Option<String>,
    and: Option<IgnoredAny>,
    tag: Option<IgnoredAny>,
    object_size_greater_than: Option<IgnoredAny>,
    object_size_less_than: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct XmlExpiration {
    days: Option<i32>,
    date: Option<IgnoredAny>,
    expired_object_delete_marker: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct XmlNoncurrent {
    noncurrent_days: i32,
    newer_noncurrent_versions: Option<i32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct XmlAbort {
    days_after_initiation: i32,
}

impl XmlFilter {
    fn has_other_than_prefix(&self) -> bool {
        self.and.is_some()
            || self.tag.is_some()
            || self.object_size_greater_than.is_some()
            || self.object_size_less_than.is_some()
    }
}

impl XmlRule {
    fn into_rule(self) -> Result<Rule> {
        let unknown = !self.transition.is_empty()
            || !self.noncurrent_version_transition.is_empty()
            || self.filter.as_ref().is_some_and(XmlFilter::has_other_than_prefix)
            || self.expiration.as_ref().is_some_and(|expiration| expiration.date.is_some());
        if unknown {
            let message = "Lifecycle rules with transitions, dates, tags or sizes are not implemented".to_owned();
            return Err(Error::S3(501, "NotImplemented", message));
        }
        let status = match self.status.as_deref() {
            Some("Enabled") => Status::Enabled,
            Some("Disabled") => Status::Disabled,
            _ => {
                let message = "The XML you provided was not well-formed".to_owned();
                return Err(Error::S3(400, "MalformedXML", message));
            }
        };
        let prefix = self.filter.and_then(|filter| filter.prefix).or(self.prefix).filter(|prefix| !prefix.is_empty());
        Ok(Rule {
            id: self.id.unwrap_or_default(),
            status,
            filter: Filter { prefix },
            noncurrent_version_expiration: self.noncurrent_version_expiration.map(|xml| NoncurrentVersionExpiration {
                noncurrent_days: xml.noncurrent_days,
                newer_noncurrent_versions: xml.newer_noncurrent_versions,
            }),
            expiration: self.expiration.map(|xml| Expiration {
                days: xml.days,
                expired_object_delete_marker: xml.expired_object_delete_marker,
            }),
            abort_incomplete_multipart_upload: self
                .abort_incomplete_multipart_upload
                .map(|xml| AbortIncompleteMultipartUpload { days_after_initiation: xml.days_after_initiation }),
        })
    }
}
