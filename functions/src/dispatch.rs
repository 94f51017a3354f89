//! Dispatches a request to a function: finds the function, checks the access token and the limits, and runs a Rust function or forwards the
//! call to a Deno worker or an upstream server.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use cloch_core::log_fields::LogFields;
use cloch_core::spans::{Kind, Span};
use cloch_core::supervise::panic_text;
use cloch_core::trace_context;
use cloch_sql::caller::ClientAddress;
use futures_util::FutureExt;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_LENGTH};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::json;

use crate::deno::{Engine, boot_error};
use crate::function::AnyFunction;
use crate::limits::Limits;
use crate::metrics;
use crate::settings::{Declared, Options};
use crate::state::FunctionsState;
use crate::{Call, FunctionError, FunctionResponse, body, cors, upstream, verify_jwt};

/// Default limits of the project's own functions. The maximum body size is large, because request bodies are streamed. Calls are counted
/// only if the configuration sets a rate limit.
const OWN_LIMITS: Limits = Limits {
    body_bytes: 100 * 1024 * 1024,
    visitor_body_bytes: 100 * 1024 * 1024,
    timeout: Duration::from_secs(150),
    per_address_hourly: None,
    per_user_hourly: None,
    visitors_hourly: None,
};

/// Default declaration for a deployed function that is missing in the project's folder and in config.toml.
static DEPLOYED: LazyLock<Declared> =
    LazyLock::new(|| Declared { verify_jwt: true, options: Options::default(), source: None });

/// Returns the router of the functions API, which must be nested under `/functions/v1`.
pub fn router(state: FunctionsState) -> Router {
    Router::new().route("/", any(serve)).fallback(any(serve)).with_state(state)
}

async fn serve(State(state): State<FunctionsState>, request: Request) -> Response {
    let mut response = route(&state, request).await;
    cors::allow_origin(response.headers_mut());
    // The response of a function is for a single caller, so it must not be cached. The header is not replaced if an upstream server has set
    // `Cache-Control`.
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Adds the function's name to the request's line in the access log.
fn named(mut response: Response, function: &str) -> Response {
    LogFields::set(response.extensions_mut(), |fields| fields.function = Some(function.to_owned()));
    response
}

async fn route(state: &FunctionsState, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let name = parts.uri.path().trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
    if (name.as_str(), parts.uri.path()) == ("_internal", "/_internal/health") {
        return Json(json!({ "message": "ok" })).into_response();
    }
    let is_preflight = parts.method == Method::OPTIONS;
    let own = state.engine.as_ref().filter(|engine| engine.has(&name));
    if is_preflight && own.is_none() {
        return cors::preflight(&parts.headers);
    }
    let uploaded = own.and_then(|engine| engine.upload_verifies_jwt(&name));
    let in_folder = own.and_then(|engine| engine.declared(&name));
    let at_start = || state.services.settings.functions.get(&name);
    let declared = in_folder.as_deref().or_else(at_start).or(own.is_some().then_some(&*DEPLOYED));
    let Some(declared) = declared else { return not_found() };
    let caller = match verify_jwt::caller(&parts, uploaded.unwrap_or(declared.verify_jwt) && !is_preflight) {
        Ok(caller) => caller,
        Err(message) => {
            tracing::info!(function = %name, reason = message, "functions: function call refused, the access token is missing or invalid");
            return named(verify_jwt::unauthorized(message), &name);
        }
    };
    let call = Call {
        services: Arc::clone(&state.services),
        http: state.http.clone(),
        caller,
        client: ClientAddress::of_request(&parts),
        wants_events: accepts_events(&parts.headers),
        name,
    };
    let (function, received) = (call.name.clone(), Instant::now());
    let mut span = Span::begin("function", Kind::Client);
    span.rename(|| format!("function {function}"));
    if let Some(header) = span.context().and_then(|context| context.header()) {
        parts.headers.insert(trace_context::HEADER, header);
    }
    let outcome = match (&declared.options.upstream, own, state.registry.get(&call.name)) {
        (Some(url), _, _) => upstream::forward(&call, declared, url, parts, body).await,
        (None, Some(engine), _) => run_own(engine, declared, &call, parts, body).await,
        (None, None, Some(function)) => {
            run(function.as_ref(), declared, call, &parts, body).await.map(FunctionResponse::into_response)
        }
        // The function's code was in the project's folder when Cloch started and has been deleted since then. The response therefore has
        // status 404.
        (None, None, None) if declared.source.is_some() && state.engine.is_some() => return not_found(),
        (None, None, None) => return boot_error(),
    };
    let response = named(outcome.unwrap_or_else(IntoResponse::into_response), &function);
    metrics::count_call(&function, response.status(), received.elapsed());
    span.add(|| [("http.response.status_code", i64::from(response.status().as_u16()).into())]);
    if response.status().is_server_error() {
        span.fail();
    }
    response
}

/// Returns the response of Supabase's edge runtime for an unknown function.
fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "Function not found").into_response()
}

/// Counts the call towards the rate limits and forwards the call to a Deno worker of the project's own function.
async fn run_own(
    engine: &Engine,
    declared: &Declared,
    call: &Call,
    parts: Parts,
    body: Body,
) -> Result<Response, FunctionError> {
    let limits = declared.options.limits(OWN_LIMITS);
    call.count(&limits).await?;
    let bounds = (limits.body_bytes, limits.timeout);
    // The function may have been deleted after the caller of `run_own` found it; then the response is status 404.
    engine.answer(call, bounds, parts, body).await.unwrap_or_else(|| Ok(not_found()))
}

/// Counts the call towards the rate limits, reads the request body, and runs a Rust function within the function's timeout.
async fn run(
    function: &dyn AnyFunction,
    declared: &Declared,
    call: Call,
    parts: &Parts,
    body: Body,
) -> Result<FunctionResponse, FunctionError> {
    if parts.method != Method::POST {
        return Err(FunctionError::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "This function is called by POST",
        ));
    }
    if !function.roles().contains(&call.caller.role()) {
        return Err(FunctionError::forbidden("This function is not for you"));
    }
    let limits = declared.options.limits(function.limits());
    let body_bytes = limits.body_bytes_of(&call.caller);
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > body_bytes) {
        return Err(body::too_large(body_bytes));
    }
    call.count(&limits).await?;
    let work = async {
        let input = body::read(&parts.headers, body, body_bytes).await?;
        function.call_with(call, input).await
    };
    match tokio::time::timeout(limits.timeout, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(FunctionError::internal(&format!("it panicked: {}", panic_text(&*panic)))),
        Err(_) => {
            let message = "The function took too long; please try again later";
            Err(FunctionError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message))
        }
    }
}

fn accepts_events(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().any(|value| value.to_str().is_ok_and(|text| text.contains("text/event-stream")))
}
