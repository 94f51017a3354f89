//! Parse errors: the found character and the expectations at the furthest position, merged from all alternatives, formatted like the
//! messages of Parsec (PostgREST's parser library).

use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ErrorItem {
    /// Character that the parser found at the position of the error; `None` at the end of the input.
    Found(Option<char>),
    /// A character that is not allowed at the position of the error.
    Unwanted(char),
    Char(char),
    Text(&'static str),
    Label(&'static str),
    /// An exceeded limit, which replaces all expectations in the message.
    TooMuch(&'static str),
}

impl ErrorItem {
    fn is_expectation(self) -> bool {
        matches!(self, Self::Char(_) | Self::Text(_) | Self::Label(_))
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct ParseError {
    pub(super) at: usize,
    pub(super) items: Vec<ErrorItem>,
}

impl ParseError {
    pub(super) fn merge(self, mut other: Self) -> Self {
        if self.items.is_empty() || (!other.items.is_empty() && self.at < other.at) {
            return other;
        }
        if other.items.is_empty() || self.at > other.at {
            return self;
        }
        let mut list = self.items;
        list.append(&mut other.items);
        Self { at: self.at, items: list }
    }

    pub(super) fn relabel(&mut self, label: &'static str) {
        self.items.retain(|item| !item.is_expectation());
        self.items.push(ErrorItem::Label(label));
    }
}

pub(super) fn details(items: &[ErrorItem]) -> String {
    if let Some(what) =
        items.iter().find_map(|item| if let ErrorItem::TooMuch(what) = item { Some(*what) } else { None })
    {
        return what.to_owned();
    }
    let mut expected: Vec<String> = Vec::new();
    let mut unwanted: Option<char> = None;
    let mut found: Option<Option<char>> = None;
    for item in items {
        let text = match item {
            ErrorItem::Found(c) => {
                found.get_or_insert(*c);
                continue;
            }
            ErrorItem::Unwanted(c) => {
                unwanted.get_or_insert(*c);
                continue;
            }
            ErrorItem::Char(c) => quoted(*c, '"'),
            ErrorItem::Text(text) => format!("\"{text}\""),
            ErrorItem::Label(label) => (*label).to_owned(),
            ErrorItem::TooMuch(_) => continue,
        };
        if !expected.contains(&text) {
            expected.push(text);
        }
    }
    let unexpected = match (unwanted, found) {
        (Some(c), _) => Some(format!("unexpected {}", quoted(c, '\''))),
        (None, Some(Some(c))) => Some(format!("unexpected {}", quoted(c, '"'))),
        (None, Some(None)) => Some("unexpected end of input".to_owned()),
        (None, None) => None,
    };
    let expecting = match expected.as_slice() {
        [] => None,
        [only] => Some(format!("expecting {only}")),
        [first @ .., last] => Some(format!("expecting {} or {last}", first.join(", "))),
    };
    match (unexpected, expecting) {
        (None, None) => "unknown parse error".to_owned(),
        (unexpected, expecting) => [unexpected, expecting].into_iter().flatten().collect::<Vec<_>>().join(" "),
    }
}

/// Formats a character in quotes, with the escapes of Haskell's `show`.
fn quoted(c: char, quote: char) -> String {
    const CONTROLS: [&str; 32] = [
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v", "f", "r", "SO", "SI", "DLE", "DC1",
        "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
    ];
    let mut text = String::from(quote);
    match c {
        '\\' => text.push_str("\\\\"),
        c if c == quote => {
            text.push('\\');
            text.push(c);
        }
        '\u{7f}' => text.push_str("\\DEL"),
        c if c.is_ascii() => match CONTROLS.get(c as usize) {
            Some(name) => {
                text.push('\\');
                text.push_str(name);
            }
            None => text.push(c),
        },
        c => _ = write!(text, "\\{}", u32::from(c)),
    }
    text.push(quote);
    text
}
