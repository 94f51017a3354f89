//! Finds the vectors of an index that are nearest to a query vector. The query vector is compared with each vector that matches the filter.
//!
//! pgvector computes the distances if the extension is installed in the database. Otherwise Cloch reads the vectors and computes the distances
//! itself, because SQL without an extension would take a hundred times as long.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use futures_util::TryStreamExt;
use serde_json::Value;
use sqlx::{Postgres, QueryBuilder};

use super::metadata_filter;
use super::vector_indexes::VectorIndex;
use super::vectors::{self, Parts};
use crate::db::transaction::Tx;
use crate::error::Result;
use crate::model::metadata_filter::Filter;
use crate::model::vector::Metric;

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) metric: Metric,
    pub(crate) embedding: Vec<f32>,
    pub(crate) filter: Option<Filter>,
    /// Maximum number of vectors to find.
    pub(crate) limit: u16,
    /// Whether the result includes the metadata of the found vectors.
    pub(crate) metadata: bool,
}

/// A found vector. `distance` is NaN if the metric does not define the distance. An example is the cosine distance to a vector of zeros.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct Found {
    pub(crate) key: String,
    pub(crate) distance: f64,
    pub(crate) metadata: Option<Value>,
}

/// Returns the vectors that are nearest to the query vector, in order of increasing distance. Vectors with the same distance are sorted by key.
pub(crate) async fn search(tx: &mut Tx, index: &VectorIndex, search: Search) -> Result<Vec<Found>> {
    match &index.pgvector {
        Some(schema) => with_pgvector(tx, index, schema, search).await,
        None => without_pgvector(tx, index, search).await,
    }
}

/// Searches with pgvector. `schema` is the schema of the extension as a SQL identifier that PostgreSQL has already quoted.
async fn with_pgvector(tx: &mut Tx, index: &VectorIndex, schema: &str, search: Search) -> Result<Vec<Found>> {
    let operator = match search.metric {
        Metric::Cosine => "<=>",
        Metric::Euclidean => "<->",
    };
    let mut query = QueryBuilder::<Postgres>::new("select v.key, v.embedding::");
    query.push(format_args!("{schema}.vector operator({schema}.{operator}) ")).push_bind(search.embedding);
    query.push(format_args!("::real[]::{schema}.vector as distance"));
    query.push(if search.metadata { ", v.metadata" } else { ", null::jsonb as metadata" });
    push_admitted(&mut query, index, search.filter.as_ref());
    query.push(" order by distance, v.key limit ").push_bind(i64::from(search.limit));
    // Do not cache the prepared statement, because the SQL text differs for each filter.
    Ok(query.build_query_as().persistent(false).fetch_all(&mut **tx).await?)
}

async fn without_pgvector(tx: &mut Tx, index: &VectorIndex, search: Search) -> Result<Vec<Found>> {
    let mut query = QueryBuilder::<Postgres>::new("select v.key, v.embedding");
    push_admitted(&mut query, index, search.filter.as_ref());
    let limit = usize::from(search.limit);
    let mut nearest = BinaryHeap::with_capacity(limit + 1);
    {
        let mut rows = query.build_query_as::<(String, Vec<f32>)>().persistent(false).fetch(&mut **tx);
        while let Some((key, embedding)) = rows.try_next().await? {
            nearest.push(Candidate { distance: search.metric.distance(&search.embedding, &embedding), key });
            if nearest.len() > limit {
                nearest.pop();
            }
        }
    }
    let nearest = nearest.into_sorted_vec();
    if !search.metadata {
        return Ok(nearest.into_iter().map(|candidate| candidate.found(None)).collect());
    }
    let keys: Vec<String> = nearest.iter().map(|candidate| candidate.key.clone()).collect();
    let rows = vectors::get(tx, index, &keys, Parts { embedding: false, metadata: true }).await?;
    let mut metadata: HashMap<String, Option<Value>> = rows.into_iter().map(|row| (row.key, row.metadata)).collect();
    // Omit a vector that was deleted between the two queries.
    let with_metadata = |candidate: Candidate| {
        let metadata = metadata.remove(&candidate.key)?;
        Some(candidate.found(metadata))
    };
    Ok(nearest.into_iter().filter_map(with_metadata).collect())
}

/// Appends `from` and `where`, which select the vectors of the index that match the filter.
fn push_admitted(query: &mut QueryBuilder<Postgres>, index: &VectorIndex, filter: Option<&Filter>) {
    query.push(" from cloch.vectors as v where v.index_id = ").push_bind(index.id.clone());
    if let Some(filter) = filter {
        query.push(" and ");
        metadata_filter::push(query, filter);
    }
}

/// A vector that may be one of the nearest vectors. Candidates are ordered by distance; as in PostgreSQL, NaN is greater than all numbers.
struct Candidate {
    distance: f64,
    key: String,
}

impl Candidate {
    fn found(self, metadata: Option<Value>) -> Found {
        Found { key: self.key, distance: self.distance, metadata }
    }

    fn is_nan(&self) -> bool {
        self.distance.is_nan()
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance =
            self.distance.partial_cmp(&other.distance).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()));
        by_distance.then_with(|| self.key.cmp(&other.key))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_sorted_as_postgresql_sorts_them() {
        let candidate = |(distance, key): (f64, &str)| Candidate { distance, key: key.to_owned() };
        let heap: BinaryHeap<Candidate> =
            [(f64::NAN, "b"), (0.5, "z"), (0.5, "ä"), (-1.0, "c"), (f64::NAN, "a"), (f64::INFINITY, "d")]
                .map(candidate)
                .into();
        let keys: Vec<String> = heap.into_sorted_vec().into_iter().map(|candidate| candidate.key).collect();
        assert_eq!(keys, ["c", "z", "ä", "d", "a", "b"]);
    }
}
