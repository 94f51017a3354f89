//! Derives relationships from foreign keys (in both directions, through views and junction tables) and from functions.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::keys::ForeignKey;
use super::views::{Shown, ViewKey};
use super::{Cardinality, Junction, Name, Relationship, Table};

/// Function from a row type to another row type, which defines a computed relationship.
#[derive(Debug, Deserialize)]
pub(super) struct ComputedRelationship {
    function: Name,
    table: Name,
    foreign_table: Name,
    single: bool,
}

/// Reference from one relation to another: a foreign key, or a foreign key whose columns a view selects unchanged.
#[derive(Debug, Clone)]
pub(super) struct Reference<'a> {
    pub(super) table: &'a Name,
    pub(super) foreign_table: &'a Name,
    pub(super) constraint: &'a str,
    pub(super) columns: Vec<(&'a str, &'a str)>,
    pub(super) one_to_one: bool,
    table_is_view: bool,
    foreign_is_view: bool,
}

/// Returns all relationships between relations of the exposed schemas, by origin (the relation from which a relationship starts).
pub(super) fn relationships(
    keys: &[ForeignKey<'_>],
    view_keys: &[ViewKey],
    computed: Vec<ComputedRelationship>,
    tables: &HashMap<Name, Table>,
    schemas: &[String],
) -> HashMap<Name, Vec<Relationship>> {
    let references = references(keys, view_keys);
    let mut found: Vec<Relationship> = references.iter().flat_map(both_ways).collect();
    found.extend(many_to_many(&references, tables));
    let overridden: HashSet<(Name, Name)> =
        computed.iter().map(|rel| (rel.table.clone(), rel.function.clone())).collect();
    found.retain(|rel| !overridden.contains(&(rel.table().clone(), rel.foreign_table().clone())));
    found.extend(computed.into_iter().map(|rel| Relationship::Computed {
        function: rel.function,
        table: rel.table,
        foreign_table: rel.foreign_table,
        single: rel.single,
    }));
    let is_exposed = |name: &Name| schemas.contains(&name.schema);
    found.retain(|rel| {
        is_exposed(rel.table()) && is_exposed(rel.foreign_table()) && junction(rel).is_none_or(is_exposed)
    });
    let mut by_origin: HashMap<Name, Vec<Relationship>> = HashMap::new();
    for relationship in found {
        by_origin.entry(relationship.table().clone()).or_default().push(relationship);
    }
    by_origin.values_mut().for_each(|list| list.sort_by(|a, b| order(a).cmp(&order(b))));
    by_origin
}

type Order<'a> = (bool, &'a Name, bool, Option<(&'a Cardinality, &'a str, &'a [(String, String)])>);

/// Returns the sort key of a relationship: the order in which the error for an ambiguous relationship lists candidates.
fn order(relationship: &Relationship) -> Order<'_> {
    match relationship {
        Relationship::Key { foreign_table, is_self, cardinality, constraint, columns, .. } => {
            (false, foreign_table, *is_self, Some((cardinality, constraint, columns)))
        }
        Relationship::Computed { function, .. } => (true, function, false, None),
    }
}

fn junction(relationship: &Relationship) -> Option<&Name> {
    match relationship {
        Relationship::Key { cardinality: Cardinality::ManyToMany(junction), .. } => Some(&junction.table),
        _ => None,
    }
}

pub(super) fn references<'a>(keys: &'a [ForeignKey<'a>], view_keys: &'a [ViewKey]) -> Vec<Reference<'a>> {
    let mut shown: HashMap<(&Name, &str, Shown), Vec<&ViewKey>> = HashMap::new();
    for key in view_keys {
        shown.entry((&key.owner, &key.constraint, key.shown)).or_default().push(key);
    }
    let views = |owner, constraint, part| shown.get(&(owner, constraint, part)).into_iter().flatten().copied();
    let mut references = Vec::new();
    for key in keys {
        let own = Reference {
            table: key.table,
            foreign_table: key.foreign_table,
            constraint: key.constraint,
            columns: key.columns.clone(),
            one_to_one: key.one_to_one,
            table_is_view: false,
            foreign_is_view: false,
        };
        let (referring, referred) = sides(&own);
        let from: Vec<_> = std::iter::once((own.table, referring, false))
            .chain(views(own.table, own.constraint, Shown::Referring).flat_map(as_sides))
            .collect();
        let to: Vec<_> = std::iter::once((own.foreign_table, referred, false))
            .chain(views(own.table, own.constraint, Shown::Referred).flat_map(as_sides))
            .collect();
        for (table, columns, table_is_view) in &from {
            references.extend(to.iter().map(|(foreign_table, foreign_columns, foreign_is_view)| Reference {
                table,
                foreign_table,
                columns: columns.iter().copied().zip(foreign_columns.iter().copied()).collect(),
                table_is_view: *table_is_view,
                foreign_is_view: *foreign_is_view,
                ..own.clone()
            }));
        }
    }
    references
}

