//! In which form a query gives what is embedded.

use crate::rest::plan::tree::EmbedSelect;

/// How the embeds of a level come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Embeds {
    /// As JSON values.
    Json,
    /// By their columns, where the plan names those.
    Columns,
}

impl Embeds {
    /// The columns by which an embed comes.
    #[must_use]
    pub fn columns(self, select: &EmbedSelect) -> Option<&[String]> {
        match select {
            EmbedSelect::Json { columns, .. } if self == Self::Columns => columns.as_deref(),
            _ => None,
        }
    }
}
