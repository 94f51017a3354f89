//! The form in which a query returns embedded resources.

use crate::rest::plan::tree::EmbedSelect;

/// The form of a level's embedded resources: JSON built by PostgreSQL, or columns that are converted to JSON here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedForm {
    /// As JSON values.
    Json,
    /// As columns, if the plan names them.
    Columns,
}

impl EmbedForm {
    /// The columns of an embed; `None` if it is returned as JSON.
    #[must_use]
    pub fn columns(self, select: &EmbedSelect) -> Option<&[String]> {
        match select {
            EmbedSelect::Json { columns, .. } if self == Self::Columns => columns.as_deref(),
            _ => None,
        }
    }

    /// Whether columns of the embed stand for `*`.
    #[must_use]
    pub fn has_star(self, select: &EmbedSelect) -> bool {
        matches!(select, EmbedSelect::Json { has_star: true, .. }) && self == Self::Columns
    }
}
