//! The functions of Go's text/template, which templates can call, and the escapers that this crate appends to actions. The function `call`
//! always fails, because template data is JSON and contains no functions.

use std::cmp::Ordering;

use crate::html::escapers;
use crate::print::{format, sprint, sprintln};
use crate::value::Value;

const NAMES: [&str; 18] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
    "println", "slice",
];

/// Whether templates may use a function of this name.
pub(crate) fn is_defined(name: &str) -> bool {
    NAMES.contains(&name) || name == "urlquery"
}

/// Calls the template function or escaper `name`. Does not support `and` and `or`, which the interpreter executes itself.
pub(crate) fn call(name: &str, mut arguments: Vec<Value>) -> Result<Value, String> {
    let failed = |message: String| format!("error calling {name}: {message}");
    let count = arguments.len();
    let wanted = |is_right: bool, wanted: &str| {
        if is_right { Ok(()) } else { Err(format!("wrong number of args for {name}: want {wanted} got {count}")) }
    };
    match name {
        "print" => return Ok(Value::text(sprint(&arguments))),
        "println" => return Ok(Value::text(sprintln(&arguments))),
        "html" => return Ok(Value::text(escapers::text_html(&evaluated(arguments)))),
        "js" => return Ok(Value::text(escapers::text_js(&evaluated(arguments)))),
        "urlquery" => return Ok(Value::text(escapers::query(&evaluated(arguments)))),
        "not" | "len" => wanted(count == 1, "1")?,
        "ne" | "lt" | "le" | "gt" | "ge" => wanted(count == 2, "2")?,
        "eq" | "index" | "slice" | "printf" | "call" => wanted(count >= 1, "at least 1")?,
        _ => {}
    }
    if name.starts_with('_') {
        return Ok(Value::text(escapers::apply(name, &arguments)));
    }
    let first = if arguments.is_empty() { Value::Missing } else { arguments.remove(0) };
    let second = || arguments.first().cloned().unwrap_or(Value::Missing);
    let outcome = match name {
        "printf" => match &first {
            Value::Text(text) => format(text, &arguments).map(Value::text),
            other => Err(format!("wrong type for value; expected string; got {}", other.type_name())),
        },
        "not" => Ok(Value::Bool(!first.is_true())),
        "len" => length(&first),
        "index" => arguments.iter().try_fold(first, |item, at| index(&item, at)),
        "slice" => slice(&first, &arguments),
        "eq" => equals(&first, &arguments),
        "ne" => equals(&first, &[second()]).map(|is| Value::Bool(!is.is_true())),
        "lt" => less(&first, &second()).map(Value::Bool),
        "le" => less_or_equal(&first, &second()).map(Value::Bool),
        "gt" => less_or_equal(&first, &second()).map(|is| Value::Bool(!is)),
        "ge" => less(&first, &second()).map(|is| Value::Bool(!is)),
        _ if first.is_nil() => Err("call of nil".to_owned()),
        _ => Err(format!("non-function of type {}", first.type_name())),
    };
    outcome.map_err(failed)
}

/// Formats the arguments of an escaper and joins them to one text. A missing value becomes `<no value>`.
fn evaluated(arguments: Vec<Value>) -> String {
    let shown = |value: Value| if value.is_nil() { Value::text("<no value>") } else { value };
    sprint(&arguments.into_iter().map(shown).collect::<Vec<_>>())
}

fn count(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}

fn length(item: &Value) -> Result<Value, String> {
    match item {
        Value::Text(text) => Ok(count(text.len())),
        Value::List(list) => Ok(count(list.len())),
        Value::Map(fields) => Ok(count(fields.len())),
        Value::Missing | Value::Null => Err("len of nil pointer".to_owned()),
        other => Err(format!("len of type {}", other.type_name())),
    }
}

/// Converts the template value `at` to an index into a text or list with `length` bytes or elements. If `beyond` is true, `length` itself is
/// also a valid index.
fn place(at: &Value, length: usize, beyond: bool) -> Result<usize, String> {
    let number = match at {
        Value::Int(number) => *number,
        Value::Byte(number) => i64::from(*number),
        Value::Missing | Value::Null => return Err("cannot index slice/array with nil".to_owned()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name())),
    };
    let out_of_range = || format!("index out of range: {number}");
    let found = usize::try_from(number).map_err(|_| out_of_range())?;
    if found > length || (!beyond && found == length) { Err(out_of_range()) } else { Ok(found) }
}

