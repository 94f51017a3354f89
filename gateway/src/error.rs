//! The error of commands and of the start.

/// What stops a command: its text is for the person who gave it.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;
