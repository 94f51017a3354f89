//! Tokenizer of HTML, as in Go's html/template: determines the context at the end of a template's text, in which the next value is
//! inserted. The tokenizers of CSS and JavaScript are in separate files.

use super::attributes::{self, Content};
use super::context::{Attr, Context, Delim, Element, JsCtx, State, UrlPart};
use super::entities::decode;
use super::{css, js};

/// Result of a tokenizer step: the context after the processed text, and the length of the processed text in bytes.
pub(super) type Step = Result<(Context, usize), String>;

/// Returns the index of the first byte that is one of `bytes`.
pub(super) fn find_any(text: &[u8], bytes: &[u8]) -> Option<usize> {
    text.iter().position(|byte| bytes.contains(byte))
}

/// Returns the index of the first occurrence of `wanted` in a text.
pub(super) fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

pub(super) fn at(text: &[u8], index: usize) -> Option<u8> {
    text.get(index).copied()
}

pub(super) fn from(text: &[u8], index: usize) -> &[u8] {
    text.get(index..).unwrap_or_default()
}

pub(super) fn skip_space(text: &[u8], start: usize) -> usize {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0c | b'\r');
    from(text, start).iter().position(|byte| !is_space(byte)).map_or(text.len(), |length| start + length)
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text.get(..32).unwrap_or(text)).into_owned()
}

/// Processes a text up to the next change of the context.
pub(super) fn step(context: Context, text: &[u8]) -> Step {
    if context.delim != Delim::None {
        return in_value(context, text);
    }
    let (ended, length) = special_tag_end(&context, text);
    if length == 0 {
        // The text begins with the end tag of the element, such as `</script>`: the element's content ends here.
        return Ok((ended, 0));
    }
    transition(context, text.get(..length).unwrap_or(text))
}

fn in_value(mut context: Context, text: &[u8]) -> Step {
    let end = find_any(text, context.delim.ends());
    let value = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    if context.delim == Delim::SpaceOrTagEnd
        && let Some(bad) = find_any(value, b"\"'<=`").and_then(|found| at(value, found))
    {
        return Err(format!("{:?} in the attribute without quotes {:?}", char::from(bad), shown(value)));
    }
    let Some(mut end) = end else {
        let decoded = decode(text);
        let mut rest = decoded.as_slice();
        while !rest.is_empty() {
            let (next, length) = transition(context, rest)?;
            context = next;
            rest = from(rest, length);
        }
        return Ok((context, text.len()));
    };
    let mut element = context.element;
    if context.state == State::Attr
        && element == Element::Script
        && context.attr == Attr::ScriptType
        && !js::is_js_type(&String::from_utf8_lossy(value))
    {
        element = Element::None;
    }
    if context.delim != Delim::SpaceOrTagEnd {
        end += 1;
    }
    Ok((Context::of(State::Tag, element), end))
}

fn transition(context: Context, text: &[u8]) -> Step {
    let all = text.len();
    match context.state {
        State::Text => Ok(in_text(context, text)),
        State::Tag => in_tag(&context, text),
        State::AttrName => {
            let end = attribute_name_end(text, 0)?;
            let state = if end == all { State::AttrName } else { State::AfterName };
            Ok((Context { state, ..context }, end))
        }
        State::AfterName => Ok(after_name(context, text)),
        State::BeforeValue => Ok(before_value(context, text)),
        State::HtmlComment => Ok(find(text, b"-->").map_or((context, all), |found| (Context::default(), found + 3))),
        State::RcData => Ok(special_tag_end(&context, text)),
        State::Attr | State::Dead => Ok((context, all)),
        State::Url | State::SrcSet => Ok((in_url(context, text), all)),
        State::MetaContent => Ok(meta_content(context, text)),
        State::MetaContentUrl => Ok(match text.iter().position(|byte| *byte == b';') {
            Some(found) => (Context { state: State::MetaContent, ..context }, found + 1),
            None => (context, all),
        }),
        State::Js => js::script(context, text),
        State::JsDqStr | State::JsSqStr | State::JsRegexp => js::delimited(context, text),
        State::JsTemplate => js::template_literal(context, text),
        State::JsBlockComment | State::CssBlockComment => Ok(block_comment(context, text)),
        State::JsLineComment | State::JsHtmlOpenComment | State::JsHtmlCloseComment | State::CssLineComment => {
            Ok(line_comment(context, text))
        }
        State::Css => Ok(css::style(context, text)),
        State::CssDqStr | State::CssSqStr | State::CssDqUrl | State::CssSqUrl | State::CssUrl => {
            css::string(context, text)
        }
    }
}

