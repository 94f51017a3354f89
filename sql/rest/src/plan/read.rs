//! Plans a read in several passes over the tree that contains the root relation and its embeds.

use super::Planner;
use super::columns::{expand_stars, name_columns};
use super::embeds::{join_embeds, select_embeds};
use super::resolve::Resolver;
use super::spreads::{hoist_aggregates, order_spreads};
use super::tree::{PlannedLogic, PlannedOrder, PlannedSelect, ReadPlan};
use crate::error::ApiError;
use crate::request::model::{IsValue, Operation, OrderTarget, OrderTerm, SelectItem};
use crate::request::{Action, Range, range_path};
use cloch_sql::schema_cache::{Cardinality, Name, Relationship};

impl Planner<'_> {
    /// Plans the read of `relation`, or of the rows that a write or function returns.
    pub(super) fn read(&self, relation: &Name) -> Result<ReadPlan, ApiError> {
        let mut plan = ReadPlan::new(relation.clone(), 0);
        self.add_items(&mut plan, &self.request.query.select, &relation.schema);
        self.add_filters(&mut plan)?;
        self.add_orders(&mut plan, relation)?;
        self.add_ranges(&mut plan)?;
        self.add_logic(&mut plan)?;
        join_embeds(self, &mut plan)?;
        expand_stars(self.schema_cache, relation, &mut plan);
        name_columns(&mut plan);
        plan.try_each(&mut point_orders)?;
        plan.try_each(&mut point_null_filters)?;
        select_embeds(&mut plan);
        if !self.settings.aggregates_enabled {
            plan.try_each(&mut refuse_aggregates)?;
        }
        hoist_aggregates(&mut plan);
        order_spreads(&mut plan)?;
        if !self.is_write() {
            let max_rows = self.settings.max_rows;
            plan.try_each(&mut |level| {
                mark_single(level);
                level.range = level.range.restricted(max_rows);
                Ok::<_, ApiError>(())
            })?;
        }
        Ok(plan)
    }

    fn is_write(&self) -> bool {
        matches!(self.request.action, Action::Mutate { .. })
    }

    /// Adds the selected columns and embeds. Determines the relationship of each embed already here, because the items of the embed are
    /// columns of the relationship's foreign table. This also applies if the request names the embed by a column or a function. An embed
    /// without a relationship is refused later, in `join_embeds`.
    fn add_items(&self, level: &mut ReadPlan, items: &[SelectItem], schema: &str) {
        let resolver = Resolver::new(self.schema_cache, &level.from);
        for item in items {
            match item {
                SelectItem::Field(select) => level.select.push(PlannedSelect {
                    field: resolver.output(resolver.field(&select.field)),
                    aggregate: select.aggregate,
                    aggregate_cast: select.aggregate_cast.clone(),
                    cast: select.cast.clone(),
                    alias: select.alias.clone(),
                }),
                SelectItem::Relation(relation) => {
                    let mut embed = ReadPlan::new(Name::new(&level.from.schema, &relation.name), level.depth + 1);
                    embed.alias.clone_from(&relation.alias);
                    embed.hint.clone_from(&relation.hint);
                    embed.join = relation.join;
                    embed.spread = relation.spread.then_some(super::tree::Spread::ToOne);
                    if let Ok(relationship) = self.relationship(&Name::new(schema, &level.from.name), &embed) {
                        embed.from = relationship.foreign_table().clone();
                        embed.relationship = Some(relationship.clone());
                    }
                    self.add_items(&mut embed, &relation.items, schema);
                    level.embeds.push(embed);
                }
            }
        }
    }

    // The functions `add_filters`, `add_orders` and `add_logic` iterate over the parameters in reverse: each filter is inserted before the
    // existing filters, and the first of several `order` parameters for the same relation must take effect.

    fn add_filters(&self, plan: &mut ReadPlan) -> Result<(), ApiError> {
        for (path, filter) in self.request.query.filters.iter().rev() {
            if self.is_write() && path.is_empty() {
                continue;
            }
            let level = find(plan, path)?;
            let filter = Resolver::new(self.schema_cache, &level.from).filter(filter);
            level.filters.insert(0, filter);
        }
        Ok(())
    }

    fn add_orders(&self, plan: &mut ReadPlan, root: &Name) -> Result<(), ApiError> {
        let resolver = Resolver::new(self.schema_cache, root);
        for (path, terms) in self.request.query.order.iter().rev() {
            find(plan, path)?.order = terms.iter().map(|term| planned_order(&resolver, term)).collect();
        }
        Ok(())
    }

    fn add_ranges(&self, plan: &mut ReadPlan) -> Result<(), ApiError> {
        if self.is_write() {
            return Ok(());
        }
        for (key, range) in &self.request.query.ranges {
            let path = range_path(key)?;
            if range.is_empty() && !range.is_limit_zero() {
                return Err(ApiError::negative_limit());
            }
            find(plan, &path)?.range = *range;
        }
        Ok(())
    }

    fn add_logic(&self, plan: &mut ReadPlan) -> Result<(), ApiError> {
        for (path, tree) in self.request.query.logic.iter().rev() {
            if self.is_write() && path.is_empty() {
                continue;
            }
            let level = find(plan, path)?;
            let tree = Resolver::new(self.schema_cache, &level.from).logic(tree);
            level.filters.insert(0, tree);
        }
        Ok(())
    }
}

