//! Defines the routes of all storage endpoints.
//!
//! Each method has its own route tree: `GET /object/list/x` reads the object `x` of the bucket `list`, whereas `POST /object/list/x` lists
//! the bucket `x`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, head, options, patch, post, put};
use cloch_core::log_fields::LogFields;
use tower::ServiceExt;

use crate::error::Error;
use crate::read::access::{Any, ByPolicies, BySignedUrl, ByToken, Public};
use crate::request::percent_encoding::is_well_formed;
use crate::state::StorageState;
use crate::{archive, bucket, object, request_bucket, s3, service, tus, vectors};

/// The routes of the storage API, to be mounted at `/storage/v1`. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Routes(Arc<Trees>);

/// One router per HTTP method.
#[derive(Debug)]
struct Trees {
    state: StorageState,
    get: Router,
    head: Router,
    post: Router,
    put: Router,
    patch: Router,
    options: Router,
    delete: Router,
}

impl Routes {
    /// Creates the routes with the given state.
    #[must_use]
    pub fn new(state: StorageState) -> Self {
        Self(Arc::new(Trees {
            state: state.clone(),
            get: gets().fallback(no_route).with_state(state.clone()),
            head: heads().fallback(no_route).with_state(state.clone()),
            post: posts().fallback(no_route).with_state(state.clone()),
            put: puts().fallback(no_route).with_state(state.clone()),
            patch: patches().fallback(no_route).with_state(state.clone()),
            options: optionses().fallback(no_route).with_state(state.clone()),
            delete: deletes().fallback(no_route).with_state(state),
        }))
    }

    /// Handles a request. The mount point of the storage API must already be removed from the request's path.
    pub async fn answer(self, request: Request) -> Response {
        let bucket = request_bucket::of(request.method(), request.uri().path()).map(str::to_owned);
        let mut response = self.answer_unlogged(request).await;
        if bucket.is_some() {
            LogFields::set(response.extensions_mut(), |fields| fields.bucket = bucket);
        }
        response
    }

    async fn answer_unlogged(self, mut request: Request) -> Response {
        let Self(trees) = self;
        let path = request.uri().path();
        if !is_well_formed(path) {
            return Error::BadUrl(path.to_owned()).into_response();
        }
        if path == "/s3" || path.starts_with("/s3/") {
            // The future is boxed because it is large and would otherwise enlarge the future of every request.
            return Box::pin(s3::handle(State(trees.state.clone()), request)).await;
        }
        if path.starts_with(vectors::PATH) {
            return Box::pin(vectors::handle(State(trees.state.clone()), request)).await;
        }
        if path.starts_with(tus::PATH) {
            request = match tus::method_override::apply(request) {
                Ok(request) => request,
                Err(error) => return error.into_response(),
            };
        }
        let refusal = service::platform_feature(request.uri());
        if let Some(refusal) = refusal.or_else(|| service::unread_version(request.method(), request.uri())) {
            return refusal.into_response();
        }
        let tree = match *request.method() {
            Method::GET => &trees.get,
            Method::HEAD => &trees.head,
            Method::POST => &trees.post,
            Method::PUT => &trees.put,
            Method::PATCH => &trees.patch,
            Method::OPTIONS => &trees.options,
            Method::DELETE => &trees.delete,
            _ => return no_route(request).await.into_response(),
        };
        tree.clone().oneshot(request).await.into_response()
    }
}

fn gets() -> Router<StorageState> {
    Router::new()
        .route("/status", get(async || ()))
        .route("/health", get(service::health))
        .route("/version", get(async || env!("CARGO_PKG_VERSION")))
        .route("/bucket", get(bucket::list::handle))
        .route("/bucket/", get(bucket::list::handle))
        .route("/bucket/{bucket}", get(bucket::get::handle))
        .route("/bucket/{bucket}/lifecycle", get(bucket::lifecycle::show))
        .route("/object/{bucket}/{*name}", get(object::get::handle::<Any>))
        .route("/object/authenticated/{bucket}/{*name}", get(object::get::handle::<ByToken>))
        .route("/object/public/{bucket}/{*name}", get(object::get::handle::<Public>))
        .route("/render/image/authenticated/{bucket}/{*name}", get(object::render::render::<ByPolicies>))
        .route("/render/image/public/{bucket}/{*name}", get(object::render::render::<Public>))
        .route("/render/image/sign/{bucket}/{*name}", get(object::render::render::<BySignedUrl>))
        .route("/object/sign/{bucket}/{*name}", get(object::get::handle::<BySignedUrl>))
        .route("/object/info/{bucket}/{*name}", get(object::info::handle::<Any>))
        .route("/object/info/authenticated/{bucket}/{*name}", get(object::info::handle::<ByToken>))
        .route("/object/info/public/{bucket}/{*name}", get(object::info::handle::<Public>))
}

