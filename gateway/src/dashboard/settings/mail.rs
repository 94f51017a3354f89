//! `/settings/test-mail`, `/settings/templates`: test the mail settings in the project's files. The test also uses changed settings that
//! take effect only after a restart.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use cloch_auth::MailPreview;
use cloch_mail::{MailError, Mailer};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};

use super::change;
use super::editable::blocking;
use crate::config::Config;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::mail::HTML_CSP;
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/settings/test-mail",
        "settings.test_mail",
        "Send a test mail with the mail server of the settings",
        Access::OWNER,
        |method| on(method, test_mail),
    ),
    Route::new(
        Method::Get,
        "/settings/templates/{kind}",
        "settings.template",
        "A mail template with sample values",
        Access::OWNER,
        |method| on(method, template),
    ),
    Route::new(
        Method::Get,
        "/settings/templates/{kind}/html",
        "settings.template_html",
        "The text of a mail template with sample values, as a page",
        Access::OWNER,
        |method| on(method, template_html),
    ),
];

#[derive(Deserialize)]
struct Recipient {
    to: String,
}

/// Sends a test mail with the mail server in the project's files, so that a new mail server can be tested before the restart.
async fn test_mail(
    State(state): State<DashboardState>,
    Input(Recipient { to }): Input<Recipient>,
) -> Result<Json<Value>, ApiError> {
    let next = next(&state).await?;
    let settings = (state.checks.mail)(&next).map_err(|error| {
        ApiError::conflict("The mail server is not configured completely").with_hint(error.to_string())
    })?;
    if settings.smtp.is_none() {
        let error = ApiError::conflict("No mail server is configured");
        return Err(error.with_hint("Mail stays in the inbox of this server until a host is set"));
    }
    let mailer = Mailer::new(state.database.clone(), settings).map_err(refused)?;
    let reply = mailer.test(to.trim()).await.map_err(refused)?;
    Ok(Json(json!({ "reply": reply })))
}

fn refused(error: MailError) -> ApiError {
    ApiError::conflict("The test mail was not sent").with_hint(error.to_string())
}

/// Returns the configuration that the server would have after a restart.
pub(super) async fn next(state: &DashboardState) -> Result<Config, ApiError> {
    let refused = |error: String| ApiError::conflict("The settings cannot be read").with_hint(error);
    blocking(state, move |state| change::next(&state.config).map_err(refused)).await
}

async fn preview(state: &DashboardState, kind: String) -> Result<MailPreview, ApiError> {
    let next = next(state).await?;
    let rendered = blocking(state, move |_| {
        cloch_auth::preview_mail(&next.file.auth.email, &next.project, &kind)
            .map_err(|error| ApiError::conflict("The template cannot be shown").with_hint(error.to_string()))
    });
    rendered.await?.ok_or_else(|| ApiError::not_found("There is no such mail"))
}

async fn template(State(state): State<DashboardState>, At(kind): At<String>) -> Result<Json<Value>, ApiError> {
    let MailPreview { subject, is_own, samples, source, subject_source, .. } = preview(&state, kind).await?;
    let variables: Vec<&String> = samples.keys().collect();
    Ok(Json(json!({
        "subject": subject, "subject_source": subject_source, "source": source, "is_own": is_own, "variables": variables,
        "samples": samples,
    })))
}

async fn template_html(State(state): State<DashboardState>, At(kind): At<String>) -> Result<Response, ApiError> {
    let MailPreview { html, .. } = preview(&state, kind).await?;
    let document = format!("<base target=\"_blank\">{html}");
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, HTML_CSP)], document).into_response())
}
