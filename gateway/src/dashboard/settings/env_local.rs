//! Changes variables in the text of `.env.local`, which contains the secrets of settings.

use cloch_functions::dotenv;

/// Returns the text in which the variable `name` has the value `value`; if `value` is `None`, the text without the variable. Returns `None`
/// if this would also change another variable.
pub(super) fn with(text: &str, name: &str, value: Option<&str>) -> Option<String> {
    let mut changed: String = text.split_inclusive('\n').filter(|line| !defines(line, name)).collect();
    if let Some(value) = value {
        if !changed.is_empty() && !changed.ends_with('\n') {
            changed.push('\n');
        }
        changed.push_str(&format!("{name}={}\n", quoted(value)));
    }
    // The result is parsed as a check: a line that begins with this name may be part of another variable's value, if that value has several
    // lines.
    let (mut before, mut after) = (dotenv::parse(text.as_bytes()), dotenv::parse(changed.as_bytes()));
    before.variables.remove(name);
    let written = after.variables.remove(name);
    (written.as_deref() == value && before.variables == after.variables).then_some(changed)
}

/// Whether a line defines the variable `name`: the name, then `=` or `:`.
fn defines(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
}

fn quoted(value: &str) -> String {
    if !value.contains(['\'', '\\']) {
        return format!("'{value}'");
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_back() {
        for value in ["a", "a b # c", "it's", "\\", "a\\", "$HOME", "\\$HOME'", "\"", "'\"\\$`", "ä = b"] {
            let text = with("A=1\n", "B", Some(value)).unwrap();
            assert_eq!(dotenv::parse(text.as_bytes()).variables.get("B").map(String::as_str), Some(value), "{text}");
        }
    }

    #[test]
    fn other_lines_stay() {
        let text = "# Ours.\nA=1\nexport B = old\nB_2=2\n";
        assert_eq!(with(text, "B", Some("new")).unwrap(), "# Ours.\nA=1\nB_2=2\nB='new'\n");
        assert_eq!(with(text, "B", None).unwrap(), "# Ours.\nA=1\nB_2=2\n");
        assert_eq!(with("A=1", "B", Some("x")).unwrap(), "A=1\nB='x'\n");
        assert_eq!(with("", "B", None).unwrap(), "");
        assert!(with("A=\"1\nB=2\n\"\n", "B", Some("x")).is_none(), "a line of another value");
        assert!(with("A=$B\nB=2\n", "B", Some("x")).is_some() && with("B=2\nA=$B\n", "B", Some("x")).is_none());
    }
}
