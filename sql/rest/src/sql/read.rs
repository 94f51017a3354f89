//! Builds the SQL query of the root relation and of each embed of a read, and the query that counts the rows of the root relation.

use super::builder::Sql;
use super::embed_form::EmbedForm;
use crate::plan::aggregate_name;
use crate::plan::tree::{EmbedSelect, PlannedField, PlannedSelect, ReadPlan, Spread, SpreadSelect};
use crate::request::Range;
use crate::request::model::{Aggregate, JoinType};
use cloch_sql::schema_cache::{Cardinality, Name, Relationship};

impl Sql {
    /// Appends the query of a relation in the read plan, with the relation's embeds as JSON.
    pub(super) fn read(&mut self, level: &ReadPlan) {
        self.level(level, EmbedForm::Json, false);
    }

    /// Appends the query of the root relation as a complete statement, without a CTE. `embeds` is the form of the embeds of the root
    /// relation; the embeds of these embeds are always JSON.
    pub(super) fn direct_read(&mut self, root: &ReadPlan, embeds: EmbedForm) {
        self.level(root, embeds, true);
    }

    fn level(&mut self, level: &ReadPlan, embeds: EmbedForm, is_direct: bool) {
        let relation = known_as(level);
        self.push("SELECT ");
        self.output(level, &relation, embeds);
        if is_direct {
            self.hidden_types(level);
        }
        self.push(" FROM ").from(level);
        for select in &level.embed_selects {
            if let Some(embed) = level.embeds.iter().find(|embed| embed.embed_alias == select.alias()) {
                self.join(select, embed, embeds);
            }
        }
        self.filter_by(level, &relation, &|sql, negated, alias| {
            sql.ident(alias).push(if negated { " IS DISTINCT FROM NULL" } else { " IS NOT DISTINCT FROM NULL" });
        });
        self.group_by(level, &relation);
        self.order_by(&relation, &level.order);
        if !level.is_single_by_key {
            self.limit(level.range);
        }
    }

    fn output(&mut self, level: &ReadPlan, relation: &Name, embeds: EmbedForm) {
        let mut outputs: Vec<Output<'_>> = level.select.iter().map(|select| Output::Column(relation, select)).collect();
        if let Some(Spread::ToMany { extra, .. }) = &level.spread {
            outputs.extend(extra.iter().map(|(embed, select)| Output::Extra(embed.as_deref(), select)));
        }
        for select in &level.embed_selects {
            match select {
                EmbedSelect::Json { is_empty: true, .. } => {}
                EmbedSelect::Json { name, alias, is_object, .. } => outputs.push(match embeds.columns(select) {
                    Some(columns) => Output::EmbedColumns(columns, alias, *is_object),
                    None => Output::Embed(name, alias, *is_object),
                }),
                EmbedSelect::Spread { columns, alias } => {
                    outputs.extend(columns.iter().map(|column| Output::Spread(alias, column)));
                }
            }
        }
        if level.select.is_empty() && level.embeds.is_empty() {
            self.column(relation, "*");
            if !outputs.is_empty() {
                self.push(", ");
            }
        }
        self.list(", ", outputs, |sql, output| match output {
            Output::Column(relation, select) => sql.select_item(relation, select),
            Output::Extra(embed, select) => match embed {
                Some(embed) => sql.select_item(&Name::local(embed), select),
                None => sql.select_item(relation, select),
            },
            Output::Embed(name, alias, true) => {
                // This expression has the same value as `row_to_json(…)::jsonb`, but avoids the conversion to text and back.
                sql.push("to_jsonb(").ident(alias).push(".*) AS ").ident(name);
            }
            Output::Embed(name, alias, false) => {
                sql.push("COALESCE(").ident(alias).push(".").ident(alias).push(", '[]') AS ").ident(name);
            }
            Output::EmbedColumns(columns, alias, true) => {
                sql.ident(alias).push(".* IS DISTINCT FROM NULL");
                columns.iter().for_each(|column| _ = sql.push(", ").ident(alias).push(".").ident(column));
            }
            Output::EmbedColumns(columns, alias, false) => {
                sql.list(", ", 0..columns.len(), |sql, at| _ = sql.ident(alias).push(".").array_alias(alias, at));
            }
            Output::Spread(alias, column) => sql.spread_item(alias, column),
        });
    }

    /// Appends the SQL alias of the array with the values of the embedded column number `at`. For the first column (0), the alias is the
    /// name of the embed; this array is NULL if the embed has no rows.
    fn array_alias(&mut self, embed: &str, at: usize) -> &mut Self {
        if at == 0 { self.ident(embed) } else { self.ident(&at.to_string()) }
    }