fn heads() -> Router<StorageState> {
    Router::new()
        .route("/status", head(async || ()))
        .route("/bucket", head(bucket::list::handle))
        .route("/bucket/{bucket}", head(bucket::get::handle))
        .route("/object/{bucket}/{*name}", head(object::head::handle::<Any>))
        .route("/object/authenticated/{bucket}/{*name}", head(object::head::handle::<ByToken>))
        .route("/object/public/{bucket}/{*name}", head(object::head::handle::<Public>))
        .route("/render/image/authenticated/{bucket}/{*name}", head(object::render::render::<ByPolicies>))
        .route("/render/image/public/{bucket}/{*name}", head(object::render::render::<Public>))
        .route("/render/image/sign/{bucket}/{*name}", head(object::render::render::<BySignedUrl>))
        .route("/object/sign/{bucket}/{*name}", head(object::get::handle::<BySignedUrl>))
        .route("/upload/resumable/{id}", head(tus::status))
        .route("/upload/resumable/sign/{id}", head(tus::status_signed))
        .route("/object/info/{bucket}/{*name}", head(object::info::handle::<Any>))
        .route("/object/info/authenticated/{bucket}/{*name}", head(object::info::handle::<ByToken>))
        .route("/object/info/public/{bucket}/{*name}", head(object::info::handle::<Public>))
}

fn posts() -> Router<StorageState> {
    Router::new()
        .route("/bucket", post(bucket::create::handle))
        .route("/bucket/", post(bucket::create::handle))
        .route("/bucket/{bucket}/empty", post(bucket::empty::handle))
        .route("/object/{bucket}/{*name}", post(object::upload::create))
        .route("/object/{bucket}/", post(object::upload::nameless))
        .route("/archive/{bucket}", post(archive::handle))
        .route("/upload/resumable", post(tus::create))
        .route("/upload/resumable/", post(tus::create))
        .route("/upload/resumable/sign", post(tus::create_signed))
        .route("/upload/resumable/sign/", post(tus::create_signed))
        .route("/object/copy", post(object::copy::handle))
        .route("/object/move", post(object::move_object::handle))
        .route("/object/upload/sign/{bucket}/{*name}", post(object::sign_upload::handle))
        .route("/object/list-v2/{bucket}", post(object::list_v2::handle))
        .route("/object/list/{bucket}", post(object::list::handle))
        .route("/object/sign/{bucket}", post(object::sign_many::handle))
        .route("/object/sign/{bucket}/{*name}", post(object::sign::handle))
}

fn puts() -> Router<StorageState> {
    Router::new()
        .route("/bucket/{bucket}", put(bucket::update::handle))
        .route("/bucket/{bucket}/lifecycle", put(bucket::lifecycle::replace))
        .route("/object/{bucket}/{*name}", put(object::upload::update))
        .route("/object/{bucket}/", put(object::upload::nameless))
        .route("/object/upload/sign/{bucket}/{*name}", put(object::upload_signed::handle))
}

fn deletes() -> Router<StorageState> {
    Router::new()
        .route("/bucket/{bucket}", delete(bucket::delete::handle))
        .route("/bucket/{bucket}/lifecycle", delete(bucket::lifecycle::remove))
        .route("/cdn", delete(service::purge_cdn))
        .route("/cdn/{bucket}", delete(service::purge_cdn))
        .route("/cdn/{bucket}/{*name}", delete(service::purge_cdn))
        .route("/upload/resumable/{id}", delete(tus::terminate))
        .route("/upload/resumable/sign/{id}", delete(tus::terminate_signed))
        .route("/object/{bucket}", delete(object::delete_many::handle))
        .route("/object/{bucket}/{*name}", delete(object::delete::handle))
}

fn patches() -> Router<StorageState> {
    Router::new()
        .route("/upload/resumable/{id}", patch(tus::patch))
        .route("/upload/resumable/sign/{id}", patch(tus::patch_signed))
}

fn optionses() -> Router<StorageState> {
    Router::new()
        .route("/upload/resumable", options(tus::options))
        .route("/upload/resumable/{*rest}", options(tus::options))
}

async fn no_route(request: Request) -> Error {
    let uri = request.uri();
    let path = uri.path_and_query().map_or(uri.path(), |path| path.as_str());
    Error::NoRoute(request.method().to_string(), path.to_owned())
}
