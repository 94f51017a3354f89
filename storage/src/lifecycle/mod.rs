//! Lifecycle rules of buckets: `rules` parses and validates the rules; `expire` applies them during the periodic cleanup (`sweep.rs`).

pub(crate) mod expire;
pub(crate) mod rules;
