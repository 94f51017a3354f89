//! Applies the lifecycle rules of buckets as a part of the periodic cleanup (`sweep.rs`). Rows are deleted in batches, one transaction per
//! batch. Each cleanup has a maximum number of batches; the next cleanup continues the deletion.

use cloch_sql::caller::SERVICE_ROLE;
use cloch_sql::{Caller, LocalSettings};

use super::rules::{Rule, Status};
use crate::db::transaction::Tx;
use crate::db::{lifecycles, objects, versions};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::state::StorageState;
use crate::upload::commit;

/// Maximum number of rows deleted per transaction.
const BATCH_ROWS: i64 = 500;
/// Maximum number of transactions per action of a lifecycle rule in one periodic cleanup.
const MAX_BATCHES: usize = 20;
/// Statement timeout of the transactions of the periodic cleanup.
const STATEMENT_TIMEOUT: &str = "300s";

/// Applies the lifecycle rules of all buckets. Returns the number of deleted objects, versions, delete markers and uploads. Errors are
/// logged, and the next cleanup retries the rule. A failed rule does not stop the other rules or the rest of the cleanup.
pub(crate) async fn apply(state: &StorageState) -> u64 {
    if let Err(error) = forget_lost_buckets(state).await {
        tracing::warn!(
            %error,
            "storage lifecycle: deleting object versions of deleted buckets failed, the next sweep (periodic cleanup) retries"
        );
    }
    let buckets = match all_rules(state).await {
        Ok(buckets) => buckets,
        Err(error) => {
            tracing::warn!(
                %error,
                "storage lifecycle: reading the rules of all buckets failed, no rule is applied, the next sweep (periodic cleanup) retries"
            );
            return 0;
        }
    };
    let mut expired = 0;
    for (bucket, rules) in buckets {
        let rules: Vec<Rule> = match serde_json::from_value(rules) {
            Ok(rules) => rules,
            Err(error) => {
                tracing::warn!(
                    %error,
                    bucket,
                    "storage lifecycle: invalid lifecycle rules of a bucket, no rule of the bucket is applied"
                );
                continue;
            }
        };
        for rule in rules.iter().filter(|rule| rule.status == Status::Enabled) {
            expired += apply_rule(state, &bucket, rule).await;
        }
    }
    expired
}

async fn all_rules(state: &StorageState) -> Result<Vec<(String, serde_json::Value)>> {
    let mut tx = begin(state).await?;
    lifecycles::forget_lost_rules(&mut tx).await?;
    let buckets = lifecycles::all(&mut tx).await?;
    tx.commit().await?;
    Ok(buckets)
}

/// Deletes object versions of buckets whose rows were deleted with SQL instead of the API. The blobs of these versions become orphaned, and
/// the periodic cleanup then deletes them.
async fn forget_lost_buckets(state: &StorageState) -> Result<()> {
    let mut tx = begin(state).await?;
    let buckets = lifecycles::lost_buckets(&mut tx).await?;
    tx.rollback().await?;
    for bucket in buckets {
        for _ in 0..MAX_BATCHES {
            let mut tx = begin(state).await?;
            let (count, _) = versions::delete_all(&mut tx, &bucket, BATCH_ROWS).await?;
            tx.commit().await?;
            if count == 0 {
                break;
            }
        }
    }
    Ok(())
}

async fn begin(state: &StorageState) -> Result<Tx> {
    let mut settings = LocalSettings::of(&Caller::service_role());
    settings.set("storage.operation", Operation::LifecycleExpire.name());
    settings.set("storage.allow_delete_query", "true");
    settings.set("search_path", "storage,public,extensions");
    // The statement timeout of the database login is meant for requests. The periodic cleanup may use a longer timeout, because no client
    // waits for it.
    settings.set("statement_timeout", STATEMENT_TIMEOUT);
    Ok(state.database().begin_with(SERVICE_ROLE, &settings).await?)
}

/// An action of a lifecycle rule that is executed in batches.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Deletion of objects that were not changed for `days` days.
    ExpireCurrent { days: i32 },
    /// Deletion of object versions that were archived more than `days` days ago, except for the newest `kept` versions.
    ExpireNoncurrent { days: i32, kept: i32 },
    /// Deletion of delete markers of object names that have no other version.
    DeleteLoneMarkers,
}

/// Returns the batched actions of a lifecycle rule in their order of execution. The deletion of current objects comes first, because it may
/// archive the objects as versions.
fn actions(rule: &Rule) -> Vec<Action> {
    let expiration = rule.expiration.as_ref();
    let current = expiration.and_then(|expiration| expiration.days).map(|days| Action::ExpireCurrent { days });
    let noncurrent = rule.noncurrent_version_expiration.as_ref().map(|expiration| Action::ExpireNoncurrent {
        days: expiration.noncurrent_days,
        kept: expiration.newer_noncurrent_versions.unwrap_or(0),
    });
    let markers = expiration.and_then(|expiration| expiration.expired_object_delete_marker).unwrap_or(false);
    [current, noncurrent, markers.then_some(Action::DeleteLoneMarkers)].into_iter().flatten().collect()
}

async fn apply_rule(state: &StorageState, bucket: &str, rule: &Rule) -> u64 {
    let failed = |error: Error| {
        tracing::warn!(
            %error,
            bucket,
            rule = rule.id,
            "storage lifecycle: applying a rule of a bucket failed, the next sweep (periodic cleanup) retries"
        );
        0
    };
    let mut expired = 0;
    for action in actions(rule) {
        expired += apply_action(state, bucket, rule.prefix(), action).await.unwrap_or_else(failed);
    }
    if let Some(abort) = &rule.abort_incomplete_multipart_upload {
        let aborted = abort_uploads(state, bucket, rule.prefix(), abort.days_after_initiation).await;
        expired += aborted.unwrap_or_else(failed);
    }
    expired
}