fn index(item: &Value, at: &Value) -> Result<Value, String> {
    match item {
        Value::Missing => Err("index of untyped nil".to_owned()),
        Value::Null => Err("index of nil pointer".to_owned()),
        Value::Text(text) => {
            let at = place(at, text.len(), false)?;
            Ok(text.as_bytes().get(at).map_or(Value::Missing, |byte| Value::Byte(*byte)))
        }
        Value::List(list) => Ok(list.get(place(at, list.len(), false)?).cloned().unwrap_or(Value::Missing)),
        Value::Map(fields) => match at {
            // For a missing key, Go returns the zero value of the map's element type, which is nil.
            Value::Text(key) => Ok(fields.get(key.as_ref()).cloned().unwrap_or(Value::Null)),
            Value::Missing | Value::Null => Err("value is nil; should be of type string".to_owned()),
            other => Err(format!("value has type {}; should be string", other.type_name())),
        },
        other => Err(format!("can't index item of type {}", other.type_name())),
    }
}

fn slice(item: &Value, places: &[Value]) -> Result<Value, String> {
    if places.len() > 3 {
        return Err(format!("too many slice indexes: {}", places.len()));
    }
    let length = match item {
        Value::Text(_) if places.len() == 3 => return Err("cannot 3-index slice a string".to_owned()),
        Value::Text(text) => text.len(),
        Value::List(list) => list.len(),
        Value::Missing => return Err("slice of untyped nil".to_owned()),
        Value::Null => return Err("slice of nil pointer".to_owned()),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    let found = places.iter().map(|at| place(at, length, true)).collect::<Result<Vec<_>, _>>()?;
    let (from, to) = (found.first().copied().unwrap_or(0), found.get(1).copied().unwrap_or(length));
    for (low, high) in [(from, to), (to, found.get(2).copied().unwrap_or(length))] {
        if low > high {
            return Err(format!("invalid slice index: {low} > {high}"));
        }
    }
    Ok(match item {
        Value::List(list) => Value::List(list.get(from..to).unwrap_or_default().into()),
        Value::Text(text) => {
            // Go slices a text by bytes, which may cut a character. The incomplete bytes at the ends are replaced by U+FFFD, because a mail
            // must be valid UTF-8.
            Value::text(String::from_utf8_lossy(text.as_bytes().get(from..to).unwrap_or_default()).as_ref())
        }
        _ => Value::Missing,
    })
}

/// Kinds of values for the comparison functions (`eq`, `lt` and others). Most combinations of different kinds cannot be compared.
#[derive(PartialEq)]
enum Kind {
    Bool,
    Int,
    Byte,
    Float,
    Text,
    Other,
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => Kind::Int,
        Value::Byte(_) => Kind::Byte,
        Value::Float(_) => Kind::Float,
        Value::Text(_) => Kind::Text,
        Value::Missing | Value::Null | Value::List(_) | Value::Map(_) => Kind::Other,
    }
}

fn incompatible(one: &Value, two: &Value) -> String {
    format!("incompatible types for comparison: {} and {}", one.type_name(), two.type_name())
}

/// Returns the template value `true` if `first` equals one of `others`, otherwise `false`.
fn equals(first: &Value, others: &[Value]) -> Result<Value, String> {
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    for other in others {
        if equal(first, other)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn equal(one: &Value, two: &Value) -> Result<bool, String> {
    Ok(match (one, two) {
        (Value::Bool(one), Value::Bool(two)) => one == two,
        (Value::Int(one), Value::Int(two)) => one == two,
        (Value::Byte(one), Value::Byte(two)) => one == two,
        (Value::Int(int), Value::Byte(byte)) | (Value::Byte(byte), Value::Int(int)) => i64::from(*byte) == *int,
        (Value::Float(one), Value::Float(two)) => one == two,
        (Value::Text(one), Value::Text(two)) => one == two,
        _ if one.is_nil() || two.is_nil() => one.is_nil() && two.is_nil(),
        _ if kind(one) == Kind::Other && kind(two) == Kind::Other && one.type_name() == two.type_name() => {
            return Err(format!("non-comparable type {}", two.type_name()));
        }
        _ => return Err(incompatible(one, two)),
    })
}

fn less(one: &Value, two: &Value) -> Result<bool, String> {
    let invalid = || "invalid type for comparison".to_owned();
    if kind(one) == Kind::Other || kind(two) == Kind::Other {
        return Err(invalid());
    }
    Ok(match (one, two) {
        (Value::Int(one), Value::Int(two)) => one < two,
        (Value::Byte(one), Value::Byte(two)) => one < two,
        (Value::Int(one), Value::Byte(two)) => *one < i64::from(*two),
        (Value::Byte(one), Value::Int(two)) => i64::from(*one) < *two,
        (Value::Float(one), Value::Float(two)) => one.partial_cmp(two) == Some(Ordering::Less),
        (Value::Text(one), Value::Text(two)) => one.as_bytes() < two.as_bytes(),
        (Value::Bool(_), Value::Bool(_)) => return Err(invalid()),
        _ => return Err(incompatible(one, two)),
    })
}

fn less_or_equal(one: &Value, two: &Value) -> Result<bool, String> {
    Ok(less(one, two)? || equal(one, two)?)
}
