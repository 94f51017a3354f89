//! Limits for SQL that operators write.

use crate::project::ProjectError;

/// Maximum size in bytes of all values in a response.
pub(crate) const MAX_RESULT_BYTES: usize = 10 << 20;
/// Maximum size of a result row in bytes. A row is read completely into memory.
pub(super) const MAX_ROW_BYTES: usize = 64 << 20;
/// Maximum size of a statement or script in bytes.
const MAX_SQL_BYTES: usize = 4 << 20;

/// Fails if an SQL text is empty or has more than [`MAX_SQL_BYTES`].
pub(super) fn check(sql: &str) -> Result<(), ProjectError> {
    match sql.len() {
        0 => Err(ProjectError::Invalid("The query is empty".to_owned())),
        bytes if bytes > MAX_SQL_BYTES => {
            Err(ProjectError::Invalid(format!("A query has {} MB at most", MAX_SQL_BYTES >> 20)))
        }
        _ => Ok(()),
    }
}

/// Returns the error for a result whose values have more than [`MAX_RESULT_BYTES`] in total.
pub(super) fn too_many() -> ProjectError {
    ProjectError::Invalid(format!("The result has more than {} MB: ask for fewer rows", MAX_RESULT_BYTES >> 20))
}
