//! `GET /object/…`: an object's bytes, by token, from a public bucket, or through a signed link.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;

use super::meta::Meta;
use super::serve::{Serving, serve};
use super::visible;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::{Asking, Fields, Visitor};
use crate::rows::object::Object;
use crate::state::StorageState;

type Name = Path<(String, String)>;

/// `GET /object/{bucket}/{name}`: with a token as the policies say, without one from public buckets only.
pub(crate) async fn any(state: State<StorageState>, name: Name, query: RawQuery, visitor: Visitor) -> Result<Response> {
    answer(state, name, query, Way::Any(visitor)).await
}

/// `GET /object/authenticated/{bucket}/{name}`
pub(crate) async fn authenticated(
    state: State<StorageState>,
    name: Name,
    query: RawQuery,
    asking: Asking,
) -> Result<Response> {
    answer(state, name, query, Way::Authenticated(asking)).await
}

/// `GET /object/public/{bucket}/{name}`
pub(crate) async fn public(
    state: State<StorageState>,
    name: Name,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    answer(state, name, query, Way::Public(visitor)).await
}

/// `GET /object/sign/{bucket}/{name}?token=…`
pub(crate) async fn signed(
    state: State<StorageState>,
    name: Name,
    query: RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    answer(state, name, query, Way::Signed(visitor)).await
}

/// The name to save a file as: given once, possibly empty.
pub(crate) fn download(query: Option<&str>) -> Result<Option<String>> {
    let mut fields = Fields::of_query(query);
    let download = fields.text("download");
    fields.finish()?;
    Ok(download)
}

/// By which right an object is asked for.
enum Way {
    Any(Visitor),
    Authenticated(Asking),
    Public(Visitor),
    Signed(Visitor),
}

impl Way {
    fn headers(&self) -> &HeaderMap {
        match self {
            Self::Any(visitor) | Self::Public(visitor) | Self::Signed(visitor) => visitor.headers(),
            Self::Authenticated(asking) => asking.headers(),
        }
    }

    /// Finds the object, if the right reaches so far.
    async fn find(&self, state: &StorageState, at: (&str, &str)) -> Result<Arc<Meta>> {
        let operation = match self {
            Self::Any(_) | Self::Authenticated(_) => Operation::ObjectGetAuthenticated,
            Self::Public(_) => Operation::ObjectGetPublic,
            Self::Signed(_) => Operation::ObjectGetSigned,
        };
        let known = match self {
            Self::Any(visitor) => return read(Box::pin(visible::to_visitor(state, visitor, operation, at)).await),
            Self::Authenticated(asking) => {
                return read(Box::pin(visible::to_caller(state, asking, operation, at)).await);
            }
            Self::Public(visitor) => visible::known_public(state, visitor, operation, at).await?,
            Self::Signed(visitor) => visible::known_to_link(state, visitor, operation, at).await?,
        };
        Ok(known.meta.clone())
    }
}

fn read(object: Result<Object>) -> Result<Arc<Meta>> {
    object.map(|object| Arc::new(Meta::of(&object)))
}

/// Finds an object and serves it. When an overwrite deletes the bytes between the two, the new ones are found and served.
async fn answer(
    State(state): State<StorageState>,
    Path((bucket, name)): Name,
    RawQuery(query): RawQuery,
    way: Way,
) -> Result<Response> {
    let mut fields = Fields::of_query(query.as_deref());
    let token = matches!(way, Way::Signed(_)).then(|| fields.required_text("token"));
    let mut serving = Serving { download: fields.text("download"), expires: None };
    fields.finish()?;
    if let Some(token) = token {
        serving.expires = Some(state.links().verify(&token, &bucket, &name)?.expires);
    }
    let at = (bucket.as_str(), name.as_str());
    let meta = way.find(&state, at).await?;
    match serve(&state, way.headers(), &meta, &serving).await {
        Err(missing @ Error::BlobMissing(_)) => {
            // The row may have been cached before the overwrite.
            state.object_cache().invalidate_all();
            let current = way.find(&state, at).await?;
            if current.version == meta.version {
                return Err(missing);
            }
            serve(&state, way.headers(), &current, &serving).await
        }
        outcome => outcome,
    }
}
