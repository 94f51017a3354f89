//! The requested range of rows, from `limit`, `offset` and the `Range` header.

/// A range of rows, counted from 0, with both ends included. The range is empty if `last` is less than `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Index of the first row.
    pub first: i128,
    /// Index of the last row; `None` for an open range.
    pub last: Option<i128>,
}

impl Range {
    /// The range of all rows.
    pub const ALL: Self = Self { first: 0, last: None };
    /// Range of a request with `limit=0`: contains no rows and is not an error.
    const NONE: Self = Self { first: 0, last: Some(-1) };

    /// Creates an open range that starts at row `first`.
    #[must_use]
    pub fn from(first: i128) -> Self {
        Self { first, last: None }
    }

    /// Creates a range of at most `limit` rows that starts at row `first`.
    #[must_use]
    pub fn limited(first: i128, limit: i128) -> Self {
        Self { first, last: Some(first.saturating_add(limit).saturating_sub(1)) }
    }

    /// Whether the range contains no row.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.last.is_some_and(|last| last < self.first)
    }

    /// Whether the range results from `limit=0`.
    #[must_use]
    pub fn is_limit_zero(self) -> bool {
        self.last == Some(-1)
    }

    /// Returns the maximum number of rows in the range; `None` for an open range.
    #[must_use]
    pub fn limit(self) -> Option<i128> {
        self.last.map(|last| last.saturating_sub(self.first).saturating_add(1))
    }

    /// Returns the intersection of the two ranges. If exactly one range is empty, returns that range; if both are empty, returns `self`.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        if self.is_empty() {
            return self;
        }
        if other.is_empty() {
            return other;
        }
        let last = match (self.last, other.last) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { first: self.first.max(other.first), last }
    }

    /// Returns the range, shortened to at most `max_rows` rows.
    #[must_use]
    pub fn restricted(self, max_rows: Option<u32>) -> Self {
        match max_rows {
            Some(max_rows) => {
                self.or_none(self.intersection(Self { first: i128::MIN, ..Self::limited(self.first, max_rows.into()) }))
            }
            None => self,
        }
    }

    /// Returns `self` if it is the range of `limit=0`, which contains no row. Otherwise returns `other`.
    #[must_use]
    pub fn or_none(self, other: Self) -> Self {
        if self.is_limit_zero() { Self::NONE } else { other }
    }

    /// Parses a `Range` header of the form `first-last` or `first-`. Any other value means all rows.
    #[must_use]
    pub fn from_header(value: &str) -> Self {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        match value.split_once('-') {
            Some((first, last)) if !first.is_empty() && digits(first) && digits(last) => {
                Self { first: number(first).unwrap_or_default(), last: number(last) }
            }
            _ => Self::ALL,
        }
    }
}

/// Parses an integer. An integer outside the range of `i128` becomes ±2^100. Returns `None` if the text is not an integer.
pub(super) fn number(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { -(1 << 100) } else { 1 << 100 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_header() {
        assert_eq!(Range::from_header("0-9"), Range { first: 0, last: Some(9) });
        assert_eq!(Range::from_header("5-"), Range::from(5));
        assert_eq!(Range::from_header("items=0-9"), Range::ALL);
        assert_eq!(Range::from_header("-9"), Range::ALL);
        assert!(Range::from_header("9-5").is_empty());
    }

    #[test]
    fn limits() {
        assert_eq!(Range::limited(5, 10).intersection(Range::from_header("7-")), Range { first: 7, last: Some(14) });
        assert_eq!(Range::from(5).restricted(Some(3)), Range::limited(5, 3));
        assert_eq!(Range::limited(0, 0).restricted(Some(3)), Range::NONE);
        assert_eq!(number("1.5"), None);
        assert_eq!(number("-3"), Some(-3));
    }
}