async fn abort_uploads(state: &StorageState, bucket: &str, prefix: &str, days: i32) -> Result<u64> {
    let mut tx = begin(state).await?;
    let aborted = lifecycles::abort_uploads(&mut tx, bucket, prefix, days).await?;
    tx.commit().await?;
    Ok(aborted)
}

/// Executes an action of a lifecycle rule in batches, until a batch is not full or [`MAX_BATCHES`] is reached. Returns the number of deleted
/// rows.
async fn apply_action(state: &StorageState, bucket: &str, prefix: &str, action: Action) -> Result<u64> {
    if let Action::ExpireCurrent { days } = action {
        return expire_current(state, bucket, prefix, days).await;
    }
    let mut count = 0;
    for _ in 0..MAX_BATCHES {
        let done = match action {
            Action::ExpireNoncurrent { days, kept } => expire_noncurrent(state, bucket, prefix, days, kept).await?,
            _ => delete_lone_markers(state, bucket, prefix).await?,
        };
        count += done;
        if done < BATCH_ROWS.unsigned_abs() {
            break;
        }
    }
    Ok(count)
}

async fn delete_lone_markers(state: &StorageState, bucket: &str, prefix: &str) -> Result<u64> {
    let mut tx = begin(state).await?;
    let gone = lifecycles::delete_lone_markers(&mut tx, bucket, prefix, BATCH_ROWS).await?;
    tx.commit().await?;
    Ok(gone)
}

/// Deletes old objects in the order of their names, one batch per transaction. If a foreign key or trigger of the project prevents the
/// deletion of a batch, its objects are deleted individually.
async fn expire_current(state: &StorageState, bucket: &str, prefix: &str, days: i32) -> Result<u64> {
    let (mut count, mut after) = (0, String::new());
    for _ in 0..MAX_BATCHES {
        let old = Old { bucket, prefix, days };
        let (names, deleted) = match expire_batch(state, old, &after, BATCH_ROWS).await {
            Ok(done) => done,
            Err(Batch::Unread(error)) => return Err(error),
            Err(Batch::Kept(names, error)) => {
                tracing::warn!(
                    %error,
                    bucket,
                    objects = names.len(),
                    "storage lifecycle: deleting a batch of objects failed, deleting these objects individually"
                );
                let deleted = expire_each(state, old, &names).await;
                (names, deleted)
            }
        };
        count += deleted;
        match names.last() {
            Some(last) if names.len() as u64 == BATCH_ROWS.unsigned_abs() => after.clone_from(last),
            _ => break,
        }
    }
    Ok(count)
}

/// Selects the objects that a lifecycle rule deletes: objects of `bucket` whose names begin with `prefix` and that were not changed for
/// `days` days.
#[derive(Clone, Copy, Debug)]
struct Old<'a> {
    bucket: &'a str,
    prefix: &'a str,
    days: i32,
}

/// Reason why a batch of objects was not deleted.
#[derive(Debug)]
enum Batch {
    /// The query for the names of the objects failed.
    Unread(Error),
    /// Deleting the objects of the batch failed, for example because a foreign key prevents the deletion of one object. Contains their
    /// names.
    Kept(Vec<String>, Error),
}

/// Deletes a batch of old objects with names greater than `after`. Returns the names of the objects in the batch and the number of deleted
/// objects.
async fn expire_batch(
    state: &StorageState,
    Old { bucket, prefix, days }: Old<'_>,
    after: &str,
    limit: i64,
) -> std::result::Result<(Vec<String>, u64), Batch> {
    let mut tx = begin(state).await.map_err(Batch::Unread)?;
    let names = lifecycles::lock_old_objects(&mut tx, bucket, prefix, after, days, limit).await;
    let names = names.map_err(Batch::Unread)?;
    let deleted = match objects::delete(&mut tx, SERVICE_ROLE, bucket, &names).await {
        Ok(deleted) => deleted,
        Err(error) => {
            // Wait until the rollback is complete. A dropped transaction would be rolled back later, and until then the other objects of
            // the batch would stay locked. The next query skips locked objects.
            tx.rollback().await.map_err(|error| Batch::Unread(error.into()))?;
            return Err(Batch::Kept(names, error));
        }
    };
    if let Err(error) = tx.commit().await {
        return Err(Batch::Kept(names, error.into()));
    }
    commit::discard_deleted(state, &deleted);
    Ok((names, deleted.len() as u64))
}

/// Deletes the given objects individually. Skips objects that cannot be deleted or that were changed meanwhile. Returns the number of
/// deleted objects.
async fn expire_each(state: &StorageState, old: Old<'_>, names: &[String]) -> u64 {
    let mut count = 0;
    for name in names {
        // `prefix` is the full name of an object and the limit is 1, so the batch contains only this object.
        if let Ok((_, deleted)) = expire_batch(state, Old { prefix: name, ..old }, "", 1).await {
            count += deleted;
        }
    }
    count
}

async fn expire_noncurrent(state: &StorageState, bucket: &str, prefix: &str, days: i32, kept: i32) -> Result<u64> {
    let mut tx = begin(state).await?;
    let gone = lifecycles::delete_noncurrent(&mut tx, bucket, prefix, days, kept, BATCH_ROWS).await?;
    tx.commit().await?;
    for (version, _) in gone.iter().filter(|(_, is_delete_marker)| !is_delete_marker) {
        commit::discard_version(state, Some(version)).await;
    }
    Ok(gone.len() as u64)
}
