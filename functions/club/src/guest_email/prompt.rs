//! Prompt for the language model. The prompt contains no data about the guest except the guest's status, which is one of three words.

use super::input::Status;
use super::letter::PLACEHOLDER;

pub(super) struct Prompt {
    pub(super) system: String,
    pub(super) user: String,
}

impl Prompt {
    pub(super) fn new(club: &str, status: Status, events: &[String]) -> Self {
        Self { system: rules(club), user: task(status, events) }
    }
}

fn rules(club: &str) -> String {
    format!(
        "You draft short, warm and plain e-mails in British English on behalf of {club}, a community service club. \
         Write 2 to 4 short paragraphs with an empty line between them, no subject line, no markdown, no HTML, no links. \
         Begin with \"Dear {PLACEHOLDER},\" and keep {PLACEHOLDER} exactly as it is: it is replaced by the name later. \
         Sign as {club}. State no dates, prices, places or promises other than those listed under Events."
    )
}

fn task(status: Status, events: &[String]) -> String {
    let situation = match status {
        Status::Invited => "has been invited and has not replied yet. Remind kindly and ask for a reply.",
        Status::Accepted => "has accepted the invitation. Thank them and ask for dietary or access needs.",
        Status::Declined => "has declined the invitation. Thank them for replying and leave the door open.",
    };
    let events = if events.is_empty() { "(none listed)".to_owned() } else { events.join("\n") };
    format!("Write a follow-up to a guest who {situation}\n\nEvents:\n{events}")
}
