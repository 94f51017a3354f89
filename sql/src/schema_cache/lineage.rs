//! What views show of the tables below them, for the generator of types: foreign keys through their columns, and columns without nulls.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Name;
use super::keys::{Key, foreign_keys};
use super::node_tree::origins;
use super::outer_joins::nullable_relations;
use super::relationships::references;
use super::views::{View, view_keys};

/// Views on views on …; what is deeper counts as nullable.
const MAX_VIEWS: usize = 100;

/// A foreign key between two relations, each a table or a view that shows the key's columns.
pub(crate) struct Reference {
    /// The relation with the referencing columns.
    pub(crate) from: Name,
    /// The relation with the referenced columns.
    pub(crate) to: Name,
    /// The constraint's name.
    pub(crate) constraint: String,
    /// Pairs of referencing and referenced column.
    pub(crate) columns: Vec<(String, String)>,
    /// Whether no two rows reference the same row.
    pub(crate) one_to_one: bool,
}

/// What was found.
pub(crate) struct Lineage {
    /// All foreign keys, in no order.
    pub(crate) references: Vec<Reference>,
    /// Columns of views that hold no nulls, by the view's OID and their number.
    pub(crate) not_null: HashSet<(u32, i16)>,
}

impl Lineage {
    /// The query for keys: a JSON object in each row.
    pub(crate) const KEYS: &str = include_str!("queries/keys.sql");
    /// The query for views: of the schemas `$1`, of which keys are of interest, and `$2`, through which they may be shown.
    pub(crate) const VIEWS: &str = include_str!("queries/views.sql");

    /// From the rows of both queries and the columns of tables that hold no nulls.
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

/// A column is without nulls if it is a column without nulls as it is, and no outer join lies between.
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
