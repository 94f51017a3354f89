//! What a command prints. Whoever read it may be gone (`| head`, a closed terminal): that is no failure; a full disk is one.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints a text and ends its line.
///
/// # Errors
/// When it cannot be written, unless its reader is gone.
pub(super) fn line(text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
