//! Queries on `storage.buckets_vectors` and `storage.vector_indexes`: vector buckets and their indexes. Only the service role may access these
//! tables.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::db::transaction::Tx;
use crate::error::Result;

/// Name and creation time of a vector bucket or of an index.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) created_at: DateTime<Utc>,
}

/// One page of a listing, sorted by name.
#[derive(Clone, Debug)]
pub(crate) struct NamePage {
    pub(crate) prefix: String,
    /// The page contains only names greater than this name. Empty for the first page.
    pub(crate) after: String,
    pub(crate) limit: i64,
}

pub(crate) async fn insert_bucket(tx: &mut Tx, bucket: &str) -> Result<()> {
    sqlx::query("insert into storage.buckets_vectors (id) values ($1)").bind(bucket).execute(&mut **tx).await?;
    Ok(())
}

pub(crate) async fn find_bucket(tx: &mut Tx, bucket: &str) -> Result<Option<Named>> {
    let query = sqlx::query_as("select id as name, created_at from storage.buckets_vectors where id = $1");
    Ok(query.bind(bucket).fetch_optional(&mut **tx).await?)
}

pub(crate) async fn list_buckets(tx: &mut Tx, page: &NamePage) -> Result<Vec<Named>> {
    let query = sqlx::query_as(
        r#"select id as name, created_at from storage.buckets_vectors
            where starts_with(id, $1) and id collate "C" > $2 order by id collate "C" limit $3"#,
    );
    Ok(query.bind(&page.prefix).bind(&page.after).bind(page.limit).fetch_all(&mut **tx).await?)
}

/// Deletes a vector bucket. Succeeds if the bucket does not exist.
///
/// # Errors
/// [`crate::Error::Referenced`] if the bucket contains an index.
pub(crate) async fn delete_bucket(tx: &mut Tx, bucket: &str) -> Result<()> {
    sqlx::query("delete from storage.buckets_vectors where id = $1").bind(bucket).execute(&mut **tx).await?;
    Ok(())
}

/// Index of a vector bucket.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct VectorIndex {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) bucket_id: String,
    pub(crate) data_type: String,
    pub(crate) dimension: i32,
    pub(crate) distance_metric: String,
    pub(crate) metadata_configuration: Option<Value>,
    pub(crate) created_at: DateTime<Utc>,
    /// Schema of the extension pgvector as a quoted SQL identifier. `None` if the extension is not installed in the database.
    pub(crate) pgvector: Option<String>,
}

impl VectorIndex {
    /// Whether a filter must not use the metadata field `key`. This was configured when the index was created.
    pub(crate) fn is_non_filterable(&self, key: &str) -> bool {
        let keys = self.metadata_configuration.as_ref().and_then(|value| value.get("nonFilterableMetadataKeys"));
        keys.and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|name| name == key))
    }
}

/// Properties of an index that is to be created.
#[derive(Clone, Debug)]
pub(crate) struct NewIndex {
    pub(crate) bucket: String,
    pub(crate) name: String,
    pub(crate) data_type: &'static str,
    pub(crate) dimension: i32,
    pub(crate) distance_metric: &'static str,
    pub(crate) metadata_configuration: Option<Value>,
}

/// Inserts an index.
///
/// # Errors
/// [`crate::Error::RelatedMissing`] if the bucket does not exist, [`crate::Error::AlreadyExists`] if the bucket already contains an index with
/// this name.
pub(crate) async fn insert_index(tx: &mut Tx, index: &NewIndex) -> Result<()> {
    sqlx::query(
        "insert into storage.vector_indexes (bucket_id, name, data_type, dimension, distance_metric, metadata_configuration)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&index.bucket)
    .bind(&index.name)
    .bind(index.data_type)
    .bind(index.dimension)
    .bind(index.distance_metric)
    .bind(&index.metadata_configuration)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(crate) async fn find_index(tx: &mut Tx, bucket: &str, name: &str) -> Result<Option<VectorIndex>> {
    let query = sqlx::query_as(
        "select id, name, bucket_id, data_type, dimension, distance_metric, metadata_configuration, created_at,
                (select format('%I', n.nspname)
                   from pg_catalog.pg_extension as e
                   join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
                  where e.extname = 'vector' and e.extversion <> 'stand-in'
                    and pg_catalog.has_schema_privilege(n.oid, 'usage')) as pgvector
           from storage.vector_indexes
          where bucket_id = $1 and name = $2",
    );
    Ok(query.bind(bucket).bind(name).fetch_optional(&mut **tx).await?)
}

pub(crate) async fn list_indexes(tx: &mut Tx, bucket: &str, page: &NamePage) -> Result<Vec<Named>> {
    let query = sqlx::query_as(
        "select name, created_at from storage.vector_indexes
          where bucket_id = $1 and starts_with(name, $2) and name > $3 order by name limit $4",
    );
    Ok(query.bind(bucket).bind(&page.prefix).bind(&page.after).bind(page.limit).fetch_all(&mut **tx).await?)
}

/// Deletes an index and its vectors. Returns whether the index existed.
pub(crate) async fn delete_index(tx: &mut Tx, bucket: &str, name: &str) -> Result<bool> {
    let query = sqlx::query("delete from storage.vector_indexes where bucket_id = $1 and name = $2");
    Ok(query.bind(bucket).bind(name).execute(&mut **tx).await?.rows_affected() > 0)
}
