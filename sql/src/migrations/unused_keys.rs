//! Skips `SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false)`. Seeds made by `supabase db dump` of a PostgreSQL 15 of Supabase
//! contain this statement, because that server creates the extension pgsodium in each database. It sets the sequence of pgsodium's keys to
//! its first value, so there was no key, and nothing of the seed depends on the extension.

use super::transactions::words;

/// Whether a statement must be skipped, because it only says that pgsodium has no key yet. If so, logs a message.
pub(super) fn skips(statement: &str, file: &str) -> bool {
    if !is_first_value(statement) {
        return false;
    }
    tracing::info!(
        "database: {file}: setval of pgsodium.key_key_id_seq skipped: the server lacks the extension pgsodium, and the seed has no keys of it"
    );
    true
}

fn is_first_value(statement: &str) -> bool {
    let text = words(statement).concat();
    let text = text.trim_end_matches(';');
    let Some(call) = text.strip_prefix("select").map(|call| call.strip_prefix("pg_catalog.").unwrap_or(call)) else {
        return false;
    };
    let sequence = call.strip_prefix("setval('").and_then(|arguments| arguments.split_once('\''));
    sequence.is_some_and(|(name, values)| name.replace('"', "") == "pgsodium.key_key_id_seq" && values == ",1,false)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_the_key_sequence_is_recognised() {
        for statement in [
            "SELECT pg_catalog.setval('\"pgsodium\".\"key_key_id_seq\"', 1, false);",
            "--\n-- Name: key_key_id_seq\n--\nselect setval('pgsodium.key_key_id_seq', 1, false)",
        ] {
            assert!(is_first_value(statement), "{statement}");
        }
        for statement in [
            "SELECT pg_catalog.setval('\"pgsodium\".\"key_key_id_seq\"', 5, true);",
            "SELECT pg_catalog.setval('\"public\".\"key_key_id_seq\"', 1, false);",
            "SELECT pg_catalog.setval('pgsodium.key_key_id_seq', 1, false), drop_all()",
            "select pgsodium.create_key()",
        ] {
            assert!(!is_first_value(statement), "{statement}");
        }
    }
}
