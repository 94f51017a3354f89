//! The opaque API keys of a project: its own publishable and secret key, and the keys of table `cloch.api_keys`, which contains digests of
//! keys. Servers read the table every two seconds (`crate::background::api_keys`).

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_sql::caller::{IssuedKeys, KeyKind};
use sqlx::PgPool;

use super::{Project, ProjectError};
use crate::config::new_api_key;

/// Maximum number of keys that are not revoked.
const MAX_KEYS: i64 = 100;
const MAX_NAME_CHARS: usize = 100;

/// The project's own keys. They are stored in secrets.toml, an environment variable or config.toml, and not in the database. The ID of such
/// a key is its kind.
pub(crate) type OwnKeys<'a> = [(KeyKind, &'a str); 2];

/// An API key without its secret value.
#[derive(Debug)]
pub(crate) struct ListedKey {
    /// Eight hexadecimal digits, or the kind of the project's own key.
    pub(crate) id: String,
    /// `publishable` or `secret`.
    pub(crate) kind: String,
    /// Description by the operator. Empty for the project's own keys.
    pub(crate) name: String,
    /// `None` for the project's own keys.
    pub(crate) created_at: Option<DateTime<Utc>>,
    pub(crate) is_revoked: bool,
}

/// A new API key. The database stores only a digest, so the key cannot be shown again.
#[derive(Debug)]
pub(crate) struct CreatedKey {
    pub(crate) id: String,
    pub(crate) key: Secret,
}

/// Reason why an API key was not created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiKeyError {
    #[error("The name of a key has at most {MAX_NAME_CHARS} characters on one line")]
    Name,
    #[error("The project has {MAX_KEYS} API keys: revoke one first")]
    TooMany,
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl From<ApiKeyError> for ProjectError {
    fn from(error: ApiKeyError) -> Self {
        match error {
            ApiKeyError::Name => Self::Invalid(error.to_string()),
            ApiKeyError::TooMany => Self::Conflict(error.to_string()),
            ApiKeyError::Database(error) => error.into(),
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    kind: String,
    name: String,
    hash: Vec<u8>,
    created_at: DateTime<Utc>,
    is_revoked: bool,
}

/// Returns the project's own keys, then the keys of the database, the oldest first.
pub(crate) async fn list(pool: &PgPool, own: &OwnKeys<'_>) -> sqlx::Result<Vec<ListedKey>> {
    let rows: Vec<Row> = sqlx::query_as(
        "select id, kind, name, hash, created_at, revoked_at is not null as is_revoked from cloch.api_keys order by created_at, id",
    )
    .fetch_all(pool)
    .await?;
    let own = own.map(|(kind, key)| (kind, IssuedKeys::digest(key)));
    let mut listed = Vec::from(own.map(|(kind, digest)| ListedKey {
        id: kind.as_str().to_owned(),
        kind: kind.as_str().to_owned(),
        name: String::new(),
        created_at: None,
        is_revoked: rows.iter().any(|row| row.hash == digest && row.is_revoked),
    }));
    let is_own = |row: &Row| own.iter().any(|(_, digest)| row.hash == digest);
    listed.extend(rows.into_iter().filter(|row| !is_own(row)).map(
        |Row { id, kind, name, created_at, is_revoked, .. }| ListedKey {
            id,
            kind,
            name,
            created_at: Some(created_at),
            is_revoked,
        },
    ));
    Ok(listed)
}

/// Creates a key. The database keeps only its digest.
pub(crate) async fn create(pool: &PgPool, kind: KeyKind, name: &str) -> Result<CreatedKey, ApiKeyError> {
    if name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(ApiKeyError::Name);
    }
    let key = new_api_key(kind);
    let digest = IssuedKeys::digest(key.expose());
    let id = id_of(&digest);
    let inserted = sqlx::query(
        "insert into cloch.api_keys (id, name, kind, hash)
         select $1, $2, $3, $4 where (select count(*) from cloch.api_keys where revoked_at is null) < $5",
    )
    .bind(&id)
    .bind(name)
    .bind(kind.as_str())
    .bind(digest.as_slice())
    .bind(MAX_KEYS)
    .execute(pool)
    .await?;
    if inserted.rows_affected() == 0 {
        return Err(ApiKeyError::TooMany);
    }
    Ok(CreatedKey { id, key })
}

/// Revokes a key by its ID. Returns whether the project has a key with this ID.
pub(crate) async fn revoke(pool: &PgPool, own: &OwnKeys<'_>, id: &str) -> sqlx::Result<bool> {
    let changed = match own.iter().find(|(kind, _)| kind.as_str() == id) {
        None => {
            let update = "update cloch.api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1";
            sqlx::query(update).bind(id).execute(pool).await?
        }
        Some((kind, key)) => {
            let digest = IssuedKeys::digest(key);
            sqlx::query(
                "insert into cloch.api_keys (id, name, kind, hash, revoked_at) values ($1, 'own key', $2, $3, now())
                 on conflict (hash) do update set revoked_at = coalesce(cloch.api_keys.revoked_at, now())",
            )
            .bind(id_of(&digest))
            .bind(kind.as_str())
            .bind(digest.as_slice())
            .execute(pool)
            .await?
        }
    };
    Ok(changed.rows_affected() > 0)
}

fn id_of(digest: &[u8; 32]) -> String {
    hex::encode(digest.get(..4).unwrap_or_default())
}

impl Project {
    fn own_keys(&self) -> OwnKeys<'_> {
        [(KeyKind::Publishable, self.api_keys.publishable.expose()), (KeyKind::Secret, self.api_keys.secret.expose())]
    }

    /// Returns the API keys without their secret values.
    pub(crate) async fn list_api_keys(&self) -> Result<Vec<ListedKey>, ProjectError> {
        Ok(list(self.database.operators(), &self.own_keys()).await?)
    }

    /// Creates an API key, which this server accepts at once.
    pub(crate) async fn create_api_key(&self, kind: KeyKind, name: &str) -> Result<CreatedKey, ProjectError> {
        let created = create(self.database.operators(), kind, name).await?;
        self.load_api_keys().await;
        Ok(created)
    }

    /// Revokes an API key, which this server refuses at once.
    pub(crate) async fn revoke_api_key(&self, id: &str) -> Result<(), ProjectError> {
        if !revoke(self.database.operators(), &self.own_keys(), id).await? {
            return Err(ProjectError::NotFound(format!("There is no API key {id}")));
        }
        self.load_api_keys().await;
        Ok(())
    }

    /// Reads the changed keys on this server. If this fails, the change in the database stays, and the next regular read of the table
    /// applies it.
    async fn load_api_keys(&self) {
        if let Err(error) = self.api_keys.issued.load(self.database.operators()).await {
            tracing::warn!(%error, "API keys: reading table cloch.api_keys after a change failed, retrying in 2 s");
        }
    }
}

