//! The error of commands and of the start.

/// What stops a command: its text is for the person who gave it.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;

/// The innermost reason of an error: what went wrong, where the error itself says only what was tried.
#[must_use]
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
