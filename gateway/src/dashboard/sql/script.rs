//! Splits an SQL script into statements, and refuses transaction control in scripts whose changes are rolled back.

use std::ops::Range;

use cloch_sql::migrations::split;

use crate::dashboard::ApiError;

const MAX_STATEMENTS: usize = 2_000;

/// Text of an SQL script, with the byte ranges of its statements.
#[derive(Debug)]
pub(super) struct Script<'a> {
    text: &'a str,
    pub(super) statements: Vec<Range<usize>>,
}

impl<'a> Script<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, ApiError> {
        let statements = split::statements(text).map_err(|wrong| ApiError::bad_request(wrong.to_string()))?;
        match statements.len() {
            0 => Err(ApiError::bad_request("There is no statement to run")),
            count if count > MAX_STATEMENTS => {
                Err(ApiError::bad_request(format!("A script has {MAX_STATEMENTS} statements at most")))
            }
            _ => Ok(Self { text, statements }),
        }
    }

    pub(super) fn statement(&self, place: &Range<usize>) -> &'a str {
        self.text.get(place.clone()).unwrap_or_default()
    }

    /// Converts a byte offset into an offset in UTF-16 code units.
    pub(super) fn utf16(&self, byte: usize) -> usize {
        self.text.get(..byte).unwrap_or(self.text).encode_utf16().count()
    }

    /// Converts PostgreSQL's position in a statement (characters, from 1) into an offset in the script in UTF-16 code units.
    pub(super) fn position(&self, place: &Range<usize>, character: usize) -> usize {
        let before: String = self.statement(place).chars().take(character.saturating_sub(1)).collect();
        self.utf16(place.start) + before.encode_utf16().count()
    }

    /// Refuses statements that would end the transaction of a script whose changes must not be committed. The first word is enough to
    /// detect transaction control, because each statement is sent separately.
    pub(super) fn refuse_transaction_control(&self) -> Result<(), ApiError> {
        for place in &self.statements {
            let statement = self.statement(place);
            let first = word(statement);
            let is_prepared = first == "prepare"
                && word(statement.get(first.len()..).unwrap_or_default().trim_start()) == "transaction";
            if is_prepared || matches!(first.as_str(), "begin" | "start" | "commit" | "end" | "rollback" | "abort") {
                let message =
                    format!("\"{first}\" ends or begins a transaction, and this runs in one of which nothing is kept");
                return Err(ApiError::bad_request(message).with_code("read_only").with_hint("Allow writing to run it"));
            }
        }
        Ok(())
    }
}

fn word(text: &str) -> String {
    text.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_transaction_is_refused() {
        for text in [
            "commit",
            "select 1; COMMIT; drop table x",
            "-- note\n/* a */ Commit/**/and chain",
            "end",
            "abort",
            "rollback to a",
            "begin",
            "start transaction",
            "prepare transaction 'x'",
        ] {
            assert!(Script::read(text).unwrap().refuse_transaction_control().is_err(), "{text}");
        }
        for text in [
            "select 'commit'",
            "select commit from ends",
            "prepare x as select 1",
            "do $$ begin commit; end $$",
            "savepoint a",
        ] {
            assert!(Script::read(text).unwrap().refuse_transaction_control().is_ok(), "{text}");
        }
    }

    #[test]
    fn places_are_counted_as_browsers_count() {
        let script = Script::read("select '𝄞'; select x").unwrap();
        let second = script.statements.get(1).unwrap();
        assert_eq!(script.utf16(second.start), 13);
        assert_eq!(script.position(second, 8), 20);
        assert!(Script::read(" ; -- nothing").is_err());
        let refused = Script::read("select 1;\n/* select 2;").unwrap_err();
        assert!(format!("{refused:?}").contains("line 2, column 1: a comment"), "{refused:?}");
        assert!(Script::read(&"select 1;".repeat(MAX_STATEMENTS + 1)).is_err());
    }
}
