//! Stores ACME accounts, certificates and challenges in the database, so that all nodes use the same accounts, certificates
//! and challenges.

use chrono::{DateTime, Utc};
use cloch_core::{Secret, sealed_text};
use sha2::{Digest, Sha256};
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, Row, Transaction};

use super::AcmeError;

/// Time in seconds for which a challenge can be answered. No order takes so long.
const CHALLENGE_SECONDS: f64 = 3600.0;

/// Access to the tables `cloch.acme_*` for one set of domains at one ACME server.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pool: PgPool,
    key: Secret,
    id: String,
    directory_url: String,
    domains: Vec<String>,
}

pub(super) struct Issued {
    /// Certificate chain in PEM form, the server's own certificate first.
    pub(super) chain: String,
    /// Private key in PEM form.
    pub(super) key: Secret,
}

pub(super) struct Pending {
    pub(super) url: String,
    pub(super) key: Secret,
}

/// A row of `cloch.acme_certificates`: a certificate with the state of its orders.
pub(super) struct Stored {
    /// Certificate with its private key. `None` before the first order has succeeded, or if the private key was encrypted with another
    /// secret.
    pub(super) issued: Option<Issued>,
    pub(super) renew_at: Option<DateTime<Utc>>,
    pub(super) ask_renewal_at: Option<DateTime<Utc>>,
    pub(super) pending: Option<Pending>,
    /// Start times of the ACME orders in the last hour, in ascending order.
    pub(super) tries: Vec<DateTime<Utc>>,
    pub(super) wait_until: Option<DateTime<Utc>>,
    /// Current time of the database's clock. The other times of this row are compared with this time, not with the clock of this node.
    pub(super) now: DateTime<Utc>,
}

impl Store {
    pub(super) fn new(pool: PgPool, key: Secret, directory_url: &str, domains: &[String]) -> Self {
        let mut sorted = domains.to_vec();
        sorted.sort_unstable();
        let id = hex::encode(Sha256::digest(format!("{directory_url}\n{}", sorted.join("\n"))));
        Self { pool, key, id, directory_url: directory_url.to_owned(), domains: domains.to_vec() }
    }

    /// Loads the certificate's row of `cloch.acme_certificates`; inserts the row if it is missing.
    pub(super) async fn load(&self) -> Result<Stored, AcmeError> {
        loop {
            let row = sqlx::query(
                "select chain, private_key, renew_at, ask_renewal_at, order_url, order_key, wait_until, clock_timestamp() as now,
                        array(select t from unnest(tries) as t where t > clock_timestamp() - interval '1 hour' order by t) as tries
                 from cloch.acme_certificates where id = $1",
            )
            .bind(&self.id)
            .fetch_optional(&self.pool)
            .await?;
            if let Some(row) = row {
                return self.stored(&row);
            }
            sqlx::query("insert into cloch.acme_certificates (id, directory_url, domains) values ($1, $2, $3) on conflict do nothing")
                .bind(&self.id)
                .bind(&self.directory_url)
                .bind(&self.domains)
                .execute(&self.pool)
                .await?;
        }
    }

    fn stored(&self, row: &PgRow) -> Result<Stored, AcmeError> {
        let chain: Option<String> = row.try_get("chain")?;
        let key: Option<String> = row.try_get("private_key")?;
        let key = key.and_then(|key| self.open("certificate", &key));
        let order: Option<String> = row.try_get("order_url")?;
        let order_key: Option<String> = row.try_get("order_key")?;
        let order_key = order_key.and_then(|key| self.open("order", &key));
        Ok(Stored {
            issued: chain.zip(key).map(|(chain, key)| Issued { chain, key }),
            renew_at: row.try_get("renew_at")?,
            ask_renewal_at: row.try_get("ask_renewal_at")?,
            pending: order.zip(order_key).map(|(url, key)| Pending { url, key }),
            tries: row.try_get("tries")?,
            wait_until: row.try_get("wait_until")?,
            now: row.try_get("now")?,
        })
    }

