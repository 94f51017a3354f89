//! Defines [`Message`]: a mail that another crate queues in the outbox.

use uuid::Uuid;

use crate::{Address, MailError, text};

/// Maximum number of recipients of one message, because the outbox is not meant for mailing lists.
pub const MAX_RECIPIENTS: usize = 50;
/// Maximum length of a subject in characters. A longer subject is truncated, because RFC 5322, section 2.1.1, limits the length of a line.
const MAX_SUBJECT_CHARS: usize = 250;
const MAX_FILENAME_CHARS: usize = 120;

/// A mail that is to be queued. The sender is the project's own address (see [`crate::Settings`]).
#[derive(Clone, Debug)]
pub struct Message {
    pub(crate) kind: String,
    pub(crate) to: Vec<Address>,
    pub(crate) reply_to: Option<Address>,
    pub(crate) subject: String,
    pub(crate) html: String,
    pub(crate) text: String,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) requested_by: Option<Uuid>,
    pub(crate) is_sealed: bool,
}

impl Message {
    /// Creates a message with an HTML body. The text body is generated from the HTML. `kind` names the purpose (`invite`, `recovery`, …). Control
    /// characters in the subject become spaces, so that the subject stays one header line.
    ///
    /// # Errors
    /// If `to` contains no recipient or more than [`MAX_RECIPIENTS`].
    pub fn new(
        kind: impl Into<String>,
        to: impl IntoIterator<Item = Address>,
        subject: &str,
        html: impl Into<String>,
    ) -> Result<Self, MailError> {
        let mut recipients: Vec<Address> = Vec::new();
        for address in to {
            if !recipients.iter().any(|known| known.is_same(&address)) {
                recipients.push(address);
            }
        }
        if recipients.is_empty() || recipients.len() > MAX_RECIPIENTS {
            return Err(MailError::Recipients);
        }
        let html = without_nul(html.into());
        Ok(Self {
            kind: kind.into(),
            to: recipients,
            reply_to: None,
            subject: one_line(subject, MAX_SUBJECT_CHARS),
            text: text::from_html(&html),
            html,
            attachments: Vec::new(),
            requested_by: None,
            is_sealed: false,
        })
    }

    /// Replaces the text body that was generated from the HTML.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        Self { text: without_nul(text.into()), ..self }
    }

    /// Sets the `Reply-To` address.
    #[must_use]
    pub fn with_reply_to(self, address: Address) -> Self {
        Self { reply_to: Some(address), ..self }
    }

    /// Sets the user on whose behalf the message is sent.
    #[must_use]
    pub fn requested_by(self, user: Option<Uuid>) -> Self {
        Self { requested_by: user, ..self }
    }

    /// Marks the message for encryption of subject and bodies in the database. Used for messages with a sign-in link or code. SQL queries cannot
    /// search the words of such messages.
    #[must_use]
    pub fn sealed(self) -> Self {
        Self { is_sealed: true, ..self }
    }

    /// Adds a file to the message as attachment.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }
}

/// A file attached to a message.
#[derive(Clone)]
pub struct Attachment {
    pub(crate) filename: String,
    pub(crate) content_type: String,
    pub(crate) content: Vec<u8>,
}

impl Attachment {
    /// Creates an attachment. If `filename` is a path, only the last part is used. Control characters in the name are removed.
    #[must_use]
    pub fn new(filename: &str, content_type: &str, content: Vec<u8>) -> Self {
        let name = filename.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = one_line(name, MAX_FILENAME_CHARS);
        Self {
            filename: if name.is_empty() { "attachment".to_owned() } else { name },
            content_type: one_line(content_type, 100),
            content,
        }
    }
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Attachment({}, {} bytes)", self.content_type, self.content.len())
    }
}

/// Converts a text to one header line: replaces each sequence of control characters, line breaks and spaces by one space.
fn one_line(text: &str, max_chars: usize) -> String {
    let is_break = |c: char| c.is_control() || c.is_whitespace();
    let words: Vec<&str> = text.split(is_break).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(max_chars).collect()
}

/// Removes NUL characters, which neither PostgreSQL's type `text` nor a mail can contain.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(list: &[&str]) -> Vec<Address> {
        list.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn refuses_no_recipient_and_a_mailing_list() {
        assert!(matches!(Message::new("x", [], "s", "h"), Err(MailError::Recipients)));
        let crowd = (0..51).map(|n| format!("a{n}@b.org").parse().unwrap());
        assert!(matches!(Message::new("x", crowd, "s", "h"), Err(MailError::Recipients)));
    }

    #[test]
    fn a_subject_stays_one_line() {
        let message = Message::new("x", to(&["a@b.org"]), "Hello\r\nBcc: c@d.org\u{2028}\0 you", "h").unwrap();
        assert_eq!(message.subject, "Hello Bcc: c@d.org you");
    }

    #[test]
    fn the_same_recipient_counts_once() {
        let message = Message::new("x", to(&["a@b.org", "A@B.org", "c@d.org"]), "s", "h").unwrap();
        assert_eq!(message.to, to(&["a@b.org", "c@d.org"]));
    }

    #[test]
    fn a_filename_is_no_path_and_no_header() {
        let file = |name: &str| Attachment::new(name, "image/png\r\nX: y", vec![]);
        assert_eq!(file("../../etc/passwd").filename, "passwd");
        assert_eq!(file("a\r\n\"b.png").filename, "a \"b.png");
        assert_eq!(file("x/").filename, "attachment");
        assert_eq!(file("x").content_type, "image/png X: y");
    }
}