fn sides<'a>(reference: &Reference<'a>) -> (Vec<&'a str>, Vec<&'a str>) {
    reference.columns.iter().copied().unzip()
}

fn as_sides(key: &ViewKey) -> impl Iterator<Item = (&Name, Vec<&str>, bool)> {
    key.choices().into_iter().map(|columns| (&key.view, columns, true))
}

fn both_ways(reference: &Reference<'_>) -> [Relationship; 2] {
    let owned = |(own, foreign): &(&str, &str)| ((*own).to_owned(), (*foreign).to_owned());
    let (there, back) = if reference.one_to_one {
        (Cardinality::OneToOne, Cardinality::OneToOne)
    } else {
        (Cardinality::ManyToOne, Cardinality::OneToMany)
    };
    let is_self = reference.table == reference.foreign_table;
    let columns: Vec<(String, String)> = reference.columns.iter().map(owned).collect();
    let swapped = columns.iter().cloned().map(|(own, foreign)| (foreign, own)).collect();
    [
        Relationship::Key {
            table: reference.table.clone(),
            foreign_table: reference.foreign_table.clone(),
            is_self,
            cardinality: there,
            constraint: reference.constraint.to_owned(),
            columns,
            is_parent: false,
            table_is_view: reference.table_is_view,
            foreign_is_view: reference.foreign_is_view,
        },
        Relationship::Key {
            table: reference.foreign_table.clone(),
            foreign_table: reference.table.clone(),
            is_self,
            cardinality: back,
            constraint: reference.constraint.to_owned(),
            columns: swapped,
            is_parent: true,
            table_is_view: reference.foreign_is_view,
            foreign_is_view: reference.table_is_view,
        },
    ]
}

/// Derives many-to-many relationships: if a relation has two references to other relations, and the referencing columns all belong to its
/// primary key, the two referenced relations are related through it.
fn many_to_many(references: &[Reference<'_>], tables: &HashMap<Name, Table>) -> Vec<Relationship> {
    let mut by_table: HashMap<&Name, Vec<&Reference<'_>>> = HashMap::new();
    for reference in references.iter().filter(|reference| !reference.one_to_one) {
        by_table.entry(reference.table).or_default().push(reference);
    }
    let mut found = Vec::new();
    for (table, references) in by_table {
        let Some(key) = tables.get(table).map(|table| &table.primary_key) else { continue };
        let in_key = |reference: &Reference<'_>| reference.columns.iter().all(|(own, _)| key.iter().any(|k| k == own));
        for origin in references.iter().filter(|reference| in_key(reference)) {
            let others = references.iter().filter(|other| other.constraint != origin.constraint && in_key(other));
            found.extend(others.map(|foreign| through(table, origin, foreign)));
        }
    }
    found
}

fn through(table: &Name, origin: &Reference<'_>, foreign: &Reference<'_>) -> Relationship {
    let swapped = |reference: &Reference<'_>| {
        reference.columns.iter().map(|(own, foreign)| ((*foreign).to_owned(), (*own).to_owned())).collect()
    };
    Relationship::Key {
        table: origin.foreign_table.clone(),
        foreign_table: foreign.foreign_table.clone(),
        is_self: origin.foreign_table == foreign.foreign_table,
        cardinality: Cardinality::ManyToMany(Junction {
            table: table.clone(),
            origin_constraint: origin.constraint.to_owned(),
            foreign_constraint: foreign.constraint.to_owned(),
            origin_columns: swapped(origin),
            foreign_columns: swapped(foreign),
        }),
        constraint: String::new(),
        columns: Vec::new(),
        is_parent: false,
        table_is_view: origin.foreign_is_view,
        foreign_is_view: foreign.foreign_is_view,
    }
}
