//! Tokenizer of JavaScript. Recognises only what the escaping of values depends on: strings, template literals, regular expressions and
//! comments.

use super::context::{Context, JsCtx, State};
use super::transition::{Step, at, find_any, from};

/// JavaScript keywords after which a slash begins a regular expression.
const BEFORE_REGEXP: [&[u8]; 15] = [
    b"break",
    b"case",
    b"continue",
    b"delete",
    b"do",
    b"else",
    b"finally",
    b"in",
    b"instanceof",
    b"return",
    b"throw",
    b"try",
    b"typeof",
    b"void",
    b"yield",
];

/// MIME types whose script elements contain JavaScript or JSON.
const TYPES: [&str; 20] = [
    "",
    "application/ecmascript",
    "application/javascript",
    "application/json",
    "application/ld+json",
    "application/x-ecmascript",
    "application/x-javascript",
    "module",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
];

pub(super) fn is_js_type(mime: &str) -> bool {
    let mime = mime.split(';').next().unwrap_or_default().to_lowercase();
    TYPES.contains(&mime.trim())
}

pub(super) fn is_identifier_part(byte: u8) -> bool {
    byte == b'$' || byte == b'_' || byte.is_ascii_alphanumeric()
}

fn trim_end(text: &[u8]) -> &[u8] {
    let valid = String::from_utf8_lossy(text);
    let is_space = |c: char| {
        matches!(
            c,
            '\u{c}' | '\n' | '\r' | '\t' | '\u{b}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
                ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
        )
    };
    let removed = valid.len() - valid.trim_end_matches(is_space).len();
    text.get(..text.len().saturating_sub(removed)).unwrap_or(text)
}

/// Returns the meaning of a `/` after the JavaScript `text`. `before` is the meaning that a `/` would have before this text.
fn next_ctx(text: &[u8], before: JsCtx) -> JsCtx {
    let text = trim_end(text);
    let Some(&last) = text.last() else { return before };
    let count = text.len();
    match last {
        b'+' | b'-' => {
            // After `++` and `--`, a slash is a division. After a single `+` or `-`, it begins a regular expression.
            let run = text.iter().rev().take_while(|byte| **byte == last).count();
            if run % 2 == 1 { JsCtx::Regexp } else { JsCtx::DivOp }
        }
        b'.' if count > 1 && at(text, count - 2).is_some_and(|byte| byte.is_ascii_digit()) => JsCtx::DivOp,
        b'.' | b',' | b'<' | b'>' | b'=' | b'*' | b'%' | b'&' | b'|' | b'^' | b'?' | b'!' | b'~' | b'(' | b'['
        | b':' | b';' | b'{' | b'}' => JsCtx::Regexp,
        _ => {
            let length = text.iter().rev().take_while(|byte| is_identifier_part(**byte)).count();
            let start = count - length;
            let is_property = trim_end(text.get(..start).unwrap_or_default()).ends_with(b".");
            if BEFORE_REGEXP.contains(&from(text, start)) && !is_property { JsCtx::Regexp } else { JsCtx::DivOp }
        }
    }
}

