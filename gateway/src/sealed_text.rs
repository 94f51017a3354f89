//! Secret texts in the database: see [`cloch_sql::sealed_text`].

pub(crate) use cloch_sql::sealed_text::{open, seal};
