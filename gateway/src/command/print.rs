//! Output of a command. A closed pipe or terminal (`| head`) is no failure; a full disk is one.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints a text and a line break.
///
/// # Errors
/// When it cannot be written, unless the output was closed.
pub(super) fn line(text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
