//! A value that is replaced while the program runs, such as the settings of a service.

use std::sync::Arc;

use arc_swap::ArcSwap;

/// A value that can be replaced while it is used. Loading the value takes one atomic operation and no lock. A reader keeps the loaded value,
/// even if it is replaced meanwhile, until the reader loads again. All clones share the value.
#[derive(Debug)]
pub struct Live<T>(Arc<ArcSwap<T>>);

impl<T> Clone for Live<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> From<Arc<T>> for Live<T> {
    fn from(value: Arc<T>) -> Self {
        Self(Arc::new(ArcSwap::new(value)))
    }
}

impl<T> Live<T> {
    /// Creates a replaceable value. `value` is its first content.
    #[must_use]
    pub fn new(value: T) -> Self {
        Arc::new(value).into()
    }

    /// Returns the current content: the value that was set last.
    #[must_use]
    pub fn get(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value. Readers that load the value after this call get the new value.
    pub fn set(&self, value: T) {
        self.0.store(Arc::new(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_value_stays_the_same_and_clones_share_the_next_one() {
        let live = Live::new(1);
        let (other, loaded) = (live.clone(), live.get());
        other.set(2);
        assert_eq!((*loaded, *live.get()), (1, 2));
    }
}
