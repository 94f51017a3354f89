//! Parses requests: caller, fields and body.

pub(crate) mod body;
pub(crate) mod custom_metadata;
pub(crate) mod identity;
pub(crate) mod json_body;
pub(crate) mod multipart_form;
pub(crate) mod percent_encoding;

pub(crate) use identity::{Authenticated, MaybeAuthenticated};

use crate::error::Result;
use crate::fields::Fields;

/// Returns the parameter `versionId` of a query; `None` if the parameter is absent.
///
/// # Errors
/// If the query contains the parameter more than once.
pub(crate) fn version_of_query(query: Option<&str>) -> Result<Option<String>> {
    if !query.is_some_and(|query| query.contains("versionId")) {
        return Ok(None);
    }
    let mut fields = Fields::of_query(query);
    let version = fields.text("versionId");
    fields.finish()?;
    Ok(version)
}
