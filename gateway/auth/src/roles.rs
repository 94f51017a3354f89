//! The database roles of users and of the project's own servers, and the audience of users.

use cloch_sql::caller;

/// The `aud` claim of this project's users.
pub(crate) const AUDIENCE: &str = "authenticated";

const ADMIN_ROLES: [&str; 2] = [caller::SERVICE_ROLE, "supabase_admin"];

pub(crate) fn is_admin_role(role: &str) -> bool {
    ADMIN_ROLES.contains(&role)
}
