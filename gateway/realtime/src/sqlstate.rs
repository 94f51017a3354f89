//! SQLSTATE codes with which PostgreSQL refuses a statement of a caller.

/// SQLSTATE `insufficient_privilege`: a policy or a missing grant refuses the statement.
pub(super) const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// SQLSTATE `invalid_parameter_value`: `set role` names a role that does not exist.
pub(super) const INVALID_PARAMETER_VALUE: &str = "22023";