fn in_text(context: Context, text: &[u8]) -> (Context, usize) {
    let mut start = 0;
    loop {
        let Some(found) = from(text, start).iter().position(|byte| *byte == b'<') else { return (context, text.len()) };
        let mut index = start + found;
        if index + 1 == text.len() {
            return (context, text.len());
        }
        if from(text, index).starts_with(b"<!--") {
            return (Context::of(State::HtmlComment, Element::None), index + 4);
        }
        index += 1;
        let closes = at(text, index) == Some(b'/');
        if closes {
            if index + 1 == text.len() {
                return (context, text.len());
            }
            index += 1;
        }
        let (end, element) = tag_name(text, index);
        if end != index {
            return (Context::of(State::Tag, if closes { Element::None } else { element }), end);
        }
        start = end;
    }
}

/// Returns the index at which a tag's name ends, and the element with this name.
fn tag_name(text: &[u8], start: usize) -> (usize, Element) {
    if !at(text, start).is_some_and(|byte| byte.is_ascii_alphabetic()) {
        return (start, Element::None);
    }
    let mut end = start + 1;
    while let Some(byte) = at(text, end) {
        if byte.is_ascii_alphanumeric() {
            end += 1;
        } else if matches!(byte, b':' | b'-') && at(text, end + 1).is_some_and(|next| next.is_ascii_alphanumeric()) {
            end += 2;
        } else {
            break;
        }
    }
    let element = match text.get(start..end).unwrap_or_default().to_ascii_lowercase().as_slice() {
        b"script" => Element::Script,
        b"style" => Element::Style,
        b"textarea" => Element::TextArea,
        b"title" => Element::Title,
        b"meta" => Element::Meta,
        _ => Element::None,
    };
    (end, element)
}

fn in_tag(context: &Context, text: &[u8]) -> Step {
    let start = skip_space(text, 0);
    if start == text.len() {
        return Ok((context.clone(), start));
    }
    if at(text, start) == Some(b'>') {
        let (state, element) = match context.element {
            Element::None | Element::Meta => (State::Text, Element::None),
            Element::Script => (State::Js, Element::Script),
            Element::Style => (State::Css, Element::Style),
            element @ (Element::TextArea | Element::Title) => (State::RcData, element),
        };
        return Ok((Context::of(state, element), start + 1));
    }
    let end = attribute_name_end(text, start)?;
    if start == end {
        return Err(format!("expected space, attr name, or end of tag, but got {:?}", shown(from(text, start))));
    }
    let name = String::from_utf8_lossy(text.get(start..end).unwrap_or_default()).to_lowercase();
    let attr = match (context.element, name.as_str()) {
        (Element::Script, "type") => Attr::ScriptType,
        (Element::Meta, "content") => Attr::MetaContent,
        _ => match attributes::content(&name) {
            Content::Url => Attr::Url,
            Content::Css => Attr::Style,
            Content::Js => Attr::Script,
            Content::SrcSet => Attr::SrcSet,
            Content::Plain | Content::Html | Content::Unsafe => Attr::None,
        },
    };
    let state = if end == text.len() { State::AttrName } else { State::AfterName };
    Ok((Context { attr, ..Context::of(state, context.element) }, end))
}

fn attribute_name_end(text: &[u8], start: usize) -> Result<usize, String> {
    for (index, byte) in text.iter().enumerate().skip(start) {
        match byte {
            b' ' | b'\t' | b'\n' | 0x0c | b'\r' | b'=' | b'>' => return Ok(index),
            b'\'' | b'"' | b'<' => {
                return Err(format!("{:?} in attribute name: {:?}", char::from(*byte), shown(text)));
            }
            _ => {}
        }
    }
    Ok(text.len())
}

