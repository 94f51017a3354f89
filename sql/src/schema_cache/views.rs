//! Finds the primary keys and foreign keys that views expose. A view exposes a key if it selects all columns of the key, or all columns
//! that a foreign key references, unchanged.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;

use super::Name;
use super::keys::{Key, KeyKind};
use super::node_tree::{Origin, origins};

#[derive(Debug, Deserialize)]
pub(super) struct View {
    pub(super) relation: u32,
    view: Name,
    exposed: bool,
    pub(super) columns: Vec<(i16, String)>,
    pub(super) definition: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shown {
    Primary,
    /// The view exposes the referencing columns of a foreign key.
    Referring,
    /// The view exposes the referenced columns of a foreign key.
    Referred,
}

/// Key whose columns a view exposes completely.
#[derive(Debug, Clone)]
pub(super) struct ViewKey {
    pub(super) view: Name,
    /// Table that has the key's constraint, because constraint names are unique only within a table.
    pub(super) owner: Name,
    pub(super) constraint: String,
    pub(super) shown: Shown,
    /// For each column of the key, in the order of the key, the names of the view columns that show it unchanged.
    pub(super) columns: Vec<Vec<String>>,
}

impl ViewKey {
    /// Returns all combinations of view columns that expose the key. Each combination contains one view column for each column of the key.
    pub(super) fn choices(&self) -> Vec<Vec<&str>> {
        let mut choices: Vec<Vec<&str>> = vec![Vec::new()];
        for copies in &self.columns {
            let extended = choices.iter().flat_map(|choice| {
                copies.iter().map(move |copy| choice.iter().copied().chain([copy.as_str()]).collect())
            });
            choices = extended.collect();
        }
        choices
    }
}

/// Returns the keys that views of the exposed schemas expose. The views may select a key's columns through other views.
pub(super) fn view_keys(views: &[View], keys: &[Key]) -> Vec<ViewKey> {
    let by_view: HashMap<u32, Vec<Origin>> =
        views.iter().map(|view| (view.relation, origins(&view.definition))).collect();
    let parts: Vec<Part<'_>> = keys.iter().flat_map(parts).collect();
    let mut by_relation: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, part) in parts.iter().enumerate() {
        by_relation.entry(part.relation).or_default().push(place);
    }
    let mut found = Vec::new();
    for view in views.iter().filter(|view| view.exposed) {
        let shown = shown_columns(view, &by_view);
        // The keys are visited in their original order, because the first matching key becomes the key of an ambiguous view.
        let places: BTreeSet<usize> =
            shown.keys().filter_map(|(relation, _)| by_relation.get(relation)).flatten().copied().collect();
        found.extend(places.into_iter().filter_map(|place| parts.get(place)?.shown_by(view, &shown)));
    }
    found
}

/// Columns of tables and inner views, by the relation's OID and the column number, with the names of the view columns that show them.
type ShownColumns<'a> = HashMap<(u32, i16), Vec<&'a str>>;

fn shown_columns<'a>(view: &'a View, by_view: &HashMap<u32, Vec<Origin>>) -> ShownColumns<'a> {
    let mut shown = ShownColumns::new();
    for (number, name) in &view.columns {
        let mut seen = HashSet::new();
        let mut pending = vec![(view.relation, *number)];
        while let Some((relation, column)) = pending.pop() {
            if !seen.insert((relation, column)) {
                continue;
            }
            let steps = by_view.get(&relation).into_iter().flatten();
            pending
                .extend(steps.filter(|step| step.column == column).map(|step| (step.relation, step.relation_column)));
            if relation != view.relation {
                shown.entry((relation, column)).or_default().push(name);
            }
        }
    }
    shown
}

/// Columns of a key that belong to one relation: the key's own columns, or the columns that a foreign key references. A view exposes the
/// part only if it selects all these columns.
struct Part<'a> {
    owner: &'a Name,
    constraint: &'a str,
    shown: Shown,
    relation: u32,
    columns: &'a [(i16, String)],
}

/// Returns the parts of a key that a view may expose: the columns of a primary key or foreign key, and the columns that a foreign key
/// references.
fn parts(key: &Key) -> impl Iterator<Item = Part<'_>> {
    let own = match key.kind {
        KeyKind::Primary => Some(Shown::Primary),
        KeyKind::Foreign => Some(Shown::Referring),
        KeyKind::Unique => None,
    };
    let part =
        |shown, relation, columns| Part { owner: &key.table, constraint: &key.constraint, shown, relation, columns };
    let own = own.map(|shown| part(shown, key.relation, key.columns.as_slice()));
    let referred = key.referred.as_ref();
    let referred = referred.map(|end| part(Shown::Referred, end.relation, end.columns.as_slice()));
    own.into_iter().chain(referred)
}

impl Part<'_> {
    fn shown_by(&self, view: &View, shown: &ShownColumns<'_>) -> Option<ViewKey> {
        let copies = |(number, _): &(i16, String)| {
            Some(shown.get(&(self.relation, *number))?.iter().map(|name| (*name).to_owned()).collect())
        };
        Some(ViewKey {
            view: view.view.clone(),
            owner: self.owner.clone(),
            constraint: self.constraint.to_owned(),
            shown: self.shown,
            columns: self.columns.iter().map(copies).collect::<Option<_>>()?,
        })
    }
}
