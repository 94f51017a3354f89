//! Processes the text of a template between its actions: removes comments, and escapes each `<` that does not begin a tag.

use super::context::{Context, Delim, State};
use super::transition::{at, find, from, step};

/// Removes comments from a text of a template, and escapes each `<` that does not begin a tag. The text begins in `context`. Returns the
/// context at the end of the text, and the changed text.
pub(super) fn escape(mut context: Context, text: &str) -> Result<(Context, String), String> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let (mut written, mut start) = (0, 0);
    while start < bytes.len() {
        let (next, length) = step(context.clone(), from(bytes, start))?;
        let end = start + length;
        if matches!(context.state, State::Text | State::RcData) {
            escape_brackets(bytes, (start, end), next.state != context.state, &mut written, &mut out);
        } else if context.state.is_comment() && context.delim == Delim::None {
            match context.state {
                State::JsBlockComment => {
                    let comment = bytes.get(written..end).unwrap_or_default();
                    let ends: [&[u8]; 4] = [b"\n", b"\r", "\u{2028}".as_bytes(), "\u{2029}".as_bytes()];
                    out.push(if ends.iter().any(|end| find(comment, end).is_some()) { b'\n' } else { b' ' });
                }
                State::CssBlockComment => out.push(b' '),
                _ => {}
            }
            written = end;
        }
        if context.state != next.state && next.state.is_comment() && next.delim == Delim::None {
            let opening = match next.state {
                State::HtmlComment | State::JsHtmlOpenComment => 4,
                State::JsHtmlCloseComment => 3,
                _ => 2,
            };
            out.extend(bytes.get(written..end.saturating_sub(opening)).unwrap_or_default());
            written = end;
        }
        if context.state.is_js_literal() {
            escape_script_tags(bytes, (start, end), &mut written, &mut out);
        }
        if length == 0 && context.state == next.state {
            return Err("the text cannot be read as HTML".to_owned());
        }
        (context, start) = (next, end);
    }
    if written == 0 {
        return Ok((context, text.to_owned()));
    }
    if !context.state.is_comment() || context.delim != Delim::None {
        out.extend(from(bytes, written));
    }
    Ok((context, String::from_utf8_lossy(&out).into_owned()))
}

fn escape_brackets(bytes: &[u8], (start, end): (usize, usize), moves_on: bool, written: &mut usize, out: &mut Vec<u8>) {
    let piece = bytes.get(start..end).unwrap_or_default();
    let last = if moves_on { piece.iter().rposition(|byte| *byte == b'<').map(|found| start + found) } else { None };
    for index in start..last.unwrap_or(end) {
        let is_doctype = || bytes.get(index..index + 9).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<!DOCTYPE"));
        if at(bytes, index) == Some(b'<') && !is_doctype() {
            out.extend(bytes.get(*written..index).unwrap_or_default());
            out.extend(b"&lt;");
            *written = index + 1;
        }
    }
}

/// Escapes `<script`, `</script` and `<!--` in JavaScript strings, because browsers would interpret them as HTML.
fn escape_script_tags(bytes: &[u8], (start, end): (usize, usize), written: &mut usize, out: &mut Vec<u8>) {
    let piece = bytes.get(start..end).unwrap_or_default();
    let is_special = |index: usize| {
        [b"<script".as_slice(), b"</script", b"<!--"]
            .iter()
            .any(|tag| piece.get(index..index + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)))
    };
    if !(0..piece.len()).any(is_special) {
        return;
    }
    out.extend(bytes.get(*written..start).unwrap_or_default());
    for (index, byte) in piece.iter().enumerate() {
        if is_special(index) {
            out.extend(b"\\x3C");
        } else {
            out.push(*byte);
        }
    }
    *written = end;
}
