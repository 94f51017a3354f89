//! The table REST API at `/rest/v1`, compatible with PostgREST.
//!
//! A request passes through stages. Each stage passes a plain value to the next stage: [`request`] (parsed from HTTP), [`plan`] (resolved
//! against the schema cache), [`sql`] (text and bound values), [`execute`] (one batch sent to the database), and the response. All stages
//! except the execution are free of side effects.

mod active_schema;
mod anon_limits;
mod body;
mod error;
mod execute;
mod failure;
mod in_database_config;
mod json;
mod json_form;
pub mod media_type;
pub mod metrics;
mod openapi;
pub mod plan;
pub mod request;
mod response;
mod response_limit;
mod response_memory;
mod settings;
mod slow_statement;
pub mod sql;
mod timing;
mod visitor_rows;
pub mod why;

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::request::Parts;
use http::{HeaderValue, Method, Request, header};
use tokio_util::sync::CancellationToken;

pub use error::ApiError;
pub use failure::Failure;
pub use settings::{OpenApiMode, Settings, TxEnd, VisitorLimits};

use active_schema::ActiveSchema;
use anon_limits::VisitorWrite;
use body::{BodyMemory, HeldBody};
use cloch_core::log_fields::LogFields;
use cloch_sql::caller::roles::RoleError;
use cloch_sql::caller::{self, ANON, Caller, CallerRoles};
use cloch_sql::client::Pool;
use cloch_sql::database::Login;
use cloch_sql::replica::{LSN_HEADER, Replica};
use cloch_sql::schema_cache::{SchemaCache, SharedSchemaCache};
use execute::{Executor, Job, api_error, network_of};
use plan::Plan;
use request::{ApiRequest, Target};
use response_memory::AnswerMemory;
use slow_statement::SlowStatements;
use timing::Stopwatch;
use visitor_rows::VisitorRows;

/// State of the table REST API. Clones share the same state.
#[derive(Debug, Clone)]
pub struct RestState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: ArcSwap<Settings>,
    body_memory: BodyMemory,
    answer_memory: AnswerMemory,
    executor: Executor,
    visitor_rows: VisitorRows,
    roles: CallerRoles,
    shared_cache: SharedSchemaCache,
    current: ArcSwapOption<ActiveSchema>,
}

impl Inner {
    /// Returns the current schema cache with the REST settings that apply to the schema cache; `None` before the first load of the schema
    /// cache.
    fn current(&self) -> Option<Arc<ActiveSchema>> {
        let schema_cache = self.shared_cache.current()?;
        let base = self.settings.load();
        if let Some(current) = self.current.load_full()
            && Arc::ptr_eq(&current.schema_cache, &schema_cache)
            && Arc::ptr_eq(&current.base, &base)
        {
            return Some(current);
        }
        let settings = base.with_login_settings(&schema_cache);
        let current = Arc::new(ActiveSchema { settings, base: Arc::clone(&base), schema_cache });
        self.current.store(Some(Arc::clone(&current)));
        self.roles.expire();
        Some(current)
    }

    /// Waits until the schema cache contains all schema changes that were committed before this call. Returns the new schema cache, or
    /// `None` if the schema cache is still the same as in `before`.
    async fn caught_up(&self, before: &ActiveSchema) -> Option<Arc<ActiveSchema>> {
        self.shared_cache.catch_up().await;
        self.current().filter(|now| !Arc::ptr_eq(&now.schema_cache, &before.schema_cache))
    }
}

impl RestState {
    /// Starts loading the schema cache, and reloads the schema cache after changes until `shutdown`. The connections of `login` run
    /// requests and may go through a pooler. The connection of `listener` receives notifications of schema changes, so it must not go
    /// through a transaction pooler. Both logins must be able to switch to the callers' roles.
    ///
    /// Must be called in a tokio runtime. Returns immediately. Requests get status 503 until the schema cache is loaded.
    #[must_use]
    pub fn connect(login: Login, listener: Login, settings: Settings, shutdown: CancellationToken) -> Self {
        let shared_cache = SharedSchemaCache::watch(listener, settings.scope(), shutdown.clone());
        let slow = SlowStatements::start(login.clone(), shutdown.clone());
        let replica = settings.replica.clone();
        let pool = Pool::new(login.clone(), settings.pool_size);
        let visitor_rows = VisitorRows::start(pool.clone(), shutdown.clone());
        let roles = CallerRoles::new(pool.clone());
        let replica = replica.map(|replica| Replica::start(login, replica, settings.pool_size, shutdown));
        let executor = Executor::new(pool, slow, replica);
        let (body_memory, answer_memory) = (BodyMemory::new(&settings), AnswerMemory::new());
        Self {
            inner: Arc::new(Inner {
                settings: ArcSwap::from_pointee(settings),
                body_memory,
                answer_memory,
                executor,
                visitor_rows,
                roles,
                shared_cache,
                current: ArcSwapOption::empty(),
            }),
        }
    }

