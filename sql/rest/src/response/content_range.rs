//! Builds the `Content-Range` header and the status that depends on the returned range.

use http::StatusCode;

/// Returns a `Content-Range` value such as `0-9/57`, with `*` for an unknown total or an empty range.
pub(super) fn content_range(first: i128, last: i128, total: Option<i64>) -> String {
    let rows = if total != Some(0) && first <= last { format!("{first}-{last}") } else { "*".to_owned() };
    match total {
        Some(total) => format!("{rows}/{total}"),
        None => format!("{rows}/*"),
    }
}

/// Returns status 206 if the total number of rows is known and the response lacks some of these rows, 416 if the first row is beyond the
/// total, or else 200.
pub(super) fn read_status(first: i128, rows: i64, total: Option<i64>) -> StatusCode {
    match total {
        Some(total) if first > i128::from(total) => StatusCode::RANGE_NOT_SATISFIABLE,
        Some(total) if rows < total => StatusCode::PARTIAL_CONTENT,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_reference_has_it() {
        assert_eq!(content_range(0, 9, None), "0-9/*");
        assert_eq!(content_range(5, 4, None), "*/*");
        assert_eq!(content_range(0, -1, Some(0)), "*/0");
        assert_eq!(content_range(0, 9, Some(57)), "0-9/57");
        assert_eq!(read_status(0, 10, Some(57)), StatusCode::PARTIAL_CONTENT);
        assert_eq!(read_status(57, 0, Some(57)), StatusCode::PARTIAL_CONTENT);
        assert_eq!(read_status(58, 0, Some(57)), StatusCode::RANGE_NOT_SATISFIABLE);
        assert_eq!(read_status(58, 0, None), StatusCode::OK);
    }
}
