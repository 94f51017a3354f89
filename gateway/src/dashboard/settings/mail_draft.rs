//! `/settings/mail-draft`: renders a mail template that is not saved yet, shows the rendered mail, and sends it to the operator.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use axum::{Extension, Json};
use cloch_auth::{MailDraft, RenderedDraft};
use cloch_mail::{Address, MailError, Mailer};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::editable::blocking;
use super::mail::next;
use crate::dashboard::audit::Note;
use crate::dashboard::extract::Input;
use crate::dashboard::mail::HTML_CSP;
use crate::dashboard::operators::{Session, limits};
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/settings/mail-draft",
        "settings.mail_draft",
        "Render a mail template that is not saved yet",
        Access::OWNER,
        |method| on(method, render),
    )
    .harmless(),
    Route::new(
        Method::Get,
        "/settings/mail-draft/html",
        "settings.mail_draft_html",
        "The mail that this session rendered last, as a page",
        Access::OWNER,
        |method| on(method, html),
    ),
    Route::new(
        Method::Post,
        "/settings/mail-draft/send",
        "settings.mail_draft_send",
        "Send a mail template that is not saved yet to the own address",
        Access::OWNER,
        |method| on(method, send),
    ),
];

/// Maximum length of a template in characters, the same as for a saved template.
const MAX_CHARS: usize = 100_000;
/// Maximum size of a rendered mail in bytes.
const MAX_HTML_BYTES: usize = 2 << 20;

#[derive(Deserialize)]
struct Draft {
    /// Kind of the mail: `confirmation`, `invite`, …
    kind: String,
    /// Template of the subject; `None` for the saved one.
    subject: Option<String>,
    /// Template of the body; `None` for the saved one.
    content: Option<String>,
    /// Metadata of the user who gets the mail.
    #[serde(default)]
    data: Map<String, Value>,
}

/// Renders a draft with the engine of the mails and sample values. The subject and the errors are in the response; the rendered body is stored
/// for [`html`].
async fn render(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    Input(draft): Input<Draft>,
) -> Result<Json<Value>, ApiError> {
    let rendered = rendered(&state, draft).await?;
    sqlx::query(
        "insert into cloch.mail_drafts (session_id, html) values ($1, $2)
         on conflict (session_id) do update set html = excluded.html, made_at = now()",
    )
    .bind(session.id)
    .bind(&rendered.html)
    .execute(state.database.operators())
    .await?;
    Ok(Json(json!({ "subject": rendered.subject, "problems": problems(&rendered) })))
}

/// Returns the body that was rendered last in this session. The content security policy of the response allows neither scripts nor
/// requests.
async fn html(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
) -> Result<Response, ApiError> {
    let html: Option<String> = sqlx::query_scalar("select html from cloch.mail_drafts where session_id = $1")
        .bind(session.id)
        .fetch_optional(state.database.operators())
        .await?;
    let html = html.ok_or_else(|| ApiError::not_found("This session has rendered no mail"))?;
    let document = format!("<base target=\"_blank\">{html}");
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, HTML_CSP)], document).into_response())
}

/// Sends a draft to the address of the operator who is signed in, and to no other address. Uses the mail server that the project's files
/// configure, as for a test mail.
async fn send(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    Input(draft): Input<Draft>,
) -> Result<(Extension<Note>, Json<Value>), ApiError> {
    let kind = draft.kind.clone();
    let mail = rendered(&state, draft).await?;
    if let Some(problem) = problems(&mail).first() {
        return Err(ApiError::bad_request("The template has an error").with_details(problem.clone()));
    }
    let to = &session.operator.email;
    let address: Address = to.parse().map_err(not_sent)?;
    limits::mail_draft(state.database.operators(), session.operator.id).await?;
    let settings = (state.checks.mail)(&next(&state).await?).map_err(|error| {
        ApiError::conflict("The mail server is not configured completely").with_hint(error.to_string())
    })?;
    let mailer = Mailer::new(state.database.clone(), settings).map_err(not_sent)?;
    let reply = mailer.send_now(address, &mail.subject, &mail.html).await.map_err(not_sent)?;
    let note = Note(json!({ "kind": kind, "to": to }));
    Ok((Extension(note), Json(json!({ "to": to, "reply": reply, "is_in_inbox": !mailer.uses_smtp() }))))
}

fn not_sent(error: MailError) -> ApiError {
    ApiError::conflict("The mail was not sent").with_hint(error.to_string())
}

async fn rendered(state: &DashboardState, draft: Draft) -> Result<RenderedDraft, ApiError> {
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().count() > MAX_CHARS);
    if is_long(&draft.subject) || is_long(&draft.content) {
        return Err(ApiError::too_large(format!("A template has at most {MAX_CHARS} characters")));
    }
    let has_nul = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains('\0'));
    if has_nul(&draft.subject) || has_nul(&draft.content) {
        return Err(ApiError::bad_request("A template has no control characters"));
    }
    let next = next(state).await?;
    let Draft { kind, subject, content, data } = draft;
    let rendered = blocking(state, move |_| {
        let draft = MailDraft { subject, content, data };
        cloch_auth::render_mail_draft(&next.file.auth.email, &next.project, &kind, &draft)
            .map_err(|error| ApiError::conflict("The template cannot be shown").with_hint(error.to_string()))
    });
    let rendered = rendered.await?.ok_or_else(|| ApiError::not_found("There is no such mail"))?;
    match rendered.html.len() > MAX_HTML_BYTES {
        true => Err(ApiError::too_large(format!("The rendered mail has more than {} MiB", MAX_HTML_BYTES >> 20))),
        false => Ok(rendered),
    }
}

fn problems(rendered: &RenderedDraft) -> Vec<Value> {
    let shown = rendered.problems.iter().map(|problem| {
        json!({
            "part": problem.part, "line": problem.line, "column": problem.column, "message": problem.message,
            "is_for_user": problem.is_for_user,
        })
    });
    shown.collect()
}
