//! The registry of functions that are implemented in Rust.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Function;
use crate::function::AnyFunction;

/// Functions that are implemented in Rust, by name.
#[derive(Clone, Default)]
pub struct Registry {
    functions: HashMap<&'static str, Arc<dyn AnyFunction>>,
}

impl Registry {
    /// Adds a function to the registry.
    #[must_use]
    pub fn with(mut self, function: impl Function) -> Self {
        self.functions.insert(Function::name(&function), Arc::new(function));
        self
    }

    /// Whether the registry contains a function with this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn AnyFunction>> {
        self.functions.get(name)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.functions.keys()).finish()
    }
}
