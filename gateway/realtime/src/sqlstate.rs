//! SQLSTATEs with which PostgreSQL refuses a caller.

/// SQLSTATE `insufficient_privilege`: a policy or a grant refuses.
pub(super) const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// SQLSTATE `invalid_parameter_value`: `set role` to a role that does not exist.
pub(super) const INVALID_PARAMETER_VALUE: &str = "22023";
