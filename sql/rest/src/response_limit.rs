//! Maximum size of a response.

/// Maximum size in bytes of a response to a visitor (role `anon`), far more than a page shows. The limit stops a few columns that are
/// selected a thousand times.
pub(super) const VISITOR_ANSWER_BYTES: usize = 64 << 20;
/// Maximum size in bytes of a response to other callers: the maximum size of a PostgreSQL value.
pub(super) const OTHER_ANSWER_BYTES: usize = 1 << 30;

/// Returns the maximum size of a response in bytes.
pub(super) const fn limit(is_visitor: bool) -> usize {
    if is_visitor { VISITOR_ANSWER_BYTES } else { OTHER_ANSWER_BYTES }
}