#[cfg(test)]
mod tests {
    use cloch_sql::caller::IssuedKey;
    use cloch_sql::testing::TestDatabase;

    use super::*;

    const OWN: OwnKeys<'static> = [(KeyKind::Publishable, "sb_publishable_own"), (KeyKind::Secret, "sb_secret_own")];

    #[tokio::test]
    async fn a_key_is_accepted_until_it_is_revoked() {
        let database = TestDatabase::platform().await;
        let pool = database.database().operators();
        let created = create(pool, KeyKind::Secret, "nightly worker").await.unwrap();
        let issued = IssuedKeys::default();
        issued.load(pool).await.unwrap();
        assert_eq!(issued.find(created.key.expose()), Some(IssuedKey::Valid(KeyKind::Secret)));
        for (id, is_known) in [(created.id.as_str(), true), ("secret", true), ("secret", true), ("00000000", false)] {
            assert_eq!(revoke(pool, &OWN, id).await.unwrap(), is_known, "{id}");
        }
        issued.load(pool).await.unwrap();
        assert_eq!(issued.find(created.key.expose()), Some(IssuedKey::Revoked));
        let listed = list(pool, &OWN).await.unwrap();
        let listed: Vec<_> = listed.iter().map(|key| (key.id.as_str(), key.name.as_str(), key.is_revoked)).collect();
        let expected = [("publishable", "", false), ("secret", "", true), (&created.id, "nightly worker", true)];
        assert_eq!(listed, expected, "the project's own keys are listed once, although a revoked one is in the table");
    }

    #[tokio::test]
    async fn names_and_the_number_of_keys_are_limited() {
        let database = TestDatabase::platform().await;
        let pool = database.database().operators();
        for name in ["two\nlines", &"x".repeat(101)] {
            assert!(matches!(create(pool, KeyKind::Secret, name).await, Err(ApiKeyError::Name)));
        }
        let fill = "insert into cloch.api_keys (id, name, kind, hash)
                    select lpad(n::text, 8, '0'), '', 'secret', sha256(n::text::bytea) from generate_series(2, $1) as n";
        sqlx::query(fill).bind(MAX_KEYS).execute(pool).await.unwrap();
        let last = create(pool, KeyKind::Publishable, "last").await.unwrap();
        assert!(matches!(create(pool, KeyKind::Publishable, "").await, Err(ApiKeyError::TooMany)));
        revoke(pool, &OWN, &last.id).await.unwrap();
        create(pool, KeyKind::Publishable, "in its place").await.unwrap();
    }
}
