//! Plans embeds: finds the relationship of each embedded relation and its join with the parent relation, and determines its form in the
//! parent's result.

use super::Planner;
use super::tree::{EmbedSelect, JoinCondition, PlannedSelect, ReadPlan, SOURCE_CTE, Spread, SpreadSelect};
use crate::error::ApiError;
use crate::json_form::is_written_below;
use crate::request::Action;
use cloch_sql::schema_cache::{Cardinality, Name, Relationship, SchemaCache};

/// Resolves the relationships and joins of all embeds in the read plan.
pub(super) fn join_embeds(planner: &Planner<'_>, root: &mut ReadPlan) -> Result<(), ApiError> {
    let schema = root.from.schema.clone();
    if matches!(planner.request.action, Action::Mutate { .. } | Action::Call { .. }) {
        // Read from the CTE with the rows that the write or function returned, instead of from the relation. The CTE's alias is the
        // relation's name.
        root.from_alias = Some(std::mem::replace(&mut root.from, Name::local(SOURCE_CTE)).name);
    }
    join_children(planner, &schema, root)
}

fn join_children(planner: &Planner<'_>, schema: &str, parent: &mut ReadPlan) -> Result<(), ApiError> {
    let origin = match &parent.from_alias {
        Some(alias) if parent.depth == 0 => alias.clone(),
        _ => parent.from.name.clone(),
    };
    let (parent_from, parent_alias) = (parent.from.clone(), parent.from_alias.clone());
    for embed in &mut parent.embeds {
        let relationship = match embed.relationship.take() {
            Some(relationship) => relationship,
            None => planner.relationship(&Name::new(schema, &origin), embed)?.clone(),
        };
        embed.from = relationship.foreign_table().clone();
        embed.embed_alias = format!("{}_{}_{}", relationship.table().name, embed.output_name(), embed.depth);
        let alias = format!("{}_{}", embed.from.name, embed.depth);
        let is_junction = matches!(&relationship, Relationship::Key { cardinality: Cardinality::ManyToMany(_), .. });
        // The junction table and the foreign table of a many-to-many relationship have no alias.
        embed.from_alias = (!is_junction).then_some(alias);
        embed.join_conditions = conditions(&relationship, embed.from_alias.as_deref(), parent_alias.as_deref());
        embed.parent_alias = parent_alias.as_deref().map_or_else(|| relationship.table().clone(), Name::local);
        if embed.spread.is_some() && !relationship.is_to_one() {
            embed.spread = Some(Spread::ToMany { extra: Vec::new(), order: Vec::new() });
        }
        embed.relationship = Some(relationship);
        join_children(planner, schema, embed)?;
    }
    debug_assert_eq!(parent.from, parent_from);
    Ok(())
}

fn conditions(relationship: &Relationship, alias: Option<&str>, parent_alias: Option<&str>) -> Vec<JoinCondition> {
    let Relationship::Key { table, foreign_table, cardinality, columns, .. } = relationship else { return Vec::new() };
    let named = |alias: Option<&str>, name: &Name| alias.map_or_else(|| name.clone(), Name::local);
    let condition = |left: Name, left_column: &String, right: Name, right_column: &String| JoinCondition {
        left: (left, left_column.clone()),
        right: (right, right_column.clone()),
    };
    match cardinality {
        Cardinality::ManyToMany(junction) => {
            let to_foreign = junction
                .foreign_columns
                .iter()
                .map(|(column, own)| condition(junction.table.clone(), own, foreign_table.clone(), column));
            let to_origin = junction
                .origin_columns
                .iter()
                .map(|(column, own)| condition(junction.table.clone(), own, named(parent_alias, table), column));
            to_foreign.chain(to_origin).collect()
        }
        _ => columns
            .iter()
            .map(|(own, foreign)| condition(named(alias, foreign_table), foreign, named(parent_alias, table), own))
            .collect(),
    }
}

impl Planner<'_> {
    /// Finds the relationship of the relation `origin` that matches the embed's name and hint. Fails if no relationship or several
    /// relationships match.
    pub(super) fn relationship(&self, origin: &Name, embed: &ReadPlan) -> Result<&Relationship, ApiError> {
        let hint = embed.hint.as_deref();
        let fits = |relationship: &&Relationship| is_meant(relationship, &embed.name, hint);
        let found: Vec<&Relationship> = self.schema_cache.relationships_of(origin).into_iter().filter(fits).collect();
        match found.as_slice() {
            [] => Err(ApiError::no_relationship(origin, &embed.name, hint, self.schema_cache, self.role)),
            [only] => Ok(only),
            several => Err(ApiError::ambiguous_relationship(&origin.name, &embed.name, several)),
        }
    }
}

fn is_meant(relationship: &Relationship, target: &str, hint: Option<&str>) -> bool {
    let (foreign_table, is_self, cardinality, constraint, columns, foreign_is_view) = match relationship {
        Relationship::Computed { function, .. } => return function.name == target,
        Relationship::Key { foreign_table, is_self, cardinality, constraint, columns, foreign_is_view, .. } => {
            (foreign_table, *is_self, cardinality, constraint, columns, *foreign_is_view)
        }
    };
    let is_junction = matches!(cardinality, Cardinality::ManyToMany(_));
    let single = match columns.as_slice() {
        [(own, foreign)] if !is_junction => Some((own.as_str(), foreign.as_str())),
        _ => None,
    };
    let own_column = |name: &str| single.is_some_and(|(own, _)| own == name);
    let foreign_column = |name: &str| single.is_some_and(|(_, foreign)| foreign == name);
    let by_name = target == foreign_table.name;
    let is_constraint = |name: &str| !is_junction && name == constraint;
    if is_self {
        // A self-referencing foreign key yields two relationships. An embed with the table's name refers to the to-many relationship, an
        // embed with the column's name to the to-one relationship.
        let to_many = by_name && *cardinality == Cardinality::OneToMany;
        return match hint {
            None => to_many || (own_column(target) && *cardinality == Cardinality::ManyToOne),
            Some(hint) => to_many && foreign_column(hint),
        };
    }
    match hint {
        None => by_name || ((is_constraint(target) || own_column(target)) && !foreign_is_view),
        Some(hint) => {
            let is_through = matches!(cardinality, Cardinality::ManyToMany(junction) if junction.table.name == hint);
            by_name && (is_constraint(hint) || own_column(hint) || foreign_column(hint) || is_through)
        }
    }
}

