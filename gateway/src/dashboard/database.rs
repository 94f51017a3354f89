//! Begins transactions on the project's data with the role and claims that the operator chose. Endpoints access the project's data only
//! through this module.
//!
//! Only Cloch's own statements run in these transactions, with quoted names and bound values. SQL written by an operator runs in a separate
//! session ([`crate::project::Sessions`]); operators with the role viewer cannot run SQL.

use cloch_sql::caller::roles::{GrantedBy, RoleError};
use cloch_sql::caller::{ANON, user_claims};
use cloch_sql::{Caller, LocalSettings};
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use super::{ApiError, Dashboard};

/// Database role that owns the project's data.
const POSTGRES: &str = "postgres";
/// Roles that an operator can choose without giving claims.
const ROLES: [&str; 3] = ["anon", "authenticated", "service_role"];
/// Maximum duration of a statement, as a PostgreSQL setting.
const STATEMENT_TIMEOUT: &str = "30s";

/// Identity under which project data is read or changed, in JSON: `{"role"}`, `{"user"}` or `{"claims"}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum As {
    /// Role: `postgres`, or one of [`ROLES`].
    Role(String),
    /// Id of a user, with the claims of a new session of this user.
    User(Uuid),
    /// JWT claims that the operator typed, including the role.
    Claims(Map<String, Value>),
}

/// Formats the identity for the audit log. For claims, the text contains only the role.
impl std::fmt::Display for As {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Role(role) => f.write_str(role),
            Self::User(id) => write!(f, "user {id}"),
            Self::Claims(claims) => {
                write!(f, "claims of role {}", claims.get("role").and_then(Value::as_str).unwrap_or(ANON))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    /// Read-only transaction: PostgreSQL refuses writes.
    Read,
    /// Read-write transaction. A trial run drops the transaction without a commit, which undoes all changes.
    Write,
}

impl Dashboard {
    /// Returns the role and claims of an identity. `None` for the project's owner `postgres`, which is not a role of API callers.
    pub(super) async fn caller(&self, who: &As) -> Result<Option<Caller>, ApiError> {
        let claims = match who {
            As::Role(role) if role == POSTGRES => return Ok(None),
            As::Role(role) if ROLES.contains(&role.as_str()) => {
                Map::from_iter([("role".to_owned(), Value::from(role.as_str()))])
            }
            As::Role(_) => return Err(ApiError::bad_request("as: there is no such role to choose")),
            As::User(id) => {
                let claims = user_claims(self.database.admin(), *id).await?;
                claims.ok_or_else(|| ApiError::not_found("There is no such user"))?
            }
            As::Claims(claims) => {
                if claims.get("role").is_some_and(|role| !role.is_string()) {
                    return Err(ApiError::bad_request("as: the role is no text"));
                }
                claims.clone()
            }
        };
        let caller = Caller::from_claims(claims, None);
        // The role is checked with the same rules as the role of a token that is signed with the project's keys, because the
        // operator could sign such a token.
        match self.database.roles().check(caller.role(), GrantedBy::OwnKey).await {
            Ok(()) => Ok(Some(caller)),
            Err(RoleError::Refused(refusal)) => {
                let hint = refusal.hint().unwrap_or_default();
                Err(ApiError::bad_request(format!("as: a token cannot have this role: {refusal}. {hint}")))
            }
            Err(RoleError::Database(error)) => Err(error.into()),
        }
    }

    /// Begins a transaction with the role and claims of an identity. Dropping the transaction rolls it back.
    pub(super) async fn begin(&self, who: &As, mode: Mode) -> Result<Transaction<'static, Postgres>, ApiError> {
        let refused = |error: sqlx::Error| ApiError::database(error);
        let mut transaction = match self.caller(who).await? {
            Some(caller) => {
                self.database.begin_with(caller.role(), &LocalSettings::of(&caller)).await.map_err(refused)?
            }
            None => cloch_sql::transaction::begin(self.database.owner()).await?,
        };
        let settings =
            "select set_config('statement_timeout', $1, true), set_config('transaction_read_only', $2, true)";
        sqlx::query(settings)
            .bind(STATEMENT_TIMEOUT)
            .bind(if mode == Mode::Read { "on" } else { "off" })
            .execute(&mut *transaction)
            .await
            .map_err(refused)?;
        Ok(transaction)
    }
}
