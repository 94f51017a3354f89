//! Lifecycle rules of buckets: `rules` parses and validates the rules, `expire` applies the rules during the periodic sweep.

pub(crate) mod expire;
pub(crate) mod rules;
