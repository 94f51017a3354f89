//! Converts the text of a letter: a draft to plain paragraphs, and edited text to HTML.

use cloch_functions::FunctionError;

use crate::email_html;

/// Placeholder for the guest's name in a draft.
pub(super) const PLACEHOLDER: &str = "{guest}";
const MAX_LETTER_CHARS: usize = 5000;

/// Replaces the placeholder `{guest}` in a draft by the guest's name.
pub(super) fn with_name(text: &str, name: &str) -> String {
    text.replace(PLACEHOLDER, name)
}

/// Converts the first [`MAX_LETTER_CHARS`] characters of the language model's output to plain paragraphs. Removes markup and repeated empty
/// lines. Returns `None` if no text is left.
pub(super) fn paragraphs(text: &str) -> Option<String> {
    let visible: String =
        text.replace("\r\n", "\n").chars().filter(|c| !c.is_control() || *c == '\n').take(MAX_LETTER_CHARS).collect();
    let lines = visible.lines().map(|line| {
        let line = line.trim().trim_start_matches('#').trim_start();
        line.replace("**", "").replace("__", "").replace('`', "").replace(['<', '>'], "")
    });
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in lines {
        match paragraphs.last_mut() {
            Some(last) if !line.is_empty() => {
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(&line);
            }
            Some(last) if last.is_empty() => {}
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n"))
}

/// Adds a greeting line with the placeholder `{guest}` to a draft that does not contain this placeholder.
pub(super) fn greeted(text: String) -> String {
    if text.contains(PLACEHOLDER) { text } else { format!("Dear {PLACEHOLDER},\n\n{text}") }
}

/// Converts the edited text of a letter to sanitised HTML. If the text is plain text, empty lines separate paragraphs. If it is HTML, only
/// allowed elements remain. The guest's name is escaped and inserted last. Returns an error with status 400 for HTML that cannot be parsed.
pub(super) fn to_html(text: &str, name: &str) -> Result<String, FunctionError> {
    let html = match email_html::is_html(text) {
        true => email_html::clean(text)?.ok_or_else(|| FunctionError::bad_input("customMessage: must not be empty"))?,
        false => email_html::paragraphs(text),
    };
    Ok(html.replace(PLACEHOLDER, &email_html::escape(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_a_model_becomes_plain_paragraphs() {
        let text = "# Hello\r\n\r\n\r\n\r\n**Dear** {guest},\n<b>see</b> you `soon`\u{7}.\n \n";
        assert_eq!(paragraphs(text).as_deref(), Some("Hello\n\nDear {guest},\nbsee/b you soon."));
        assert_eq!(paragraphs(" \n\n **"), None);
    }

    #[test]
    fn a_name_is_text_in_the_sent_letter() {
        let html = to_html("Dear {guest},\n\nfirst <one>\nsecond", "Ann & Bob").unwrap();
        assert_eq!(html, "<p>Dear Ann &amp; Bob,</p>\n<p>first &lt;one&gt;<br>second</p>");
        for text in ["Dear {guest}", "<p>Dear {guest}</p>"] {
            let html = to_html(text, "<img src=https://t.example/p><b>x</b>").unwrap();
            assert_eq!(html, "<p>Dear &lt;img src=https://t.example/p&gt;&lt;b&gt;x&lt;/b&gt;</p>");
        }
    }

    #[test]
    fn a_letter_without_the_guest_is_greeted() {
        assert_eq!(greeted("Hello {guest}".into()), "Hello {guest}");
        assert_eq!(greeted("We meet.".into()), "Dear {guest},\n\nWe meet.");
    }
}
