//! Parses the input of the function `send-guest-email`.

use cloch_functions::FunctionError;
use cloch_mail::Address;
use serde::Deserialize;

const MAX_NAME_CHARS: usize = 200;
const MAX_MESSAGE_CHARS: usize = 20_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Input {
    guest_name: String,
    #[serde(default)]
    guest_email: Option<String>,
    guest_status: Status,
    #[serde(default)]
    custom_message: Option<String>,
    #[serde(default)]
    generate_only: Option<bool>,
}

/// The guest's answer to the invitation.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Invited,
    Accepted,
    Declined,
}

#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub(super) name: String,
    email: Option<String>,
    pub(super) status: Status,
}

#[derive(Debug)]
pub(super) enum Task {
    Draft,
    Send(String),
}

impl Input {
    pub(super) fn parse(self) -> Result<(Guest, Task), FunctionError> {
        let name = self.guest_name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Err(FunctionError::bad_input(format!("guestName: 1 to {MAX_NAME_CHARS} characters")));
        }
        if name.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
            return Err(FunctionError::bad_input("guestName: must be one line"));
        }
        let guest = Guest { name: name.to_owned(), email: self.guest_email, status: self.guest_status };
        if self.generate_only.unwrap_or(false) {
            return Ok((guest, Task::Draft));
        }
        let text = self.custom_message.unwrap_or_default();
        if text.trim().is_empty() {
            return Err(FunctionError::bad_input("customMessage: must not be empty"));
        }
        if text.chars().count() > MAX_MESSAGE_CHARS {
            return Err(FunctionError::bad_input(format!("customMessage: at most {MAX_MESSAGE_CHARS} characters")));
        }
        Ok((guest, Task::Send(text)))
    }
}

impl Guest {
    /// Returns the guest's address as written in the guest list. The text may be empty or an invalid address.
    pub(super) fn written_address(&self) -> &str {
        self.email.as_deref().unwrap_or_default()
    }

    /// Parses the guest's address. Sending a letter requires a valid address; a draft does not.
    pub(super) fn address(&self) -> Result<Address, FunctionError> {
        self.written_address().parse().map_err(|error| FunctionError::bad_input(format!("guestEmail: {error}")))
    }
}
