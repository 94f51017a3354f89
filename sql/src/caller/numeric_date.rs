//! Times in the claims of tokens.

use serde_json::Value;

/// The time in a claim, in whole seconds since 1970. RFC 7519, section 2, allows fractions (`NumericDate`). `None` if it is no number.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a time beyond i64 saturates, which compares as it should")]
pub fn numeric_date(claim: &Value) -> Option<i64> {
    claim.as_i64().or_else(|| claim.as_f64().map(|seconds| seconds.floor() as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_may_have_a_fraction() {
        let cases = [
            (json!(7), Some(7)),
            (json!(7.9), Some(7)),
            (json!(-7.5), Some(-8)),
            (json!(1e300), Some(i64::MAX)),
            (json!("7"), None),
            (json!(null), None),
        ];
        for (claim, expected) in cases {
            assert_eq!(numeric_date(&claim), expected, "{claim}");
        }
    }
}
