//! Who may have a part in memory: a few at once, each in a buffer that the next one uses again. Fresh buffers of megabytes would
//! be kept by the allocator for a while after they were freed, and so be many more.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};

/// The turns.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    most: usize,
    permits: Arc<Semaphore>,
    buffers: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// The right to have a part in memory, and the memory.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) buffer: Vec<u8>,
    turns: Turns,
    _permit: OwnedSemaphorePermit,
}

impl Turns {
    pub(super) fn new(most: usize) -> Self {
        Self { most, permits: Arc::new(Semaphore::new(most)), buffers: Arc::default() }
    }

    /// Waits until it is one's turn.
    pub(super) async fn take(&self) -> Result<Turn> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|source| Error::internal("waiting to send a part")(source.into()))?;
        let kept = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok(Turn { buffer: kept.unwrap_or_default(), turns: self.clone(), _permit: permit })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut kept = self.turns.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        self.buffer.clear();
        kept.push(std::mem::take(&mut self.buffer));
        // Nobody else sends anything: the memory goes back.
        if kept.len() == self.turns.most || self.turns.permits.available_permits() + 1 == self.turns.most {
            kept.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[tokio::test]
    async fn a_buffer_serves_the_next_and_goes_with_the_last() {
        let turns = Turns::new(2);
        let (mut first, second) = (turns.take().await.unwrap(), turns.take().await.unwrap());
        first.buffer.resize(100, 7);
        drop(first);
        let third = turns.take().await.unwrap();
        assert!(third.buffer.is_empty() && third.buffer.capacity() >= 100);
        drop(second);
        drop(third);
        assert!(turns.buffers.lock().unwrap().is_empty());
    }
}
