//! Checks whether the caller of a function is an administrator of the club, with the SQL function `club.is_admin()`, which runs with the
//! caller's role.

use cloch_functions::{Call, FunctionError};
use cloch_sql::caller::AUTHENTICATED;

/// Whether the caller is an administrator. The service key counts as an administrator, because only the project's own server has the
/// service key.
pub(crate) async fn is_admin(call: &Call) -> Result<bool, FunctionError> {
    if call.caller().is_service_role() {
        return Ok(true);
    }
    if call.caller().role() != AUTHENTICATED {
        return Ok(false);
    }
    // Users of another token issuer are never administrators. Their ids have a different format, for which `auth.uid()` raises an error, so
    // `club.is_admin()` must not be called.
    if call.caller().is_foreign() {
        return Ok(false);
    }
    let mut transaction = call.database().begin_as(call.caller()).await?;
    let is_admin = sqlx::query_scalar!(r#"select club.is_admin() as "is_admin!""#).fetch_one(&mut *transaction).await?;
    Ok(is_admin)
}

/// Returns an error with status 403 unless the caller is an administrator.
pub(crate) async fn require_admin(call: &Call) -> Result<(), FunctionError> {
    match is_admin(call).await? {
        true => Ok(()),
        false => Err(FunctionError::forbidden("Only an administrator may do this")),
    }
}
