//! Parses the `Range` header with a single byte range (RFC 9110, 14.1.2). A server may ignore the header: Cloch ignores invalid values and
//! multiple ranges, as Amazon S3 does.

use std::ops::Range;

/// Parsed value of a `Range` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    /// The `Range` header is invalid or has no effect, so the whole representation is sent.
    Whole,
    /// A non-empty byte range with an exclusive end, clamped to the size of the representation.
    Part(Range<u64>),
    Unsatisfiable,
}

/// Parses the value of a `Range` header for a representation of `size` bytes.
pub(crate) fn parse(value: &[u8], size: u64) -> Requested {
    match std::str::from_utf8(value).ok().and_then(only_range) {
        None => Requested::Whole,
        // A suffix range of an empty representation is satisfiable (RFC 9110, 14.1.2), but `Content-Range` cannot express an empty range.
        Some(Spec::Last(length)) if size == 0 && length > 0 => Requested::Whole,
        Some(spec) => {
            let range = match spec {
                Spec::From(first) => first..size,
                Spec::FromTo(first, last) => first..last.saturating_add(1).min(size),
                Spec::Last(length) => size.saturating_sub(length)..size,
            };
            if range.is_empty() { Requested::Unsatisfiable } else { Requested::Part(range) }
        }
    }
}

enum Spec {
    From(u64),
    FromTo(u64, u64),
    Last(u64),
}

/// Parses a `Range` value with exactly one byte range. `None` for any other value.
fn only_range(text: &str) -> Option<Spec> {
    let (unit, set) = text.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut specs = set.split(',').map(|spec| spec.trim_matches([' ', '\t'])).filter(|spec| !spec.is_empty());
    let (Some(spec), None) = (specs.next(), specs.next()) else { return None };
    match spec.split_once('-')? {
        ("", length) => Some(Spec::Last(number(length)?)),
        (first, "") => Some(Spec::From(number(first)?)),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Spec::FromTo(first, last))
        }
    }
}

/// Parses a decimal number of any length. `None` if the text contains other characters. A number that exceeds `u64` is larger than every size,
/// so it becomes `u64::MAX`.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_ten(header: &str) -> Requested {
        parse(header.as_bytes(), 10)
    }

    #[test]
    fn what_is_not_understood_is_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-2",
            "bytes=0-1,3-4",
            "bytes=0-1,99-",
            "lines=0-1",
            "items=99-",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=1--2",
            "bytes=0x1-2",
            "bytes 0-1/10",
        ] {
            assert_eq!(of_ten(header), Requested::Whole, "{header}");
        }
        assert_eq!(parse(b"bytes=0-\xff", 10), Requested::Whole);
        assert_eq!(parse(b"bytes=-5", 0), Requested::Whole);
    }

    #[test]
    fn what_lies_behind_the_end_is_refused() {
        for header in ["bytes=10-", "bytes=10-11", "bytes=-0", "bytes=99999999999999999999-"] {
            assert_eq!(of_ten(header), Requested::Unsatisfiable, "{header}");
        }
        assert_eq!(parse(b"bytes=0-", 0), Requested::Unsatisfiable);
        assert_eq!(parse(b"bytes=-0", 0), Requested::Unsatisfiable);
    }

    #[test]
    fn serves_one_range() {
        for (header, range) in [
            ("bytes=0-3", 0..4),
            ("bytes=4-", 4..10),
            ("bytes=-3", 7..10),
            ("bytes=-30", 0..10),
            ("bytes=8-99", 8..10),
            ("bytes=8-99999999999999999999", 8..10),
            ("BYTES=0-0", 0..1),
            ("bytes=0-3 , ,", 0..4),
        ] {
            assert_eq!(of_ten(header), Requested::Part(range), "{header}");
        }
    }

    proptest! {
        #[test]
        fn stays_inside_the_file(header in "(bytes=)?[0-9]{0,20}-[0-9]{0,20}", size in 0_u64..100) {
            if let Requested::Part(range) = parse(header.as_bytes(), size) {
                prop_assert!(range.start < range.end && range.end <= size);
            }
        }
    }
}
