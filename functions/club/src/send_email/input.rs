//! Parses and validates the input of the function `send-email`.

use cloch_functions::FunctionError;
use cloch_mail::Address;
use serde::Deserialize;
use uuid::Uuid;

const MAX_RECIPIENTS: usize = 20;
/// Maximum length of a subject in characters. A subject may contain a name of up to 200 characters.
const MAX_SUBJECT_CHARS: usize = 300;
const MAX_NAME_CHARS: usize = 200;
const MAX_ATTACHMENTS: usize = 50;
const MAX_PATH_CHARS: usize = 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    to: OneOrMany,
    subject: String,
    message: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    attachments: Option<OneOrMany>,
    /// Address to which replies to a visitor's message are sent: the address of the visitor.
    #[serde(default, rename = "replyTo", alias = "reply_to")]
    reply_to: Option<String>,
    /// Submission key of a stored record. If set, the queued mail of this record is sent instead of this message.
    #[serde(default)]
    submission: Option<Uuid>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "write one text, or a list of texts")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(list) => list,
        }
    }
}

#[derive(Debug)]
pub(super) struct Letter {
    pub(super) to: Vec<Address>,
    pub(super) subject: String,
    /// The message as HTML that has not been sanitised.
    pub(super) message: String,
    pub(super) name: Option<String>,
    pub(super) reply_to: Option<Address>,
    pub(super) attachments: Vec<String>,
    /// Submission key of a record. If set, the queued mail of this record is sent instead of this message.
    pub(super) submission: Option<Uuid>,
}

impl Letter {
    pub(super) fn parse(input: Input) -> Result<Self, FunctionError> {
        let to = input.to.into_vec();
        if to.is_empty() || to.len() > MAX_RECIPIENTS {
            return Err(FunctionError::bad_input(format!("to: 1 to {MAX_RECIPIENTS} addresses")));
        }
        let to = to.iter().map(|text| address("to", text)).collect::<Result<Vec<_>, _>>()?;
        let subject = line("subject", &input.subject, MAX_SUBJECT_CHARS)?
            .ok_or_else(|| FunctionError::bad_input("subject: must not be empty"))?;
        let name = input.name.as_deref().map(|name| line("name", name, MAX_NAME_CHARS)).transpose()?.flatten();
        let reply_to = match input.reply_to.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(text) => Some(address("replyTo", text)?),
        };
        let attachments = input.attachments.map(OneOrMany::into_vec).unwrap_or_default();
        if attachments.len() > MAX_ATTACHMENTS {
            return Err(FunctionError::bad_input(format!("attachments: at most {MAX_ATTACHMENTS}")));
        }
        if !attachments.iter().all(|path| is_object_path(path)) {
            return Err(FunctionError::bad_input("attachments: each must be the path of a stored file"));
        }
        Ok(Self { to, subject, message: input.message, name, reply_to, attachments, submission: input.submission })
    }
}

fn address(field: &str, text: &str) -> Result<Address, FunctionError> {
    text.parse().map_err(|error| FunctionError::bad_input(format!("{field}: {error}")))
}

/// Validates a text that becomes part of a mail header: the text must be a single line of at most `max_chars` characters. Returns the text
/// without spaces at both ends, or `None` if it is empty.
fn line(field: &str, text: &str, max_chars: usize) -> Result<Option<String>, FunctionError> {
    let text = text.trim();
    let breaks_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(breaks_line) {
        return Err(FunctionError::bad_input(format!("{field}: must be one line")));
    }
    if text.chars().count() > max_chars {
        return Err(FunctionError::bad_input(format!("{field}: at most {max_chars} characters")));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Whether a text is an object path as storage returns it after an upload: segments separated by slashes, no segment empty, `.` or `..`.
fn is_object_path(path: &str) -> bool {
    !path.is_empty()
        && path.len() <= MAX_PATH_CHARS
        && !path.contains(|c: char| c.is_control() || c == '\\')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(changes: Value) -> Result<Letter, String> {
        let mut body = json!({"to": "club@example.org", "subject": "s", "message": "<p>m</p>"});
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let input = serde_json::from_value(body).map_err(|error| error.to_string())?;
        Letter::parse(input).map_err(|refusal| format!("{refusal:?}"))
    }

    #[test]
    fn a_line_break_is_refused_in_every_field_that_becomes_a_header() {
        for field in ["to", "subject", "name", "replyTo"] {
            for text in [
                "a@b.org\r\nBcc: c@d.org",
                "a@b.org\nBcc: c@d.org",
                "x\rBcc: c@d.org",
                "x\u{2028}y",
                "x\0y",
                "x\u{85}y",
            ] {
                assert!(parse(json!({ field: text })).is_err(), "{field}: {text:?}");
            }
        }
        assert!(parse(json!({"to": ["club@example.org", "a@b.org\r\nBcc: c@d.org"]})).is_err());
        assert!(parse(json!({"attachments": ["artist/a/1-x\r\n.png"]})).is_err());
    }

    #[test]
    fn refuses_what_is_no_message() {
        for changes in [
            json!({"to": []}),
            json!({"to": 3}),
            json!({"to": "a@b.org, c@d.org"}),
            json!({"to": vec!["a@b.org"; 21]}),
            json!({"subject": ""}),
            json!({"subject": "x".repeat(301)}),
            json!({"message": null}),
            json!({"bcc": "c@d.org"}),
            json!({"headers": {"Bcc": "c@d.org"}}),
            json!({"submission": "not a key"}),
        ] {
            assert!(parse(changes.clone()).is_err(), "{changes}");
        }
    }

    #[test]
    fn refuses_paths_that_are_none() {
        for path in ["", "/etc/passwd", "../x", "artist/../x", "a//b", "a/./b", "a\\..\\b", "a/", "a/\0"] {
            assert!(parse(json!({"attachments": [path]})).is_err(), "{path:?}");
        }
    }

    #[test]
    fn takes_one_recipient_or_a_list() {
        assert_eq!(parse(json!({})).unwrap().to.len(), 1);
        assert_eq!(parse(json!({"to": ["a@b.org", "c@d.org"]})).unwrap().to.len(), 2);
        let letter = parse(json!({"name": " Ann ", "attachments": null, "reply_to": "ann@b.org"})).unwrap();
        assert_eq!((letter.name.as_deref(), letter.reply_to.unwrap().as_str()), (Some("Ann"), "ann@b.org"));
    }
}
