//! Parses the header `x-amz-copy-source-range`. Unlike the range of a download, the copied range must be completely inside the source
//! object.

use std::ops::Range;

use crate::error::{Error, Result};

/// Parses the header `x-amz-copy-source-range` for a source object of `size` bytes. The end of the returned range is exclusive.
///
/// # Errors
/// 400 `InvalidArgument` if the header is malformed or the range is not inside the source object.
pub(super) fn parse(header: &str, size: u64) -> Result<Range<u64>> {
    let number = |digits: &str| {
        // `str::parse` would accept a leading plus sign.
        if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse::<u64>().ok() } else { None }
    };
    let bounds = header.strip_prefix("bytes=").and_then(|spec| spec.split_once('-'));
    let bounds = bounds.and_then(|(first, last)| Some((number(first)?, number(last)?)));
    let (first, last) = bounds.filter(|(first, last)| first <= last).ok_or_else(|| {
        invalid(
            "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the \
             zero-based offsets of the first and last bytes to copy",
        )
    })?;
    if last >= size {
        return Err(invalid(&format!("Range specified is not valid for source object of size: {size}")));
    }
    Ok(first..last + 1)
}

fn invalid(message: &str) -> Error {
    Error::S3(400, "InvalidArgument", message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranges_inside_the_source() {
        for header in [
            "",
            "bytes=",
            "bytes=0-10",
            "bytes=10-10",
            "bytes=5-4",
            "bytes=-3",
            "bytes=4-",
            "bytes=+1-2",
            "bytes=0-1,3-4",
            "0-1",
            "bytes=0-18446744073709551615",
        ] {
            assert_eq!(parse(header, 10).unwrap_err().code(), "InvalidArgument", "{header}");
        }
        assert!(parse("bytes=0-0", 0).is_err());
        assert_eq!(parse("bytes=0-9", 10).unwrap(), 0..10);
        assert_eq!(parse("bytes=9-9", 10).unwrap(), 9..10);
    }
}
