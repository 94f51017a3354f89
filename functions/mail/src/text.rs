//! Generates the plain text part of a mail from the HTML part.

use html2text::render::TextDecorator;

/// Line width in characters, as RFC 5322 recommends.
const LINE_WIDTH_CHARS: usize = 76;

/// Converts HTML to plain text. The URLs of links are listed after the text.
#[must_use]
pub fn from_html(html: &str) -> String {
    let text = html2text::config::with_decorator(Letter)
        .link_footnotes(true)
        .no_link_wrapping()
        .no_table_borders()
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), LINE_WIDTH_CHARS)
        .unwrap_or_else(|_| html.to_owned());
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// Settings of the library html2text: in the plain text, only list items and quotes have a prefix (`*`, `>`).
#[derive(Clone)]
struct Letter;

fn plain() -> (String, ()) {
    (String::new(), ())
}

impl TextDecorator for Letter {
    type Annotation = ();

    fn decorate_link_start(&mut self, _: &str) -> (String, ()) {
        plain()
    }
    fn decorate_link_end(&mut self) -> String {
        " ".to_owned()
    }
    fn decorate_em_start(&self) -> (String, ()) {
        plain()
    }
    fn decorate_em_end(&self) -> String {
        String::new()
    }
    fn decorate_strong_start(&self) -> (String, ()) {
        plain()
    }
    fn decorate_strong_end(&self) -> String {
        String::new()
    }
    fn decorate_strikeout_start(&self) -> (String, ()) {
        plain()
    }
    fn decorate_strikeout_end(&self) -> String {
        String::new()
    }
    fn decorate_code_start(&self) -> (String, ()) {
        plain()
    }
    fn decorate_code_end(&self) -> String {
        String::new()
    }
    fn decorate_preformat_first(&self) {}
    fn decorate_preformat_cont(&self) {}
    fn decorate_image(&mut self, _: &str, title: &str) -> (String, ()) {
        (title.to_owned(), ())
    }
    fn header_prefix(&self, _: usize) -> String {
        String::new()
    }
    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }
    fn unordered_item_prefix(&self) -> String {
        "* ".to_owned()
    }
    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }
    fn decorate_superscript_start(&self) -> (String, ()) {
        plain()
    }
    fn decorate_superscript_end(&self) -> String {
        String::new()
    }
    fn make_subblock_decorator(&self) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_survives_and_how_it_looks_does_not() {
        let html = "<style>p{color:red}</style><h1>Hello &amp; welcome</h1><p>Follow <a href=\"https://x.org/a?b=1&amp;c=2\">this link</a>.</p>\
                    <ul><li><b>one</b></li><li><i>two</i></li></ul><script>alert(1)</script>";
        let text = from_html(html);
        assert_eq!(text, "Hello & welcome\n\nFollow this link [1].\n* one\n* two\n\n[1]: https://x.org/a?b=1&c=2");
    }

    #[test]
    fn a_long_link_is_not_broken() {
        let link = format!("https://x.org/verify?token={}", "a".repeat(200));
        assert!(from_html(&format!("<a href=\"{link}\">go</a>")).contains(&link));
    }

    #[test]
    fn a_table_reads_from_cell_to_cell() {
        let text = from_html("<table><tr><th>Name</th><td>Ann</td></tr><tr><th>Age</th><td>12</td></tr></table>");
        for word in ["Name", "Ann", "Age", "12"] {
            assert!(text.contains(word), "{text}");
        }
    }
}
