//! Escaping by context, as Go's html/template does it: what is safe in a paragraph is not safe in a URL.

use gtmpl::{FuncError, Value};

use super::html_context::Scanner;

type Escaper = fn(&[Value]) -> Result<Value, FuncError>;

/// The functions that [`annotate`] names.
pub(crate) const ESCAPERS: [(&str, Escaper); 3] = [("_html", html), ("_url", url), ("_query", query)];

/// Adds the escaper of its context to every action that prints a value: `{{ .Email }}` becomes `{{ .Email | _html }}`.
///
/// # Errors
///
/// When an action is not closed (the parser would loop), or prints a value where none is allowed.
pub(crate) fn annotate(source: &str) -> Result<String, String> {
    let mut scanner = Scanner::new();
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((text, action_on)) = rest.split_once("{{") {
        scanner.read(text);
        let end = action_end(action_on).ok_or("an action is not closed")?;
        let (action, after) = action_on.split_at(end);
        out.push_str(text);
        out.push_str("{{");
        if prints(action) {
            let trimmed = action.trim_end();
            let (pipeline, trim) = match trimmed.strip_suffix('-') {
                Some(pipeline) => (pipeline.trim_end(), " -"),
                None => (trimmed, " "),
            };
            out.push_str(pipeline);
            out.push_str(" | ");
            let escaper = scanner.escaper().map_err(|error| format!("{{{{{action}}}}}: {error}"))?;
            out.push_str(escaper);
            out.push_str(trim);
            scanner.printed();
        } else {
            out.push_str(action);
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The byte offset of the `}}` that closes an action, ignoring those in strings and comments.
fn action_end(action: &str) -> Option<usize> {
    let start = action.trim_start_matches('-').trim_start();
    if start.starts_with("/*") {
        let comment = action.find("*/")?;
        return Some(comment + action.get(comment..)?.find("}}")?);
    }
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in action.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(q) if c == '\\' && q != '`' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`' | '\'') => quote = Some(c),
            None if action.get(at..).is_some_and(|rest| rest.starts_with("}}")) => return Some(at),
            None => {}
        }
    }
    None
}

fn prints(action: &str) -> bool {
    let action = action.strip_prefix('-').unwrap_or(action).trim();
    let first = action.split(|c: char| c.is_whitespace() || c == '-').next().unwrap_or_default();
    let keyword =
        ["if", "else", "end", "range", "with", "define", "block", "template", "break", "continue"].contains(&first);
    !(keyword || action.is_empty() || action.starts_with("/*") || action.contains(":="))
}

fn text(arguments: &[Value]) -> String {
    match arguments.first() {
        None | Some(Value::NoValue | Value::Nil) => String::new(),
        Some(value) => value.to_string(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a template function")]
fn html(arguments: &[Value]) -> Result<Value, FuncError> {
    let mut out = String::new();
    for c in text(arguments).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '+' => out.push_str("&#43;"),
            c => out.push(c),
        }
    }
    Ok(Value::from(out))
}

/// Escapes a URL, or the part after its scheme: harmless characters stay; a scheme that can run scripts is replaced.
#[expect(clippy::unnecessary_wraps, reason = "the form of a template function")]
fn url(arguments: &[Value]) -> Result<Value, FuncError> {
    let address = text(arguments);
    let scheme = address.split(['/', '?', '#']).next().and_then(|start| start.split_once(':'));
    if scheme.is_some_and(|(scheme, _)| !["http", "https", "mailto"].contains(&scheme.to_ascii_lowercase().as_str()))
        && !is_app_scheme(&address)
    {
        return Ok(Value::from("#ZgotmplZ"));
    }
    let mut out = String::new();
    for byte in address.bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'~' | b'!' | b'#' | b'$' | b'*' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?'
            | b'@' | b'[' | b']' | b'%' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02x}")),
        }
    }
    Ok(Value::from(out))
}

/// Whether a URL has an app's own scheme: `com.example.app://callback`.
fn is_app_scheme(address: &str) -> bool {
    address.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            && !["javascript", "data", "vbscript", "file"].contains(&scheme.to_ascii_lowercase().as_str())
    })
}

/// Escapes a value in a URL's query or fragment.
#[expect(clippy::unnecessary_wraps, reason = "the form of a template function")]
fn query(arguments: &[Value]) -> Result<Value, FuncError> {
    let mut out = String::new();
    for byte in text(arguments).bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
    Ok(Value::from(out))
}

/// Reverts HTML escaping in a subject: templates escape it as HTML, but a header is plain text.
pub(crate) fn unescape(subject: &str) -> String {
    subject
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#43;", "+")
        .replace("&amp;", "&")
}
