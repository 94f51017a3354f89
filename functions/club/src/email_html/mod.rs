//! Sanitises HTML written by strangers for use in a mail.

mod outline;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use cloch_functions::FunctionError;

/// Allowed HTML elements: text and its structure. Remote images are not allowed, because loading one reveals to the sender who reads the
/// mail and when. Embedded images are not allowed, because they are attachments that were not scanned. Styles, forms and frames are not
/// allowed either.
const TAGS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "li",
    "ol",
    "p",
    "pre",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// HTML elements that are removed together with their content. The text of other disallowed elements is kept.
const DROPPED_WITH_CONTENT: &[&str] =
    &["script", "style", "title", "iframe", "object", "template", "noscript", "svg", "math"];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from_iter(TAGS.iter().copied()))
        .clean_content_tags(HashSet::from_iter(DROPPED_WITH_CONTENT.iter().copied()))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            // The attribute rowspan is not allowed, because the time to generate the plain text part of a mail grows with the product of
            // rows and rowspan.
            ("td", HashSet::from(["colspan"])),
            ("th", HashSet::from(["colspan"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// Returns the allowed part of an HTML text, or `None` if it contains no text. The function is CPU-intensive and must run on [`cloch_core::workers`].
///
/// # Errors
/// Status 400 for an HTML tag or comment of several thousand bytes.
pub(crate) fn clean(html: &str) -> Result<Option<String>, FunctionError> {
    let outline = outline::outline(html)
        .map_err(|outline::TagTooLong| FunctionError::bad_input("message: a tag in it is too long"))?;
    Ok(outline.has_text.then(|| CLEANER.clean(&outline.html).to_string()))
}

/// Whether a text counts as HTML, which is the case if it contains at least one allowed tag. `a < b` and `<your name>` count as plain text.
pub(crate) fn is_html(text: &str) -> bool {
    text.split('<').skip(1).any(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let name_end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        after.contains('>') && TAGS.contains(&name.to_ascii_lowercase().as_str())
    })
}

pub(crate) fn escape(text: &str) -> String {
    escape_text(text).replace('"', "&quot;").replace('\'', "&#39;")
}

/// Escapes `&`, `<` and `>` in a text, and keeps quotes. The result may be used between tags, but not as the value of an attribute.
fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Converts plain text to HTML. Empty lines separate paragraphs.
pub(crate) fn paragraphs(text: &str) -> String {
    let paragraph = |part: &str| format!("<p>{}</p>", escape(part.trim()).replace('\n', "<br>"));
    let text = text.replace("\r\n", "\n");
    text.split("\n\n").filter(|part| !part.trim().is_empty()).map(paragraph).collect::<Vec<_>>().join("\n")
}

/// Returns a complete HTML document with a title and a sanitised body.
pub(crate) fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title></head>\n<body style=\"margin:0;background:#fff;color:#0f2436;font:16px/1.5 system-ui,-apple-system,\
         'Segoe UI',sans-serif\">\n<div style=\"max-width:640px;margin:0 auto;padding:24px 16px\">\n{body}\n</div>\n</body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(html: &str) -> String {
        super::clean(html).unwrap().unwrap_or_default()
    }

    #[test]
    fn nothing_that_runs_loads_or_asks_survives() {
        for html in [
            "<script>alert(1)</script>",
            "<style>body{background:url(https://t.example/p)}</style>",
            "<form action=https://t.example><input name=a><button>b</button></form>",
            "<iframe src=https://t.example></iframe>",
            "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
            "<img src=https://t.example/pixel.gif width=1 height=1>",
            "<img src=x onerror=alert(1)>",
            "<img src='data:image/png;base64,AAAA'>",
            "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
            "<a href='javascript:alert(1)'>x</a>",
            "<a href='JaVa&#09;script:alert(1)'>x</a>",
            "<a href='//t.example'>x</a>",
            "<p style='background:url(https://t.example/p)' onclick=alert(1)>x</p>",
            "<div background=https://t.example/p>x</div>",
            "<table background=https://t.example/p><tr><td background=https://t.example/p>x</td></tr></table>",
            "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
            "<math><mtext><mglyph><style><img src=x onerror=alert(1)>",
            "<link rel=stylesheet href=https://t.example/s.css>",
            "<meta http-equiv=refresh content='0;url=https://t.example'>",
            "<base href=https://t.example>",
            "<video src=https://t.example poster=https://t.example></video><audio src=https://t.example></audio>",
            "<object data=https://t.example></object><embed src=https://t.example>",
            "<noscript><img src=https://t.example></noscript>",
            "<!-- <img src=https://t.example> -->",
            "<template><img src=https://t.example></template>",
        ] {
            let cleaned = clean(html);
            for bad in [
                "t.example",
                "alert",
                "javascript",
                "data:",
                "<img",
                "<form",
                "<input",
                "<iframe",
                "style",
                "onclick",
                "<svg",
            ] {
                assert!(!cleaned.contains(bad), "{html} left {cleaned}");
            }
        }
    }

    #[test]
    fn an_ordinary_message_stays() {
        let html = "<h2>New nomination</h2><p><strong>Name:</strong> Ann &amp; Bob<br>line</p><ul><li>a</li></ul>\
                    <table><tbody><tr><td colspan=\"2\">x</td></tr></tbody></table>";
        assert_eq!(clean(html), html);
        let link = clean("<a href=\"https://example.org/?a=1&amp;b=2\" target=_top>x</a>");
        assert_eq!(link, "<a href=\"https://example.org/?a=1&amp;b=2\" rel=\"noopener noreferrer nofollow\">x</a>");
    }

    #[test]
    fn text_with_angle_brackets_is_text() {
        for text in ["a < b", "1 <2> 3", "Dear <name>,", "<p", "<paragraph>", "x <script>y"] {
            assert!(!is_html(text), "{text}");
        }
        for html in ["<p>x</p>", "a<br/>b", "x</P>", "<a href='x'>y</a>"] {
            assert!(is_html(html), "{html}");
        }
    }

    #[test]
    fn unfinished_html_cannot_leave_its_frame() {
        assert!(!clean("</div></body></html><p>after").contains("</body>"));
        assert_eq!(clean("<p>a <b>b"), "<p>a <b>b</b></p>");
    }
}
