//! Lifecycle rules of buckets: what a rule is (`rules`), and what the sweep does by them (`expire`).

pub(crate) mod expire;
pub(crate) mod rules;
