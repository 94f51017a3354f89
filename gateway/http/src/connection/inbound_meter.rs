//! Counts the bytes read from a connection, for WebSockets: a fragmented message uses memory from its first fragment on, before it can be
//! refused.

use std::io;
use std::sync::{Arc, OnceLock};

/// Callback for the number of bytes read. Returns whether the bytes are within the budget.
type Counter = Box<dyn Fn(usize) -> bool + Send + Sync>;

/// Counts the bytes of a connection once it has a counter. A request extension of connections that may be upgraded.
#[derive(Clone, Default)]
pub struct InboundMeter(Arc<OnceLock<Counter>>);

impl InboundMeter {
    /// Sets the counter. A connection is upgraded only once, so later calls have no effect.
    pub fn count_with(&self, counter: impl Fn(usize) -> bool + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(counter));
    }

    /// Counts bytes. Returns an error if they exceed the budget.
    pub(super) fn count(&self, bytes: usize) -> io::Result<()> {
        match self.0.get() {
            Some(counter) if !counter(bytes) => {
                Err(io::Error::new(io::ErrorKind::OutOfMemory, "the client makes the server hold too much"))
            }
            _ => Ok(()),
        }
    }
}
