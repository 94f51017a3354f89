//! Detects statements that begin or end transactions, and statements that cannot run inside a transaction.

const WORDS: usize = 32;

/// Returns the first words and symbols of a statement in lower case, without comments; quoted names are unchanged.
#[must_use]
pub fn words(statement: &str) -> Vec<String> {
    let mut scanner = super::scan::Scanner::new(statement, super::split::Backslashes::Plain);
    let mut words = Vec::new();
    while words.len() < WORDS
        && let Ok(Some(token)) = scanner.token()
    {
        let word = statement.get(token.range).unwrap_or_default();
        words.push(if word.starts_with('"') { word.to_owned() } else { word.to_ascii_lowercase() });
    }
    words
}

/// Whether PostgreSQL refuses to execute the statement inside a transaction block.
#[must_use]
pub fn refuses_transaction(statement: &str) -> bool {
    let words = words(statement);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["vacuum", ..] | ["create" | "drop", "database" | "tablespace", ..] | ["alter", "system", ..] => true,
        ["cluster"] | ["cluster", "verbose"] => true,
        ["create", "index", "concurrently", ..] | ["create", "unique", "index", "concurrently", ..] => true,
        ["drop", "index", "concurrently", ..] => true,
        ["reindex", "database" | "system" | "schema", ..] => true,
        ["reindex", ..] => words.contains(&"concurrently"),
        ["alter", "table", rest @ ..] => rest.contains(&"detach") && rest.last() == Some(&"concurrently"),
        _ => false,
    }
}

/// Whether the statement begins or ends a transaction.
#[must_use]
pub fn is_transaction_control(statement: &str) -> bool {
    let words = words(statement);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        // `rollback to savepoint` does not end the transaction.
        ["rollback", "to", ..] | ["rollback", "work" | "transaction", "to", ..] => false,
        ["begin" | "commit" | "end" | "rollback" | "abort", ..] => true,
        ["start" | "prepare", "transaction", ..] => true,
        _ => false,
    }
}

/// Whether a transaction of the file is open after a statement that begins or ends transactions.
pub(super) fn opens_transaction(control: &str) -> bool {
    let words = words(control);
    match words.first().map(String::as_str) {
        Some("begin" | "start") => true,
        Some("prepare") => false,
        _ => words.iter().any(|word| word == "chain") && !words.iter().any(|word| word == "no"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_transaction_control() {
        for statement in [
            "begin",
            "COMMIT",
            "begin transaction isolation level serializable",
            "start transaction read only",
            "end",
            "commit and chain",
            "commit/* a */work",
            "rollback",
            "abort",
            "prepare transaction 'a'",
            "commit prepared 'a'",
        ] {
            assert!(is_transaction_control(statement), "{statement}");
        }
        for statement in
            ["create table begin ()", "rollback to a", "rollback work to savepoint a", "prepare a as select 1"]
        {
            assert!(!is_transaction_control(statement), "{statement}");
        }
    }

    #[test]
    fn knows_what_runs_outside_of_transactions() {
        for statement in [
            "create unique index concurrently on a (b)",
            "create /* x */ index concurrently if not exists i on a (b)",
            "drop index concurrently if exists i",
            "reindex (verbose) table concurrently a",
            "REINDEX DATABASE postgres",
            "alter table a detach partition b concurrently",
            "vacuum",
            "cluster",
            "drop database a",
            "alter system set a = b",
        ] {
            assert!(refuses_transaction(statement), "{statement}");
        }
        for statement in [
            "insert into a values ('concurrently')",
            "select concurrently",
            "refresh materialized view concurrently v",
            "reindex table a",
            "cluster a using i",
            "alter table a rename to \"concurrently\"",
        ] {
            assert!(!refuses_transaction(statement), "{statement}");
        }
    }
}
