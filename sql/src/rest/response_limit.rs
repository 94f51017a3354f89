//! How large one answer may be.

/// Bytes of one answer to a visitor. A few columns that are asked for a thousand times have more than any page shows.
pub(super) const VISITOR_ANSWER_BYTES: usize = 64 << 20;
/// Bytes of one answer to other callers: as many as a value of PostgreSQL may have.
pub(super) const OTHER_ANSWER_BYTES: usize = 1 << 30;

/// Bytes of one answer to a caller.
pub(super) const fn limit(is_visitor: bool) -> usize {
    if is_visitor { VISITOR_ANSWER_BYTES } else { OTHER_ANSWER_BYTES }
}
