//! Quotes strings with the rules of Go's strconv.

/// Whether Go prints the character unescaped in a quoted string.
pub(crate) fn is_printable(c: char) -> bool {
    // In Go, combining marks are printable characters.
    matches!(c, '\u{300}'..='\u{36f}') || matches!(c, '\'' | '"' | '\\') || c.escape_debug().count() == 1
}

fn push(out: &mut String, c: char, mark: char, ascii: bool) {
    match c {
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        c if c == mark || c == '\\' => out.extend(['\\', c]),
        c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        c if is_printable(c) && (!ascii || c.is_ascii()) => out.push(c),
        c if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
    }
}

pub(crate) fn quote(text: &str, ascii: bool) -> String {
    let mut out = String::from("\"");
    text.chars().for_each(|c| push(&mut out, c, '"', ascii));
    out.push('"');
    out
}

pub(crate) fn quote_rune(c: char, ascii: bool) -> String {
    let mut out = String::from("'");
    push(&mut out, c, '\'', ascii);
    out.push('\'');
    out
}
