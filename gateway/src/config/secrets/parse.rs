//! Parses secrets.toml. Messages contain the line and the key, but not the message of the TOML parser, which would quote a secret.

use std::path::Path;

use toml::{Table, Value};

use super::Secrets;
use crate::config::ConfigError;

/// Parses the text of secrets.toml.
///
/// # Errors
/// When the text is not valid TOML, a value is missing, or a value has the wrong type.
pub(super) fn secrets(file: &Path, text: &str) -> Result<Secrets, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| ConfigError::Syntax {
        file: file.to_owned(),
        line: error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1),
        message: format!("{}; restore the file from a backup", problem(text, &error)),
    })
}

fn problem(text: &str, error: &toml::de::Error) -> String {
    let Ok(table) = text.parse::<Table>() else { return "the line is not valid TOML".to_owned() };
    if let Some(name) = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("the key {name} is missing");
    }
    let wrong = serde_path_to_error::deserialize::<_, Secrets>(Value::Table(table)).err();
    let key = wrong.map(|wrong| wrong.path().to_string()).filter(|key| key != ".");
    format!("{} has a value of the wrong type", key.as_deref().unwrap_or("a key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_key_and_quote_no_value() {
        for (text, expected) in [
            ("\njwt_secret = 7\n", "secrets.toml, line 2: jwt_secret has a value of the wrong type; restore"),
            ("jwt_secret = \"hidden\"\n[database]\n", "the key supabase_admin is missing; restore"),
            (
                "jwt_secret = \"a\"\npublishable_key = \"hidden\n",
                "secrets.toml, line 2: the line is not valid TOML; restore",
            ),
        ] {
            let error = secrets(Path::new("secrets.toml"), text).err().unwrap().to_string();
            assert!(error.contains(expected) && !error.contains("hidden"), "{error}");
        }
    }
}
