//! Queries on `cloch.vectors`: the vectors of an index. Only the service role may access this table.

use serde_json::Value;
use sqlx::types::Json;

use super::vector_indexes::VectorIndex;
use crate::db::transaction::Tx;
use crate::error::Result;
use crate::model::vector::Vector;

/// A stored vector. `embedding` and `metadata` are `None` if the query does not select them.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) embedding: Option<Vec<f32>>,
    pub(crate) metadata: Option<Value>,
}

/// Which properties of the vectors a query selects in addition to the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) embedding: bool,
    pub(crate) metadata: bool,
}

/// Inserts vectors. A vector whose key already exists is replaced. All embeddings must have the dimension of the index.
///
/// # Errors
/// [`crate::Error::RelatedMissing`] if the index was deleted meanwhile.
pub(crate) async fn put(tx: &mut Tx, index: &VectorIndex, vectors: Vec<Vector>) -> Result<()> {
    let (mut keys, mut metadata) = (Vec::with_capacity(vectors.len()), Vec::with_capacity(vectors.len()));
    let mut numbers = Vec::new();
    for vector in vectors {
        keys.push(vector.key);
        numbers.extend(vector.embedding);
        metadata.push(Json(vector.metadata));
    }
    // The embeddings are bound as one array, because PostgreSQL has no arrays of arrays. Rows are written in the order of their keys, so that
    // concurrent requests cannot cause a deadlock.
    sqlx::query(
        r#"insert into cloch.vectors (index_id, key, embedding, metadata)
           select $1, v.key, ($3::real[])[(v.number - 1) * $5 + 1 : v.number * $5], v.metadata
             from unnest($2::text[], $4::jsonb[]) with ordinality as v (key, metadata, number)
            order by v.key collate "C"
           on conflict (index_id, key) do update set embedding = excluded.embedding, metadata = excluded.metadata"#,
    )
    .bind(&index.id)
    .bind(keys)
    .bind(numbers)
    .bind(metadata)
    .bind(index.dimension)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Returns the vectors with the given keys, sorted by key. Keys without a vector are omitted.
pub(crate) async fn get(tx: &mut Tx, index: &VectorIndex, keys: &[String], parts: Parts) -> Result<Vec<Row>> {
    let query = sqlx::query_as(
        "select key, case when $3 then embedding end as embedding, case when $4 then metadata end as metadata
           from cloch.vectors where index_id = $1 and key = any($2) order by key",
    );
    let query = query.bind(&index.id).bind(keys).bind(parts.embedding).bind(parts.metadata);
    Ok(query.fetch_all(&mut **tx).await?)
}

/// One page of a listing of vectors, sorted by key.
#[derive(Clone, Debug)]
pub(crate) struct VectorPage {
    /// The page contains only keys greater than this key. Empty for the first page.
    pub(crate) after: String,
    pub(crate) limit: i64,
    /// Number of segments, and index of the segment to list, starting with 0. Each key belongs to exactly one segment. `None` for all keys.
    pub(crate) segment: Option<(i64, i64)>,
    pub(crate) parts: Parts,
}

pub(crate) async fn list(tx: &mut Tx, index: &VectorIndex, page: &VectorPage) -> Result<Vec<Row>> {
    let (segments, segment) = page.segment.unwrap_or((1, 0));
    let query = sqlx::query_as(
        "select key, case when $6 then embedding end as embedding, case when $7 then metadata end as metadata
           from cloch.vectors
          where index_id = $1 and key > $2 and mod(abs(hashtext(key)::bigint), $3) = $4
          order by key limit $5",
    );
    let query = query.bind(&index.id).bind(&page.after).bind(segments).bind(segment).bind(page.limit);
    Ok(query.bind(page.parts.embedding).bind(page.parts.metadata).fetch_all(&mut **tx).await?)
}

pub(crate) async fn delete(tx: &mut Tx, index: &VectorIndex, keys: &[String]) -> Result<()> {
    let query = sqlx::query("delete from cloch.vectors where index_id = $1 and key = any($2)");
    query.bind(&index.id).bind(keys).execute(&mut **tx).await?;
    Ok(())
}
