//! The HTML pages of the mail inbox, which contain no scripts.

use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;
use uuid::Uuid;

use super::api::{Filter, Problem};
use crate::Mailer;
use crate::outbox::{self, Entry};

pub(super) const PATH: &str = "/_/inbox";
const STYLE: &str = include_str!("style.css");
const PAGE_CSP: &str = "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum View {
    #[default]
    Html,
    Text,
    Source,
}

#[derive(Deserialize)]
pub(super) struct MailQuery {
    #[serde(default)]
    view: View,
}

pub(super) async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

pub(super) async fn list(State(mailer): State<Mailer>, Query(filter): Query<Filter>) -> Result<Response, Problem> {
    let entries = outbox::list(mailer.pool(), mailer.seal_key(), filter.to(), filter.limit()).await?;
    let body = html! {
        header.bar {
            h1 { "Inbox" }
            p.quiet { (note(&mailer)) }
            form.search method="get" action=(PATH) role="search" {
                label.hidden for="to" { "Show only messages to" }
                input #to type="search" name="to" placeholder="Recipient’s whole address" value=(filter.to().unwrap_or_default());
                button { "Show" }
            }
        }
        @if entries.is_empty() {
            p.empty { @if filter.to().is_some() { "No message to this address." } @else { "No messages yet." } }
        } @else {
            ul.messages { @for entry in &entries { li { (summary(entry)) } } }
            details {
                summary { "Delete all…" }
                form method="post" action={ (PATH) "/delete" } {
                    button.danger { "Delete all that is not waiting to be sent" }
                }
            }
        }
    };
    Ok(document("Inbox", body))
}

pub(super) async fn show(
    State(mailer): State<Mailer>,
    Path(id): Path<Uuid>,
    Query(shown): Query<MailQuery>,
) -> Result<Response, Problem> {
    let entry = outbox::get(mailer.pool(), mailer.seal_key(), id).await?.ok_or(Problem::Unknown)?;
    let files = outbox::file_list(mailer.pool(), id).await?;
    let base = format!("{PATH}/{id}");
    let body = html! {
        nav { a href=(PATH) { "← Inbox" } }
        header.message {
            h1 { (subject(&entry)) }
            dl {
                dt { "To" } dd { (entry.recipients.join(", ")) }
                @if let Some(reply_to) = &entry.reply_to { dt { "Answers to" } dd { (reply_to) } }
                dt { "Time" } dd { (time(entry.created_at)) }
                dt { "State" } dd { (state(&entry)) @if entry.attempts > 1 { " after " (entry.attempts) " attempts" } }
                @if let Some(error) = &entry.last_error { dt { "Server" } dd { (error) } }
                @if !files.is_empty() {
                    dt { "Files" }
                    dd { @for (position, (name, _, size)) in (1..).zip(&files) {
                        a.file href={ (base) "/files/" (position) } { (name) " (" (size_text(*size)) ")" } " "
                    } }
                }
            }
        }
        div.tabs role="group" aria-label="View" {
            @for (view, name, query) in [(View::Html, "HTML", ""), (View::Text, "Text", "?view=text"), (View::Source, "Source", "?view=source")] {
                a href={ (base) (query) } aria-current=[(view == shown.view).then_some("page")] { (name) }
            }
        }
        @match shown.view {
            View::Html => iframe src={ (base) "/html" } title="Message" sandbox="allow-popups allow-popups-to-escape-sandbox" {},
            View::Text => pre { (entry.body_text) },
            View::Source => iframe.source src={ (base) "/source" } title="Source" sandbox="" {},
        }
        form method="post" action={ (base) "/delete" } { button.danger { "Delete" } }
    };
    Ok(document(subject(&entry), body))
}

pub(super) async fn delete(State(mailer): State<Mailer>, Path(id): Path<Uuid>) -> Result<Redirect, Problem> {
    outbox::delete(mailer.pool(), Some(id)).await?;
    Ok(Redirect::to(PATH))
}

pub(super) async fn delete_all(State(mailer): State<Mailer>) -> Result<Redirect, Problem> {
    outbox::delete(mailer.pool(), None).await?;
    Ok(Redirect::to(PATH))
}

fn document(title: &str, body: Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="stylesheet" href={ (PATH) "/style.css" };
            }
            body { main { (body) } }
        }
    };
    ([(CONTENT_SECURITY_POLICY, PAGE_CSP)], Html(page.into_string())).into_response()
}

fn summary(entry: &Entry) -> Markup {
    html! {
        a href={ (PATH) "/" (entry.id) } {
            span.to { (entry.recipients.join(", ")) }
            time datetime=(entry.created_at.to_rfc3339()) { (time(entry.created_at)) }
            strong { (subject(entry)) }
            span.tags { (state(entry)) " " span.tag { (entry.kind) } }
            span.start { (entry.body_text.chars().take(160).collect::<String>()) }
        }
    }
}

fn state(entry: &Entry) -> Markup {
    let (class, name) = match entry.state.as_str() {
        "queued" if entry.attempts > 0 => ("warn", "waiting to be sent again"),
        "queued" => ("warn", "waiting to be sent"),
        "failed" => ("bad", "not sent"),
        "sent" => ("good", "sent"),
        _ => ("good", "delivered here"),
    };
    html! { span class={ "tag " (class) } { (name) } }
}

fn note(mailer: &Mailer) -> &'static str {
    if mailer.uses_smtp() {
        "Mail leaves through the configured mail server; this is what was sent."
    } else {
        "No mail server is configured: messages stay here."
    }
}

fn subject(entry: &Entry) -> &str {
    if entry.subject.is_empty() { "(no subject)" } else { &entry.subject }
}

fn time(moment: DateTime<Utc>) -> String {
    moment.format("%-d %b %Y, %H:%M:%S UTC").to_string()
}

fn size_text(bytes: i32) -> String {
    match f64::from(bytes) {
        small if small < 1024.0 => format!("{small} bytes"),
        medium if medium < 1_048_576.0 => format!("{:.0} KB", medium / 1024.0),
        large => format!("{:.1} MB", large / 1_048_576.0),
    }
}
