//! Parses the request body fields that several vector endpoints share, and checks their limits.

use axum::extract::Request;
use serde_json::Value;

use super::Call;
use crate::error::Result;
use crate::fields::Fields;
use crate::request::json_body::{self, MAX_BODY_BYTES};

pub(super) const MAX_KEY_CHARACTERS: usize = 1024;
pub(super) const MAX_DIMENSION: i64 = 4096;
const MAX_PAGE: i64 = 500;
const INDEX_NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=45;
const INDEX_NAME_PATTERN: &str = "^[a-z0-9](?:[a-z0-9.-]{1,61})?[a-z0-9]$";

/// Reads a JSON body. The values of the fields are not coerced to other types.
pub(super) async fn fields(call: &Call<'_>, request: Request) -> Result<Fields> {
    let value = match json_body::json(request, call.state, MAX_BODY_BYTES).await? {
        Some(body) => json_body::parse(&body)?,
        None => Value::Null,
    };
    Fields::of_strict_body(value)
}

/// Returns the value of a required text field, which must have `min` to `max` characters.
pub(super) fn text_within(fields: &mut Fields, name: &str, min: usize, max: usize) -> String {
    let text = fields.required_text(name);
    if fields.raw(name).is_some_and(Value::is_string) {
        check_length(fields, name, &text, min, max);
    }
    text
}

fn check_length(fields: &mut Fields, name: &str, text: &str, min: usize, max: usize) {
    match text.chars().count() {
        count if count < min => fields.violation(name, &format!("must NOT have fewer than {min} characters")),
        count if count > max => fields.violation(name, &format!("must NOT have more than {max} characters")),
        _ => {}
    }
}

pub(super) fn bucket_name(fields: &mut Fields) -> String {
    text_within(fields, "vectorBucketName", 1, usize::MAX)
}

pub(super) fn index_name(fields: &mut Fields) -> String {
    let name = text_within(fields, "indexName", *INDEX_NAME_CHARACTERS.start(), *INDEX_NAME_CHARACTERS.end());
    let is_outer = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let fits = bytes.iter().all(|byte| is_outer(byte) || b".-".contains(byte))
        && bytes.first().is_some_and(is_outer)
        && bytes.last().is_some_and(is_outer);
    if !fits && fields.raw("indexName").is_some_and(Value::is_string) {
        fields.violation("indexName", &format!("must match pattern \"{INDEX_NAME_PATTERN}\""));
    }
    name
}

/// Returns the keys of the vectors that a request reads or deletes, at most `max` keys.
pub(super) fn keys(fields: &mut Fields, max: usize) -> Vec<String> {
    fields.required("keys");
    let Some(value) = fields.raw("keys").cloned() else { return Vec::new() };
    let Value::Array(values) = value else {
        fields.violation("keys", "must be array");
        return Vec::new();
    };
    let range = match values.len() {
        0 => "must NOT have fewer than 1 items".to_owned(),
        count if count > max => format!("must NOT have more than {max} items"),
        _ => String::new(),
    };
    if !range.is_empty() {
        fields.violation("keys", &range);
        return Vec::new();
    }
    let mut keys = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        let name = format!("keys/{index}");
        match value {
            Value::String(key) => {
                check_length(fields, &name, &key, 1, MAX_KEY_CHARACTERS);
                keys.push(key);
            }
            _ => fields.violation(&name, "must be string"),
        }
    }
    keys
}

/// Returns the parameters of a listing of buckets or indexes.
pub(super) fn page(fields: &mut Fields) -> Page {
    let size = fields.integer("maxResults", 1, MAX_PAGE).unwrap_or(MAX_PAGE);
    let after = fields.text("nextToken").unwrap_or_default();
    Page { prefix: fields.text("prefix").unwrap_or_default(), after, size }
}

/// Parameters of one page of a listing. `after` is the request's page token: the last name of the previous page, or an empty text for the first
/// page.
pub(super) struct Page {
    pub(super) prefix: String,
    pub(super) after: String,
    pub(super) size: i64,
}

/// The query reads one row more than `size`, to detect whether another page follows. Removes this row, and returns the token of the next
/// page, or `None` after the last page.
pub(super) fn next_token<T>(rows: &mut Vec<T>, size: i64, name: impl Fn(&T) -> &str) -> Option<String> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if rows.len() <= size {
        return None;
    }
    rows.truncate(size);
    rows.last().map(|row| name(row).to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(body: Value, read: impl Fn(&mut Fields)) -> String {
        let mut fields = Fields::of_strict_body(body).unwrap();
        read(&mut fields);
        fields.finish().err().map(|error| error.message()).unwrap_or_default()
    }

    #[test]
    fn names_of_indexes() {
        let problem = |name: Value| problem(json!({ "indexName": name }), |fields| drop(index_name(fields)));
        for name in ["abc", "a-b.c", "0a0", &"a".repeat(45)] {
            assert_eq!(problem(json!(name)), "", "{name}");
        }
        assert_eq!(problem(json!("ab")), "body/indexName must NOT have fewer than 3 characters");
        assert_eq!(problem(json!("a".repeat(46))), "body/indexName must NOT have more than 45 characters");
        assert_eq!(problem(json!(1)), "body/indexName must be string");
        for name in ["Abc", "-bc", "ab-", "a b", "a_b", "äbc"] {
            assert_eq!(problem(json!(name)), format!("body/indexName must match pattern \"{INDEX_NAME_PATTERN}\""));
        }
    }

    #[test]
    fn lists_of_keys() {
        let problem = |keys: Value| problem(json!({ "keys": keys }), |fields| drop(super::keys(fields, 2)));
        assert_eq!(problem(json!(["a", "ü".repeat(1024)])), "");
        assert_eq!(problem(json!([])), "body/keys must NOT have fewer than 1 items");
        assert_eq!(problem(json!(["a", "b", "c"])), "body/keys must NOT have more than 2 items");
        assert_eq!(problem(json!("a")), "body/keys must be array");
        assert_eq!(problem(json!([1, ""])), "body/keys/0 must be string");
        assert_eq!(problem(json!(["", 1])), "body/keys/0 must NOT have fewer than 1 characters");
    }

    #[test]
    fn a_page_ends_where_another_row_follows() {
        let mut rows = vec!["a", "b", "c"];
        assert_eq!(next_token(&mut rows, 3, |row| row), None);
        assert_eq!(next_token(&mut rows, 2, |row| row).as_deref(), Some("b"));
        assert_eq!(rows, ["a", "b"]);
    }
}
