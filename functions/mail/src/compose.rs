//! Builds the MIME message (RFC 5322) from a row of the mail outbox.

use chrono::{DateTime, Utc};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart};

use crate::outbox::{Entry, File};
use crate::{Address, MailError, Settings};

/// Builds the MIME message. The `Message-ID` depends only on the row of the outbox. If an interrupted delivery is repeated, mail programs
/// therefore recognise the duplicate.
pub(crate) fn message(settings: &Settings, entry: &Entry, files: Vec<File>) -> Result<lettre::Message, MailError> {
    let mut builder = lettre::Message::builder()
        .message_id(Some(format!("<{}@{}>", entry.id, settings.admin_email.domain())))
        .date(system_time(entry.created_at))
        .from(Mailbox::new(
            Some(settings.sender_name.clone()).filter(|name| !name.is_empty()),
            mailbox(settings.admin_email.as_str())?.email,
        ))
        .subject(&entry.subject)
        // This header (RFC 3834) prevents automatic replies.
        .raw_header(HeaderValue::new(header_name("Auto-Submitted"), "auto-generated".to_owned()));
    for recipient in &entry.recipients {
        builder = builder.to(mailbox(recipient)?);
    }
    if let Some(reply_to) = &entry.reply_to {
        builder = builder.reply_to(mailbox(reply_to)?);
    }
    let body = MultiPart::alternative_plain_html(entry.body_text.clone(), entry.html.clone());
    let composed = if files.is_empty() {
        builder.multipart(body)
    } else {
        let mixed = MultiPart::mixed().multipart(body);
        builder.multipart(files.into_iter().fold(mixed, |parts, file| parts.singlepart(attachment(file))))
    };
    composed.map_err(|error| MailError::Compose(error.to_string()))
}

fn attachment(file: File) -> lettre::message::SinglePart {
    let content_type = ContentType::parse(&file.content_type)
        .or_else(|_| ContentType::parse("application/octet-stream"))
        .unwrap_or(ContentType::TEXT_PLAIN);
    Attachment::new(file.filename).body(file.content, content_type)
}

/// Parses a recipient into the type of the lettre crate. The text in the outbox was a valid [`Address`] when it was inserted, but the column can
/// contain any text, so the text is validated again.
pub(crate) fn mailbox(text: &str) -> Result<Mailbox, MailError> {
    let address: Address = text.parse()?;
    let email = address.as_str().parse().map_err(|_| MailError::Address)?;
    Ok(Mailbox::new(None, email))
}

fn header_name(name: &'static str) -> HeaderName {
    HeaderName::new_from_ascii_str(name)
}

fn system_time(moment: DateTime<Utc>) -> std::time::SystemTime {
    moment.into()
}
