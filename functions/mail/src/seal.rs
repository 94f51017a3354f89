//! Encrypts the subject and bodies of messages with a sign-in link or code in the database. Some logins may read all tables, such as the
//! login of read-only SQL. Because of the encryption, they cannot use links that are still valid.

use cloch_core::{Secret, sealed_text};
use uuid::Uuid;

use crate::outbox::Entry;
use crate::{MailError, Message};

const PREFIX: &str = "cloch-sealed:";
/// Text that replaces a message text that cannot be decrypted, because its key was replaced.
const LOST: &str = "(This message was sealed with a key that this server no longer has.)";

pub(crate) struct Stored {
    pub(crate) subject: String,
    pub(crate) html: String,
    pub(crate) text: String,
}

impl Stored {
    pub(crate) fn of(key: &Secret, id: Uuid, message: &Message) -> Result<Self, MailError> {
        let stored = |part: &str, text: &str| match message.is_sealed && !key.is_empty() {
            true => seal(key, id, part, text),
            false => Ok(text.to_owned()),
        };
        let (subject, html) = (stored("subject", &message.subject)?, stored("html", &message.html)?);
        let text = stored("text", &message.text)?;
        Ok(Self { subject, html, text })
    }
}

fn seal(key: &Secret, id: Uuid, part: &str, text: &str) -> Result<String, MailError> {
    let sealed = sealed_text::seal(key, row(id, part).as_bytes(), text).ok_or(MailError::Randomness)?;
    Ok(format!("{PREFIX}{sealed}"))
}

fn row(id: Uuid, part: &str) -> String {
    format!("mail {id} {part}")
}

fn is_sealed(stored: &str) -> bool {
    stored.starts_with(PREFIX)
}

/// Decrypts the stored subject or body of a message; `part` is `subject`, `html` or `text`. An unencrypted text is returned unchanged.
pub(crate) fn open(key: &Secret, id: Uuid, part: &str, stored: String) -> String {
    match stored.strip_prefix(PREFIX) {
        None => stored,
        Some(sealed) => match sealed_text::open(key, row(id, part).as_bytes(), sealed) {
            Some(text) => text.expose().to_owned(),
            None => LOST.to_owned(),
        },
    }
}

/// Encrypts a text of the message `from` again for `to`, a copy of this message. A text that is stored unencrypted is returned unchanged.
/// `part` is `subject`, `html` or `text`.
pub(crate) fn again(key: &Secret, (from, to): (Uuid, Uuid), part: &str, stored: String) -> Result<String, MailError> {
    match is_sealed(&stored) {
        true => seal(key, to, part, &open(key, from, part, stored)),
        false => Ok(stored),
    }
}

impl Entry {
    pub(crate) fn opened(self, key: &Secret) -> Self {
        let id = self.id;
        Self {
            subject: open(key, id, "subject", self.subject),
            html: open(key, id, "html", self.html),
            body_text: open(key, id, "text", self.body_text),
            ..self
        }
    }

    /// Whether the message cannot be sent, because its texts cannot be decrypted.
    pub(crate) fn is_lost(&self) -> bool {
        self.body_text == LOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;

    fn message(sealed: bool) -> Message {
        let to: Address = "ann@example.org".parse().unwrap();
        let message =
            Message::new("magic_link", [to], "Code 123456", "<a href=\"https://x/verify?token=abc\">in</a>").unwrap();
        if sealed { message.sealed() } else { message }
    }

    #[test]
    fn a_sealed_message_is_opened_with_its_key_in_its_own_row_only() {
        let (key, id) = (Secret::new("a key"), Uuid::new_v4());
        let stored = Stored::of(&key, id, &message(true)).unwrap();
        for text in [&stored.subject, &stored.html, &stored.text] {
            assert!(is_sealed(text) && !text.contains("token") && !text.contains("123456"), "{text}");
        }
        assert_eq!(open(&key, id, "subject", stored.subject.clone()), "Code 123456");
        for (key, id, part) in
            [(Secret::new("other"), id, "subject"), (key.clone(), Uuid::new_v4(), "subject"), (key, id, "html")]
        {
            assert_eq!(open(&key, id, part, stored.subject.clone()), LOST);
        }
    }

    #[test]
    fn what_contains_no_link_stays_searchable() {
        let (key, id) = (Secret::new("a key"), Uuid::new_v4());
        assert_eq!(Stored::of(&key, id, &message(false)).unwrap().subject, "Code 123456");
        assert_eq!(Stored::of(&Secret::default(), id, &message(true)).unwrap().subject, "Code 123456");
        assert_eq!(open(&key, id, "subject", "Code 123456".to_owned()), "Code 123456");
    }
}
