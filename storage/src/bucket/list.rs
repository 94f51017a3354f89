//! `GET /bucket`: lists buckets.

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};

use crate::db::buckets::{self, ListBuckets};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;

/// Lists the buckets that the caller can see.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    RawQuery(query): RawQuery,
    identity: Authenticated,
) -> Result<Json<Vec<Value>>> {
    let mut fields = Fields::of_query(query.as_deref());
    let wanted = ListBuckets {
        limit: fields.integer("limit", 1, i64::MAX),
        offset: fields.integer("offset", 0, i64::MAX),
        sort_column: fields.choice("sortColumn", &["id", "name", "created_at", "updated_at"]),
        sort_order: fields.choice("sortOrder", &["asc", "desc"]),
        search: fields.text("search"),
    };
    fields.finish()?;

    let mut tx = identity.begin(state.database(), Operation::BucketList).await?;
    let buckets = buckets::list(&mut tx, &wanted).await?;
    tx.commit().await?;
    let with_type = !is_old_python(identity.headers());
    let shown = buckets.into_iter().map(|bucket| {
        let mut shown = serde_json::to_value(bucket)
            .map_err(|source| Error::Internal { context: "writing a bucket", source: source.into() })?;
        if let (true, Some(map)) = (with_type, shown.as_object_mut()) {
            map.insert("type".to_owned(), json!("STANDARD"));
        }
        Ok(shown)
    });
    shown.collect::<Result<_>>().map(Json)
}

/// Whether the client is an old version of Supabase's Python library, which rejects buckets with unknown fields such as `type`.
fn is_old_python(headers: &HeaderMap) -> bool {
    let before = |header: &str, prefix: &str, limit: (u32, u32, u32)| {
        headers
            .get(header)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| version(value.split_once(prefix)?.1))
            .is_some_and(|version| version < limit)
    };
    before("x-client-info", "supabase-py/", (2, 18, 0)) || before("user-agent", "supabase-py/storage3 v", (0, 12, 1))
}

fn version(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.splitn(3, '.').map(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part.get(..digits)?.parse().ok()
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn tells_old_python_clients() {
        let with = |name, value| {
            is_old_python(&HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))]))
        };
        assert!(with("x-client-info", "supabase-py/2.17.3"));
        assert!(!with("x-client-info", "supabase-py/2.18.0"));
        assert!(with("user-agent", "supabase-py/storage3 v0.12.0"));
        assert!(!with("user-agent", "supabase-py/storage3 v0.13.0"));
        assert!(!with("x-client-info", "supabase-js/2.1.0"));
    }
}
