//! Counting what is read from a connection, for WebSockets: a message is in memory from its first fragment to its last, before anybody
//! can refuse it.

use std::io;
use std::sync::{Arc, OnceLock};

/// Is given the number of bytes that were read; returns whether there is room for them.
type Counter = Box<dyn Fn(usize) -> bool + Send + Sync>;

/// Counts the bytes of one connection once it has a counter. An extension of requests that upgrade their connection.
#[derive(Clone, Default)]
pub struct InboundMeter(Arc<OnceLock<Counter>>);

impl InboundMeter {
    /// Counts what is read from now on. A connection is upgraded once, so the first counter stays.
    pub fn count_with(&self, counter: impl Fn(usize) -> bool + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(counter));
    }

    /// Counts bytes; an error where there is no room for them.
    pub(super) fn count(&self, bytes: usize) -> io::Result<()> {
        match self.0.get() {
            Some(counter) if !counter(bytes) => {
                Err(io::Error::new(io::ErrorKind::OutOfMemory, "the client makes the server hold too much"))
            }
            _ => Ok(()),
        }
    }
}
