//! Checks whether the caller administers the club, by the database function `club.is_admin()` run as the caller.

use cloch_functions::{Call, FunctionError};
use cloch_sql::caller::AUTHENTICATED;

/// Whether the caller is an administrator. The service key counts as one: it belongs to the project's own server.
///
/// # Errors
/// When the database does not answer.
pub(crate) async fn is_admin(call: &Call) -> Result<bool, FunctionError> {
    if call.caller().is_service_role() {
        return Ok(true);
    }
    if call.caller().role() != AUTHENTICATED {
        return Ok(false);
    }
    // Another issuer's users have ids of its own kind, for which `auth.uid()` is an error; the club's administrators are its own users.
    if call.caller().is_foreign() {
        return Ok(false);
    }
    let mut transaction = call.database().begin_as(call.caller()).await?;
    let is_admin = sqlx::query_scalar!(r#"select club.is_admin() as "is_admin!""#).fetch_one(&mut *transaction).await?;
    Ok(is_admin)
}

/// Goes on only for an administrator.
///
/// # Errors
/// 403 for everyone else.
pub(crate) async fn require_admin(call: &Call) -> Result<(), FunctionError> {
    match is_admin(call).await? {
        true => Ok(()),
        false => Err(FunctionError::forbidden("Only an administrator may do this")),
    }
}
