//! Single-use links with which an operator sets a password. A link is valid for one day or one week.

use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use serde::Serialize;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

use crate::dashboard::Keys;
use crate::dashboard::keys::digest;

/// Lifetime of the link with which the first operator sets a password.
const FIRST_LIFETIME: Duration = Duration::from_hours(24);
/// Lifetime of an invitation to become an operator, and of a link for an operator with a lost password.
const INVITE_LIFETIME: Duration = Duration::from_hours(7 * 24);
/// Path of the web page that reads the link's token. The token is in the URL's fragment, which browsers send neither to a server nor in
/// `Referer`.
const PAGE: &str = "/_/welcome#token=";

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub(super) enum Kind {
    First,
    Invite,
    Reset,
}

/// A valid single-use link of an operator.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Link {
    pub(super) id: Uuid,
    pub(super) kind: Kind,
    pub(super) operator_id: Option<Uuid>,
}

pub(super) struct Made {
    /// Path of the link, relative to the server's URL.
    pub(super) path: Secret,
    pub(super) expires_at: DateTime<Utc>,
}

/// Creates a single-use link for an operator and deletes the operator's earlier links.
pub(super) async fn make(
    executor: impl PgExecutor<'_>,
    keys: &Keys,
    kind: Kind,
    operator: Option<Uuid>,
) -> sqlx::Result<Made> {
    let id = Uuid::new_v4();
    let token = keys.link_token(id);
    let lifetime = if kind == Kind::First { FIRST_LIFETIME } else { INVITE_LIFETIME };
    let expires_at = sqlx::query_scalar(
        "with old as (delete from cloch.operator_links where expires_at < now() or operator_id = $3)
         insert into cloch.operator_links (id, kind, operator_id, token_hash, expires_at)
         values ($1, $2, $3, $4, now() + make_interval(secs => $5)) returning expires_at",
    )
    .bind(id)
    .bind(kind)
    .bind(operator)
    .bind(digest(token.expose()))
    .bind(lifetime.as_secs_f64())
    .fetch_one(executor)
    .await?;
    Ok(Made { path: Secret::new(format!("{PAGE}{}", token.expose())), expires_at })
}

/// Deletes an operator's links after a change of the password or when the account is disabled.
pub(super) async fn end(executor: impl PgExecutor<'_>, operator: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from cloch.operator_links where operator_id = $1")
        .bind(operator)
        .execute(executor)
        .await
        .map(drop)
}

/// Returns the link with this token. `None` if the link was used or has expired, or if its operator is disabled. Also `None` if the link is
/// for the first operator but an operator exists already.
pub(super) async fn find(executor: impl PgExecutor<'_>, token: &Secret) -> sqlx::Result<Option<Link>> {
    sqlx::query_as(
        "select id, kind, operator_id from cloch.operator_links
          where token_hash = $1 and expires_at > now()
            and (kind <> 'first' or not exists (select from cloch.operators))
            and (kind = 'first' or operator_id in (select id from cloch.operators where not disabled))",
    )
    .bind(digest(token.expose()))
    .fetch_optional(executor)
    .await
}

/// Creates a link for the first operator, and returns its path relative to the server's URL. `None` if an operator exists already.
///
/// # Errors
/// If the database is unreachable.
pub async fn make_first_link(pool: &PgPool, keys: &Keys) -> sqlx::Result<Option<Secret>> {
    if !crate::dashboard::operator::is_empty(pool).await? {
        return Ok(None);
    }
    make(pool, keys, Kind::First, None).await.map(|made| Some(made.path))
}

