//! Primary, unique and foreign keys, as read from PostgreSQL's catalog.

use std::collections::HashSet;

use serde::Deserialize;

use super::Name;

#[derive(Debug, Deserialize)]
pub(super) struct Key {
    pub(super) constraint: String,
    pub(super) kind: KeyKind,
    /// Whether the key belongs to a partition and is a copy of the partitioned table's key.
    pub(super) inherited: bool,
    pub(super) relation: u32,
    pub(super) table: Name,
    pub(super) columns: Vec<(i16, String)>,
    /// Referenced side of a foreign key; `None` for other keys.
    pub(super) referred: Option<Referred>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Referred {
    pub(super) relation: u32,
    pub(super) table: Name,
    pub(super) columns: Vec<(i16, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum KeyKind {
    #[serde(rename = "p")]
    Primary,
    #[serde(rename = "u")]
    Unique,
    #[serde(rename = "f")]
    Foreign,
}

#[derive(Debug)]
pub(super) struct ForeignKey<'a> {
    pub(super) constraint: &'a str,
    pub(super) table: &'a Name,
    pub(super) foreign_table: &'a Name,
    /// Pairs of referencing and referenced column.
    pub(super) columns: Vec<(&'a str, &'a str)>,
    /// Whether the referencing columns are a unique key of their table, so that at most one row references each row of the foreign table.
    pub(super) one_to_one: bool,
}

/// Returns the foreign keys in order. A partition's copy of a foreign key is omitted, because the foreign key of the partitioned table
/// represents it.
pub(super) fn foreign_keys(keys: &[Key]) -> Vec<ForeignKey<'_>> {
    let unique: HashSet<(u32, Vec<i16>)> =
        keys.iter().filter(|key| key.kind != KeyKind::Foreign).map(|key| (key.relation, key.numbers())).collect();
    let foreign = keys.iter().filter(|key| !key.inherited).filter_map(|key| Some((key, key.referred.as_ref()?)));
    foreign
        .map(|(key, referred)| ForeignKey {
            constraint: &key.constraint,
            table: &key.table,
            foreign_table: &referred.table,
            columns: key.names().zip(referred.columns.iter().map(|(_, name)| name.as_str())).collect(),
            one_to_one: unique.contains(&(key.relation, key.numbers())),
        })
        .collect()
}

impl Key {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(_, name)| name.as_str())
    }

    fn numbers(&self) -> Vec<i16> {
        let mut numbers: Vec<i16> = self.columns.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers
    }
}
