//! Third stage of a REST request: builds SQL text and bound values from the plan alone.

mod builder;
mod call;
mod column_types;
mod conditions;
mod embed_form;
mod read;
mod settings;
mod statement;
mod write;

pub use builder::{Sql, quoted};
pub(crate) use column_types::is_changed_type;
pub use embed_form::EmbedForm;
pub use settings::{pre_request, transaction_settings};
pub(crate) use statement::matching_rows;
pub use statement::{RowLimit, counted_rows, direct_statement, main_statement, planned_count, whole_count};
