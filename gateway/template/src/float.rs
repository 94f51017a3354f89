//! Formats floating-point numbers with the rules of Go's strconv.

/// Splits a number in exponential form into its digits and the position of its decimal point relative to the first digit: 0.5 gives ("5",
/// 0), 25 gives ("25", 2).
fn digits(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    (digits, exponent + 1)
}

/// Formats a number as Go does for the verb `e`, `E`, `f`, `F`, `g` or `G` (`form`). If `precision` is `None`, returns the shortest text
/// from which the same number can be parsed.
pub(crate) fn format(value: f64, form: char, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{}Inf", if sign.is_empty() { "+" } else { sign });
    }
    let value = value.abs();
    let text = match (form.to_ascii_lowercase(), precision) {
        ('e', precision) => exponential(value, precision, form),
        ('f', None) => format!("{value}"),
        ('f', Some(precision)) => format!("{value:.precision$}"),
        (_, precision) => general(value, precision, form),
    };
    format!("{sign}{text}")
}

fn exponential(value: f64, precision: Option<usize>, form: char) -> String {
    let text = precision.map_or_else(|| format!("{value:e}"), |precision| format!("{value:.precision$e}"));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let e = if form.is_ascii_uppercase() { 'E' } else { 'e' };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{e}{sign}{:02}", exponent.abs())
}

/// Formats a number with the verb `g`: in exponential form if it is very large or very small, and without trailing zeros.
fn general(value: f64, precision: Option<usize>, form: char) -> String {
    let kept = precision.map(|precision| precision.max(1));
    let text = kept.map_or_else(|| format!("{value:e}"), |kept| format!("{:.*e}", kept - 1, value));
    let (all, point) = digits(&text);
    let digits = match all.trim_end_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = if value == 0.0 { 1 } else { point };
    // As in Go: if the precision exceeds the number of digits, and the digits reach at least to the decimal point, the number of digits is
    // used in place of the precision.
    let limit = match kept {
        None => 6,
        Some(kept) => {
            let kept = i32::try_from(kept).unwrap_or(i32::MAX);
            if kept > count && count >= point { count } else { kept }
        }
    };
    let exponent = point - 1;
    if exponent < -4 || exponent >= limit {
        let length = digits.len().saturating_sub(1);
        let parsed: f64 =
            format!("{}e{}", digits, exponent - i32::try_from(length).unwrap_or(0)).parse().unwrap_or(value);
        let e = if form.is_ascii_uppercase() { 'E' } else { 'e' };
        return exponential(parsed, Some(length), if e == 'E' { 'E' } else { 'e' });
    }
    match usize::try_from(point) {
        Ok(point) if point >= digits.len() => format!("{digits}{}", "0".repeat(point - digits.len())),
        Ok(point) if point > 0 => {
            let (whole, fraction) = digits.split_at_checked(point).unwrap_or((digits, ""));
            format!("{whole}.{fraction}")
        }
        _ => format!("0.{}{digits}", "0".repeat(usize::try_from(-point).unwrap_or(0))),
    }
}
