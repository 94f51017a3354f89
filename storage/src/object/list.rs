//! `POST /object/list/{bucket}`: lists one level of folders and objects.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};

use super::list_versions::{self, Level, Wanted};
use crate::db::listing::{self, Search};
use crate::error::Result;
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::validation::names;

/// Maximum number of folders and objects in a response.
const MAX_LIMIT: i64 = 1500;

/// Lists the folders and objects directly below a prefix that the caller can see.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Response> {
    let mut prefix = fields.required_text("prefix");
    let limit = fields.integer("limit", 1, i64::MAX).unwrap_or(100);
    let offset = fields.integer("offset", 0, i64::MAX).unwrap_or(0);
    let search = fields.text("search").unwrap_or_default();
    let (mut column, mut order) = ("name", "asc");
    if let Some(mut sort) = fields.object("sortBy") {
        sort.required_text("column");
        column = sort.choice("column", &["name", "updated_at", "created_at", "last_accessed_at"]).unwrap_or(column);
        order = sort.choice("order", &["asc", "desc"]).unwrap_or(order);
        fields.absorb(sort);
    }
    let versions = Wanted::of(&mut fields);
    let is_exact = fields.boolean("exactMatch").unwrap_or(false);
    fields.finish()?;
    names::valid_bucket(&bucket)?;
    // The prefix is a folder name here, so it must end with a slash.
    if !is_exact && !prefix.is_empty() && !prefix.ends_with('/') {
        prefix.push('/');
    }
    if let Some(wanted) = versions {
        let level = Level {
            bucket: &bucket,
            prefix: &prefix,
            search: &search,
            limit: limit.min(MAX_LIMIT),
            offset,
            column,
            descending: order == "desc",
        };
        return Ok(Json(list_versions::level(&state, &identity, wanted, level).await?).into_response());
    }

    let mut tx = identity.begin(state.database(), Operation::ObjectList).await?;
    let wanted = Search {
        bucket: &bucket,
        prefix: &prefix,
        search: &search,
        limit: limit.min(MAX_LIMIT),
        offset,
        column,
        order,
    };
    let entries = listing::search(&mut tx, &wanted).await?;
    tx.commit().await?;
    Ok(Json(entries).into_response())
}
