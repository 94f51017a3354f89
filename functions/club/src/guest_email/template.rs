//! Templates of letters, one for each guest status. They are used if no language model is configured or the model fails.

use super::input::Status;
use super::letter::PLACEHOLDER;

/// Returns a letter that contains the placeholder `{guest}` instead of the guest's name.
pub(super) fn letter(status: Status, club: &str, events: &[String]) -> String {
    let body = match status {
        Status::Invited => {
            "A little while ago we sent you an invitation, and we would be delighted to have you with us. If you have not \
             had a chance to reply yet, a short answer to this e-mail is all we need; please also tell us of any dietary or \
             access needs, so that we can make you comfortable.\n\nIf your plans are still open, that is no trouble at all: \
             simply let us know when you can."
        }
        Status::Accepted => {
            "Thank you for accepting our invitation. We are very much looking forward to welcoming you.\n\nIf there is \
             anything we should know beforehand, such as dietary or access needs or a guest who comes with you, please \
             reply to this e-mail and we will see to it."
        }
        Status::Declined => {
            "Thank you for letting us know that you cannot join us this time. We are sorry to miss you, and quite \
             understand.\n\nShould your plans change, you would be most welcome: a reply to this e-mail is enough. \
             Otherwise we hope to see you on another occasion."
        }
    };
    let events = match events {
        [] => String::new(),
        lines => format!("\n\nComing up at {club}:\n{}", lines.join("\n")),
    };
    format!("Dear {PLACEHOLDER},\n\n{body}{events}\n\nWith kind regards,\n{club}")
}
