//! Access control of the dashboard's endpoints: checks the request's origin, session, operator role and CSRF token, and records admitted
//! requests in the audit log.

use std::convert::Infallible;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use cloch_core::log_fields::LogFields;
use cloch_http::RequestLimits;
use cloch_sql::caller::comes_from_another_site;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use tower_http::timeout::TimeoutLayer;

use super::audit::{Action, Entry, Note};
use super::operator::is_empty;
use super::operators::Session;
use super::route::{Access, Route};
use super::{ApiError, DashboardState};

const CSRF_HEADER: HeaderName = HeaderName::from_static("x-cloch-csrf");

#[derive(Clone)]
struct Guard {
    state: DashboardState,
    route: &'static Route,
}

/// Returns the handler of a route with its body limit, timeout and access control.
pub(super) fn guarded(
    state: &DashboardState,
    route: &'static Route,
    limits: RequestLimits,
) -> MethodRouter<DashboardState> {
    let guard = Guard { state: state.clone(), route };
    let handler = (route.handler)(route.method.filter());
    let handler: MethodRouter<DashboardState> = match route.body_bytes {
        Some(bytes) if !route.has_timeout => handler.layer::<_, Infallible>(DefaultBodyLimit::max(bytes)),
        Some(bytes) => handler
            .layer::<_, Infallible>(DefaultBodyLimit::max(bytes))
            .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limits.timeout)),
        None => handler.layer(DefaultBodyLimit::disable()),
    };
    handler.layer(from_fn_with_state(guard, admit))
}

/// Adds security headers to a response. The header `Cache-Control: no-store` is set because a response is for one operator only.
pub(super) async fn add_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    // Responses with mails or files already have a Content-Security-Policy that allows a browser to display the content. The policy below
    // is added to all other responses.
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // This header prevents other sites from embedding a response as an image, script or frame.
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    response
}

async fn admit(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    guard.answer(request, next).await.unwrap_or_else(IntoResponse::into_response)
}

impl Guard {
    async fn answer(&self, request: Request, next: Next) -> Result<Response, ApiError> {
        let (mut parts, body) = request.into_parts();
        let own_origin = self.state.config.external_url.origin().ascii_serialization();
        if comes_from_another_site(&parts, Some(&own_origin)) {
            return Err(ApiError::cross_site("Another site caused this request"));
        }
        let Access::From(role) = self.route.access else {
            return Ok(next.run(Request::from_parts(parts, body)).await);
        };
        let session = match Session::of_request(&self.state, &parts, self.route.is_use).await? {
            Some(session) => session,
            None => return Err(self.signed_out().await?),
        };
        if session.operator.role < role {
            return Err(ApiError::forbidden("Your role does not allow this").with_hint(format!("It needs {role:?}")));
        }
        if self.route.needs_csrf_token() && !given_token(&parts).is_some_and(|given| session.csrf_token.matches(given))
        {
            return Err(ApiError::csrf("The session's CSRF token is missing or wrong").with_hint("Load the page again"));
        }
        let entry = match self.route.is_recorded() {
            true => Some(self.record(&parts, &session).await?),
            false => None,
        };
        parts.extensions.insert(session.operator.clone());
        parts.extensions.insert(session);
        let pool = self.state.database.operators().clone();
        let run = async move {
            let mut response = next.run(Request::from_parts(parts, body)).await;
            LogFields::set(response.extensions_mut(), |fields| fields.caller = Some("operator"));
            if let Some(entry) = entry {
                let note = response.extensions_mut().remove::<Note>();
                entry.end(&pool, response.status(), note).await;
            }
            response
        };
        match self.route.goes_on() {
            false => Ok(run.await),
            true => {
                tokio::spawn(run).await.map_err(|error| ApiError::internal("an action of an operator failed", error))
            }
        }
    }

    async fn signed_out(&self) -> Result<ApiError, ApiError> {
        let first_operator = is_empty(self.state.database.operators()).await?;
        let details = serde_json::json!({ "first_operator": first_operator });
        Ok(ApiError::signed_out("Sign in first").with_details(details))
    }

    async fn record(&self, parts: &Parts, session: &Session) -> Result<Entry, ApiError> {
        let action =
            Action { operator: Some(&session.operator), email: None, name: self.route.name, target: parts.uri.path() };
        Entry::begin(self.state.database.operators(), parts, action).await
    }
}

fn given_token(parts: &Parts) -> Option<&str> {
    parts.headers.get(CSRF_HEADER)?.to_str().ok()
}
