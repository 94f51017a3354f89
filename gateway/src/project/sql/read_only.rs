//! Rules for SQL in a session of the role `supabase_read_only_user`.

/// SQL that begins the transaction of a read-only statement. Without this explicit `begin`, the statement would run in an implicit
/// transaction: a `do` block could roll it back and continue in a new transaction, which would not be read-only.
pub(crate) const BEGIN: &str = "begin read only";
/// SQL that ends the transaction of a read-only statement. It rolls back, because PostgreSQL before version 16 lets read-only transactions
/// write large objects; the rollback removes these objects.
pub(crate) const END: &str = "rollback";

const NOT_PERMITTED: &str = "42501";
const NO_SECRETS: &str = "Read-only SQL reads no secrets: nothing of the schemas cloch and vault, and of auth no column with a \
                          password, token or key. Name the other columns instead of *.";

/// Returns a hint for a permission error, because PostgreSQL itself adds no hint. The hint explains that the role cannot read secrets.
/// `None` for other errors.
pub(crate) fn hint(sqlstate: &str) -> Option<&'static str> {
    (sqlstate == NOT_PERMITTED).then_some(NO_SECRETS)
}