    /// Replaces the settings that can change while the server runs: the maximum number of rows, the numbers of rows that visitors may
    /// write, the log of slow statements, and the settings of each transaction. All other settings of `next` are ignored. A request that
    /// has begun continues with the previous settings.
    pub fn change_settings(&self, next: &Settings) {
        let present = self.inner.settings.load_full();
        let visitors = VisitorLimits { body_bytes: present.visitors.body_bytes, ..next.visitors.clone() };
        self.inner.settings.store(Arc::new(Settings {
            max_rows: next.max_rows,
            visitors,
            slow_statement: next.slow_statement,
            app_settings: next.app_settings.clone(),
            ..Settings::clone(&present)
        }));
    }

    /// Whether the schema cache is loaded, so that requests can be served.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.inner.shared_cache.is_ready()
    }

    /// Returns the current schema cache; `None` before its first load.
    #[must_use]
    pub fn schema_cache(&self) -> Option<Arc<SchemaCache>> {
        self.inner.shared_cache.current()
    }

    /// Returns the pool of connections to the primary database.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        self.inner.executor.pool()
    }

    /// Returns the read replica; `None` if no replica is configured.
    #[must_use]
    pub fn replica(&self) -> Option<&Replica> {
        self.inner.executor.replica()
    }

    /// Responds to a request. The path of the request must not contain the prefix under which the API is mounted.
    pub async fn answer(self, request: Request<Body>) -> Response {
        let (parts, body) = request.into_parts();
        let current = self.inner.current();
        let outcome = match &current {
            Some(current) => {
                let limit = current.settings.request_timeout;
                let answering = answer(&self.inner, current, &parts, body);
                tokio::time::timeout(limit, answering).await.unwrap_or_else(|_| Err(ApiError::timeout(limit)))
            }
            None => caller::of_request(&parts).map_err(ApiError::from).and(Err(ApiError::no_schema_cache())),
        };
        let is_success = outcome.is_ok();
        let mut response = outcome.unwrap_or_else(|error| {
            let failure = Failure::of(&error, &parts, current.as_deref());
            let mut response = error.into_response();
            response.extensions_mut().insert(failure);
            response
        });
        if parts.method == Method::HEAD && is_success {
            // HEAD does not build the body, so the length of the body is unknown and `Content-Length: 0` would be wrong.
            *response.body_mut() = Body::from_stream(stream::empty::<Result<bytes::Bytes, std::convert::Infallible>>());
        }
        if let Some(name) = current.as_ref().and_then(|current| current.settings.trace_header.clone()) {
            let value = parts.headers.get(&name).cloned();
            response.headers_mut().insert(name, value.unwrap_or_else(|| HeaderValue::from_static("")));
        }
        response
    }
}

/// Size in bytes from which a request body is parsed on a blocking thread, because parsing would delay other requests.
const BLOCKING_PARSE_BYTES: usize = 1024 * 1024;

