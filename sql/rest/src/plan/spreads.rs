//! Plans spread embeds (`...child(column)`): moves aggregates to the relation that groups the rows, and the ORDER BY terms of a to-many
//! spread into the spread's array aggregates.

use super::tree::{EmbedSelect, PlannedField, PlannedOrder, PlannedSelect, ReadPlan, Spread};
use crate::error::ApiError;
use crate::request::model::Aggregate;

/// An aggregate that moves from a to-one spread to the parent relation.
struct Hoisted {
    embed_alias: String,
    column: String,
    aggregate: Aggregate,
    cast: Option<String>,
    alias: Option<String>,
}

/// Moves the aggregates of to-one spreads to the nearest parent relation that is not a to-one spread.
pub(super) fn hoist_aggregates(plan: &mut ReadPlan) {
    hoist(plan);
}

fn hoist(level: &mut ReadPlan) -> Vec<Hoisted> {
    let from_below: Vec<Hoisted> = level.embeds.iter_mut().flat_map(hoist).collect();
    let is_spread = level.spread == Some(Spread::ToOne);
    if !is_spread {
        apply(&from_below, &mut level.embed_selects);
        return Vec::new();
    }
    let embed_alias = level.embed_alias.clone();
    let mut hoisted = Vec::new();
    for select in &mut level.select {
        let Some(aggregate) = select.aggregate.take() else { continue };
        hoisted.push(Hoisted {
            embed_alias: embed_alias.clone(),
            column: select.alias.clone().unwrap_or_else(|| select.field.name.clone()),
            aggregate,
            cast: select.aggregate_cast.take(),
            alias: select.alias.clone(),
        });
    }
    hoisted.extend(from_below.into_iter().map(|below| Hoisted { embed_alias: embed_alias.clone(), ..below }));
    hoisted
}

fn apply(hoisted: &[Hoisted], selects: &mut [EmbedSelect]) {
    for select in selects {
        let EmbedSelect::Spread { columns, alias } = select else { continue };
        for column in columns {
            let found = hoisted.iter().find(|one| one.embed_alias == *alias && one.column == column.name);
            if let Some(found) = found {
                column.aggregate = Some(found.aggregate);
                column.cast.clone_from(&found.cast);
                column.alias.clone_from(&found.alias);
            }
        }
    }
}

/// Moves the ORDER BY terms of each to-many spread into the spread's array aggregates. The columns of these terms are additionally selected
/// under generated aliases.
pub(super) fn order_spreads(level: &mut ReadPlan) -> Result<(), ApiError> {
    if let Some(Spread::ToMany { extra, order }) = &mut level.spread {
        let is_aggregated = |select: &EmbedSelect| matches!(select, EmbedSelect::Spread { columns, .. } if columns.iter().any(|one| one.aggregate.is_some()));
        if level.select.iter().any(|select| select.aggregate.is_some()) || level.embed_selects.iter().any(is_aggregated)
        {
            let details = "Aggregates are not implemented for one-to-many or many-to-many spreads.";
            return Err(ApiError::not_implemented(details));
        }
        for (number, term) in std::mem::take(&mut level.order).into_iter().enumerate() {
            let alias = format!("{}_{}_{}", level.embed_alias, term.field.name, number + 1);
            let select = PlannedSelect {
                field: term.field,
                aggregate: None,
                aggregate_cast: None,
                cast: None,
                alias: Some(alias.clone()),
            };
            extra.push((term.relation, select));
            order.push(PlannedOrder {
                relation: None,
                field: PlannedField::unknown(alias, Vec::new()),
                direction: term.direction,
                nulls: term.nulls,
            });
        }
    }
    level.embeds.iter_mut().try_for_each(order_spreads)
}
