//! Queries lifecycle rules of buckets (`cloch.bucket_lifecycles`) and executes the deletions of the rules. All queries run in the service
//! role.

use serde_json::Value;

use crate::db::transaction::Tx;
use crate::error::Result;

pub(crate) async fn find(tx: &mut Tx, bucket: &str) -> Result<Option<Value>> {
    let rules = sqlx::query_scalar!("select rules from cloch.bucket_lifecycles where bucket_id = $1", bucket);
    Ok(rules.fetch_optional(&mut **tx).await?)
}

pub(crate) async fn put(tx: &mut Tx, bucket: &str, rules: &Value) -> Result<()> {
    sqlx::query!(
        "insert into cloch.bucket_lifecycles (bucket_id, rules) values ($1, $2)
         on conflict (bucket_id) do update set rules = excluded.rules, updated_at = now()",
        bucket,
        rules,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(crate) async fn delete(tx: &mut Tx, bucket: &str) -> Result<()> {
    sqlx::query!("delete from cloch.bucket_lifecycles where bucket_id = $1", bucket).execute(&mut **tx).await?;
    Ok(())
}

pub(crate) async fn all(tx: &mut Tx) -> Result<Vec<(String, Value)>> {
    let rows = sqlx::query!("select bucket_id, rules from cloch.bucket_lifecycles order by bucket_id")
        .fetch_all(&mut **tx)
        .await?;
    Ok(rows.into_iter().map(|row| (row.bucket_id, row.rules)).collect())
}

/// Deletes the lifecycle rules of buckets whose rows were deleted with SQL instead of the API.
pub(crate) async fn forget_lost_rules(tx: &mut Tx) -> Result<()> {
    sqlx::query!(
        "delete from cloch.bucket_lifecycles as l where not exists (select from storage.buckets as b where b.id = l.bucket_id)"
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Returns buckets whose rows were deleted with SQL instead of the API and that still have object versions.
pub(crate) async fn lost_buckets(tx: &mut Tx) -> Result<Vec<String>> {
    // The query jumps from each bucket id to the next in the index, so that it does not read all versions of each bucket.
    let buckets = sqlx::query_scalar!(
        r#"with recursive known (id) as (
             (select bucket_id from cloch.object_versions order by bucket_id limit 1)
             union all
             select (select v.bucket_id from cloch.object_versions as v where v.bucket_id > known.id order by v.bucket_id limit 1)
               from known where known.id is not null
           )
           select known.id as "id!" from known
            where known.id is not null and not exists (select from storage.buckets as b where b.id = known.id)"#
    );
    Ok(buckets.fetch_all(&mut **tx).await?)
}

/// Returns a text that is greater than all object names that begin with `prefix`: the upper bound of an index scan.
fn behind(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
}

/// Returns the names, in ascending order, of objects that were not changed for `days` days. Only names greater than `after` are returned.
/// The rows of these objects are locked, so that no object is changed before its deletion. Rows that another transaction has locked are
/// skipped.
pub(crate) async fn lock_old_objects(
    tx: &mut Tx,
    bucket: &str,
    prefix: &str,
    after: &str,
    days: i32,
    limit: i64,
) -> Result<Vec<String>> {
    let names = sqlx::query_scalar!(
        r#"select name as "name!" from storage.objects
            where bucket_id = $1 and name collate "C" >= $2 and name collate "C" < $3 and name collate "C" > $4
              and coalesce(updated_at, created_at) < now() - make_interval(days => $5)
            order by name collate "C"
            limit $6
              for update skip locked"#,
        bucket,
        prefix,
        behind(prefix),
        after,
        days,
        limit,
    );
    Ok(names.fetch_all(&mut **tx).await?)
}

/// Deletes object versions that were archived more than `days` days ago, except for the newest `kept` archived versions of each object
/// name. Returns the deleted versions and whether each is a delete marker, which has no blob.
pub(crate) async fn delete_noncurrent(
    tx: &mut Tx,
    bucket: &str,
    prefix: &str,
    days: i32,
    kept: i32,
    limit: i64,
) -> Result<Vec<(String, bool)>> {
    let rows = sqlx::query!(
        "delete from cloch.object_versions
          where version in (
            select v.version from cloch.object_versions as v
             where v.bucket_id = $1 and starts_with(v.name, $2)
               and v.archived_at < now() - make_interval(days => $3)
               and ($4 = 0 or (select count(*)
                                 from (select from cloch.object_versions as newer
                                        where newer.bucket_id = v.bucket_id and newer.name = v.name
                                          and newer.archived_at is not null and newer.number > v.number
                                        limit $4) as kept) >= $4)
             order by v.archived_at
             limit $5)
          returning version, is_delete_marker",
        bucket,
        prefix,
        days,
        kept,
        limit,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.version, row.is_delete_marker)).collect())
}

/// Deletes delete markers of object names that have no other version. Returns the number of deleted markers.
pub(crate) async fn delete_lone_markers(tx: &mut Tx, bucket: &str, prefix: &str, limit: i64) -> Result<u64> {
    let deleted = sqlx::query!(
        "delete from cloch.object_versions
          where archived_at is null and version in (
            select v.version from cloch.object_versions as v
             where v.bucket_id = $1 and v.name >= $2 and v.name < $3 and v.archived_at is null
               and not exists (select from cloch.object_versions as other
                                where other.bucket_id = v.bucket_id and other.name = v.name and other.version <> v.version)
             limit $4)",
        bucket,
        prefix,
        behind(prefix),
        limit,
    )
    .execute(&mut **tx)
    .await?;
    Ok(deleted.rows_affected())
}

/// Deletes multipart uploads that were initiated more than `days` days ago and returns their number. The blobs of their parts become
/// orphaned.
pub(crate) async fn abort_uploads(tx: &mut Tx, bucket: &str, prefix: &str, days: i32) -> Result<u64> {
    let deleted = sqlx::query!(
        "delete from storage.s3_multipart_uploads
          where bucket_id = $1 and starts_with(key, $2) and created_at < now() - make_interval(days => $3)",
        bucket,
        prefix,
        days,
    )
    .execute(&mut **tx)
    .await?;
    Ok(deleted.rows_affected())
}
