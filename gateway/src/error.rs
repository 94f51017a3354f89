//! The error of commands and of the start.

/// What stops a command: its text is for the person who gave it.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;

/// The innermost reason of an error: what went wrong, where the error itself says only what was tried.
#[must_use]
pub fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut inner = error;
    loop {
        match (database_message(inner), inner.source()) {
            (Some(message), _) => return message.to_owned(),
            (None, Some(source)) => inner = source,
            (None, None) => return inner.to_string(),
        }
    }
}

/// The text of an error for whoever gave a command. Of what the database says it is the message alone: sqlx adds a line of PostgreSQL's own
/// source, which people look for in their files.
#[must_use]
pub fn text(error: &(dyn std::error::Error + 'static)) -> String {
    let shown = error.to_string();
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    match causes.find_map(|cause| Some((cause.to_string(), database_message(cause)?))) {
        Some((whole, message)) => shown.replace(&whole, message),
        None => shown,
    }
}

fn database_message<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a str> {
    Some(error.downcast_ref::<sqlx::Error>()?.as_database_error()?.message())
}
