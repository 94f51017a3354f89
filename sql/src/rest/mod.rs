//! The table REST, `/rest/v1`: PostgREST's dialect.
//!
//! A request passes through stages with a plain value between them: [`request`] (what is asked), [`plan`] (what that means for
//! the catalog), [`sql`] (text and bound values), one exchange with the database, and the answer. All but the exchange are pure.

mod body;
mod error;
mod exchange;
mod failure;
mod in_database;
mod json;
mod openapi;
pub mod plan;
pub mod request;
mod response;
mod settings;
pub mod sql;
mod timing;
mod visitors;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::request::Parts;
use http::{HeaderValue, Method, Request, header};
use tokio_util::sync::CancellationToken;

pub use error::ApiError;
pub use failure::Failure;
pub use settings::{OpenApiMode, Settings, TxEnd, VisitorLimits};

use crate::caller::{self, ANON};
use crate::catalog::{Catalog, Catalogs};
use crate::client::Pool;
use crate::login::Login;
use body::{Bodies, Held};
use exchange::{Exchange, Job};
use plan::Plan;
use request::{ApiRequest, Target};
use timing::Stopwatch;
use visitors::VisitorWrite;

/// The table REST's state. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RestState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    bodies: Bodies,
    exchange: Exchange,
    catalogs: Catalogs,
    current: ArcSwapOption<Current>,
}

/// A catalog, and the settings that hold with it.
#[derive(Debug)]
struct Current {
    catalog: Arc<Catalog>,
    settings: Settings,
}

impl Inner {
    /// Worked out once for each catalog; none before the first.
    fn current(&self) -> Option<Arc<Current>> {
        let catalog = self.catalogs.current()?;
        if let Some(current) = self.current.load_full()
            && Arc::ptr_eq(&current.catalog, &catalog)
        {
            return Some(current);
        }
        let current = Arc::new(Current { settings: self.settings.with_login_settings(&catalog), catalog });
        self.current.store(Some(Arc::clone(&current)));
        Some(current)
    }
}

impl RestState {
    /// Starts loading the catalog and following its changes, until `shutdown`. `login` becomes the callers' roles.
    ///
    /// Needs a tokio runtime. Returns at once: requests are refused with 503 until the catalog is there.
    #[must_use]
    pub fn connect(login: Login, settings: Settings, shutdown: CancellationToken) -> Self {
        let catalogs = Catalogs::watch(login.clone(), settings.scope(), shutdown);
        let exchange = Exchange::new(Pool::new(login, settings.pool_size));
        let bodies = Bodies::new(&settings);
        Self { inner: Arc::new(Inner { settings, bodies, exchange, catalogs, current: ArcSwapOption::empty() }) }
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

    /// Answers a request, whose path has lost the prefix that the API is mounted under.
    pub async fn answer(self, request: Request<Body>) -> Response {
        let (parts, body) = request.into_parts();
        let current = self.inner.current();
        let outcome = match &current {
            Some(current) => {
                let limit = self.inner.settings.request_timeout;
                let answering = answer(&self.inner, current, &parts, body);
                tokio::time::timeout(limit, answering).await.unwrap_or_else(|_| Err(ApiError::timeout(limit)))
            }
            None => caller::of_request(&parts).map_err(ApiError::from).and(Err(ApiError::no_catalog())),
        };
        let is_success = outcome.is_ok();
        let mut response = outcome.unwrap_or_else(|error| {
            let failure = Failure::of(&error, &parts, current.as_deref());
            let mut response = error.into_response();
            response.extensions_mut().insert(failure);
            response
        });
        if parts.method == Method::HEAD && is_success {
            // The length of a body that was not made is not known: 0 would be a lie.
            *response.body_mut() = Body::from_stream(stream::empty::<Result<bytes::Bytes, std::convert::Infallible>>());
        }
        if let Some(name) = current.as_ref().and_then(|current| current.settings.trace_header.clone()) {
            let value = parts.headers.get(&name).cloned();
            response.headers_mut().insert(name, value.unwrap_or_else(|| HeaderValue::from_static("")));
        }
        response
    }
}

/// From this size on a body is read on a thread of its own: it takes long enough for others to notice.
const LARGE_BODY: usize = 1024 * 1024;

/// What a request asks for.
async fn understand(
    target: Target,
    parts: &Parts,
    body: bytes::Bytes,
    current: &Arc<Current>,
) -> Result<ApiRequest, ApiError> {
    if body.len() < LARGE_BODY {
        return target.request(parts, body, &current.settings, &current.catalog.timezones);
    }
    let (parts, current) = (parts.clone(), Arc::clone(current));
    let reading = move || target.request(&parts, body, &current.settings, &current.catalog.timezones);
    match tokio::task::spawn_blocking(reading).await {
        Ok(request) => request,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn answer(inner: &Inner, current: &Arc<Current>, parts: &Parts, body: Body) -> Result<Response, ApiError> {
    let Inner { exchange, bodies, .. } = inner;
    let caller = caller::of_request(parts)?;
    let Current { catalog, settings } = current.as_ref();
    let mut stopwatch = Stopwatch::new(settings.server_timing, caller::resolved_in(parts));
    let target = Target::find(parts, settings)?;
    // Its room is held until the answer is there: the body is passed on to the database as it came.
    let body = if target.has_body() {
        bodies.read(&parts.headers, body, caller.role() == ANON, settings).await?
    } else {
        Held::default()
    };
    let request = understand(target, parts, body.bytes.clone(), current).await?;
    let visitor = VisitorWrite::of(&caller, parts, &request, settings)?;
    stopwatch.lap("parse");
    let plan = plan::plan(&request, catalog, settings, caller.role())?;
    stopwatch.lap("plan");
    let mut response = match plan {
        Plan::Rows(plan) => {
            let transaction_settings =
                sql::transaction_settings(&caller, parts, &request, Some(&plan), catalog, settings);
            let job = Job {
                caller: &caller,
                transaction_settings: &transaction_settings,
                plan: &plan,
                request: &request,
                catalog,
                settings,
                visitor: visitor.as_ref(),
            };
            let outcome = exchange.run(job).await?;
            stopwatch.lap("transaction");
            response::rows_response(&plan, &request, outcome, settings)?
        }
        Plan::Describe => {
            let visible = openapi::visible(exchange.pool(), &caller, parts, &request, catalog, settings).await?;
            stopwatch.lap("transaction");
            openapi::describe(&visible, parts, &request, catalog, settings)
        }
        Plan::TableOptions(table) => response::table_options(table),
        Plan::FunctionOptions(function) => response::function_options(function),
        Plan::RootOptions => response::root_options(),
    };
    stopwatch.lap("response");
    let headers = response.headers_mut();
    if let Some(timing) = stopwatch.header() {
        headers.insert("server-timing", timing);
    }
    // What an answer hangs on beside its URL, for caches on the way; the database may have said something else.
    headers.entry(header::VARY).or_insert(HeaderValue::from_static("Accept, Prefer, Range"));
    Ok(response)
}
