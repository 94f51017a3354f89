//! `POST /object/list-v2/{bucket}`: lists objects by prefix with cursor pagination.

use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::cursor::{COLUMNS, Cursor, ORDERS};
use super::list_versions::{self, NextPage, Wanted};
use crate::db::iso;
use crate::db::listing::{self, Keyed, Page};
use crate::error::Result;
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;

/// Maximum number of folders and objects in a response.
const MAX_LIMIT: i64 = 1000;

/// Lists a page of objects by prefix, either of all levels or of one level with folders.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let prefix = fields.text("prefix").unwrap_or_default();
    let limit = fields.integer("limit", 1, i64::MAX).unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
    let folders = fields.boolean("with_delimiter").unwrap_or(false);
    let cursor = fields.text("cursor").filter(|cursor| !cursor.is_empty());
    let (mut column, mut order) = (None, None);
    if let Some(mut sort) = fields.object("sortBy") {
        sort.required_text("column");
        (column, order) = (sort.choice("column", &COLUMNS), sort.choice("order", &ORDERS));
        fields.absorb(sort);
    }
    let versions = Wanted::of(&mut fields);
    fields.finish()?;
    let after = cursor.map(|text| Cursor::decode(&text)).transpose()?.unwrap_or_default();
    let (column, order) = (after.column.or(column), after.order.or(order));
    if let Some(wanted) = versions {
        let after = Cursor { column, order, ..after };
        let page = NextPage { bucket: &bucket, prefix: &prefix, folders, limit, after: &after };
        return list_versions::page(&state, &identity, wanted, page).await.map(Json);
    }

    let page = Page {
        bucket: &bucket,
        prefix: &prefix,
        limit: limit + 1,
        after: &after.last,
        column: column.unwrap_or("name"),
        order: order.unwrap_or("asc"),
        after_value: after.value.as_deref(),
    };
    let mut tx = identity.begin(state.database(), Operation::ObjectListV2).await?;
    let mut entries =
        if folders { listing::by_folder(&mut tx, &page).await? } else { listing::flat(&mut tx, &page).await? };
    tx.commit().await?;

    let has_next = entries.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    if has_next {
        entries.pop();
    }
    let next = entries.last().filter(|_| has_next).map(|last| (last.name.clone(), next_cursor(last, column, order)));
    let (objects, folders): (Vec<Keyed>, Vec<Keyed>) = entries.into_iter().partition(|entry| entry.id.is_some());
    let mut answer = json!({ "hasNext": has_next, "folders": folders, "objects": objects });
    if let (Some((key, cursor)), Some(map)) = (next, answer.as_object_mut()) {
        map.insert("nextCursor".to_owned(), cursor.into());
        map.insert("nextCursorKey".to_owned(), key.into());
    }
    Ok(Json(answer))
}

fn next_cursor(last: &Keyed, column: Option<&'static str>, order: Option<&'static str>) -> String {
    let value = match column {
        Some("created_at") => last.created_at.map(iso),
        Some("updated_at") => last.updated_at.map(iso),
        _ => None,
    };
    Cursor { last: last.name.clone(), order, column, value, version: None }.encode()
}
