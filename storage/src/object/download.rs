//! `GET /object/…`: an object's bytes, by token, from a public bucket, or through a signed link.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;

use super::meta::Meta;
use super::serve::{Serving, serve};
use super::{link, visible};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::remember::Known;
use crate::request::{Asking, Fields, Visitor};
use crate::rows::object::Object;
use crate::state::StorageState;

/// `GET /object/{bucket}/{name}`: with a token as the policies say, without one from public buckets only.
pub(crate) async fn any(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let serving = Serving { download: download(query.as_deref())?, expires: None };
    serve_current(&state, visitor.headers(), &serving, || {
        visible::to_visitor(&state, &visitor, Operation::ObjectGetAuthenticated, (&bucket, &name))
    })
    .await
}

/// `GET /object/authenticated/{bucket}/{name}`
pub(crate) async fn authenticated(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    asking: Asking,
) -> Result<Response> {
    let serving = Serving { download: download(query.as_deref())?, expires: None };
    serve_current(&state, asking.headers(), &serving, || {
        visible::to_caller(&state, &asking, Operation::ObjectGetAuthenticated, (&bucket, &name))
    })
    .await
}

/// `GET /object/public/{bucket}/{name}`
pub(crate) async fn public(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let serving = Serving { download: download(query.as_deref())?, expires: None };
    serve_current(&state, visitor.headers(), &serving, || {
        visible::known_public(&state, &visitor, Operation::ObjectGetPublic, (&bucket, &name))
    })
    .await
}

/// `GET /object/sign/{bucket}/{name}?token=…`
pub(crate) async fn signed(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let download = download(query.as_deref())?;
    let token = link::token(query.as_deref())?;
    let link = link::verify_download(state.verifier(), &token, &bucket, &name)?;
    let serving = Serving { download, expires: Some(link.expires()) };
    serve_current(&state, visitor.headers(), &serving, || {
        visible::known_to_link(&state, &visitor, Operation::ObjectGetSigned, (&bucket, &name))
    })
    .await
}

/// The name to save a file as: given once, possibly empty.
pub(crate) fn download(query: Option<&str>) -> Result<Option<String>> {
    let mut fields = Fields::of_query(query);
    let download = fields.text("download");
    fields.finish()?;
    Ok(download)
}

/// Finds an object and serves it. When an overwrite deletes the bytes between the two, the new ones are found and served.
async fn serve_current<F, R, T>(
    state: &StorageState,
    headers: &HeaderMap,
    serving: &Serving,
    find: F,
) -> Result<Response>
where
    F: Fn() -> R,
    R: Future<Output = Result<T>>,
    T: Servable,
{
    let found = find().await?;
    let meta = found.meta();
    match serve(state, headers, &meta, serving).await {
        Err(missing @ Error::BlobMissing(_)) => {
            // The row may have been remembered from before the overwrite.
            state.memory().forget_all();
            let found = find().await?;
            let current = found.meta();
            if current.version == meta.version { Err(missing) } else { serve(state, headers, &current, serving).await }
        }
        outcome => outcome,
    }
}

/// What says how an object is served.
trait Servable {
    fn meta(&self) -> Cow<'_, Meta>;
}

impl Servable for Object {
    fn meta(&self) -> Cow<'_, Meta> {
        Cow::Owned(Meta::of(self))
    }
}

impl Servable for Arc<Known> {
    fn meta(&self) -> Cow<'_, Meta> {
        Cow::Borrowed(&self.meta)
    }
}