    fn select_item(&mut self, relation: &Name, select: &PlannedSelect) {
        self.aggregate(select.aggregate, select.aggregate_cast.as_deref(), |sql| {
            sql.cast(select.cast.as_deref(), |sql| sql.transformed_output(relation, &select.field));
        });
        self.alias(select.alias.as_deref());
    }

    fn transformed_output(&mut self, relation: &Name, field: &PlannedField) {
        match &field.transform {
            Some(function) => {
                self.push(function).push("(").field(relation, field).push(")");
            }
            None => _ = self.field(relation, field),
        }
    }

    fn spread_item(&mut self, alias: &str, column: &SpreadSelect) {
        self.aggregate(column.aggregate, column.cast.as_deref(), |sql| {
            sql.column(&Name::local(alias), &column.name);
        });
        self.alias(column.alias.as_deref());
    }

    fn alias(&mut self, alias: Option<&str>) {
        if let Some(alias) = alias {
            self.push(" AS ").ident(alias);
        }
    }

    fn aggregate(&mut self, aggregate: Option<Aggregate>, cast: Option<&str>, inner: impl FnOnce(&mut Self)) {
        match aggregate {
            Some(aggregate) => self.cast(cast, |sql| {
                sql.push(aggregate_name(aggregate)).push("(");
                inner(sql);
                sql.push(")");
            }),
            None => inner(self),
        }
    }

    fn cast(&mut self, cast: Option<&str>, inner: impl FnOnce(&mut Self)) {
        match cast {
            Some(cast) => {
                self.push("CAST(");
                inner(self);
                self.push(" AS ").type_name(cast).push(")");
            }
            None => inner(self),
        }
    }

    fn from(&mut self, level: &ReadPlan) {
        match &level.relationship {
            Some(Relationship::Computed { function, table, .. }) => {
                self.name(function).push("(").ident(&level.parent_alias.name).push("::").name(table).push(")");
            }
            _ => _ = self.name(&level.from),
        }
        if let Some(alias) = &level.from_alias {
            self.push(" AS ").ident(alias);
        }
        if let Some(Relationship::Key { cardinality: Cardinality::ManyToMany(junction), .. }) = &level.relationship {
            self.push(", ").name(&junction.table);
        }
    }

    fn join(&mut self, select: &EmbedSelect, embed: &ReadPlan, embeds: EmbedForm) {
        let alias = select.alias();
        let is_inner = embed.join == Some(JoinType::Inner);
        self.push(if is_inner { " INNER JOIN LATERAL (" } else { " LEFT JOIN LATERAL (" });
        let is_many = match (select, &embed.spread) {
            (EmbedSelect::Json { is_object, .. }, _) => !is_object,
            (EmbedSelect::Spread { .. }, spread) => matches!(spread, Some(Spread::ToMany { .. })),
        };
        if is_many && let Some(columns) = embeds.columns(select) {
            self.push("SELECT ").list(", ", columns.iter().enumerate(), |sql, (at, column)| {
                sql.push("array_agg(").ident(alias).push(".").ident(column).push(") AS ").array_alias(alias, at);
            });
            self.push(" FROM (").read(embed);
            self.push(") AS ").ident(alias);
            if embeds.has_star(select) {
                self.push(" WHERE TRUE").or_other_columns(alias, columns);
            }
        } else if is_many {
            self.push("SELECT jsonb_agg(").ident(alias).push(") AS ").ident(alias);
            if let (EmbedSelect::Spread { columns, .. }, Some(Spread::ToMany { order, .. })) = (select, &embed.spread) {
                for column in columns {
                    self.push(", COALESCE(jsonb_agg(").column(&Name::local(alias), &column.name);
                    self.order_by(&Name::local(alias), order);
                    self.push("),'[]') AS ").ident(column.alias.as_ref().unwrap_or(&column.name));
                }
            }
            self.push(" FROM (").read(embed);
            self.push(") AS ").ident(alias);
        } else {
            self.read(embed);
        }
        self.push(") AS ").ident(alias).push(" ON ");
        if is_many && is_inner {
            self.ident(alias).push(" IS NOT NULL");
        } else {
            self.push("TRUE");
            if !is_many
                && embeds.has_star(select)
                && let Some(columns) = embeds.columns(select)
            {
                self.or_other_columns(alias, columns);
            }
        }
    }

    /// Appends a condition that is never evaluated. Because of the condition, PostgreSQL rejects the statement, even a prepared one, if a
    /// table has other columns than the schema cache lists for `*`: more columns cause SQLSTATE 42601 (rows of different lengths), fewer
    /// columns cause 42703.
    fn or_other_columns(&mut self, alias: &str, columns: &[String]) {
        self.push(" OR EXISTS (VALUES (").ident(alias).push(".*), (");
        self.list(", ", columns, |sql, column| _ = sql.ident(alias).push(".").ident(column));
        self.push("))");
    }

