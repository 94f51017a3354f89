//! Parsing of time claims in tokens (`NumericDate` of RFC 7519).

use serde_json::Value;

/// Converts a time claim to whole Unix seconds. RFC 7519, section 2, allows fractions, which are rounded down. `None` if the claim is not a
/// number.
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
