//! Formats values as Go's package fmt does: for actions that print a value, and for the functions `print`, `println` and `printf`.

mod format;

pub(crate) use format::format;

use crate::float;
use crate::quote::{is_printable, quote, quote_rune};
use crate::value::Value;

/// Returns the text that an action such as `{{ .Email }}` writes to the output for a value.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::Missing | Value::Null => "<no value>".to_owned(),
        Value::Text(text) => text.to_string(),
        other => sprint(std::slice::from_ref(other)),
    }
}

/// Formats values and joins the resulting texts, as Go's `fmt.Sprint` does: with a space between two adjacent values if neither is a
/// string.
pub(crate) fn sprint(values: &[Value]) -> String {
    let mut printer = Printer::default();
    let mut previous_is_text = true;
    for value in values {
        let is_text = matches!(value, Value::Text(_));
        if !is_text && !previous_is_text {
            printer.out.push(' ');
        }
        printer.value(value, 'v');
        previous_is_text = is_text;
    }
    printer.out
}

/// Formats values, joins the texts with spaces and appends a line break, as Go's `fmt.Sprintln` does.
pub(crate) fn sprintln(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(|value| sprint(std::slice::from_ref(value))).collect();
    texts.join(" ") + "\n"
}

#[derive(Clone, Copy, Default)]
struct Flags {
    sharp: bool,
    sharp_v: bool,
    zero: bool,
    plus: bool,
    minus: bool,
    space: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

#[derive(Default)]
struct Printer {
    out: String,
    flags: Flags,
    /// A verb of the format string that Go supports for its value, but this crate does not. `None` if there was no such verb.
    unsupported: Option<char>,
}

impl Printer {
    fn padding(&mut self, count: usize) {
        let c = if self.flags.zero && !self.flags.minus { '0' } else { ' ' };
        self.out.extend(std::iter::repeat_n(c, count));
    }

    fn pad(&mut self, text: &str) {
        let count = self.flags.width.unwrap_or(0).saturating_sub(text.chars().count());
        if self.flags.minus {
            self.out.push_str(text);
            self.padding(count);
        } else {
            self.padding(count);
            self.out.push_str(text);
        }
    }

    fn bad_verb(&mut self, value: &Value, verb: char) {
        self.out.push_str("%!");
        self.out.push(verb);
        self.out.push('(');
        self.out.push_str(value.type_name());
        if !value.is_nil() {
            self.out.push('=');
            self.value(value, 'v');
        }
        self.out.push(')');
    }

