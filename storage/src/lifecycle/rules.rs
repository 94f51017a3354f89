//! Parses and validates lifecycle rules in the JSON format of storage-js. The rules of the S3 protocol have the same fields
//! (`s3/lifecycle.rs`). Cloch accepts more actions than the corresponding Supabase Storage endpoint.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};

pub(crate) const MAX_RULES: usize = 1000;
const MAX_ID_CHARACTERS: usize = 255;
/// Maximum number of days of a lifecycle action: a century.
const MAX_DAYS: i32 = 36_500;
/// Maximum number of noncurrent object versions that a lifecycle rule may keep.
const MAX_KEPT_VERSIONS: i32 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    Enabled,
    Disabled,
}

/// Filter of a lifecycle rule: all objects, or objects whose names begin with a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Filter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prefix: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NoncurrentVersionExpiration {
    pub(crate) noncurrent_days: i32,
    /// Number of newest noncurrent object versions that are kept, regardless of their age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) newer_noncurrent_versions: Option<i32>,
}

/// Deletion of current objects by a lifecycle rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Expiration {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) days: Option<i32>,
    /// Whether to delete delete markers of object names that have no other version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expired_object_delete_marker: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AbortIncompleteMultipartUpload {
    pub(crate) days_after_initiation: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rule {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) status: Status,
    pub(crate) filter: Filter,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) noncurrent_version_expiration: Option<NoncurrentVersionExpiration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expiration: Option<Expiration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) abort_incomplete_multipart_upload: Option<AbortIncompleteMultipartUpload>,
}

impl Rule {
    /// Returns the name prefix of the objects to which the rule applies.
    pub(crate) fn prefix(&self) -> &str {
        self.filter.prefix.as_deref().unwrap_or_default()
    }

    fn check(&self) -> Result<()> {
        if self.id.chars().count() > MAX_ID_CHARACTERS {
            return Err(invalid(format!("a rule's id has at most {MAX_ID_CHARACTERS} characters")));
        }
        let noncurrent = self.noncurrent_version_expiration.as_ref();
        let kept = noncurrent.and_then(|expiration| expiration.newer_noncurrent_versions);
        if kept.is_some_and(|kept| !(1..=MAX_KEPT_VERSIONS).contains(&kept)) {
            return Err(invalid(format!("newerNoncurrentVersions is from 1 to {MAX_KEPT_VERSIONS}")));
        }
        let marker = self.expiration.as_ref().and_then(|expiration| expiration.expired_object_delete_marker);
        let days = [
            noncurrent.map(|expiration| expiration.noncurrent_days),
            self.expiration.as_ref().and_then(|expiration| expiration.days),
            self.abort_incomplete_multipart_upload.as_ref().map(|abort| abort.days_after_initiation),
        ];
        if days.iter().flatten().any(|days| !(1..=MAX_DAYS).contains(days)) {
            return Err(invalid(format!("a number of days is from 1 to {MAX_DAYS}")));
        }
        if days.iter().all(Option::is_none) && marker.is_none() {
            return Err(invalid("a rule has at least one action".to_owned()));
        }
        if self.expiration.as_ref().is_some_and(|expiration| expiration.days.is_some() == marker.is_some()) {
            return Err(invalid("expiration has either days or expiredObjectDeleteMarker".to_owned()));
        }
        Ok(())
    }
}

fn invalid(what: String) -> Error {
    Error::InvalidRequest(format!("Invalid lifecycle configuration: {what}"))
}

/// Validates the lifecycle rules of a bucket. Assigns a random id to rules without an id.
///
/// # Errors
/// [`Error::InvalidRequest`] with the first violation in the rules.
pub(crate) fn checked(mut rules: Vec<Rule>) -> Result<Vec<Rule>> {
    if rules.is_empty() || rules.len() > MAX_RULES {
        return Err(invalid(format!("it has from 1 to {MAX_RULES} rules")));
    }
    let mut ids = HashSet::new();
    for rule in &mut rules {
        rule.check()?;
        if rule.id.is_empty() {
            rule.id = Uuid::new_v4().to_string();
        }
        if !ids.insert(rule.id.clone()) {
            return Err(invalid("the ids of rules are unique".to_owned()));
        }
    }
    Ok(rules)
}

/// Parses the lifecycle rules of a JSON body.
///
/// # Errors
/// The same errors as [`checked`]. An unknown action, filter or field is refused instead of being ignored.
pub(crate) fn read(rules: Option<&serde_json::Value>) -> Result<Vec<Rule>> {
    let rules = rules.ok_or_else(|| Error::Schema("body must have required property 'rules'".to_owned()))?;
    let rules = serde_json::from_value(rules.clone()).map_err(|error| invalid(error.to_string()))?;
    checked(rules)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_what_no_rule_is() {
        let expiring = json!({"noncurrentDays": 3});
        let rule = |extra: serde_json::Value| {
            let mut rule = json!({"status": "Enabled", "filter": {}, "noncurrentVersionExpiration": expiring});
            rule.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            rule
        };
        for rules in [
            json!([]),
            json!({}),
            json!([{"status": "Enabled", "filter": {}}]),
            json!([{"status": "Enabled", "noncurrentVersionExpiration": expiring}]),
            json!([rule(json!({"status": "On"}))]),
            json!([rule(json!({"filter": {"tag": "x"}}))]),
            json!([rule(json!({"transitions": []}))]),
            json!([rule(json!({"noncurrentVersionExpiration": {"noncurrentDays": 0}}))]),
            json!([rule(json!({"expiration": {"days": MAX_DAYS + 1}}))]),
            json!([rule(json!({"abortIncompleteMultipartUpload": {"daysAfterInitiation": i32::MAX}}))]),
            json!([rule(
                json!({"noncurrentVersionExpiration": {"noncurrentDays": 1, "newerNoncurrentVersions": 101}})
            )]),
            json!([rule(json!({"noncurrentVersionExpiration": {"noncurrentDays": 1, "newerNoncurrentVersions": 0}}))]),
            json!([rule(json!({"expiration": {}}))]),
            json!([rule(json!({"expiration": {"days": 1, "expiredObjectDeleteMarker": true}}))]),
            json!([rule(json!({"id": "x".repeat(256)}))]),
            json!([rule(json!({"id": "x"})), rule(json!({"id": "x"}))]),
        ] {
            assert!(matches!(read(Some(&rules)), Err(Error::InvalidRequest(_))), "{rules}");
        }
        assert!(matches!(read(None), Err(Error::Schema(_))));
        let many: Vec<_> = (0..=MAX_RULES).map(|_| rule(json!({}))).collect();
        assert!(read(Some(&json!(many))).is_err());
    }

    #[test]
    fn a_rule_without_an_id_gets_one() {
        let rules = json!([{"status": "Disabled", "filter": {}, "noncurrentVersionExpiration": {"noncurrentDays": 1}}]);
        let read = read(Some(&rules)).unwrap();
        assert!(!read[0].id.is_empty());
        let mut expected = rules;
        expected[0]["id"] = read[0].id.clone().into();
        assert_eq!(serde_json::to_value(read).unwrap(), expected);
    }
}
