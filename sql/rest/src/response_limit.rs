//! Maximum size of a response of the table REST API.

/// Maximum size in bytes of a response to a visitor (role `anon`), much larger than a typical page needs. Without this limit, a request
/// that selects the same columns a thousand times would produce a huge response.
pub(super) const VISITOR_ANSWER_BYTES: usize = 64 << 20;
/// Maximum size in bytes of a response to a caller other than role `anon`: the maximum size of a PostgreSQL value.
pub(super) const OTHER_ANSWER_BYTES: usize = 1 << 30;

/// Returns the maximum size in bytes of a response to a visitor (role `anon`) or to another caller.
pub(super) const fn limit(is_visitor: bool) -> usize {
    if is_visitor { VISITOR_ANSWER_BYTES } else { OTHER_ANSWER_BYTES }
}
