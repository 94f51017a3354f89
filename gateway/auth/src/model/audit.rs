//! `auth.audit_log_entries`: the audit log. Each audit log entry is inserted in the transaction of the audited action.

use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::user::User;

/// An audited action: its name in the audit log, and its group (`log_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action(&'static str, &'static str);

impl Action {
    pub(crate) const LOGIN: Self = Self("login", "account");
    pub(crate) const LOGOUT: Self = Self("logout", "account");
    pub(crate) const INVITE_ACCEPTED: Self = Self("invite_accepted", "account");
    pub(crate) const SIGNED_UP: Self = Self("user_signedup", "team");
    pub(crate) const INVITED: Self = Self("user_invited", "team");
    pub(crate) const DELETED: Self = Self("user_deleted", "team");
    pub(crate) const CONFIRMATION_REQUESTED: Self = Self("user_confirmation_requested", "user");
    pub(crate) const REPEATED_SIGNUP: Self = Self("user_repeated_signup", "user");
    pub(crate) const RECOVERY_REQUESTED: Self = Self("user_recovery_requested", "user");
    pub(crate) const REAUTHENTICATE_REQUESTED: Self = Self("user_reauthenticate_requested", "user");
    pub(crate) const UPDATED_PASSWORD: Self = Self("user_updated_password", "user");
    pub(crate) const MODIFIED: Self = Self("user_modified", "user");
    pub(crate) const IDENTITY_LINKED: Self = Self("identity_linked", "user");
    pub(crate) const IDENTITY_UNLINKED: Self = Self("identity_unlinked", "user");
    pub(crate) const TOKEN_REFRESHED: Self = Self("token_refreshed", "token");
    pub(crate) const TOKEN_REVOKED: Self = Self("token_revoked", "token");
    pub(crate) const FACTOR_IN_PROGRESS: Self = Self("factor_in_progress", "factor");
    pub(crate) const CHALLENGE_CREATED: Self = Self("challenge_created", "factor");
    pub(crate) const VERIFICATION_ATTEMPTED: Self = Self("verification_attempted", "factor");
    pub(crate) const FACTOR_UNENROLLED: Self = Self("factor_unenrolled", "factor");
    pub(crate) const FACTOR_DELETED: Self = Self("factor_deleted", "factor");
    pub(crate) const FACTOR_UPDATED: Self = Self("factor_updated", "factor");
    pub(crate) const PASSKEY_CREATED: Self = Self("passkey_created", "user");
    pub(crate) const PASSKEY_UPDATED: Self = Self("passkey_updated", "user");
    pub(crate) const PASSKEY_DELETED: Self = Self("passkey_deleted", "user");

    /// Returns the action's name as stored in the audit log and written to the server's log.
    pub(crate) const fn name(self) -> &'static str {
        self.0
    }
}

pub(crate) async fn by_user(
    connection: &mut PgConnection,
    user: &User,
    action: Action,
    address: &str,
    traits: Option<Value>,
) -> sqlx::Result<()> {
    let mut payload = Map::new();
    payload.insert("action".into(), action.0.into());
    payload.insert("actor_id".into(), user.id.to_string().into());
    if let Some(name) = user.user_metadata.get("full_name").filter(|name| name.is_string()) {
        payload.insert("actor_name".into(), name.clone());
    }
    let username = if user.phone.is_empty() { &user.email } else { &user.phone };
    payload.insert("actor_username".into(), username.as_str().into());
    payload.insert("actor_via_sso".into(), user.is_sso_user.into());
    payload.insert("log_type".into(), action.1.into());
    if let Some(traits) = traits {
        payload.insert("traits".into(), traits);
    }
    insert(connection, Value::Object(payload), action, address).await
}

/// Inserts an audit log entry for an action of an administrator. The entry names `role`, the administrator's database role, as the actor.
pub(crate) async fn by_admin(
    connection: &mut PgConnection,
    role: &str,
    action: Action,
    traits: Value,
) -> sqlx::Result<()> {
    let payload = json!({
        "action": action.0,
        "actor_id": uuid::Uuid::nil(),
        "actor_username": role,
        "actor_via_sso": false,
        "log_type": action.1,
        "traits": traits,
    });
    insert(connection, payload, action, "").await
}

async fn insert(connection: &mut PgConnection, payload: Value, action: Action, address: &str) -> sqlx::Result<()> {
    let actor = payload.get("actor_id").and_then(Value::as_str);
    tracing::info!(auth.action = action.name(), auth.actor = actor, "auth: audit event {}", action.name());
    sqlx::query!(
        "insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), $1, now(), $2)",
        Json(payload) as _,
        address,
    )
    .execute(connection)
    .await
    .map(drop)
}

#[derive(serde::Serialize)]
pub(crate) struct Entry {
    id: uuid::Uuid,
    payload: Option<Value>,
    created_at: Option<super::Time>,
    ip_address: String,
}

/// Returns a page of audit log entries in which one of `fields` contains `value`, and the total number of matching entries. Without
/// `fields`, all entries match.
pub(crate) async fn page(
    connection: &mut PgConnection,
    fields: &[&str],
    value: &str,
    limit: i64,
    offset: i64,
) -> sqlx::Result<(Vec<Entry>, i64)> {
    let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
    let total = sqlx::query_scalar!(
        r#"select count(*) as "total!"
           from auth.audit_log_entries
           where cardinality($1::text[]) = 0
              or exists (select from unnest($1::text[]) field where payload ->> field ilike '%' || $2 || '%')"#,
        &fields,
        value,
    )
    .fetch_one(&mut *connection)
    .await?;
    let entries = sqlx::query_as!(
        Entry,
        r#"select id, payload, created_at, ip_address
           from auth.audit_log_entries
           where cardinality($1::text[]) = 0
              or exists (select from unnest($1::text[]) field where payload ->> field ilike '%' || $2 || '%')
           order by created_at desc, id
           limit $3 offset $4"#,
        &fields,
        value,
        limit,
        offset,
    )
    .fetch_all(connection)
    .await?;
    Ok((entries, total))
}
