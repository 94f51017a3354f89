//! Formats values with a format string, as Go's `fmt.Sprintf` does.

use std::iter::Peekable;
use std::str::Chars;

use super::{Flags, Printer};
use crate::value::Value;

/// Maximum width and maximum precision of one formatted value, as in Go.
const MAX_WIDTH: usize = 1_000_000;

/// Maximum size of the output of one `printf`, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Replaces the placeholders of a format string of Go, such as `%s` and `%d`, by formatted values.
pub(crate) fn format(text: &str, values: &[Value]) -> Result<String, String> {
    let mut format =
        Format { chars: text.chars().peekable(), values, next: 0, reordered: false, has_bracket: text.contains(']') };
    let mut printer = Printer::default();
    while let Some(c) = format.chars.next() {
        if printer.out.len() > MAX_BYTES {
            return Err("the output is too long".to_owned());
        }
        if c == '%' {
            format.verb(&mut printer);
        } else {
            printer.out.push(c);
        }
    }
    if !format.reordered && format.next < values.len() {
        printer.flags = Flags::default();
        printer.out.push_str("%!(EXTRA ");
        for (at, value) in values.iter().skip(format.next).enumerate() {
            if at > 0 {
                printer.out.push_str(", ");
            }
            printer.out.push_str(value.type_name());
            if !value.is_nil() {
                printer.out.push('=');
                printer.value(value, 'v');
            }
        }
        printer.out.push(')');
    }
    match printer.unsupported {
        Some(verb) => Err(format!("the verb %{verb} is not supported for this value")),
        None => Ok(printer.out),
    }
}

struct Format<'a> {
    chars: Peekable<Chars<'a>>,
    values: &'a [Value],
    next: usize,
    reordered: bool,
    /// Whether a `]` follows in the rest of the format string. If false, the rest is not searched again for each further `[`.
    has_bracket: bool,
}

impl Format<'_> {
    /// Formats the next argument with a verb and its flags, width and precision. The `%` before them has already been consumed.
    fn verb(&mut self, printer: &mut Printer) {
        let mut flags = Flags::default();
        while let Some(flag) = self.chars.peek() {
            match flag {
                '#' => flags.sharp = true,
                '0' => flags.zero = true,
                '+' => flags.plus = true,
                '-' => flags.minus = true,
                ' ' => flags.space = true,
                _ => break,
            }
            self.chars.next();
        }
        let mut good = true;
        let mut indexed = self.index(&mut good);
        match self.chars.next_if_eq(&'*') {
            Some(_) => {
                let width = self.star();
                match width {
                    Some(width) => {
                        flags.minus |= width < 0;
                        flags.zero &= width >= 0;
                        flags.width = usize::try_from(width.abs()).ok();
                    }
                    None => printer.out.push_str("%!(BADWIDTH)"),
                }
                indexed = false;
            }
            None => {
                flags.width = self.number();
                good &= !(indexed && flags.width.is_some());
            }
        }
        // A `.` at the very end of the format string is a verb, and not the beginning of a precision.
        if self.chars.peek() == Some(&'.') && self.chars.clone().nth(1).is_some() {
            self.chars.next();
            good &= !indexed;
            indexed = self.index(&mut good);
            match self.chars.next_if_eq(&'*') {
                Some(_) => {
                    let precision = self.star();
                    flags.precision = precision.and_then(|precision| usize::try_from(precision).ok());
                    if flags.precision.is_none() {
                        printer.out.push_str("%!(BADPREC)");
                    }
                    indexed = false;
                }
                None => flags.precision = Some(self.number().unwrap_or(0)),
            }
        }
        if !indexed {
            self.index(&mut good);
        }
        printer.flags = flags;
        let Some(verb) = self.chars.next() else {
            printer.out.push_str("%!(NOVERB)");
            return;
        };
        match self.values.get(self.next) {
            _ if verb == '%' => printer.out.push('%'),
            _ if !good => printer.out.push_str(&format!("%!{verb}(BADINDEX)")),
            None => printer.out.push_str(&format!("%!{verb}(MISSING)")),
            Some(value) => {
                if verb == 'v' {
                    printer.flags.sharp_v = std::mem::take(&mut printer.flags.sharp);
                    printer.flags.plus = false;
                }
                printer.value(value, verb);
                self.next += 1;
            }
        }
    }

    /// Parses an argument index such as `[3]`. Returns whether the format string has an index at this position. Sets `good` to false if the
    /// index is invalid.
    fn index(&mut self, good: &mut bool) -> bool {
        if self.chars.peek() != Some(&'[') {
            return false;
        }
        self.reordered = true;
        self.has_bracket = self.has_bracket && self.chars.clone().any(|c| c == ']');
        if !self.has_bracket {
            self.chars.next();
            *good = false;
            return false;
        }
        let rest = self.chars.clone().skip(1);
        let inside: String = rest.take_while(|c| *c != ']').collect();
        for _ in 0..inside.chars().count() + 2 {
            self.chars.next();
        }
        let number = inside.parse::<usize>().ok().filter(|_| inside.chars().all(|c| c.is_ascii_digit()));
        match number.and_then(|number| number.checked_sub(1)) {
            Some(at) if at < self.values.len() => {
                self.next = at;
                true
            }
            _ => {
                *good = false;
                true
            }
        }
    }

    /// Returns the next argument, which a `*` in the format string uses as width or precision. `None` if it is missing, not an integer, or
    /// too large.
    fn star(&mut self) -> Option<i64> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        let number = match value {
            Value::Int(number) => *number,
            Value::Byte(number) => i64::from(*number),
            _ => return None,
        };
        (number.unsigned_abs() <= MAX_WIDTH as u64).then_some(number)
    }

    fn number(&mut self) -> Option<usize> {
        let mut found: Option<usize> = None;
        while let Some(digit) = self.chars.next_if(char::is_ascii_digit) {
            let digit = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
            found = Some(found.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        found.filter(|number| *number <= MAX_WIDTH)
    }
}