fn planned_order(resolver: &Resolver<'_>, term: &OrderTerm) -> PlannedOrder {
    let (relation, field) = match &term.target {
        OrderTarget::Field(field) => (None, resolver.field(field)),
        OrderTarget::Related(relation, field) => {
            (Some(relation.clone()), super::tree::PlannedField::unknown(&field.name, field.path.clone()))
        }
    };
    PlannedOrder { relation, field, direction: term.direction, nulls: term.nulls }
}

/// Finds the embed at the end of `path`, a list of embed names. A name refers to the embed that has this name in the response, or else to
/// the first embed with this name in the request, even if the embed has an alias. As in PostgREST, each embed on the path is moved before
/// its siblings, which determines the order of keys in the response.
fn find<'a>(level: &'a mut ReadPlan, path: &[String]) -> Result<&'a mut ReadPlan, ApiError> {
    let Some((name, rest)) = path.split_first() else { return Ok(level) };
    let by_output_name = level.embeds.iter().position(|embed| embed.output_name() == name);
    let by_name = || level.embeds.iter().position(|embed| embed.name == *name);
    let Some(position) = by_output_name.or_else(by_name) else { return Err(ApiError::not_embedded(name)) };
    if let Some(front) = level.embeds.get_mut(..=position) {
        front.rotate_right(1);
    }
    match level.embeds.first_mut() {
        Some(embed) => find(embed, rest),
        None => Err(ApiError::not_embedded(name)),
    }
}

/// Marks the embeds that need no LIMIT in the statement, because a foreign key restricts each of them to at most one row. Without LIMIT,
/// PostgreSQL can choose any join method. If the parent relation has no order, its embeds keep the LIMIT, because the LIMIT preserves the
/// order in which PostgreSQL finds the rows of the parent relation.
fn mark_single(level: &mut ReadPlan) {
    let is_ordered = !level.order.is_empty();
    for embed in &mut level.embeds {
        let by_key = matches!(
            &embed.relationship,
            Some(Relationship::Key { foreign_is_view: false, cardinality: Cardinality::ManyToOne, .. })
        );
        embed.is_single_by_key = is_ordered && by_key && embed.range == Range::ALL;
    }
}

fn refuse_aggregates(level: &mut ReadPlan) -> Result<(), ApiError> {
    if level.select.iter().any(|select| select.aggregate.is_some()) { Err(ApiError::aggregates_off()) } else { Ok(()) }
}

/// Replaces the embed's name by the embed's SQL alias in order terms that refer to a column of an embed.
fn point_orders(level: &mut ReadPlan) -> Result<(), ApiError> {
    for term in &mut level.order {
        let Some(relation) = &mut term.relation else { continue };
        let Some(embed) = level.embeds.iter().find(|embed| embed.output_name() == relation.as_str()) else {
            return Err(ApiError::not_embedded(relation));
        };
        if !embed.relationship.as_ref().is_some_and(Relationship::is_to_one) {
            return Err(ApiError::related_order(&level.from.name, embed.output_name()));
        }
        relation.clone_from(&embed.embed_alias);
    }
    Ok(())
}

/// Converts `child=is.null` to a filter that checks whether the embed `child` has no row.
fn point_null_filters(level: &mut ReadPlan) -> Result<(), ApiError> {
    let aliases: Vec<(String, String)> =
        level.embeds.iter().map(|embed| (embed.output_name().to_owned(), embed.embed_alias.clone())).collect();
    level.filters.iter_mut().for_each(|logic| point_null_filter(logic, &aliases));
    Ok(())
}

fn point_null_filter(logic: &mut PlannedLogic, aliases: &[(String, String)]) {
    match logic {
        PlannedLogic::Group { items, .. } => items.iter_mut().for_each(|item| point_null_filter(item, aliases)),
        PlannedLogic::Filter { field, negated, operation: Operation::Is(IsValue::Null) } if field.path.is_empty() => {
            if let Some((_, alias)) = aliases.iter().find(|(name, _)| *name == field.name) {
                *logic = PlannedLogic::NullEmbed { negated: *negated, alias: alias.clone() };
            }
        }
        PlannedLogic::Filter { .. } | PlannedLogic::NullEmbed { .. } => {}
    }
}
