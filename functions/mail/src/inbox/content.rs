//! Serves the parts of a mail to a browser in a sandbox: the content of the mail cannot run scripts, load remote content or access the page
//! of the inbox.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use uuid::Uuid;

use super::api::Problem;
use crate::{Mailer, compose, outbox};

/// Content security policy of a mail's HTML, which forbids scripts, forms and remote content. Links open in a separate tab.
const HTML_CSP: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; \
                           frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";
const FILE_CSP: &str = "default-src 'none'; sandbox";

/// Returns the HTML part of a mail, for the frame in the page of the inbox.
pub(super) async fn html(State(mailer): State<Mailer>, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let entry = outbox::get(mailer.pool(), mailer.seal_key(), id).await?.ok_or(Problem::Unknown)?;
    let document = format!("<base target=\"_blank\">{}", entry.html);
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, HTML_CSP)], document).into_response())
}

pub(super) async fn source(State(mailer): State<Mailer>, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let entry = outbox::get(mailer.pool(), mailer.seal_key(), id).await?.ok_or(Problem::Unknown)?;
    let files = outbox::files(mailer.pool(), id).await?;
    let bytes = compose::message(&mailer.settings(), &entry, files).map(|message| message.formatted());
    let text = bytes.unwrap_or_else(|error| error.to_string().into_bytes());
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8"), (CONTENT_SECURITY_POLICY, FILE_CSP)], text).into_response())
}

/// Returns an attachment of a mail, always as a download, because the sender chose the media type.
pub(super) async fn file(
    State(mailer): State<Mailer>,
    Path((id, position)): Path<(Uuid, usize)>,
) -> Result<Response, Problem> {
    let files = outbox::files(mailer.pool(), id).await?;
    let file = position.checked_sub(1).and_then(|index| files.into_iter().nth(index)).ok_or(Problem::Unknown)?;
    let name: String =
        file.filename.chars().map(|c| if c.is_ascii_alphanumeric() || ".-_ ".contains(c) { c } else { '_' }).collect();
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (CONTENT_SECURITY_POLICY, FILE_CSP.to_owned()),
    ];
    Ok((headers, file.content).into_response())
}
