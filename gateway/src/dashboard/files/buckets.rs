//! Endpoints of `/files` for buckets.

use axum::Json;
use axum::extract::State;
use http::request::Parts;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dashboard::apis::segment;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, DashboardState};

const MAX_BUCKETS: i64 = 1000;

/// Lists the buckets with the number of their objects, their total size in bytes, their versioning status and their lifecycle rules.
pub(super) async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let buckets = sqlx::query_scalar(
        "select coalesce(jsonb_agg(bucket order by bucket ->> 'name'), '[]') from (
            select jsonb_build_object('id', b.id, 'name', b.name, 'public', b.public, 'file_size_limit', b.file_size_limit,
                     'allowed_mime_types', b.allowed_mime_types, 'created_at', b.created_at, 'updated_at', b.updated_at,
                     'objects', coalesce(o.objects, 0), 'bytes', coalesce(o.bytes, 0),
                     'has_versions', coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED') <> 'DISABLED',
                     'versioning_status', coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED'),
                     'rules', coalesce(l.rules, '[]')) as bucket
              from storage.buckets as b
              left join cloch.bucket_lifecycles as l on l.bucket_id = b.id
              left join (select bucket_id, count(*) as objects, sum((metadata ->> 'size')::bigint) as bytes
                           from storage.objects group by bucket_id) as o on o.bucket_id = b.id
             order by b.name limit $1) as listed",
    );
    Ok(Json(buckets.bind(MAX_BUCKETS).fetch_one(state.database.admin()).await?))
}

#[derive(Deserialize)]
pub(super) struct Bucket {
    #[serde(default)]
    id: String,
    #[serde(default)]
    public: bool,
    file_size_limit: Option<Value>,
    allowed_mime_types: Option<Vec<String>>,
    /// `ENABLED`, `SUSPENDED`, or `DISABLED` for a new bucket. `None` keeps the status.
    versioning_status: Option<String>,
}

impl Bucket {
    fn described(&self) -> Value {
        json!({
            "public": self.public, "file_size_limit": self.file_size_limit, "allowed_mime_types": self.allowed_mime_types,
            "versioning_status": self.versioning_status,
        })
    }
}

pub(super) async fn create(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Bucket>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let mut body = given.described();
    if let Some(object) = body.as_object_mut() {
        object.insert("id".to_owned(), given.id.as_str().into());
        object.insert("name".to_owned(), given.id.as_str().into());
    }
    let made = state.ask_storage(&parts, Method::POST, "/bucket", Some(body)).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(super) async fn change(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(given): Input<Bucket>,
) -> Result<Json<Value>, ApiError> {
    let path = format!("/bucket/{}", segment(&bucket));
    state.ask_storage(&parts, Method::PUT, &path, Some(given.described())).await.map(Json)
}

pub(super) async fn remove(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
) -> Result<StatusCode, ApiError> {
    state.ask_storage(&parts, Method::DELETE, &format!("/bucket/{}", segment(&bucket)), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn empty(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
) -> Result<StatusCode, ApiError> {
    let path = format!("/bucket/{}/empty", segment(&bucket));
    state.ask_storage(&parts, Method::POST, &path, Some(json!({}))).await?;
    Ok(StatusCode::NO_CONTENT)
}