/// Processes the text of a script up to the next change of the context. Returns the new context, and the number of bytes processed.
pub(super) fn script(mut context: Context, text: &[u8]) -> Step {
    let Some(mut index) = find_any(text, b"\"`'/{}<-#") else {
        context.js_ctx = next_ctx(text, context.js_ctx);
        return Ok((context, text.len()));
    };
    context.js_ctx = next_ctx(text.get(..index).unwrap_or_default(), context.js_ctx);
    let here = text.get(index..=index).unwrap_or_default();
    let rest = from(text, index);
    match at(text, index).unwrap_or_default() {
        b'"' => (context.state, context.js_ctx) = (State::JsDqStr, JsCtx::Regexp),
        b'\'' => (context.state, context.js_ctx) = (State::JsSqStr, JsCtx::Regexp),
        b'`' => (context.state, context.js_ctx) = (State::JsTemplate, JsCtx::Regexp),
        b'/' => match (at(text, index + 1), context.js_ctx) {
            (Some(b'/'), _) => {
                context.state = State::JsLineComment;
                index += 1;
            }
            (Some(b'*'), _) => {
                context.state = State::JsBlockComment;
                index += 1;
            }
            (_, JsCtx::Regexp) => context.state = State::JsRegexp,
            (_, JsCtx::DivOp) => context.js_ctx = JsCtx::Regexp,
            (_, JsCtx::Unknown) => return Err("'/' could start a division or regexp".to_owned()),
        },
        b'<' if rest.starts_with(b"<!--") => {
            context.state = State::JsHtmlOpenComment;
            index += 3;
        }
        b'-' if rest.starts_with(b"-->") => {
            context.state = State::JsHtmlCloseComment;
            index += 2;
        }
        b'#' if at(text, index + 1) == Some(b'!') => {
            context.state = State::JsLineComment;
            index += 1;
        }
        b'#' => {
            index += from(text, index + 1).iter().take_while(|byte| is_identifier_part(**byte)).count();
            context.js_ctx = JsCtx::DivOp;
        }
        b'{' => {
            if let Some(depth) = context.js_braces.last_mut() {
                *depth += 1;
            }
            context.js_ctx = next_ctx(here, context.js_ctx);
        }
        b'}' => match context.js_braces.last_mut() {
            Some(depth) if *depth == 0 => {
                context.js_braces.pop();
                context.state = State::JsTemplate;
            }
            depth => {
                if let Some(depth) = depth {
                    *depth -= 1;
                }
                context.js_ctx = next_ctx(here, context.js_ctx);
            }
        },
        _ => {}
    }
    Ok((context, index + 1))
}

const UNFINISHED: &str = "unfinished escape sequence in JS string";

/// Processes the text of a JavaScript template literal up to the next change of the context. Returns the new context, and the number of
/// bytes processed.
pub(super) fn template_literal(mut context: Context, text: &[u8]) -> Step {
    let mut start = 0;
    while let Some(found) = find_any(from(text, start), b"`\\$") {
        let mut index = start + found;
        match at(text, index) {
            Some(b'\\') => {
                index += 1;
                if index == text.len() {
                    return Err(UNFINISHED.to_owned());
                }
            }
            Some(b'$') if at(text, index + 1) == Some(b'{') => {
                context.js_braces.push(0);
                (context.state, context.js_ctx) = (State::Js, JsCtx::Regexp);
                return Ok((context, index + 2));
            }
            Some(b'`') => {
                context.state = State::Js;
                return Ok((context, index + 1));
            }
            _ => {}
        }
        start = index + 1;
    }
    Ok((context, text.len()))
}

/// Processes the text of a JavaScript string or regular expression up to the next change of the context. Returns the new context, and the
/// number of bytes processed.
pub(super) fn delimited(mut context: Context, text: &[u8]) -> Step {
    let specials: &[u8] = match context.state {
        State::JsSqStr => b"\\'",
        State::JsRegexp => b"\\/[]",
        _ => b"\\\"",
    };
    let (mut start, mut in_set) = (0, false);
    while let Some(found) = find_any(from(text, start), specials) {
        let mut index = start + found;
        match at(text, index) {
            Some(b'\\') => {
                index += 1;
                if index == text.len() {
                    return Err(UNFINISHED.to_owned());
                }
            }
            Some(b'[') => in_set = true,
            Some(b']') => in_set = false,
            Some(b'/')
                if index > 0
                    && text.get(index - 1..index + 7).is_some_and(|tag| tag.eq_ignore_ascii_case(b"</script")) =>
            {
                index += 1;
            }
            _ if !in_set => {
                (context.state, context.js_ctx) = (State::Js, JsCtx::DivOp);
                return Ok((context, index + 1));
            }
            _ => {}
        }
        start = index + 1;
    }
    if in_set {
        return Err("unfinished JS regexp charset".to_owned());
    }
    Ok((context, text.len()))
}
