//! Primary, unique and foreign keys, as the database tells of them.

use std::collections::HashSet;

use serde::Deserialize;

use super::Name;

/// A key, its columns by number and name.
#[derive(Debug, Deserialize)]
pub(super) struct Key {
    pub(super) constraint: String,
    pub(super) kind: KeyKind,
    /// A partition's copy of its parent's key.
    pub(super) inherited: bool,
    pub(super) relation: u32,
    pub(super) table: Name,
    pub(super) columns: Vec<(i16, String)>,
    /// What a foreign key refers to.
    pub(super) referred: Option<Referred>,
}

/// The other end of a foreign key.
#[derive(Debug, Deserialize)]
pub(super) struct Referred {
    pub(super) relation: u32,
    pub(super) table: Name,
    pub(super) columns: Vec<(i16, String)>,
}

/// The kinds of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum KeyKind {
    #[serde(rename = "p")]
    Primary,
    #[serde(rename = "u")]
    Unique,
    #[serde(rename = "f")]
    Foreign,
}

/// A foreign key as a relationship sees it.
#[derive(Debug)]
pub(super) struct ForeignKey<'a> {
    pub(super) constraint: &'a str,
    pub(super) table: &'a Name,
    pub(super) foreign_table: &'a Name,
    /// Pairs: a column that refers, the one it refers to.
    pub(super) columns: Vec<(&'a str, &'a str)>,
    /// The columns that refer are a key of their own table, so that no two rows refer to the same one.
    pub(super) one_to_one: bool,
}

/// The foreign keys among all keys, in their order. Partitions' copies are left out: the parent's stands for them.
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

    /// The columns' numbers, whatever their order in the key.
    fn numbers(&self) -> Vec<i16> {
        let mut numbers: Vec<i16> = self.columns.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers
    }
}