    fn value(&mut self, value: &Value, verb: char) {
        match (value, verb) {
            (Value::Missing | Value::Null, 'v' | 'T') => self.pad("<nil>"),
            (Value::Missing | Value::Null, verb) => self.bad_verb(value, verb),
            (_, 'T') => self.text(value.type_name()),
            (Value::Bool(flag), 't' | 'v') => self.pad(if *flag { "true" } else { "false" }),
            (Value::Int(number), verb) => self.integer(value, number.unsigned_abs(), *number < 0, verb),
            (Value::Byte(number), 'v') if self.flags.sharp_v => self.pad(&format!("{number:#x}")),
            (Value::Byte(number), verb) => self.integer(value, u64::from(*number), false, verb),
            (Value::Float(number), verb) => self.float(value, *number, verb),
            (Value::Text(text), verb) => self.string(value, text, verb),
            (Value::List(_) | Value::Map(_), 'p') => self.unsupported = Some(verb),
            (Value::List(list), verb) => self.list(value, list, verb),
            (Value::Map(fields), verb) => {
                let (open, separator, close) = self.brackets(value, "map[", "]");
                self.out.push_str(&open);
                for (at, (name, item)) in fields.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(separator);
                    }
                    self.item(&Value::text(name.as_str()), verb);
                    self.out.push(':');
                    self.item(item, verb);
                }
                self.out.push_str(close);
            }
            (Value::Bool(_), verb) => self.bad_verb(value, verb),
        }
    }

    fn list(&mut self, value: &Value, list: &[Value], verb: char) {
        let (open, separator, close) = self.brackets(value, "[", "]");
        self.out.push_str(&open);
        for (at, item) in list.iter().enumerate() {
            if at > 0 {
                self.out.push_str(separator);
            }
            self.item(item, verb);
        }
        self.out.push_str(close);
    }

    fn brackets(&self, value: &Value, open: &str, close: &'static str) -> (String, &'static str, &'static str) {
        if self.flags.sharp_v { (format!("{}{{", value.type_name()), ", ", "}") } else { (open.to_owned(), " ", close) }
    }

    /// Formats a value that is an element of a list or map.
    fn item(&mut self, value: &Value, verb: char) {
        match (value.is_nil(), self.flags.sharp_v) {
            (true, true) => self.out.push_str("interface {}(nil)"),
            (true, false) => self.out.push_str("<nil>"),
            (false, _) => self.value(value, verb),
        }
    }

    fn integer(&mut self, value: &Value, number: u64, negative: bool, verb: char) {
        let digits = match verb {
            'v' | 'd' => number.to_string(),
            'b' => format!("{number:b}"),
            'o' | 'O' => format!("{number:o}"),
            'x' => format!("{number:x}"),
            'X' => format!("{number:X}"),
            'c' | 'q' | 'U' => {
                let c = u32::try_from(number).ok().filter(|_| !negative).and_then(char::from_u32);
                return self.rune(number, c.unwrap_or('\u{fffd}'), verb);
            }
            _ => return self.bad_verb(value, verb),
        };
        let flags = self.flags;
        if flags.precision == Some(0) && number == 0 {
            self.flags.zero = false;
            self.padding(flags.width.unwrap_or(0));
            self.flags.zero = flags.zero;
            return;
        }
        let sign = match (negative, flags.plus, flags.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let wanted = match (flags.precision, flags.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if flags.zero && !flags.minus => width.saturating_sub(sign.len()),
            _ => 0,
        };
        let digits = format!("{}{digits}", "0".repeat(wanted.saturating_sub(digits.len())));
        let prefix = match verb {
            'b' if flags.sharp => "0b",
            'o' if flags.sharp && !digits.starts_with('0') => "0",
            'O' if flags.sharp && !digits.starts_with('0') => "0o0",
            'O' => "0o",
            'x' if flags.sharp => "0x",
            'X' if flags.sharp => "0X",
            _ => "",
        };
        self.flags.zero = false;
        self.pad(&format!("{sign}{prefix}{digits}"));
        self.flags.zero = flags.zero;
    }

    fn rune(&mut self, number: u64, c: char, verb: char) {
        match verb {
            'c' => self.pad(c.encode_utf8(&mut [0; 4])),
            'q' => self.pad(&quote_rune(c, self.flags.plus)),
            _ => {
                let digits = self.flags.precision.unwrap_or(4).max(4);
                let shown = if self.flags.sharp && is_printable(c) { format!(" '{c}'") } else { String::new() };
                let zero = std::mem::take(&mut self.flags.zero);
                self.pad(&format!("U+{number:0digits$X}{shown}"));
                self.flags.zero = zero;
            }
        }
    }

    fn float(&mut self, value: &Value, number: f64, verb: char) {
        let flags = self.flags;
        let (form, usual) = match verb {
            'v' => ('g', None),
            'g' | 'G' => (verb, None),
            'f' | 'e' | 'E' => (verb, Some(6)),
            'F' => ('f', Some(6)),
            'b' | 'x' | 'X' => {
                self.unsupported = Some(verb);
                return;
            }
            _ => return self.bad_verb(value, verb),
        };
        let precision = flags.precision.or(usual);
        let text = float::format(number, form, precision);
        let (mut sign, digits) = match text.strip_prefix(['-', '+']) {
            Some(digits) => (text.get(..1).unwrap_or_default(), digits.to_owned()),
            None => ("+", text.clone()),
        };
        if sign == "+" && flags.space && !flags.plus {
            sign = " ";
        }
        if !number.is_finite() {
            let shows = if number.is_nan() { flags.space || flags.plus } else { flags.plus || sign != "+" };
            self.flags.zero = false;
            self.pad(&format!("{}{digits}", if shows { sign } else { "" }));
            self.flags.zero = flags.zero;
            return;
        }
        let digits = if flags.sharp { with_point(&digits, verb, precision) } else { digits };
        if !flags.plus && sign == "+" {
            return self.pad(&digits);
        }
        match flags.width {
            Some(width) if flags.zero && !flags.minus && width > digits.len() + 1 => {
                self.out.push_str(sign);
                self.padding(width - digits.len() - 1);
                self.out.push_str(&digits);
            }
            _ => self.pad(&format!("{sign}{digits}")),
        }
    }

    fn text(&mut self, text: &str) {
        let end = self.flags.precision.and_then(|precision| text.char_indices().nth(precision)).map(|(at, _)| at);
        self.pad(end.and_then(|end| text.get(..end)).unwrap_or(text));
    }

    fn string(&mut self, value: &Value, text: &str, verb: char) {
        match verb {
            'v' if !self.flags.sharp_v => self.text(text),
            's' => self.text(text),
            'x' | 'X' => self.hex(text.as_bytes(), verb == 'X'),
            'v' | 'q' => {
                let end = self.flags.precision.and_then(|precision| text.char_indices().nth(precision));
                let cut = end.and_then(|(end, _)| text.get(..end)).unwrap_or(text);
                let backquotes = cut.chars().all(|c| c == '\t' || !(c.is_control() || c == '`' || c == '\u{feff}'));
                if self.flags.sharp && backquotes {
                    self.pad(&format!("`{cut}`"));
                } else {
                    self.pad(&quote(cut, self.flags.plus));
                }
            }
            _ => self.bad_verb(value, verb),
        }
    }

    fn hex(&mut self, bytes: &[u8], upper: bool) {
        let flags = self.flags;
        let prefix = match (flags.sharp, upper) {
            (false, _) => "",
            (true, false) => "0x",
            (true, true) => "0X",
        };
        let bytes = bytes.get(..flags.precision.unwrap_or(bytes.len())).unwrap_or(bytes);
        let digits = bytes.iter().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") });
        let text = match (flags.space, bytes.is_empty()) {
            (_, true) => String::new(),
            (true, _) => digits.map(|digits| format!("{prefix}{digits}")).collect::<Vec<_>>().join(" "),
            (false, _) => format!("{prefix}{}", digits.collect::<String>()),
        };
        self.pad(&text);
    }
}

/// Adds a decimal point to a formatted number, as the flag `#` requires. For the verb `g`, also adds zeros up to the precision.
fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let at = text.find(['e', 'E']).unwrap_or(text.len());
    let (mantissa, tail) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut wanted = if matches!(verb, 'v' | 'g' | 'G') { precision.unwrap_or(6) } else { 0 };
    let significant = mantissa.chars().filter(|c| *c != '.').skip_while(|c| *c == '0').count();
    wanted = wanted.saturating_sub(significant);
    let mut mantissa = mantissa.to_owned();
    if !mantissa.contains('.') {
        if mantissa == "0" {
            wanted = wanted.saturating_sub(1);
        }
        mantissa.push('.');
    }
    format!("{mantissa}{}{tail}", "0".repeat(wanted))
}
