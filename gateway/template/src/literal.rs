//! Parses the constants of Go's template language: numbers, characters and quoted strings.

use crate::node::Operand;

/// Parses a numeric constant. Go's complex numbers are not supported.
pub(crate) fn number(text: &str) -> Result<Operand, String> {
    let bad = || format!("bad number syntax: {text:?}");
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = unsigned.to_ascii_lowercase();
    let well_placed = |digits: &str, radix: bool| {
        !digits.ends_with('_') && !digits.contains("__") && (radix || !digits.starts_with('_'))
    };
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, lower.get(2..).unwrap_or_default()),
        Some("0o") => (8, lower.get(2..).unwrap_or_default()),
        Some("0b") => (2, lower.get(2..).unwrap_or_default()),
        _ if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|b| b.is_ascii_digit() || b == b'_') => {
            (8, lower.get(1..).unwrap_or_default())
        }
        _ => (10, lower.as_str()),
    };
    let is_float = lower.contains('.') || (radix == 10 && lower.contains('e')) || (radix == 16 && lower.contains('p'));
    if is_float {
        if radix == 16 {
            return Err(format!("hexadecimal floating-point numbers are not supported: {text:?}"));
        }
        if !well_placed(&lower, false) {
            return Err(bad());
        }
        let value: f64 = lower.replace('_', "").parse().map_err(|_| bad())?;
        if !value.is_finite() {
            return Err(bad());
        }
        return Ok(Operand::Float(if negative { -value } else { value }));
    }
    if digits.is_empty() || !well_placed(digits, radix != 10) {
        return Err(bad());
    }
    let magnitude = i128::from_str_radix(&digits.replace('_', ""), radix).map_err(|_| bad())?;
    let value = i64::try_from(if negative { -magnitude } else { magnitude });
    value.map(Operand::Int).map_err(|_| format!("{text} overflows int"))
}

pub(crate) fn rune(text: &str) -> Result<Operand, String> {
    let malformed = || format!("malformed character constant: {text}");
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let decoded = unescape(inner, '\'').ok_or_else(malformed)?;
    let mut chars = decoded.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(Operand::Int(i64::from(u32::from(c)))),
        _ => Err(malformed()),
    }
}

/// Parses a string constant in double quotes. A string that is not UTF-8 is refused.
pub(crate) fn string(text: &str) -> Result<String, String> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    unescape(inner, '"').ok_or_else(|| format!("invalid syntax in the string {text}"))
}

fn unescape(text: &str, quote: char) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == quote {
            return None;
        }
        let c = if c == '\\' { escaped(&mut chars, quote)? } else { Escaped::Char(c) };
        match c {
            Escaped::Byte(byte) => bytes.push(byte),
            Escaped::Char(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    String::from_utf8(bytes).ok()
}

enum Escaped {
    Byte(u8),
    Char(char),
}

/// Parses the escape sequence after a backslash in a constant. The backslash has already been consumed.
fn escaped(chars: &mut std::str::Chars<'_>, quote: char) -> Option<Escaped> {
    let simple = |c: char| Some(Escaped::Char(c));
    let first = chars.next()?;
    let mut digits = |value: u32, count: usize, radix: u32| {
        (0..count).try_fold(value, |value, _| value.checked_mul(radix)?.checked_add(chars.next()?.to_digit(radix)?))
    };
    match first {
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\u{b}'),
        '\\' => simple('\\'),
        c if c == quote => simple(c),
        'x' => u8::try_from(digits(0, 2, 16)?).ok().map(Escaped::Byte),
        'u' => char::from_u32(digits(0, 4, 16)?).map(Escaped::Char),
        'U' => char::from_u32(digits(0, 8, 16)?).map(Escaped::Char),
        c => u8::try_from(digits(c.to_digit(8)?, 2, 8)?).ok().map(Escaped::Byte),
    }
}
