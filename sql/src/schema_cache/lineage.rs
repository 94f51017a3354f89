//! Lineage of views (the tables and columns that a view reads) for the type generator: foreign keys that views expose by selecting their
//! columns, and view columns that cannot be null.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Name;
use super::keys::{Key, foreign_keys};
use super::node_tree::origins;
use super::outer_joins::nullable_relations;
use super::relationships::references;
use super::views::{View, view_keys};

/// Maximum depth of nested views; columns of deeper views count as nullable.
const MAX_VIEWS: usize = 100;

/// Foreign key between two relations. In place of the referencing or the referenced table, a relation may be a view that selects the key's
/// columns unchanged.
pub(crate) struct Reference {
    pub(crate) from: Name,
    pub(crate) to: Name,
    pub(crate) constraint: String,
    /// Pairs of referencing and referenced column.
    pub(crate) columns: Vec<(String, String)>,
    /// Whether at most one row references each row of the foreign relation, so that the relationship is one-to-one.
    pub(crate) one_to_one: bool,
}

pub(crate) struct Lineage {
    /// All foreign keys between relations, unordered.
    pub(crate) references: Vec<Reference>,
    /// View columns that cannot be null, as the view's OID and the column number.
    pub(crate) not_null: HashSet<(u32, i16)>,
}

impl Lineage {
    /// SQL query for primary, unique and foreign keys, with a JSON object in each row.
    pub(crate) const KEYS: &str = include_str!("queries/keys.sql");
    /// SQL query for the definitions of views. `$1`: schemas of the views whose columns are traced to key columns of tables; `$2`: additional
    /// schemas of views through which columns are traced.
    pub(crate) const VIEWS: &str = include_str!("queries/views.sql");

    /// Creates the lineage from the rows of [`Self::KEYS`] and [`Self::VIEWS`]. `not_null` contains the `NOT NULL` columns of tables, as
    /// the table's OID and the column number.
    pub(crate) fn new(
        keys: Vec<Value>,
        views: Vec<Value>,
        not_null: &HashSet<(u32, i16)>,
    ) -> Result<Self, serde_json::Error> {
        let keys: Vec<Key> = keys.into_iter().map(serde_json::from_value).collect::<Result<_, _>>()?;
        let views: Vec<View> = views.into_iter().map(serde_json::from_value).collect::<Result<_, _>>()?;
        let owned = |(own, foreign): &(&str, &str)| ((*own).to_owned(), (*foreign).to_owned());
        let references = references(&foreign_keys(&keys), &view_keys(&views, &keys))
            .into_iter()
            .map(|reference| Reference {
                from: reference.table.clone(),
                to: reference.foreign_table.clone(),
                constraint: reference.constraint.to_owned(),
                columns: reference.columns.iter().map(owned).collect(),
                one_to_one: reference.one_to_one,
            })
            .collect();
        Ok(Self { references, not_null: without_nulls(&views, not_null) })
    }
}

/// Returns the view columns that cannot be null: the view selects a `NOT NULL` column of a table unchanged, and no outer join can make it
/// null.
fn without_nulls(views: &[View], tables: &HashSet<(u32, i16)>) -> HashSet<(u32, i16)> {
    let mut steps: HashMap<(u32, i16), (u32, i16)> = HashMap::new();
    for view in views {
        let nullable = nullable_relations(&view.definition);
        let kept = origins(&view.definition)
            .into_iter()
            .filter(|origin| origin.variable.is_some_and(|variable| !nullable.contains(&variable)));
        steps.extend(kept.map(|origin| ((view.relation, origin.column), (origin.relation, origin.relation_column))));
    }
    let ends_without_nulls = |start: (u32, i16)| {
        let mut at = start;
        for _ in 0..MAX_VIEWS {
            match steps.get(&at) {
                Some(next) => at = *next,
                None => return at != start && tables.contains(&at),
            }
        }
        false
    };
    let columns = views.iter().flat_map(|view| view.columns.iter().map(|(number, _)| (view.relation, *number)));
    columns.filter(|column| ends_without_nulls(*column)).collect()
}
