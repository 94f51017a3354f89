//! Prints the output of the commands. Ignores a closed pipe or terminal (`| head`); other errors, such as a full disk, are returned.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints a line of text.
///
/// # Errors
/// When the text cannot be written, except when the output is closed.
pub(super) fn line(text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
