//! Plans the selected columns of the root relation and of each embed: expands `*` where required, and adds an alias if SQL would derive no
//! column name or a different name.

use super::resolve::Resolver;
use super::tree::{PlannedField, PlannedLogic, PlannedSelect, ReadPlan, SOURCE_CTE, Spread};
use crate::request::model::{Aggregate, JsonKey};
use cloch_sql::schema_cache::{Name, SchemaCache};

/// Replaces `*` by the relation's columns in three cases: an aggregate requires GROUP BY with each column, a to-many spread moves the
/// columns to the parent relation, or a domain has a JSON representation.
pub(super) fn expand_stars(schema_cache: &SchemaCache, root: &Name, plan: &mut ReadPlan) {
    expand(schema_cache, root, plan, false);
}

fn expand(schema_cache: &SchemaCache, root: &Name, level: &mut ReadPlan, below_aggregate: bool) {
    let has_aggregate = below_aggregate
        || level.select.iter().any(|select| select.aggregate.is_some())
        || matches!(level.spread, Some(Spread::ToMany { .. }));
    let relation = match &level.from_alias {
        Some(alias) if level.from == Name::local(SOURCE_CTE) => Name::new(&root.schema, alias),
        _ => level.from.clone(),
    };
    let resolver = Resolver::new(schema_cache, &relation);
    let is_spread = level.spread.is_some();
    let is_whole_count = |select: &PlannedSelect| is_spread && select.aggregate == Some(Aggregate::Count);
    let has_star = level
        .select
        .iter()
        .any(|select| select.field.name == "*" && (select.aggregate.is_none() || is_whole_count(select)));
    let columns = resolver.table.map_or(&[][..], |table| &table.columns);
    let is_represented =
        || columns.iter().any(|column| schema_cache.representation(&column.nominal_type, "json").is_some());
    if has_star && (has_aggregate || is_represented()) {
        let selects = std::mem::take(&mut level.select);
        for mut select in selects {
            if select.field.name == "*" && select.field.path.is_empty() && select.aggregate.is_none() {
                let column =
                    |column| PlannedSelect { field: resolver.output(resolver.column(column)), ..select.clone() };
                level.select.extend(columns.iter().map(column));
                continue;
            }
            if select.field.name == "*" && is_whole_count(&select) {
                select.field.whole_row = true;
            }
            level.select.push(select);
        }
    }
    level.embeds.iter_mut().for_each(|embed| expand(schema_cache, root, embed, has_aggregate));
}

/// Sets the alias of each selected column that has no alias and needs one: the last key of a JSON path, the column's name for a transformed
/// column, and the aggregate function's name inside a spread.
pub(super) fn name_columns(level: &mut ReadPlan) {
    let is_spread = level.spread.is_some();
    for select in level.select.iter_mut().filter(|select| select.alias.is_none()) {
        select.alias = match select.aggregate {
            Some(aggregate) => is_spread.then(|| aggregate_name(aggregate).to_owned()),
            None if !select.field.path.is_empty() => Some(path_name(select).to_owned()),
            None => select.field.transform.is_some().then(|| select.field.name.clone()),
        };
    }
    level.embeds.iter_mut().for_each(name_columns);
}

/// Whether the statement of a write or function returns all columns of its relation.
pub(super) fn returns_whole_rows(returned: &[String]) -> bool {
    returned.iter().any(|column| column == "*")
}

/// Sets a cast for each field of the rows returned by a write or function that is not a column of `relation`. Such a field is computed by a
/// function that takes a row of `relation`, but the returned rows are records. Without the cast, PostgreSQL does not find the function if
/// functions of the same name exist for several relations.
pub(super) fn cast_computed_fields(schema_cache: &SchemaCache, relation: &Name, root: &mut ReadPlan) {
    let Some(table) = schema_cache.tables.get(relation) else { return };
    let cast = |field: &mut PlannedField| {
        if field.name != "*" && table.column(&field.name).is_none() {
            field.row_type = Some(Box::new(relation.clone()));
        }
    };
    root.select.iter_mut().for_each(|select| cast(&mut select.field));
    root.order.iter_mut().filter(|term| term.relation.is_none()).for_each(|term| cast(&mut term.field));
    root.filters.iter_mut().for_each(|logic| cast_in(logic, &cast));
}

fn cast_in(logic: &mut PlannedLogic, cast: &impl Fn(&mut PlannedField)) {
    match logic {
        PlannedLogic::Filter { field, .. } => cast(field),
        PlannedLogic::Group { items, .. } => items.iter_mut().for_each(|item| cast_in(item, cast)),
        PlannedLogic::NullEmbed { .. } => {}
    }
}

/// Returns the name of an aggregate function, which is the same in SQL and in responses.
#[must_use]
pub fn aggregate_name(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Sum => "sum",
        Aggregate::Avg => "avg",
        Aggregate::Count => "count",
        Aggregate::Max => "max",
        Aggregate::Min => "min",
    }
}

/// Returns the last key of a JSON path. If the path ends in an array index, returns the last key before the index, or the column's name if
/// there is none.
fn path_name(select: &PlannedSelect) -> &str {
    let key = |step: &'_ crate::request::model::JsonStep| matches!(step.key, JsonKey::Key(_));
    match select.field.path.iter().rev().find(|step| key(step)).map(|step| &step.key) {
        Some(JsonKey::Key(name)) => name,
        _ => &select.field.name,
    }
}
