//! The HTML context of each value in a template, which decides how the value is escaped, as in Go's html/template.
//!
//! Text, attributes and URLs have an escaper. A value inside scripts, styles or attribute names is refused: no mail program runs them, and
//! each would need an escaper of its own.

/// Attributes whose value is a URL.
const URL_ATTRIBUTES: [&str; 18] = [
    "action",
    "archive",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "formaction",
    "href",
    "icon",
    "longdesc",
    "manifest",
    "ping",
    "poster",
    "profile",
    "src",
    "usemap",
    "xmlns",
];

/// The state of an HTML tokenizer, with the distinctions that contexts need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Comment,
    /// The content of a script or style element.
    RawText,
    /// In a tag, before, in or after an attribute's name.
    Tag {
        after_name: bool,
    },
    /// After an attribute's `=`.
    BeforeValue,
    /// In an attribute's value: the quote that closes it (`None` if unquoted), and whether it is in a URL's query.
    Value {
        quote: Option<char>,
        in_query: bool,
    },
}

/// Tokenizes a template's HTML piece by piece, and knows the context of the next value.
pub(super) struct Scanner {
    state: State,
    tag: String,
    attribute: String,
}

impl Scanner {
    pub(super) fn new() -> Self {
        Self { state: State::Text, tag: String::new(), attribute: String::new() }
    }

    /// The name of the escaper for a value here.
    ///
    /// # Errors
    /// Why a value is not allowed here.
    pub(super) fn escaper(&self) -> Result<&'static str, String> {
        let attribute = &self.attribute;
        match self.state {
            State::Text | State::Comment => Ok("_html"),
            State::RawText => Err(format!("a value in <{}>", self.tag)),
            State::Tag { .. } => Err(format!("a value in the tag <{}>, but in no attribute's value", self.tag)),
            State::BeforeValue | State::Value { .. } if is_code(attribute) => {
                Err(format!("a value in the attribute {attribute}"))
            }
            State::Value { in_query: true, .. } if is_url(attribute) => Ok("_query"),
            State::BeforeValue | State::Value { .. } if is_url(attribute) => Ok("_url"),
            State::Value { quote: Some(_), .. } => Ok("_html"),
            State::BeforeValue | State::Value { quote: None, .. } => {
                Err(format!("a value in the attribute {attribute}, which has no quotes"))
            }
        }
    }

    /// Notes that a value is printed here.
    pub(super) fn printed(&mut self) {
        if self.state == State::BeforeValue {
            self.state = State::Value { quote: None, in_query: false };
        }
    }

    /// Reads the next piece of HTML.
    pub(super) fn read(&mut self, html: &str) {
        let mut rest = html;
        while let Some(c) = rest.chars().next() {
            rest = match self.state {
                State::Text => self.read_text(rest),
                State::Comment => self.skip_to(rest, "-->", "-->".len()),
                State::RawText => self.skip_to(rest, &format!("</{}", self.tag), 0),
                State::Tag { .. } | State::BeforeValue | State::Value { .. } => {
                    self.read_in_tag(c);
                    rest.get(c.len_utf8()..).unwrap_or_default()
                }
            };
        }
    }

    fn read_text<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some((_, tag)) = rest.split_once('<') else { return "" };
        if let Some(comment) = tag.strip_prefix("!--") {
            self.state = State::Comment;
            return comment;
        }
        let after_slash = tag.strip_prefix('/').unwrap_or(tag);
        // As in HTML, `<3` and `a < b` are text.
        if !after_slash.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!') {
            return tag;
        }
        let length = after_slash.find(|c: char| !c.is_ascii_alphanumeric() && c != '!').unwrap_or(after_slash.len());
        let (name, rest) = tag.split_at(tag.len() - after_slash.len() + length);
        self.tag = name.to_ascii_lowercase();
        self.end_attribute();
        rest
    }

    /// Continues after `end`, or `skipped` bytes into it.
    fn skip_to<'a>(&mut self, rest: &'a str, end: &str, skipped: usize) -> &'a str {
        let Some(at) = rest.to_ascii_lowercase().find(end) else { return "" };
        self.state = State::Text;
        rest.get(at + skipped..).unwrap_or_default()
    }

    fn read_in_tag(&mut self, c: char) {
        match self.state {
            State::Value { quote: Some(quote), .. } if c == quote => self.end_attribute(),
            State::Value { quote, in_query } if quote.is_some() || !(c == '>' || c.is_whitespace()) => {
                self.state = State::Value { quote, in_query: in_query || matches!(c, '?' | '#' | '&') };
            }
            _ if c == '>' => self.end_tag(),
            State::BeforeValue if c.is_whitespace() => {}
            State::BeforeValue if matches!(c, '"' | '\'') => {
                self.state = State::Value { quote: Some(c), in_query: false };
            }
            State::BeforeValue => self.state = State::Value { quote: None, in_query: matches!(c, '?' | '#' | '&') },
            State::Tag { .. } if c == '=' => self.state = State::BeforeValue,
            State::Tag { .. } if c.is_whitespace() => {
                self.state = State::Tag { after_name: !self.attribute.is_empty() }
            }
            State::Tag { after_name } if c != '/' => {
                if after_name {
                    self.end_attribute();
                }
                self.attribute.push(c.to_ascii_lowercase());
            }
            State::Value { .. } | State::Tag { .. } | State::Text | State::Comment | State::RawText => {
                self.end_attribute();
            }
        }
    }

    fn end_attribute(&mut self) {
        self.attribute.clear();
        self.state = State::Tag { after_name: false };
    }

    fn end_tag(&mut self) {
        self.state = if matches!(self.tag.as_str(), "script" | "style") { State::RawText } else { State::Text };
    }
}

/// Whether an attribute's value is a script, a style sheet or a document.
fn is_code(attribute: &str) -> bool {
    let name = local_name(attribute);
    name.starts_with("on") || name == "style" || name == "srcdoc"
}

/// Whether an attribute's value is a URL; as in html/template, names outside of HTML are judged by their spelling.
fn is_url(attribute: &str) -> bool {
    let name = local_name(attribute);
    URL_ATTRIBUTES.contains(&name) || ["src", "uri", "url"].iter().any(|part| name.contains(part))
}

/// The name without a namespace and without `data-`.
fn local_name(attribute: &str) -> &str {
    let name = attribute.strip_prefix("data-").unwrap_or(attribute);
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}
