//! Compares and merges the parsed tables of two versions of config.toml and cloch.toml.

use std::collections::BTreeSet;
use std::fmt;

use toml::{Table, Value};

use super::{ConfigFile, LiveKeys};
use crate::config::TomlFile;

/// Tables of config.toml and cloch.toml, in which `env()` references are replaced by the variables' values. They contain secrets.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    config: Table,
    cloch: Table,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tables(…)")
    }
}

impl Tables {
    pub(in crate::config) fn of(config: &TomlFile, cloch: &TomlFile) -> Self {
        Self { config: config.table.clone(), cloch: cloch.table.clone() }
    }

    pub(in crate::config) fn replace_in(&self, config: &mut TomlFile, cloch: &mut TomlFile) {
        config.table.clone_from(&self.config);
        cloch.table.clone_from(&self.cloch);
    }

    /// Returns a copy of these tables in which the keys of `live` have the values of `next`.
    pub(in crate::config) fn with_live(&self, next: &Self, live: &LiveKeys) -> Self {
        let merged = |file, old, next| merged(old, next, "", &|key| live.contains(file, key));
        Self {
            config: merged(ConfigFile::ConfigToml, &self.config, &next.config),
            cloch: merged(ConfigFile::ClochToml, &self.cloch, &next.cloch),
        }
    }

    /// Returns the dotted keys whose values differ between `self` and `other`, in alphabetical order.
    pub(crate) fn changed(&self, other: &Self) -> Vec<String> {
        let mut keys = BTreeSet::new();
        compare(&self.config, &other.config, "", &mut keys);
        compare(&self.cloch, &other.cloch, "", &mut keys);
        keys.into_iter().collect()
    }
}

/// Merges two versions of a table: keys for which `is_live` returns true have the values of `next`, all other keys have the values of `old`.
fn merged(old: &Table, next: &Table, section: &str, is_live: &dyn Fn(&str) -> bool) -> Table {
    let none = Table::new();
    let names: BTreeSet<&String> = old.keys().chain(next.keys()).collect();
    let value = |name: &str| {
        let key = join(section, name);
        let merged = |old, next| merged(old, next, &key, is_live);
        match (old.get(name), next.get(name)) {
            (Some(Value::Table(old)), Some(Value::Table(next))) => Some(merged(old, next).into()),
            (Some(Value::Table(old)), None) => section_of(merged(old, &none)),
            (None, Some(Value::Table(next))) => section_of(merged(&none, next)),
            (old, next) => {
                let chosen = if is_live(&key) { next } else { old };
                chosen.cloned()
            }
        }
    };
    names.into_iter().filter_map(|name| Some((name.clone(), value(name)?))).collect()
}

/// Returns the merged section as a value, or `None` if it has no keys.
fn section_of(table: Table) -> Option<Value> {
    (!table.is_empty()).then_some(Value::Table(table))
}

fn compare(old: &Table, next: &Table, section: &str, keys: &mut BTreeSet<String>) {
    let none = Table::new();
    for name in old.keys().chain(next.keys()) {
        let key = join(section, name);
        match (old.get(name), next.get(name)) {
            (Some(Value::Table(old)), Some(Value::Table(next))) => compare(old, next, &key, keys),
            (Some(Value::Table(old)), None) => compare(old, &none, &key, keys),
            (None, Some(Value::Table(next))) => compare(&none, next, &key, keys),
            (old, next) => {
                if old != next {
                    keys.insert(key);
                }
            }
        }
    }
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}
