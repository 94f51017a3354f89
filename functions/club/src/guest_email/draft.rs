//! Drafts a letter with the configured language model. If no language model is configured or the model fails, the draft is the template for the
//! guest's status.

use cloch_functions::limits::{RateLimit, take};
use cloch_functions::{Call, FunctionError, FunctionResponse};
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::input::Guest;
use super::model::Model;
use super::prompt::Prompt;
use super::{SendGuestEmail, events, letter, template};

/// Returns a draft as JSON `{generatedContent, source, subject}`. If the client accepts `text/event-stream`, returns a stream of events
/// instead: `{delta}` for each piece of the text, then the finished draft with `done`.
pub(super) async fn answer(
    function: &SendGuestEmail,
    call: &Call,
    guest: Guest,
) -> Result<FunctionResponse, FunctionError> {
    let settings = &function.ai;
    let events = events::read(call.database().admin()).await?;
    let Some(model) = Model::from_settings(settings, call.http()) else {
        return Ok(whole(call, template_draft(function, &guest, &events)));
    };
    take(call.database().admin(), "send-guest-email/drafts", RateLimit::hourly(settings.drafts_hourly)).await?;
    let prompt = Prompt::new(function.club(), guest.status, &events);
    if call.wants_events() {
        let fallback = template_draft(function, &guest, &events);
        return streamed(function, call, guest, fallback, &model, &prompt).await;
    }
    let draft = match model.draft(&prompt).await {
        Ok(text) => letter::paragraphs(&text).map(|text| done(function.subject(), &text, &guest, "ai")),
        Err(error) => {
            tracing::warn!(
                error = error.kind(),
                model = model.name(),
                "club: language model failed to return the draft of a letter, using the letter template"
            );
            None
        }
    };
    Ok(FunctionResponse::Json(draft.unwrap_or_else(|| template_draft(function, &guest, &events))))
}

async fn streamed(
    function: &SendGuestEmail,
    call: &Call,
    guest: Guest,
    fallback: Value,
    model: &Model,
    prompt: &Prompt,
) -> Result<FunctionResponse, FunctionError> {
    let model_name = model.name().to_owned();
    let pieces = match model.stream(prompt).await {
        Ok(pieces) => pieces,
        Err(error) => {
            tracing::warn!(
                error = error.kind(),
                model = model_name,
                "club: language model failed to return the draft of a letter, using the letter template"
            );
            return Ok(whole(call, fallback));
        }
    };
    let subject = function.subject().to_owned();
    // Send each piece of the draft when it arrives. At the end, send the finished draft with the cleaned text.
    let ended = futures_util::stream::once(async { None });
    let events = pieces.map(Some).chain(ended).scan(Some(Progress::default()), move |progress, piece| {
        let event = match (piece, progress.as_mut()) {
            (_, None) => None,
            (Some(Ok(piece)), Some(progress)) => Some(json!({ "delta": progress.add(&piece, &guest.name) })),
            (Some(Err(error)), Some(_)) => {
                tracing::warn!(
                    error = error.kind(),
                    model = model_name,
                    "club: language model response incomplete, using the letter template"
                );
                *progress = None;
                Some(fallback.clone())
            }
            (None, Some(progress)) => {
                let text = letter::paragraphs(&progress.text);
                Some(text.map_or_else(|| fallback.clone(), |text| done(&subject, &text, &guest, "ai")))
            }
        };
        std::future::ready(event)
    });
    Ok(FunctionResponse::events(events))
}

/// The part of a draft that was received from the language model, and the number of its bytes that were sent to the client.
#[derive(Default)]
struct Progress {
    text: String,
    shown: usize,
}

impl Progress {
    /// Appends a piece of the draft to the received text, and returns the text that can be sent to the client now. Replaces the placeholder
    /// `{guest}` by the guest's name even if the placeholder arrives in two pieces.
    fn add(&mut self, piece: &str, name: &str) -> String {
        self.text.push_str(piece);
        let may_grow = |cut: &usize| letter::PLACEHOLDER.starts_with(self.text.get(*cut..).unwrap_or_default());
        let end = self.text.rfind('{').filter(may_grow).filter(|cut| self.text.len() - cut < letter::PLACEHOLDER.len());
        let visible = letter::with_name(self.text.get(..end.unwrap_or(self.text.len())).unwrap_or_default(), name);
        let delta = visible.get(self.shown..).unwrap_or_default().to_owned();
        self.shown = self.shown.max(visible.len());
        delta
    }
}

fn template_draft(function: &SendGuestEmail, guest: &Guest, events: &[String]) -> Value {
    done(function.subject(), &template::letter(guest.status, function.club(), events), guest, "template")
}

/// Returns the JSON of a finished draft with the letter's subject, a greeting and the guest's name.
fn done(subject: &str, text: &str, guest: &Guest, source: &str) -> Value {
    let text = letter::with_name(&letter::greeted(text.to_owned()), &guest.name);
    json!({ "generatedContent": text, "source": source, "subject": subject, "done": true })
}

/// Returns a finished draft as JSON, or as a stream with one event if the client accepts `text/event-stream`.
fn whole(call: &Call, draft: Value) -> FunctionResponse {
    match call.wants_events() {
        true => FunctionResponse::events(futures_util::stream::iter([draft])),
        false => FunctionResponse::Json(draft),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_in_two_pieces_is_shown_as_the_name() {
        let mut progress = Progress::default();
        let shown: Vec<String> =
            ["Dear ", "{gu", "est}", ", a {", "brace}"].iter().map(|piece| progress.add(piece, "Ann")).collect();
        assert_eq!(shown, ["Dear ", "", "Ann", ", a ", "{brace}"]);
    }
}
