//! Parses CSV request bodies: a header line with the column names, followed by one line for each row.

use ::csv::ReaderBuilder;
use bytes::Bytes;

use crate::error::ApiError;

/// Maximum number of characters of the CSV input that an error message quotes.
const MAX_QUOTED_CHARS: usize = 100;
/// Maximum ratio of the size of the converted JSON to the size of the CSV. Each JSON object repeats all column names, so that a body of
/// commas could otherwise grow a thousandfold.
const MAX_GROWTH_FACTOR: usize = 8;
/// Size of the converted JSON in bytes up to which the ratio of JSON to CSV is not checked.
const SMALL_JSON_BYTES: usize = 1024 * 1024;

/// Error message for CSV lines with different numbers of fields, worded as in PostgREST.
pub(super) const UNEVEN: &str = "All lines must have same number of fields";

/// Converts the CSV rows to a JSON array of objects. The text `NULL` becomes null, every other value becomes a string.
pub(super) fn as_json(body: &[u8]) -> Result<Bytes, ApiError> {
    let text = String::from_utf8_lossy(body);
    check_quotes(&text)?;
    let unreadable = |error: ::csv::Error| ApiError::invalid_body(error.to_string());
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(body);
    let header = reader.headers().map_err(unreadable)?.clone();
    // The header is a complete line, so a line break must follow it.
    if header.is_empty() || !text.contains(['\n', '\r']) {
        return Err(parse_error("not enough input", ""));
    }
    let keys: Vec<String> = header.iter().map(json_text).collect();
    let most = SMALL_JSON_BYTES.max(body.len().saturating_mul(MAX_GROWTH_FACTOR));
    let mut json = String::from("[");
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        if record.len() != keys.len() {
            return Err(ApiError::invalid_body(UNEVEN.to_owned()));
        }
        json.push_str(if json.len() > 1 { ",{" } else { "{" });
        for (at, (key, text)) in keys.iter().zip(&record).enumerate() {
            let value = if text == "NULL" { "null".to_owned() } else { json_text(text) };
            json.extend([if at > 0 { "," } else { "" }, key, ":", &value]);
            if json.len() > most {
                return Err(ApiError::csv_too_large(most));
            }
        }
        json.push('}');
    }
    json.push(']');
    Ok(json.into())
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Rejects a quote inside an unquoted field, because such a quote is probably a mistake.
fn check_quotes(text: &str) -> Result<(), ApiError> {
    let (mut in_quotes, mut at_start) = (false, true);
    for (place, c) in text.char_indices() {
        match c {
            // A doubled quote ends the quoted text and immediately starts a quoted text again.
            '"' if in_quotes || at_start => in_quotes = !in_quotes,
            '"' if !text.get(..place).is_some_and(|before| before.ends_with('"')) => {
                return Err(parse_error("Failed reading: satisfy", text.get(place..).unwrap_or_default()));
            }
            '"' => in_quotes = true,
            _ => {}
        }
        at_start = !in_quotes && matches!(c, ',' | '\n' | '\r');
    }
    Ok(())
}

fn parse_error(what: &str, rest: &str) -> ApiError {
    let shown: String = rest.chars().take(MAX_QUOTED_CHARS).collect();
    let dots = if shown.len() < rest.len() { " (truncated)" } else { "" };
    ApiError::invalid_body(format!("parse error ({what}) at {shown:?}{dots}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let json = as_json(text.as_bytes()).map_err(|error| error.message().to_owned())?;
        Ok(String::from_utf8(json.to_vec()).unwrap())
    }

    #[test]
    fn refuses_what_is_no_csv() {
        assert_eq!(read("").unwrap_err(), r#"parse error (not enough input) at """#);
        assert_eq!(read("a,b").unwrap_err(), r#"parse error (not enough input) at """#);
        for uneven in ["a,b\n1,2,3\n", "a,b\n1\n", "a,b\n1,2\n3\n"] {
            assert_eq!(read(uneven).unwrap_err(), UNEVEN, "{uneven}");
        }
        assert_eq!(read("a\nx\"y\n").unwrap_err(), r#"parse error (Failed reading: satisfy) at "\"y\n""#);
        assert_eq!(read("{\"a\":1}").unwrap_err(), r#"parse error (Failed reading: satisfy) at "\"a\":1}""#);
    }

    #[test]
    fn short_rows_below_long_names_are_no_bomb() {
        let commas = ",".repeat(200) + "\n";
        for (name, row, rows) in [("x".repeat(20_000), "1\n", 2_000), ("abc,".repeat(200), commas.as_str(), 20_000)] {
            let refused = read(&format!("{name}y\n{}", row.repeat(rows))).unwrap_err();
            assert!(refused.contains("as JSON"), "{refused}");
        }
    }

    #[test]
    fn reads_quotes_nulls_and_empty_fields() {
        let rows = read("a,b\n1,NULL\n\"x, \"\"y\"\"\",\n\"\",\"NULL\"\n").unwrap();
        assert_eq!(rows, r#"[{"a":"1","b":null},{"a":"x, \"y\"","b":""},{"a":"","b":null}]"#);
        assert_eq!(read("a,b\n").unwrap(), "[]");
    }
}