/// Determines for a relation in the read plan, and for all its embeds, how each embed appears in the result: as a JSON value, or, for a
/// spread, as columns of the parent relation.
pub(super) fn select_embeds(level: &mut ReadPlan) {
    level.embeds.iter_mut().for_each(select_embeds);
    level.embed_selects = level.embeds.iter().map(embed_select).collect();
}

fn embed_select(embed: &ReadPlan) -> EmbedSelect {
    let alias = embed.embed_alias.clone();
    if embed.spread.is_some() {
        return EmbedSelect::Spread { columns: spread_columns(embed), alias };
    }
    EmbedSelect::Json {
        name: embed.output_name().to_owned(),
        alias,
        is_object: embed.relationship.as_ref().is_some_and(Relationship::is_to_one),
        is_empty: selects_nothing(embed),
        columns: None,
        has_star: false,
    }
}

fn selects_nothing(level: &ReadPlan) -> bool {
    level.select.is_empty() && level.embeds.iter().all(selects_nothing)
}

fn spread_columns(embed: &ReadPlan) -> Vec<SpreadSelect> {
    let lifted = |name: &str| SpreadSelect { name: name.to_owned(), aggregate: None, cast: None, alias: None };
    let own = embed.select.iter().map(|select| lifted(select.alias.as_deref().unwrap_or(&select.field.name)));
    let nested = embed.embed_selects.iter().flat_map(|select| match select {
        EmbedSelect::Json { is_empty: true, .. } => Vec::new(),
        EmbedSelect::Json { name, .. } => vec![lifted(name)],
        EmbedSelect::Spread { columns, .. } => columns.clone(),
    });
    own.chain(nested).collect()
}

/// Determines which embeds of the root relation the statement can return as separate columns instead of one JSON value. The names and types
/// of an embed's columns must be known before the statement runs. Each selected item must therefore be a plain column, or `*` of a table in
/// the schema cache.
pub(super) fn name_embedded_columns(schema_cache: &SchemaCache, root: &mut ReadPlan) {
    // The decoder counts the position of an embed's columns from the end of a row. After a spread of `*`, the number of columns is unknown,
    // so no embed can then be returned as separate columns.
    let has_any_number = |select: &EmbedSelect| matches!(select, EmbedSelect::Spread { columns, .. } if columns.iter().any(|one| one.name == "*"));
    if root.is_grouped() || root.embed_selects.iter().any(has_any_number) {
        return;
    }
    for select in &mut root.embed_selects {
        let EmbedSelect::Json { name, alias, columns, has_star, is_empty: false, .. } = select else { continue };
        let embed = root.embeds.iter().find(|embed| embed.embed_alias == *alias);
        *columns = embed.and_then(|embed| embedded_columns(schema_cache, embed)).filter(|_| is_kept(name));
        *has_star = columns.is_some() && embed.is_some_and(|embed| embed.select.iter().any(is_star));
    }
}

fn embedded_columns(schema_cache: &SchemaCache, embed: &ReadPlan) -> Option<Vec<String>> {
    let is_written = |type_oid| is_written_below(type_oid, &schema_cache.plain_types);
    let table = schema_cache.tables.get(&embed.from);
    let own = embed.select.iter().flat_map(|select| match table {
        Some(table) if is_star(select) => {
            let columns = table.columns.iter();
            columns.map(|column| is_written(column.type_oid).then_some(&column.name)).collect()
        }
        _ => {
            let is_known = is_column(select) && is_written(select.field.type_oid);
            vec![is_known.then(|| select.alias.as_ref().unwrap_or(&select.field.name))]
        }
    });
    let nested = embed.embed_selects.iter().filter_map(|select| match select {
        EmbedSelect::Json { is_empty: true, .. } => None,
        EmbedSelect::Json { name, .. } => Some(Some(name)),
        EmbedSelect::Spread { .. } => Some(None),
    });
    let mut names = Vec::new();
    for name in own.chain(nested) {
        let name = name.filter(|name| is_kept(name) && !names.contains(*name))?;
        names.push(name.clone());
    }
    Some(names).filter(|names| !names.is_empty())
}

fn is_column(select: &PlannedSelect) -> bool {
    select.field.name != "*" && is_plain(select)
}

fn is_star(select: &PlannedSelect) -> bool {
    select.field.name == "*" && select.alias.is_none() && is_plain(select)
}

fn is_plain(select: &PlannedSelect) -> bool {
    let PlannedSelect { field, aggregate, cast, .. } = select;
    field.path.is_empty() && field.transform.is_none() && aggregate.is_none() && cast.is_none()
}

/// Whether PostgreSQL keeps an identifier unchanged. PostgreSQL truncates identifiers of more than `NAMEDATALEN` - 1 bytes.
fn is_kept(name: &str) -> bool {
    const MAX_IDENTIFIER_BYTES: usize = 63;
    name.len() <= MAX_IDENTIFIER_BYTES && !name.contains('\0')
}
