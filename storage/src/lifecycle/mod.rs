//! Lifecycle rules of buckets: `rules` parses and validates the rules, `expire` applies them during the sweep.

pub(crate) mod expire;
pub(crate) mod rules;