async fn parse_request(
    target: Target,
    parts: &Parts,
    body: bytes::Bytes,
    current: &Arc<ActiveSchema>,
) -> Result<ApiRequest, ApiError> {
    if body.len() < BLOCKING_PARSE_BYTES {
        return target.request(parts, body, &current.settings, current.schema_cache.timezones.names());
    }
    let (parts, current) = (parts.clone(), Arc::clone(current));
    let reading = move || target.request(&parts, body, &current.settings, current.schema_cache.timezones.names());
    match tokio::task::spawn_blocking(reading).await {
        Ok(request) => request,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn role_error(error: RoleError, caller: &Caller) -> ApiError {
    match error {
        RoleError::Refused(refusal) => refusal.into(),
        RoleError::Database(error) => api_error(error, caller),
    }
}

async fn answer(inner: &Inner, current: &Arc<ActiveSchema>, parts: &Parts, body: Body) -> Result<Response, ApiError> {
    let Inner { executor, body_memory, answer_memory, .. } = inner;
    let caller = caller::of_request(parts)?;
    inner.roles.check_caller(&caller).await.map_err(|error| role_error(error, &caller))?;
    let settings = &current.settings;
    let mut stopwatch = Stopwatch::new(settings.server_timing, caller::resolved_in(parts));
    let target = Target::find(parts, settings)?;
    // `body` lives until the end of this function, so that its memory counts towards the memory budget while the statement uses it: the
    // statement's parameters share the memory of the body.
    let body = if target.has_body() {
        body_memory.read(&parts.headers, body, caller.role() == ANON, settings).await?
    } else {
        HeldBody::default()
    };
    if request::names_timezone(&parts.headers) {
        let loaded = current.schema_cache.timezones.load(executor.pool()).await;
        loaded.map_err(|error| api_error(error, &caller))?;
    }
    let request = parse_request(target, parts, body.bytes.clone(), current).await?;
    let mut visitor = VisitorWrite::of(&caller, parts, &request, settings)?;
    stopwatch.lap("parse");
    let caught_up;
    let (ActiveSchema { schema_cache, settings, .. }, plan) = match current.plan(&request, &caller) {
        Ok(plan) => (current.as_ref(), plan),
        Err(refused) => {
            // The schema change that the request requires may be committed, but not loaded into the schema cache yet.
            caught_up = inner.caught_up(current).await.ok_or(refused)?;
            (caught_up.as_ref(), caught_up.plan(&request, &caller)?)
        }
    };
    stopwatch.lap("plan");
    let mut response = match plan {
        Plan::Rows(plan) => {
            if let Some(visitor) = &mut visitor {
                visitor.reserve(&inner.visitor_rows).await?;
            }
            let transaction_settings =
                sql::transaction_settings(&caller, parts, &request, Some(&plan), schema_cache, settings);
            let meter = answer_memory.meter(caller.role() == ANON, plan.read_only);
            let job = Job {
                caller: &caller,
                transaction_settings: &transaction_settings,
                plan: &plan,
                request: &request,
                schema_cache,
                settings,
                visitor: visitor.as_ref(),
                meter: &meter,
                network: network_of(parts),
                replica: None,
            };
            let replica = executor.replica_part(job, parts);
            let outcome = executor.run(Job { replica: replica.as_ref(), ..job }).await;
            let rolls_back = job.rolls_back();
            if let Some(visitor) = visitor {
                visitor.settle(outcome.as_ref().map(|outcome| outcome.written), rolls_back);
            }
            let outcome = outcome?;
            stopwatch.lap("transaction");
            let bytes = outcome.body.iter().map(bytes::Bytes::len).sum();
            let held = meter.end(bytes)?;
            let lsn = outcome.lsn.and_then(|lsn| HeaderValue::try_from(lsn.to_string()).ok());
            let response = response::rows_response(&plan, &request, outcome, settings)?;
            let mut response = response_memory::hold_in(response, held);
            if let Some(lsn) = lsn {
                response.headers_mut().insert(LSN_HEADER, lsn);
            }
            response
        }
        Plan::Describe => {
            let visible = openapi::visible(executor.pool(), &caller, parts, &request, schema_cache, settings).await?;
            stopwatch.lap("transaction");
            let response = openapi::describe(&visible, parts, &request, schema_cache, settings);
            let bytes = http_body::Body::size_hint(response.body()).exact().unwrap_or_default();
            let held =
                answer_memory.meter(caller.role() == ANON, true).end(usize::try_from(bytes).unwrap_or(usize::MAX))?;
            response_memory::hold_in(response, held)
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
    let resource = failure::resource(&request.action, schema_cache);
    // Set `Vary` to the request headers on which the response depends. A `Vary` header that an SQL function has set is kept.
    headers.entry(header::VARY).or_insert(HeaderValue::from_static("Accept, Prefer, Range"));
    LogFields::set(response.extensions_mut(), |fields| fields.resource = resource);
    Ok(response)
}
