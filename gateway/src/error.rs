//! Errors of the command line's commands, including those that prevent the server from starting.

use cloch_core::certificate_error;

/// Error of a command, with a message for the user of the command line.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;

/// Returns the message of the innermost cause of an error, because outer messages often contain only the action that failed.
#[must_use]
pub fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(words) = certificate_error::in_words(error) {
        return words.to_owned();
    }
    let mut inner = error;
    loop {
        match (database_message(inner), inner.source()) {
            (Some(message), _) => return message.to_owned(),
            (None, Some(source)) => inner = source,
            (None, None) => return inner.to_string(),
        }
    }
}

/// Returns the text of an error for the user. For a database error, returns only PostgreSQL's message: sqlx appends a file name and line of
/// PostgreSQL's source code, which users would take for a file of their project.
#[must_use]
pub fn text(error: &(dyn std::error::Error + 'static)) -> String {
    let shown = error.to_string();
    if let Some(words) = certificate_error::in_words(error) {
        return format!("{shown}: {words}");
    }
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    match causes.find_map(|cause| Some((cause.to_string(), database_message(cause)?))) {
        Some((whole, message)) => shown.replace(&whole, message),
        None => shown,
    }
}

fn database_message<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a str> {
    Some(error.downcast_ref::<sqlx::Error>()?.as_database_error()?.message())
}
