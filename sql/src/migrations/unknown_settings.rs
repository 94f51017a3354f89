//! Skips statements such as `SET transaction_timeout = 0`, which newer versions of pg_dump write at the top of a file, but older servers
//! refuse. The statement sets a value that disables the setting, so a server without the setting behaves in the same way. A warning is
//! logged for each skipped statement.

use std::collections::BTreeSet;

use super::transactions::words;
use crate::client::{ClientError, Connection};

/// Values with which a server setting has no effect.
const NEUTRAL_VALUES: [&str; 8] = ["0", "'0'", "off", "false", "no", "default", "''", "'off'"];
/// Words that can follow `SET` in a statement that does not set a server setting.
const OTHER_STATEMENTS: [&str; 6] = ["constraints", "role", "session", "time", "transaction", "names"];

/// Names of the settings that the PostgreSQL server supports.
pub(super) struct KnownSettings(BTreeSet<String>);

impl KnownSettings {
    pub(super) async fn read(owner: &mut Connection) -> Result<Self, ClientError> {
        Ok(Self(owner.texts("select /* cloch */ lower(name) from pg_catalog.pg_settings").await?.into_iter().collect()))
    }

    /// Whether a statement must be skipped, because it sets a setting that the server lacks to a value without effect. If so, logs a
    /// warning.
    pub(super) fn skips(&self, statement: &str, file: &str) -> bool {
        let Some(name) = neutral_setting(statement).filter(|name| !self.0.contains(name)) else { return false };
        tracing::warn!(
            "database: {file}: SET {name} skipped: this version of PostgreSQL lacks the setting and always behaves as if it had the value of the statement, no action needed"
        );
        true
    }
}

/// Returns the name of the server setting that a statement sets to a value without effect ([`NEUTRAL_VALUES`]). Returns `None` for names
/// with a dot, because such settings belong to extensions and can always be set.
fn neutral_setting(statement: &str) -> Option<String> {
    let words = words(statement);
    let mut words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != ";").collect();
    if matches!(words.as_slice(), ["set", "session" | "local", ..]) {
        words.remove(1);
    }
    match words.as_slice() {
        ["set", name, "=" | "to", value] if NEUTRAL_VALUES.contains(value) => {
            (!OTHER_STATEMENTS.contains(name) && !name.starts_with('"')).then(|| (*name).to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_values_of_settings_are_recognised() {
        for statement in [
            "SET transaction_timeout = 0",
            "set transaction_timeout to default;",
            "set /* a */ session transaction_timeout = off",
            "SET LOCAL transaction_timeout TO '0'",
        ] {
            assert_eq!(neutral_setting(statement).as_deref(), Some("transaction_timeout"), "{statement}");
        }
        for statement in [
            "set transaction_timeout = 5",
            "set session authorization default",
            "set time zone default",
            "set transaction read only",
            "set pgaudit.log = 'off'",
            "set \"Transaction_timeout\" = 0",
            "select set_config('transaction_timeout', '0', false)",
            "set a = 0, 0",
        ] {
            assert_eq!(neutral_setting(statement), None, "{statement}");
        }
    }

    #[test]
    fn known_settings_are_set() {
        let known = KnownSettings(BTreeSet::from(["statement_timeout".to_owned()]));
        assert!(!known.skips("set statement_timeout = 0", "a.sql"));
        assert!(known.skips("set transaction_timeout = 0", "a.sql"));
        assert!(!known.skips("set transaction_timeout = '5s'", "a.sql"));
    }
}