/// Creates a link for the operator with an e-mail address, and returns its path relative to the server's URL. `None` if no enabled operator
/// has this address.
///
/// # Errors
/// If the database is unreachable.
pub async fn link_for(pool: &PgPool, keys: &Keys, email: &str) -> sqlx::Result<Option<Secret>> {
    let found: Option<(Uuid, bool)> = sqlx::query_as(
        "select id, password_hash is null and not exists (select from cloch.operator_passkeys where operator_id = o.id)
           from cloch.operators as o where lower(email) = lower($1) and not disabled",
    )
    .bind(email)
    .fetch_optional(pool)
    .await?;
    let Some((id, is_invited)) = found else { return Ok(None) };
    let kind = if is_invited { Kind::Invite } else { Kind::Reset };
    make(pool, keys, kind, Some(id)).await.map(|made| Some(made.path))
}

/// Returns the newest valid link for the first operator. `None` if there is no valid link, or if an operator exists.
///
/// # Errors
/// If the database is unreachable.
pub async fn first_link(executor: impl PgExecutor<'_>, keys: &Keys) -> sqlx::Result<Option<Secret>> {
    let id: Option<Uuid> = sqlx::query_scalar(
        "select id from cloch.operator_links
          where kind = 'first' and expires_at > now() and not exists (select from cloch.operators)
          order by created_at desc limit 1",
    )
    .fetch_optional(executor)
    .await?;
    Ok(id.map(|id| Secret::new(format!("{PAGE}{}", keys.link_token(id).expose()))))
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    fn token(path: &Secret) -> Secret {
        Secret::new(path.expose().strip_prefix(PAGE).unwrap())
    }

    async fn kind(pool: &PgPool, path: &Secret) -> Option<Kind> {
        find(pool, &token(path)).await.unwrap().map(|link| link.kind)
    }

    async fn operator(pool: &PgPool, email: &str) -> Uuid {
        let insert = "insert into cloch.operators (email, role) values ($1, 'viewer') returning id";
        sqlx::query_scalar(insert).bind(email).fetch_one(pool).await.unwrap()
    }

    #[tokio::test]
    async fn a_link_that_has_expired_is_none() {
        let database = TestDatabase::platform().await;
        let (pool, keys) = (database.database().operators(), Keys::new(Secret::new("a")));
        let first = make_first_link(pool, &keys).await.unwrap().unwrap();
        assert_eq!(kind(pool, &first).await, Some(Kind::First));
        assert_eq!(first_link(pool, &keys).await.unwrap().unwrap().expose(), first.expose());
        sqlx::query("update cloch.operator_links set expires_at = now()").execute(pool).await.unwrap();
        assert_eq!(kind(pool, &first).await, None);
        assert!(first_link(pool, &keys).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_link_for_the_first_operator_is_void_once_there_is_one() {
        let database = TestDatabase::platform().await;
        let (pool, keys) = (database.database().operators(), Keys::new(Secret::new("a")));
        let first = make_first_link(pool, &keys).await.unwrap().unwrap();
        let id = operator(pool, "ann@club.example").await;
        assert_eq!(kind(pool, &first).await, None);
        assert!(make_first_link(pool, &keys).await.unwrap().is_none());
        let older = make(pool, &keys, Kind::Invite, Some(id)).await.unwrap().path;
        let newer = link_for(pool, &keys, "ANN@club.example").await.unwrap().unwrap();
        assert_eq!((kind(pool, &older).await, kind(pool, &newer).await), (None, Some(Kind::Invite)));
        sqlx::query("update cloch.operators set disabled = true").execute(pool).await.unwrap();
        assert_eq!(kind(pool, &newer).await, None);
        assert!(link_for(pool, &keys, "ann@club.example").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn the_database_alone_makes_no_link() {
        let database = TestDatabase::platform().await;
        let pool = database.database().operators();
        let first = make_first_link(pool, &Keys::new(Secret::new("a"))).await.unwrap().unwrap();
        let elsewhere = first_link(pool, &Keys::new(Secret::new("b"))).await.unwrap().unwrap();
        assert_ne!(first.expose(), elsewhere.expose());
        assert_eq!(kind(pool, &elsewhere).await, None);
    }
}