    /// Acquires the advisory lock that a node needs for requests to the ACME server about this certificate. Returns `None` if another node
    /// has the lock. The lock belongs to the returned transaction: PostgreSQL releases the lock when the transaction ends, even if the node
    /// crashes.
    pub(super) async fn lock(&self) -> Result<Option<Transaction<'static, Postgres>>, AcmeError> {
        let mut transaction = cloch_sql::transaction::begin(&self.pool).await?;
        let is_free: bool =
            sqlx::query_scalar("select pg_try_advisory_xact_lock(hashtextextended('cloch.acme ' || $1, 0))")
                .bind(&self.id)
                .fetch_one(&mut *transaction)
                .await?;
        Ok(is_free.then_some(transaction))
    }

    pub(super) async fn account(&self) -> Result<Option<Secret>, AcmeError> {
        let sealed: Option<String> =
            sqlx::query_scalar("select credentials from cloch.acme_accounts where directory_url = $1")
                .bind(&self.directory_url)
                .fetch_optional(&self.pool)
                .await?;
        Ok(sealed.and_then(|sealed| sealed_text::open(&self.key, self.directory_url.as_bytes(), &sealed)))
    }

    pub(super) async fn keep_account(&self, credentials: &Secret) -> Result<(), AcmeError> {
        let sealed = sealed_text::seal(&self.key, self.directory_url.as_bytes(), credentials.expose());
        sqlx::query(
            "insert into cloch.acme_accounts (directory_url, credentials) values ($1, $2)
             on conflict (directory_url) do update set credentials = excluded.credentials, created_at = now()",
        )
        .bind(&self.directory_url)
        .bind(sealed.ok_or(AcmeError::Randomness)?)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Deletes the stored ACME account, which the ACME server has rejected as unknown.
    pub(super) async fn forget_account(&self) -> Result<(), AcmeError> {
        sqlx::query("delete from cloch.acme_accounts where directory_url = $1")
            .bind(&self.directory_url)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Stores the start time of an ACME order, and deletes start times older than an hour.
    pub(super) async fn count_try(&self) -> Result<(), AcmeError> {
        sqlx::query(
            "update cloch.acme_certificates
             set tries = array(select t from unnest(tries) as t where t > clock_timestamp() - interval '1 hour' order by t)
                         || clock_timestamp()
             where id = $1",
        )
        .bind(&self.id)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    pub(super) async fn keep_order(&self, order: Option<&Pending>) -> Result<(), AcmeError> {
        let key = order.map(|order| self.seal("order", &order.key)).transpose()?;
        sqlx::query("update cloch.acme_certificates set order_url = $2, order_key = $3 where id = $1")
            .bind(&self.id)
            .bind(order.map(|order| &order.url))
            .bind(key)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Stores an issued certificate, and deletes the pending order, the start times of orders and the last error. Also deletes other
    /// certificates whose renewal time was more than 180 days ago.
    pub(super) async fn keep(&self, issued: &Issued, renew_at: DateTime<Utc>) -> Result<(), AcmeError> {
        sqlx::query(
            "with old as (delete from cloch.acme_certificates where id <> $1 and renew_at < now() - interval '180 days')
             update cloch.acme_certificates
             set chain = $2, private_key = $3, renew_at = $4, ask_renewal_at = now(), issued_at = now(), order_url = null,
                 order_key = null, tries = '{}', wait_until = null, last_error = null
             where id = $1",
        )
        .bind(&self.id)
        .bind(&issued.chain)
        .bind(self.seal("certificate", &issued.key)?)
        .bind(renew_at)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    pub(super) async fn keep_failure(&self, error: &str, wait_until: Option<DateTime<Utc>>) -> Result<(), AcmeError> {
        sqlx::query("update cloch.acme_certificates set last_error = $2, wait_until = $3 where id = $1")
            .bind(&self.id)
            .bind(error)
            .bind(wait_until)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Stores when the certificate is renewed, and when renewal information is requested from the ACME server again.
    pub(super) async fn keep_renewal(&self, renew_at: DateTime<Utc>, ask_at: DateTime<Utc>) -> Result<(), AcmeError> {
        sqlx::query("update cloch.acme_certificates set renew_at = $2, ask_renewal_at = $3 where id = $1")
            .bind(&self.id)
            .bind(renew_at)
            .bind(ask_at)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Stores the answer to an ACME challenge, so that every node can answer the challenge.
    pub(super) async fn open_challenge(&self, domain: &str, token: &str, authorization: &str) -> Result<(), AcmeError> {
        sqlx::query(
            "with old as (delete from cloch.acme_challenges where expires_at < now() and token <> $1)
             insert into cloch.acme_challenges (token, domain, key_authorization, expires_at)
             values ($1, $2, $3, now() + make_interval(secs => $4))
             on conflict (token) do update set expires_at = excluded.expires_at, key_authorization = excluded.key_authorization",
        )
        .bind(token)
        .bind(domain)
        .bind(authorization)
        .bind(CHALLENGE_SECONDS)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    pub(super) async fn close_challenges(&self) -> Result<(), AcmeError> {
        sqlx::query("delete from cloch.acme_challenges where domain = any($1)")
            .bind(&self.domains)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    fn seal(&self, what: &str, text: &Secret) -> Result<String, AcmeError> {
        let row = format!("{what} {}", self.id);
        sealed_text::seal(&self.key, row.as_bytes(), text.expose()).ok_or(AcmeError::Randomness)
    }

    fn open(&self, what: &str, sealed: &str) -> Option<Secret> {
        sealed_text::open(&self.key, format!("{what} {}", self.id).as_bytes(), sealed)
    }
}

/// Returns the key authorization of the newest open ACME challenge for a domain.
pub(super) async fn challenge_of_domain(pool: &PgPool, domain: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "select key_authorization from cloch.acme_challenges where domain = $1 and expires_at > now() order by expires_at desc limit 1",
    )
    .bind(domain)
    .fetch_optional(pool)
    .await
}

/// Returns the key authorization of an open ACME challenge by the challenge's token.
pub(super) async fn challenge_of_token(pool: &PgPool, token: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("select key_authorization from cloch.acme_challenges where token = $1 and expires_at > now()")
        .bind(token)
        .fetch_optional(pool)
        .await
}
