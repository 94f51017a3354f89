//! Authorizes uploads by the bucket's restrictions and by PostgreSQL's row-level security policies. To check the policies, the object's row
//! is written with the caller's role, and the write is rolled back.

use std::time::Instant;

use serde_json::{Map, Value};
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};

use super::request::FileDetails;
use super::{Upload, limits, visitor_quota};
use crate::db::buckets::{self, Bucket, BucketRules};
use crate::db::retrying_query::UPLOAD_ACQUIRE_TIMEOUT;
use crate::db::write_object::{self, NewObject};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;
use crate::validation::media_type::MediaType;
use crate::validation::names;

impl Upload<'_> {
    /// Checks whether a file of `size` bytes may be uploaded: first the bucket's restrictions, which apply to every caller, then the RLS
    /// policies. One database round trip loads the restrictions and checks the policies.
    ///
    /// # Errors
    /// The first error of these checks.
    pub(crate) async fn admit(&self, details: &FileDetails, size: Option<u64>) -> Result<BucketRules> {
        let (state, path) = (self.state, &self.target.path);
        names::valid_bucket(&path.bucket)?;
        let check = |rules: &BucketRules| {
            limits::check_type(rules, &path.name, &details.mimetype)?;
            if size.is_some_and(|size| size > limits::max_file_bytes(state, rules, &path.name)) {
                return Err(Error::EntityTooLarge);
            }
            names::valid_object(&path.name).map(drop)
        };
        let bytes = size.unwrap_or(0);
        let allowed = match self.target.check_policies {
            true => self.check_policies(details, Some(bytes)).await,
            false => match visitor_quota::check(state, self.identity, bytes).await {
                Ok(()) => find_bucket(state, &path.bucket).await.map(BucketRules::from),
                Err(refusal) => Err(refusal),
            },
        };
        match allowed {
            Ok(rules) => check(&rules).map(|()| rules),
            // The error of an exceeded visitor quota is returned whatever the bucket's restrictions are, so the restrictions are not
            // loaded.
            Err(refusal @ Error::TooMany(..)) => Err(refusal),
            Err(refusal) => {
                check(&find_bucket(state, &path.bucket).await?.into())?;
                Err(refusal)
            }
        }
    }

    /// Checks the RLS policies with the file properties that are known so far. Returns the restrictions of the bucket.
    pub(super) async fn check_policies(&self, details: &FileDetails, bytes: Option<u64>) -> Result<BucketRules> {
        let row = NewObject {
            path: &self.target.path,
            owner: &self.target.owner,
            upsert: self.target.upsert,
            metadata: &trial_metadata(Some(&details.mimetype), details.declared_length),
            user_metadata: details.user_metadata.as_ref(),
        };
        check_policies(self.state, self.identity, self.operation, &row, bytes).await
    }
}

/// Checks the RLS policies and returns the bucket's restrictions. An upload without upsert requires only an INSERT policy. An upsert
/// requires a SELECT policy, and an UPDATE policy if the object exists. `bytes` is the size of a new upload, which must fit into the quota
/// of a visitor (a caller without a session). Deferred constraints are not checked, because PostgreSQL checks them only at a commit.
///
/// # Errors
/// Errors of the project's policies, constraints and triggers.
pub(crate) async fn check_policies(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    row: &NewObject<'_>,
    bytes: Option<u64>,
) -> Result<BucketRules> {
    let caller = identity.caller();
    let quota = bytes.and_then(|bytes| visitor_quota::check_statement(state, identity, bytes));
    let settings = identity.local_settings(caller, operation);
    let tried = write_object::try_write(state.database().objects(), quota, caller.role(), &settings, row).await;
    tried.map_err(|error| write_object::write_error(error, row.upsert))?.ok_or(Error::NoSuchBucket)
}

/// Returns the metadata of the object's row for the permission check. It contains only properties that are known before the content is
/// received.
pub(crate) fn trial_metadata(mimetype: Option<&MediaType>, length: Option<u64>) -> Value {
    let mut map = Map::new();
    if let Some(mimetype) = mimetype {
        map.insert("mimetype".to_owned(), mimetype.as_str().into());
    }
    if let Some(length) = length {
        map.insert("contentLength".to_owned(), length.into());
    }
    Value::Object(map)
}

/// Returns the bucket of an upload. The query bypasses RLS policies, because the bucket's restrictions apply to every caller.
///
/// # Errors
/// [`Error::NoSuchBucket`] if the bucket does not exist.
pub(crate) async fn find_bucket(state: &StorageState, id: &str) -> Result<Bucket> {
    names::valid_bucket(id)?;
    let mut connection = acquire(state.database().admin()).await?;
    buckets::find(&mut *connection, id).await?.ok_or(Error::NoSuchBucket)
}

/// Acquires a connection from the pool. An upload waits longer than the pool's default timeout, because many uploads may start at the same
/// time.
async fn acquire(pool: &PgPool) -> Result<PoolConnection<Postgres>> {
    let begun = Instant::now();
    loop {
        match pool.acquire().await {
            Err(sqlx::Error::PoolTimedOut) if begun.elapsed() < UPLOAD_ACQUIRE_TIMEOUT => {}
            outcome => return Ok(outcome?),
        }
    }
}
