//! Tokenizer of CSS, and escapers for values that templates insert into CSS.

use super::context::{Context, State};
use super::transition::{Step, at, find_any, from, in_url};

/// Text that replaces an inserted value if no escaping would make it safe. Go's html/template uses the same text.
pub(super) const FAILSAFE: &str = "ZgotmplZ";

/// Processes the text of a style sheet up to the next change of the context. Returns the new context, and the number of bytes processed.
pub(super) fn style(mut context: Context, text: &[u8]) -> (Context, usize) {
    let mut start = 0;
    loop {
        let Some(found) = find_any(from(text, start), b"(\"'/") else { return (context, text.len()) };
        let index = start + found;
        match (at(text, index), at(text, index + 1)) {
            (Some(b'('), _) => {
                let before = text.get(..index).unwrap_or_default().trim_ascii_end();
                if ends_with_url(before) {
                    let rest = from(text, index + 1);
                    let inside = text.len() - rest.trim_ascii_start().len();
                    let (state, length) = match at(text, inside) {
                        Some(b'"') => (State::CssDqUrl, inside + 1),
                        Some(b'\'') => (State::CssSqUrl, inside + 1),
                        _ => (State::CssUrl, inside),
                    };
                    context.state = state;
                    return (context, length);
                }
            }
            (Some(b'/'), Some(b'/')) => {
                context.state = State::CssLineComment;
                return (context, index + 2);
            }
            (Some(b'/'), Some(b'*')) => {
                context.state = State::CssBlockComment;
                return (context, index + 2);
            }
            (Some(b'"'), _) => {
                context.state = State::CssDqStr;
                return (context, index + 1);
            }
            (Some(b'\''), _) => {
                context.state = State::CssSqStr;
                return (context, index + 1);
            }
            _ => {}
        }
        start = index + 1;
    }
}

fn ends_with_url(text: &[u8]) -> bool {
    let Some(before) = text.len().checked_sub(3) else { return false };
    let last = String::from_utf8_lossy(text.get(..before).unwrap_or_default()).chars().next_back();
    !last.is_some_and(is_name_char) && from(text, before).eq_ignore_ascii_case(b"url")
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || (c >= '\u{80}' && !matches!(c, '\u{fffe}' | '\u{ffff}'))
}

/// Processes the text of a CSS string or URL up to the next change of the context. Returns the new context, and the number of bytes
/// processed.
pub(super) fn string(mut context: Context, text: &[u8]) -> Step {
    let ends: &[u8] = match context.state {
        State::CssDqStr | State::CssDqUrl => b"\\\"",
        State::CssSqStr | State::CssSqUrl => b"\\'",
        _ => b"\\\t\n\x0c\r )",
    };
    let mut start = 0;
    loop {
        let Some(found) = find_any(from(text, start), ends) else {
            let decoded = decode(from(text, start));
            return Ok((in_url(context, &decoded), text.len()));
        };
        let mut index = start + found;
        if at(text, index) == Some(b'\\') {
            index += 1;
            if index == text.len() {
                return Err("unfinished escape sequence in CSS string".to_owned());
            }
        } else {
            context.state = State::Css;
            return Ok((context, index + 1));
        }
        context = in_url(context, &decode(text.get(..=index).unwrap_or_default()));
        start = index + 1;
    }
}

pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        if *byte != b'\\' {
            out.push(*byte);
            rest = behind;
            continue;
        }
        let digits = behind.iter().take(6).take_while(|digit| digit.is_ascii_hexdigit()).count();
        if digits > 0 {
            let hex = String::from_utf8_lossy(behind.get(..digits).unwrap_or_default()).into_owned();
            let mut number = u32::from_str_radix(&hex, 16).unwrap_or_default();
            let mut used = digits;
            if number > 0x0010_ffff {
                number /= 16;
                used -= 1;
            }
            out.extend(char::from_u32(number).unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]).bytes());
            rest = skip_one_space(from(behind, used));
        } else {
            let length = String::from_utf8_lossy(behind).chars().next().map_or(0, char::len_utf8);
            out.extend(behind.iter().take(length));
            rest = from(behind, length);
        }
    }
    out
}

fn skip_one_space(text: &[u8]) -> &[u8] {
    match text {
        [b'\r', b'\n', rest @ ..] | [b'\t' | b'\n' | 0x0c | b' ' | b'\r', rest @ ..] => rest,
        _ => text,
    }
}

/// Escapes a value that is inserted into a CSS string.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\0' | '\t' | '\n' | '\u{c}' | '\r' | '"' | '&' | '\'' | '(' | ')' | '+' | '/' | ':' | ';' | '<' | '>'
            | '{' | '}' => {
                out.push_str(&format!("\\{:x}", u32::from(c)));
                // CSS would parse a following hexadecimal digit or space as part of the hexadecimal escape. Therefore, the escape ends with
                // a space if such a character follows. It also ends with a space at the end of the value.
                let next = chars.peek();
                let is_space = |c: &char| matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ');
                if next.is_none_or(|next| next.is_ascii_hexdigit() || is_space(next)) {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the text that is inserted outside of CSS strings for a value such as a number, a colour or a keyword: the value with decoded CSS
/// escapes, or [`FAILSAFE`] if the value could have another meaning in CSS.
pub(super) fn filter(text: &str) -> String {
    let decoded = decode(text.as_bytes());
    let mut name = Vec::new();
    let mut previous = 0;
    for byte in &decoded {
        match byte {
            0 | b'"' | b'\'' | b'(' | b')' | b'/' | b';' | b'@' | b'[' | b'\\' | b']' | b'`' | b'{' | b'}' | b'<'
            | b'>' => return FAILSAFE.to_owned(),
            b'-' if previous == b'-' => return FAILSAFE.to_owned(),
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => name.push(byte.to_ascii_lowercase()),
            _ => {}
        }
        previous = *byte;
    }
    let name = String::from_utf8_lossy(&name).into_owned();
    if name.contains("expression") || name.contains("mozbinding") {
        return FAILSAFE.to_owned();
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
