//! The `Range` header: one range of bytes (RFC 9110, 14.1.2).

use std::ops::Range;

use crate::error::{Error, Result};

/// The bytes a `Range` header asks for, the end exclusive and clamped to the size.
///
/// # Errors
/// [`Error::InvalidRange`] for several ranges, other units, malformed ones, and ranges beyond the end.
pub(crate) fn parse(header: &str, size: u64) -> Result<Range<u64>> {
    let spec = header.strip_prefix("bytes=").ok_or(Error::InvalidRange)?;
    let (first, last) = spec.split_once('-').ok_or(Error::InvalidRange)?;
    let range = match (first, last) {
        ("", suffix) => size.saturating_sub(number(suffix)?)..size,
        (first, "") => number(first)?..size,
        (first, last) => number(first)?..number(last)?.saturating_add(1).min(size),
    };
    if range.is_empty() { Err(Error::InvalidRange) } else { Ok(range) }
}

fn number(digits: &str) -> Result<u64> {
    // `parse` would take a leading plus.
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }.ok_or(Error::InvalidRange)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_cannot_be_served() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=-0",
            "bytes=10-",
            "bytes=5-2",
            "bytes=0-1,3-4",
            "bytes= 0-1",
            "lines=0-1",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=1--2",
            "bytes=99999999999999999999-",
        ] {
            assert!(parse(header, 10).is_err(), "{header}");
        }
        assert!(parse("bytes=0-", 0).is_err());
    }

    #[test]
    fn serves_one_range() {
        assert_eq!(parse("bytes=0-3", 10).unwrap(), 0..4);
        assert_eq!(parse("bytes=4-", 10).unwrap(), 4..10);
        assert_eq!(parse("bytes=-3", 10).unwrap(), 7..10);
        assert_eq!(parse("bytes=-30", 10).unwrap(), 0..10);
        assert_eq!(parse("bytes=8-99", 10).unwrap(), 8..10);
    }

    proptest! {
        #[test]
        fn stays_inside_the_file(header in "(bytes=)?[0-9]{0,20}-[0-9]{0,20}", size in 0_u64..100) {
            if let Ok(range) = parse(&header, size) {
                prop_assert!(range.start < range.end && range.end <= size);
            }
        }
    }
}
