//! Counts the bytes that a WebSocket client sends. They are counted before a message is complete, because the fragments of an incomplete
//! message already use memory.

use std::io;
use std::sync::{Arc, OnceLock};

/// Callback for the number of bytes just read. Returns whether the client is still within its memory budget.
type Counter = Box<dyn Fn(usize) -> bool + Send + Sync>;

/// Counts the bytes that are read from a connection after a counter callback was set. Requests that may upgrade their connection to a
/// WebSocket contain this value as an extension.
#[derive(Clone, Default)]
pub struct InboundMeter(Arc<OnceLock<Counter>>);

impl InboundMeter {
    /// Sets the counter callback. A connection is upgraded only once, so later calls have no effect.
    pub fn count_with(&self, counter: impl Fn(usize) -> bool + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(counter));
    }

    /// Passes the number of bytes just read to the counter callback. Returns an error if the client exceeds its memory budget.
    pub(super) fn count(&self, bytes: usize) -> io::Result<()> {
        match self.0.get() {
            Some(counter) if !counter(bytes) => {
                Err(io::Error::new(io::ErrorKind::OutOfMemory, "the client makes the server hold too much"))
            }
            _ => Ok(()),
        }
    }
}
