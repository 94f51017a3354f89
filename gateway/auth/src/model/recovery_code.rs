//! `cloch.recovery_code_sets` and `cloch.recovery_codes`: recovery codes, one set for each user.

use sqlx::PgConnection;
use uuid::Uuid;

/// The total number of recovery codes in a set, and the number of unused codes.
pub(crate) struct Count {
    pub(crate) total: i64,
    pub(crate) remaining: i64,
}

/// Inserts a set without recovery codes. [`replace`] inserts the codes.
pub(crate) async fn insert(connection: &mut PgConnection, id: Uuid, user: Uuid, name: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into cloch.recovery_code_sets (id, user_id, friendly_name) values ($1, $2, $3)",
        id,
        user,
        name,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Replaces all recovery codes of a set by codes with these hashes.
pub(crate) async fn replace(connection: &mut PgConnection, id: Uuid, hashes: &[Vec<u8>]) -> sqlx::Result<()> {
    sqlx::query!("delete from cloch.recovery_codes where set_id = $1", id).execute(&mut *connection).await?;
    sqlx::query!("insert into cloch.recovery_codes (set_id, hash) select $1, unnest($2::bytea[])", id, hashes)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("update cloch.recovery_code_sets set updated_at = now() where id = $1", id)
        .execute(connection)
        .await
        .map(drop)
}

/// Marks a recovery code as used. Returns false if the set has no unused code with this hash, so that only one of several concurrent uses
/// of a code succeeds.
pub(crate) async fn spend(connection: &mut PgConnection, id: Uuid, hash: &[u8]) -> sqlx::Result<bool> {
    let spent = sqlx::query!(
        "update cloch.recovery_codes set used_at = now() where set_id = $1 and hash = $2 and used_at is null",
        id,
        hash,
    )
    .execute(connection)
    .await?;
    Ok(spent.rows_affected() == 1)
}

pub(crate) async fn is_unused(connection: &mut PgConnection, id: Uuid, hash: &[u8]) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from cloch.recovery_codes where set_id = $1 and hash = $2 and used_at is null)
             as "unused!""#,
        id,
        hash,
    )
    .fetch_one(connection)
    .await
}

pub(crate) async fn count(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Count> {
    sqlx::query_as!(
        Count,
        r#"select count(*) as "total!", count(*) filter (where used_at is null) as "remaining!"
           from cloch.recovery_codes where set_id = $1"#,
        id,
    )
    .fetch_one(connection)
    .await
}
