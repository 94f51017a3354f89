//! The table REST, `/rest/v1`: PostgREST's dialect.
//!
//! A request passes through stages with a plain value between them: [`request`] (what is asked), [`plan`] (what that means for
//! the catalog), [`sql`] (text and bound values), one exchange with the database, and the answer. All but the exchange are pure.

mod body;
mod error;
mod exchange;
mod json;
mod openapi;
pub mod plan;
pub mod request;
mod response;
mod settings;
pub mod sql;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::Request;
use http::request::Parts;
use tokio_util::sync::CancellationToken;

pub use error::ApiError;
pub use settings::{OpenApiMode, Settings, TxEnd};

use crate::caller::{self, Caller};
use crate::catalog::{Catalog, Catalogs, Scope};
use crate::client::Pool;
use crate::database::Login;
use exchange::{Exchange, Job};
use plan::Plan;
use request::Target;

/// The table REST's state. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RestState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    exchange: Exchange,
    catalogs: Catalogs,
}

impl RestState {
    /// Starts loading the catalog and following its changes, until `shutdown`. `login` becomes the callers' roles.
    ///
    /// Needs a tokio runtime. Returns at once: requests are refused with 503 until the catalog is there.
    #[must_use]
    pub fn connect(login: Login, settings: Settings, shutdown: CancellationToken) -> Self {
        let scope = Scope {
            schemas: settings.schemas.clone(),
            extra_search_path: settings.extra_search_path.clone(),
            hoisted_settings: settings.hoisted_settings.clone(),
        };
        let catalogs = Catalogs::watch(login.clone(), scope, shutdown);
        let exchange = Exchange::new(Pool::new(login, settings.pool_size));
        Self { inner: Arc::new(Inner { settings, exchange, catalogs }) }
    }

    /// Whether requests can be served.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.inner.catalogs.is_ready()
    }

    /// The current catalog; none before the first load.
    #[must_use]
    pub fn catalog(&self) -> Option<Arc<Catalog>> {
        self.inner.catalogs.current()
    }
}

/// The routes, without the prefix they are mounted under.
pub fn router(state: RestState) -> Router {
    Router::new().fallback(handle).with_state(state)
}

async fn handle(State(state): State<RestState>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    match answer(&state.inner, parts, body).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn answer(state: &Inner, parts: Parts, body: Body) -> Result<Response, ApiError> {
    let caller = caller::of_request(&parts)?;
    let catalog = state.catalogs.current().ok_or_else(ApiError::no_catalog)?;
    let settings = &state.settings;
    let target = Target::find(&parts, settings)?;
    let body = if target.has_body() {
        body::read(&parts.headers, body, settings.max_body_bytes).await?
    } else {
        bytes::Bytes::new()
    };
    let request = target.request(&parts, body, settings, &catalog.timezones)?;
    match plan::plan(&request, &catalog, settings, caller.role())? {
        Plan::Rows(plan) => rows(state, &caller, &parts, &request, &plan, &catalog).await,
        Plan::Describe => openapi::describe(state.exchange.pool(), &caller, &parts, &request, &catalog, settings).await,
        Plan::TableOptions(table) => Ok(response::table_options(table)),
        Plan::FunctionOptions(function) => Ok(response::function_options(function)),
        Plan::RootOptions => Ok(response::root_options()),
    }
}

async fn rows(
    state: &Inner,
    caller: &Caller,
    parts: &Parts,
    request: &request::ApiRequest,
    plan: &plan::RowsPlan,
    catalog: &Catalog,
) -> Result<Response, ApiError> {
    let settings = &state.settings;
    let transaction_settings = sql::transaction_settings(caller, parts, request, Some(plan), catalog, settings);
    let job = Job { caller, transaction_settings: &transaction_settings, plan, request, catalog, settings };
    let outcome = state.exchange.run(job).await?;
    response::rows_response(plan, request, outcome, settings)
}
