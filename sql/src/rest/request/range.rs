//! Which rows are asked for: `limit`, `offset` and the `Range` header.

/// Rows counted from 0, both ends included. `last` before `first` is the empty range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first row.
    pub first: i128,
    /// The last row; none for all that follow.
    pub last: Option<i128>,
}

impl Range {
    /// Every row.
    pub const ALL: Self = Self { first: 0, last: None };
    /// What `limit=0` means: no row, and nothing wrong with that.
    const NONE: Self = Self { first: 0, last: Some(-1) };

    /// From a row on.
    #[must_use]
    pub fn from(first: i128) -> Self {
        Self { first, last: None }
    }

    /// From a row on, at most so many.
    #[must_use]
    pub fn limited(first: i128, limit: i128) -> Self {
        Self { first, last: Some(first.saturating_add(limit).saturating_sub(1)) }
    }

    /// Whether no row can be in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.last.is_some_and(|last| last < self.first)
    }

    /// Whether it is that of `limit=0`.
    #[must_use]
    pub fn is_limit_zero(self) -> bool {
        self.last == Some(-1)
    }

    /// How many rows it allows.
    #[must_use]
    pub fn limit(self) -> Option<i128> {
        self.last.map(|last| last.saturating_sub(self.first).saturating_add(1))
    }

    /// The rows that both hold.
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

    /// The same with at most `max_rows` rows.
    #[must_use]
    pub fn restricted(self, max_rows: Option<u32>) -> Self {
        match max_rows {
            Some(max_rows) => {
                self.or_none(self.intersection(Self { first: i128::MIN, ..Self::limited(self.first, max_rows.into()) }))
            }
            None => self,
        }
    }

    /// The range of `limit=0` where this is it, else `other`.
    #[must_use]
    pub fn or_none(self, other: Self) -> Self {
        if self.is_limit_zero() { Self::NONE } else { other }
    }

    /// Reads a `Range` header: `first-last` or `first-`; anything else asks for everything.
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

/// A whole number; one too large to hold is as good as the largest.
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
