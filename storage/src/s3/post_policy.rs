//! Parses and checks the POST policy of a form upload: the restrictions and the expiry time, which the owner of an access key has signed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// Form fields of the signature, which need no condition in the POST policy.
const FIELDS_WITHOUT_CONDITION: [&str; 6] =
    ["policy", "x-amz-signature", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-security-token"];

#[derive(Debug, Deserialize)]
pub(super) struct Policy {
    expiration: Option<String>,
    #[serde(default)]
    conditions: Vec<Value>,
}

fn denied(what: String) -> Error {
    Error::AccessDenied(format!("Policy condition failed: {what}"))
}

impl Policy {
    /// Parses a POST policy in base64.
    ///
    /// # Errors
    /// If the text is not a valid POST policy.
    pub(super) fn read(encoded: &str) -> Result<Self> {
        let decoded = STANDARD.decode(encoded.trim()).ok();
        decoded
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or(Error::InvalidSignature("Invalid POST policy"))
    }

    /// Checks the fields of a form (with names in lower case, including `bucket`) against the POST policy. Returns the allowed range of the
    /// file size in bytes.
    ///
    /// # Errors
    /// If the POST policy has expired, a condition is false, or a field is not covered by a condition.
    pub(super) fn check(&self, fields: &BTreeMap<String, String>, now: DateTime<Utc>) -> Result<RangeInclusive<u64>> {
        let expiration = self.expiration.as_deref().ok_or(Error::InvalidSignature("Missing policy expiration"))?;
        let expiration = DateTime::parse_from_rfc3339(expiration)
            .map_err(|_| Error::InvalidSignature("Invalid policy expiration"))?;
        if expiration < now {
            return Err(Error::S3(400, "ExpiredToken", "The provided token has expired.".to_owned()));
        }
        let (mut sizes, mut covered) = (0..=u64::MAX, Vec::new());
        for condition in &self.conditions {
            match Condition::read(condition)? {
                Condition::Equals(field, value) if fields.get(&field) == Some(&value) => covered.push(field),
                Condition::StartsWith(field, prefix)
                    if fields.get(&field).is_some_and(|value| value.starts_with(&prefix)) =>
                {
                    covered.push(field);
                }
                Condition::Equals(field, _) | Condition::StartsWith(field, _) => {
                    return Err(denied(format!("\"{field}\" does not match")));
                }
                Condition::Size(least, most) => sizes = least.max(*sizes.start())..=most.min(*sizes.end()),
            }
        }
        let free = |field: &str| FIELDS_WITHOUT_CONDITION.contains(&field) || field.starts_with("x-ignore-");
        match fields.keys().find(|field| !free(field) && !covered.contains(field)) {
            Some(field) => Err(denied(format!("field \"{field}\" is not covered by the policy"))),
            None => Ok(sizes),
        }
    }
}

enum Condition {
    Equals(String, String),
    StartsWith(String, String),
    Size(u64, u64),
}

impl Condition {
    fn read(condition: &Value) -> Result<Self> {
        let invalid = || Error::InvalidSignature("Invalid policy condition");
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        if let Some(map) = condition.as_object() {
            let mut pairs = map.iter();
            let (Some((field, value)), None) = (pairs.next(), pairs.next()) else { return Err(invalid()) };
            return Ok(Self::Equals(field.to_ascii_lowercase(), text(value).ok_or_else(invalid)?));
        }
        let [operator, first, second] = condition.as_array().map(Vec::as_slice).unwrap_or_default() else {
            return Err(invalid());
        };
        let field =
            || first.as_str().and_then(|name| name.strip_prefix('$')).map(str::to_ascii_lowercase).ok_or_else(invalid);
        match operator.as_str() {
            Some("eq") => Ok(Self::Equals(field()?, text(second).ok_or_else(invalid)?)),
            Some("starts-with") => Ok(Self::StartsWith(field()?, text(second).ok_or_else(invalid)?)),
            Some("content-length-range") => {
                let number = |value: &Value| text(value).and_then(|text| text.parse().ok()).ok_or_else(invalid);
                Ok(Self::Size(number(first)?, number(second)?))
            }
            _ => Err(invalid()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(policy: Value, fields: &[(&str, &str)]) -> Result<RangeInclusive<u64>> {
        let policy = Policy::read(&STANDARD.encode(policy.to_string()))?;
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        policy.check(&fields, Utc::now())
    }

    #[test]
    fn refuses_what_the_policy_does_not_say() {
        let until = "2100-01-01T00:00:00Z";
        assert!(Policy::read("%%%").is_err());
        assert_eq!(check(json!({"conditions": []}), &[]).unwrap_err().message(), "Missing policy expiration");
        assert_eq!(check(json!({"expiration": "2000-01-01T00:00:00Z"}), &[]).unwrap_err().code(), "ExpiredToken");
        for (conditions, fields) in [
            (json!([{"bucket": "b"}]), vec![("bucket", "other")]),
            (json!([["starts-with", "$key", "mine/"]]), vec![("key", "yours/x")]),
            (json!([["eq", "$key", "a"]]), vec![]),
            (json!([{"bucket": "b"}]), vec![("bucket", "b"), ("x-amz-meta-a", "1")]),
            (json!([["matches", "$key", ""]]), vec![("key", "a")]),
            (json!([{"a": "1", "b": "2"}]), vec![("a", "1"), ("b", "2")]),
            (json!(["x"]), vec![]),
        ] {
            assert!(
                check(json!({"expiration": until, "conditions": conditions.clone()}), &fields).is_err(),
                "{conditions}"
            );
        }
    }

    #[test]
    fn takes_what_it_says() {
        let conditions = json!([
            {"bucket": "b"}, ["starts-with", "$Key", "mine/"], ["content-length-range", 1, "10"],
            ["starts-with", "$Content-Type", ""],
        ]);
        let policy = json!({"expiration": "2100-01-01T00:00:00.000Z", "conditions": conditions});
        let fields = [("bucket", "b"), ("key", "mine/x"), ("content-type", "text/plain"), ("x-ignore-this", "1")];
        assert_eq!(check(policy, &fields).unwrap(), 1..=10);
    }
}
