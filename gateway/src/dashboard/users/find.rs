//! Endpoints of `/users` that list users and show one user.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::dashboard::extract::{At, Params};
use crate::dashboard::{ApiError, DashboardState};

const MAX_PER_PAGE: i64 = 200;
/// Highest page number of the list of users.
const MAX_PAGE: i64 = 100_000;
/// Maximum length of a search text in characters.
const MAX_SEARCH_CHARS: usize = 200;

/// SQL expression that returns a user as JSON without password hash and tokens.
const USER: &str = "jsonb_build_object(
    'id', u.id, 'email', nullif(u.email, ''), 'phone', nullif(u.phone, ''), 'role', u.role, 'created_at', u.created_at, 'updated_at', u.updated_at,
    'last_sign_in_at', u.last_sign_in_at, 'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at,
    'invited_at', u.invited_at, 'banned_until', u.banned_until, 'deleted_at', u.deleted_at, 'is_anonymous', u.is_anonymous,
    'user_metadata', coalesce(u.raw_user_meta_data, '{}'), 'app_metadata', coalesce(u.raw_app_meta_data, '{}'),
    'providers', coalesce((select jsonb_agg(distinct i.provider) from auth.identities as i where i.user_id = u.id), '[]'))";

/// SQL condition for users that match a search text: part of the e-mail address, phone number or name, or the complete user id. `$1` is the
/// search text, `$2` its LIKE pattern.
const SEARCHED: &str = "($1 = '' or u.email ilike $2 or u.phone like $2 or u.id::text = lower($1)
    or u.raw_user_meta_data ->> 'name' ilike $2 or u.raw_user_meta_data ->> 'full_name' ilike $2)";

#[derive(Deserialize)]
pub(super) struct FindUsersRequest {
    #[serde(default)]
    search: String,
    page: Option<i64>,
    per_page: Option<i64>,
    #[serde(default)]
    sort: Sort,
    #[serde(default)]
    order: Order,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    CreatedAt,
    LastSignInAt,
    Email,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    Asc,
    #[default]
    Desc,
}

impl Sort {
    fn column(self) -> &'static str {
        match self {
            Self::CreatedAt => "u.created_at",
            Self::LastSignInAt => "u.last_sign_in_at",
            Self::Email => "u.email",
        }
    }
}

pub(super) async fn list(
    State(state): State<DashboardState>,
    Params(asked): Params<FindUsersRequest>,
) -> Result<Json<Value>, ApiError> {
    let search: String = asked.search.trim().chars().take(MAX_SEARCH_CHARS).collect();
    let pattern = format!("%{}%", search.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
    let per_page = asked.per_page.unwrap_or(50).clamp(1, MAX_PER_PAGE);
    let offset = (asked.page.unwrap_or(1).clamp(1, MAX_PAGE) - 1) * per_page;
    let direction = match asked.order {
        Order::Asc => "asc nulls first",
        Order::Desc => "desc nulls last",
    };
    let pool = state.database.admin();
    let total = format!("select count(*) from auth.users as u where {SEARCHED}");
    let total: i64 = sqlx::query_scalar(AssertSqlSafe(total)).bind(&search).bind(&pattern).fetch_one(pool).await?;
    let column = asked.sort.column();
    let page = format!(
        "select {USER} from auth.users as u where {SEARCHED} order by {column} {direction}, u.id limit $3 offset $4"
    );
    let page = sqlx::query_scalar(AssertSqlSafe(page)).bind(&search).bind(&pattern).bind(per_page).bind(offset);
    let users: Vec<Value> = page.fetch_all(pool).await?;
    Ok(Json(json!({ "users": users, "total": total })))
}

pub(super) async fn show(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<Json<Value>, ApiError> {
    let text = format!(
        "select jsonb_build_object('user', {USER},
            'identities', coalesce((select jsonb_agg(jsonb_build_object('id', i.id, 'provider', i.provider, 'email', i.email,
                'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at, 'identity_data', i.identity_data) order by i.created_at)
                from auth.identities as i where i.user_id = u.id), '[]'),
            'sessions', coalesce((select jsonb_agg(session order by session -> 'created_at' desc) from (
                select jsonb_build_object('id', s.id, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at at time zone 'utc',
                    'aal', s.aal, 'ip', host(s.ip), 'user_agent', s.user_agent, 'not_after', s.not_after) as session
                from auth.sessions as s where s.user_id = u.id order by s.created_at desc limit 100) as newest), '[]'),
            'factors', coalesce((select jsonb_agg(jsonb_build_object('id', f.id, 'type', f.factor_type, 'status', f.status,
                'friendly_name', f.friendly_name, 'created_at', f.created_at) order by f.created_at)
                from auth.mfa_factors as f where f.user_id = u.id), '[]'))
          from auth.users as u where u.id = $1"
    );
    let found: Option<Value> =
        sqlx::query_scalar(AssertSqlSafe(text)).bind(id).fetch_optional(state.database.admin()).await?;
    found.map(Json).ok_or_else(unknown)
}

pub(super) fn unknown() -> ApiError {
    ApiError::not_found("There is no such user")
}
