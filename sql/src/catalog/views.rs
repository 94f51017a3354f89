//! The keys that views show: through which columns a view stands in for its base tables.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::Name;
use super::node_tree::{Origin, origins};

/// A primary or foreign key, its columns by number and name.
#[derive(Debug, Deserialize)]
pub(super) struct Key {
    constraint: String,
    kind: KeyKind,
    relation: u32,
    table: Name,
    columns: Vec<(i16, String)>,
    foreign_relation: u32,
    foreign_columns: Option<Vec<(i16, String)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum KeyKind {
    #[serde(rename = "p")]
    Primary,
    #[serde(rename = "f")]
    Foreign,
}

/// A view and its definition.
#[derive(Debug, Deserialize)]
pub(super) struct View {
    relation: u32,
    view: Name,
    exposed: bool,
    columns: Vec<(i16, String)>,
    definition: String,
}

/// Which part of a key a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shown {
    /// The primary key.
    Primary,
    /// The columns of a foreign key that refer.
    Referring,
    /// The columns that a foreign key refers to.
    Referred,
}

/// A key all of whose columns a view shows.
#[derive(Debug, Clone)]
pub(super) struct ViewKey {
    pub(super) view: Name,
    /// The table whose constraint it is: names are unique within a table only.
    pub(super) owner: Name,
    pub(super) constraint: String,
    pub(super) shown: Shown,
    /// For each column of the key, in its order, the view's columns that show it.
    pub(super) columns: Vec<Vec<String>>,
}

impl ViewKey {
    /// Every choice of one view column for each of the key's.
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

/// The keys that the exposed views show, followed through views on views.
pub(super) fn view_keys(views: &[View], keys: &[Key]) -> Vec<ViewKey> {
    let by_view: HashMap<u32, Vec<Origin>> =
        views.iter().map(|view| (view.relation, origins(&view.definition))).collect();
    let mut found = Vec::new();
    for view in views.iter().filter(|view| view.exposed) {
        let shown = shown_columns(view, &by_view);
        for key in keys {
            found.extend(key.parts().filter_map(|part| part.shown_by(view, &shown)));
        }
    }
    found
}

/// Base columns by relation and number, with the names of the view's columns that show them.
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

struct Part<'a> {
    owner: &'a Name,
    constraint: &'a str,
    shown: Shown,
    relation: u32,
    columns: &'a [(i16, String)],
}

impl Key {
    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let own = Part {
            owner: &self.table,
            constraint: &self.constraint,
            shown: if self.kind == KeyKind::Primary { Shown::Primary } else { Shown::Referring },
            relation: self.relation,
            columns: &self.columns,
        };
        let referred = self.foreign_columns.as_ref().map(|columns| Part {
            owner: &self.table,
            constraint: &self.constraint,
            shown: Shown::Referred,
            relation: self.foreign_relation,
            columns,
        });
        [Some(own), referred].into_iter().flatten()
    }
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