    fn filter_by(&mut self, level: &ReadPlan, relation: &Name, null_embed: &impl Fn(&mut Self, bool, &str)) {
        if level.filters.is_empty() && level.join_conditions.is_empty() {
            return;
        }
        self.push(" WHERE ").list(" AND ", &level.filters, |sql, logic| sql.logic(relation, logic, null_embed));
        if !level.filters.is_empty() && !level.join_conditions.is_empty() {
            self.push(" AND ");
        }
        self.list(" AND ", &level.join_conditions, Self::join_condition);
    }

    /// Appends GROUP BY with all selected columns that are not aggregates, if the query selects an aggregate.
    fn group_by(&mut self, level: &ReadPlan, relation: &Name) {
        if !level.is_grouped() {
            return;
        }
        enum Term<'a> {
            Named(&'a str),
            Field(&'a PlannedField),
            Spread(&'a str, &'a str),
        }
        let own = level.select.iter().filter(|select| select.aggregate.is_none()).map(|select| match &select.alias {
            Some(alias) => Term::Named(alias),
            None => Term::Field(&select.field),
        });
        let embedded = level.embed_selects.iter().flat_map(|select| -> Vec<Term<'_>> {
            match select {
                EmbedSelect::Json { is_empty: true, .. } => Vec::new(),
                EmbedSelect::Json { name, .. } => vec![Term::Named(name)],
                EmbedSelect::Spread { columns, alias } => {
                    let grouped = columns.iter().filter(|column| column.aggregate.is_none());
                    grouped.map(|one| Term::Spread(alias, one.alias.as_ref().unwrap_or(&one.name))).collect()
                }
            }
        });
        let terms: Vec<Term<'_>> = own.chain(embedded).collect();
        if terms.is_empty() {
            return;
        }
        self.push(" GROUP BY ").list(", ", terms, |sql, term| match term {
            Term::Named(name) => _ = sql.ident(name),
            Term::Field(field) => _ = sql.field(relation, field),
            Term::Spread(alias, column) => _ = sql.ident(alias).push(".").ident(column),
        });
    }

    /// Appends LIMIT and OFFSET. The limit is part of the text. If the limit were a parameter, PostgreSQL would estimate that the statement
    /// returns a tenth of all rows, reject the generic plan and plan each execution. The offset is a bound parameter, because it differs
    /// from page to page.
    fn limit(&mut self, range: Range) {
        match range.limit().map(|limit| (limit, i64::try_from(limit))) {
            Some((_, Ok(limit))) => _ = self.push(" LIMIT ").push(&limit.to_string()),
            Some((limit, Err(_))) => _ = self.push(" LIMIT ").bind(limit.to_string()),
            None => {}
        }
        if range.first != 0 {
            self.push(" OFFSET ").bind(range.first.to_string());
        }
    }

    /// Appends a query for the rows that match the conditions of the root relation, without the requested range. Embeds are included only
    /// if they filter rows.
    pub(super) fn count_rows(&mut self, level: &ReadPlan) {
        let relation = known_as(level);
        self.push("SELECT 1 FROM ").from(level);
        self.filter_by(level, &relation, &|sql, negated, alias| {
            if let Some(embed) = level.embeds.iter().find(|embed| embed.embed_alias == alias) {
                sql.push(if negated { "EXISTS (" } else { "NOT EXISTS (" });
                sql.count_rows(embed);
                sql.push(")");
            }
        });
        let mut is_first = level.filters.is_empty() && level.join_conditions.is_empty();
        for embed in level.embeds.iter().filter(|embed| embed.join == Some(JoinType::Inner)) {
            self.push(if is_first { " WHERE EXISTS (" } else { " AND EXISTS (" });
            self.count_rows(embed);
            self.push(")");
            is_first = false;
        }
    }
}

enum Output<'a> {
    Column(&'a Name, &'a PlannedSelect),
    Extra(Option<&'a str>, &'a PlannedSelect),
    Embed(&'a str, &'a str, bool),
    EmbedColumns(&'a [String], &'a str, bool),
    Spread(&'a str, &'a SpreadSelect),
}

/// Returns the alias or name that qualifies the columns of a relation in the read plan.
fn known_as(level: &ReadPlan) -> Name {
    match (&level.from_alias, &level.relationship) {
        (Some(alias), _) => Name::local(alias),
        (None, Some(Relationship::Computed { function, .. })) => Name::local(&function.name),
        (None, _) => level.from.clone(),
    }
}
