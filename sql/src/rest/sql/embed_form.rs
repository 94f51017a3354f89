//! The form in which a query returns embedded resources.

use crate::rest::plan::tree::EmbedSelect;

/// How a query returns the embedded resources of a level: as JSON made by PostgreSQL, or as columns of which JSON is made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedForm {
    /// As JSON values.
    Json,
    /// As columns, where the plan names those.
    Columns,
}

impl EmbedForm {
    /// The columns of an embed; none where it is returned as JSON.
    #[must_use]
    pub fn columns(self, select: &EmbedSelect) -> Option<&[String]> {
        match select {
            EmbedSelect::Json { columns, .. } if self == Self::Columns => columns.as_deref(),
            _ => None,
        }
    }
}