fn after_name(context: Context, text: &[u8]) -> (Context, usize) {
    let index = skip_space(text, 0);
    match at(text, index) {
        None => (context, text.len()),
        Some(b'=') => (Context { state: State::BeforeValue, ..context }, index + 1),
        // The attribute has no value: after its name, the tag ends or another attribute begins.
        Some(_) => (Context { state: State::Tag, ..context }, index),
    }
}

fn before_value(context: Context, text: &[u8]) -> (Context, usize) {
    let index = skip_space(text, 0);
    let (delim, index) = match at(text, index) {
        None => return (context, text.len()),
        Some(b'\'') => (Delim::SingleQuote, index + 1),
        Some(b'"') => (Delim::DoubleQuote, index + 1),
        Some(_) => (Delim::SpaceOrTagEnd, index),
    };
    (Context { state: context.attr.start(), delim, ..context }, index)
}

/// Finds the end tag of an element whose content ends only with its own end tag, such as `<script>`. Returns the context at the end tag,
/// and the end tag's index. If there is no end tag, returns the unchanged context and the end of the text.
fn special_tag_end(context: &Context, text: &[u8]) -> (Context, usize) {
    let name: &[u8] = match context.element {
        Element::None => return (context.clone(), text.len()),
        Element::Script if context.state.is_js_literal() || context.state.is_comment() => {
            return (context.clone(), text.len());
        }
        Element::Script => b"script",
        Element::Style => b"style",
        Element::TextArea => b"textarea",
        Element::Title => b"title",
        Element::Meta => b"",
    };
    end_tag(text, name).map_or_else(|| (context.clone(), text.len()), |found| (Context::default(), found))
}

fn end_tag(text: &[u8], name: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let found = start + find(from(text, start), b"</")?;
        let rest = from(text, found + 2);
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            if at(rest, name.len()).is_some_and(|byte| b"> \t\n\x0c/".contains(&byte)) {
                return Some(found);
            }
            start = found + 2 + name.len();
        } else {
            start = found + 2;
        }
    }
}

pub(super) fn in_url(mut context: Context, text: &[u8]) -> Context {
    if find_any(text, b"#?").is_some() {
        context.url_part = UrlPart::QueryOrFragment;
    } else if skip_space(text, 0) != text.len() && context.url_part == UrlPart::None {
        context.url_part = UrlPart::PreQuery;
    }
    context
}

fn meta_content(context: Context, text: &[u8]) -> (Context, usize) {
    for index in 0..text.len().saturating_sub(3) {
        if text.get(index..index + 3).is_some_and(|word| word.eq_ignore_ascii_case(b"url")) {
            let equals = skip_space(text, index + 3);
            if at(text, equals) == Some(b'=') {
                return (Context { state: State::MetaContentUrl, ..context }, equals + 1);
            }
        }
    }
    (context, text.len())
}

fn block_comment(context: Context, text: &[u8]) -> (Context, usize) {
    let Some(found) = find(text, b"*/") else { return (context, text.len()) };
    let state = if context.state == State::JsBlockComment { State::Js } else { State::Css };
    (Context { state, ..context }, found + 2)
}

fn line_comment(context: Context, text: &[u8]) -> (Context, usize) {
    let is_css = context.state == State::CssLineComment;
    let ends: &[&[u8]] =
        if is_css { &[b"\n", b"\x0c", b"\r"] } else { &[b"\n", b"\r", "\u{2028}".as_bytes(), "\u{2029}".as_bytes()] };
    let Some(found) = ends.iter().filter_map(|end| find(text, end)).min() else { return (context, text.len()) };
    let state = if is_css { State::Css } else { State::Js };
    (Context { state, ..context }, found)
}

/// Updates the context after a value was inserted. In JavaScript, a `/` after a value is a division operator.
pub(super) fn behind_value(context: &mut Context) {
    if context.state == State::Js {
        context.js_ctx = JsCtx::DivOp;
    }
}
