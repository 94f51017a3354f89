//! Form in which a statement returns embedded resources.

use crate::plan::tree::EmbedSelect;

/// Form of the embeds in the result of a statement: JSON that PostgreSQL builds, or columns that Cloch converts to JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedForm {
    /// Each embed is a JSON value.
    Json,
    /// An embed is returned as separate columns if the plan contains the names of these columns, or else as a JSON value.
    Columns,
}

impl EmbedForm {
    /// Returns the names of the embed's columns, or `None` if the embed is returned as JSON.
    #[must_use]
    pub fn columns(self, select: &EmbedSelect) -> Option<&[String]> {
        match select {
            EmbedSelect::Json { columns, .. } if self == Self::Columns => columns.as_deref(),
            _ => None,
        }
    }

    /// Whether the embed is returned as the columns that the schema cache lists for `*`.
    #[must_use]
    pub fn has_star(self, select: &EmbedSelect) -> bool {
        matches!(select, EmbedSelect::Json { has_star: true, .. }) && self == Self::Columns
    }
}
