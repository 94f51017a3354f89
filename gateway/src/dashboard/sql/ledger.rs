//! Records which writes of an SQL script were committed. The record is necessary because a script that may write can begin and end
//! transactions itself.

use cloch_sql::migrations::is_transaction_control;

/// Effect of a statement on its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The statement ends its transaction, or rolls it back to a savepoint.
    Ends,
    Other,
}

/// Record of a script's transactions up to the last executed statement.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) in_transaction: bool,
    kept: bool,
    lost: bool,
}

/// Whether a script's writes were committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Whether all writes were committed.
    pub(super) all: bool,
    /// Whether only a part of the writes was committed.
    pub(super) partly: bool,
}

impl Ledger {
    /// Returns whether a statement ends the open transaction. If it does ([`Effect::Ends`]), the caller must check, before it runs the
    /// statement, whether the transaction has written anything.
    pub(super) fn effect(&self, statement: &str) -> Effect {
        let begins = ["begin", "start"].iter().any(|word| has_first_word(statement, word));
        let ends = is_transaction_control(statement) && !begins || has_first_word(statement, "rollback");
        if self.in_transaction && ends { Effect::Ends } else { Effect::Other }
    }

    /// Records an executed statement. `wrote`: whether its transaction had written anything before the statement. `tag`: PostgreSQL's command
    /// tag. `in_transaction`: whether a transaction is open after the statement.
    pub(super) fn ran(&mut self, effect: Effect, tag: &str, wrote: bool, in_transaction: bool) {
        match (effect, tag) {
            (Effect::Ends, "ROLLBACK") => self.lost |= wrote,
            (Effect::Ends, _) => self.kept |= wrote,
            (Effect::Other, _) => self.kept |= !self.in_transaction && !in_transaction,
        }
        self.in_transaction = in_transaction;
    }

    /// Returns whether the script's writes are committed after the end of the script. If the script has left a transaction open, Cloch
    /// commits it, unless the script has failed.
    pub(super) fn settle(&self, has_failed: bool) -> Kept {
        let last = self.in_transaction && !has_failed;
        let all = !has_failed && !self.lost;
        Kept { all, partly: !all && (self.kept || last) }
    }
}

fn has_first_word(statement: &str, word: &str) -> bool {
    statement.split(|c: char| !c.is_ascii_alphabetic()).next().is_some_and(|first| first.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a ledger on statements, each with PostgreSQL's command tag and whether a transaction is open afterwards.
    fn kept(script: &[(&str, &str, bool)], has_failed: bool) -> Kept {
        let mut ledger = Ledger { in_transaction: true, ..Ledger::default() };
        let mut wrote = false;
        for (statement, tag, in_transaction) in script {
            let effect = ledger.effect(statement);
            ledger.ran(effect, tag, wrote, *in_transaction);
            wrote = *in_transaction && (wrote && effect == Effect::Other || tag.starts_with("INSERT"));
        }
        ledger.settle(has_failed)
    }

    #[test]
    fn what_a_script_takes_back_is_not_kept() {
        let insert = ("insert into t values (1)", "INSERT 0 1", true);
        let alone = ("insert into t values (1)", "INSERT 0 1", false);
        let (all, partly, nothing) =
            (Kept { all: true, partly: false }, Kept { all: false, partly: true }, Kept::default());
        for (script, has_failed, expected) in [
            ([insert].as_slice(), false, all),
            (&[insert], true, nothing),
            (&[insert, ("rollback", "ROLLBACK", false)], false, nothing),
            (&[insert, ("ROLLBACK", "ROLLBACK", false), alone], false, partly),
            (&[insert, ("abort", "ROLLBACK", false), ("begin", "BEGIN", true), insert], false, partly),
            (&[insert, ("commit", "COMMIT", false), alone], false, all),
            (&[insert, ("end", "COMMIT", false)], true, partly),
            (&[("select 1", "SELECT 1", true), ("rollback", "ROLLBACK", false)], false, all),
            (&[insert, ("commit and chain", "COMMIT", true), insert, ("rollback", "ROLLBACK", false)], false, partly),
            (&[insert, ("savepoint a", "SAVEPOINT", true), ("rollback to a", "ROLLBACK", true)], false, partly),
            (&[insert, ("commit", "ROLLBACK", false)], false, nothing),
        ] {
            assert_eq!(kept(script, has_failed), expected, "{script:?} {has_failed}");
        }
    }
}
