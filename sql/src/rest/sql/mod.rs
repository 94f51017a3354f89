//! The third stage: a plan becomes SQL text and bound values. Needs nothing but the plan.

mod builder;
mod call;
mod conditions;
mod embeds;
mod read;
mod settings;
mod statement;
mod write;

pub use builder::{Sql, quoted};
pub use embeds::Embeds;
pub use settings::{pre_request, transaction_settings};
pub use statement::{RowLimit, SOURCE, bare_statement, counted_rows, main_statement, planned_count};
