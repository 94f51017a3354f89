//! Builds the SQL of fields, conditions and orders.

use super::builder::Sql;
use crate::plan::tree::{JoinCondition, PlannedField, PlannedLogic, PlannedOrder};
use crate::request::model::{
    Direction, FtsOperator, IsValue, JsonKey, LogicOperator, Nulls, Operation, QuantOperator, Quantifier,
    SimpleOperator,
};
use cloch_sql::client::array_literal;
use cloch_sql::schema_cache::Name;

impl Sql {
    /// Appends a field of `relation`. If the column has a domain type with conversion functions (PostgREST's domain representations), the
    /// value is not converted.
    pub(super) fn field(&mut self, relation: &Name, field: &PlannedField) -> &mut Self {
        if let Some(language) = &field.to_tsvector {
            self.push("to_tsvector(");
            self.language(language.as_deref());
            self.bare_field(relation, field).push(")")
        } else {
            self.bare_field(relation, field)
        }
    }

    fn bare_field(&mut self, relation: &Name, field: &PlannedField) -> &mut Self {
        if field.whole_row {
            return self.ident(&relation.name);
        }
        if field.path.is_empty() {
            return self.column_of_row(relation, field);
        }
        if field.to_json {
            self.push("to_jsonb(").column_of_row(relation, field).push(")");
        } else {
            self.column_of_row(relation, field);
        }
        for step in &field.path {
            self.push(if step.as_text { "->>" } else { "->" });
            match &step.key {
                JsonKey::Key(key) => self.bind(key.clone()),
                JsonKey::Index(index) => self.bind(index.clone()).push("::int"),
            };
        }
        self
    }

    fn column_of_row(&mut self, relation: &Name, field: &PlannedField) -> &mut Self {
        match &field.row_type {
            Some(row_type) => {
                self.push("(").column(relation, "*").push("::").name(row_type).push(").").ident(&field.name)
            }
            None => self.column(relation, &field.name),
        }
    }

    fn language(&mut self, language: Option<&str>) {
        if let Some(language) = language {
            self.bind(language.to_owned()).push(", ");
        }
    }

    /// Appends a condition on the rows of a relation, whose alias is `relation`. The closure `null_embed` appends the test whether an embed
    /// has no row; its arguments are whether the test is negated, and the SQL alias of the embed.
    pub(super) fn logic(&mut self, relation: &Name, logic: &PlannedLogic, null_embed: &impl Fn(&mut Self, bool, &str)) {
        match logic {
            PlannedLogic::Filter { field, negated, operation } => self.filter(relation, field, *negated, operation),
            PlannedLogic::NullEmbed { negated, alias } => null_embed(self, *negated, alias),
            PlannedLogic::Group { negated, operator, items } => {
                let separator = if *operator == LogicOperator::And { " AND " } else { " OR " };
                self.push(if *negated { "NOT (" } else { "(" });
                self.list(separator, items, |sql, item| sql.logic(relation, item, null_embed));
                self.push(")");
            }
        }
    }

    fn filter(&mut self, relation: &Name, field: &PlannedField, negated: bool, operation: &Operation) {
        if negated {
            self.push("NOT ");
        }
        self.field(relation, field);
        match operation {
            Operation::Simple(operator, value) => {
                self.push(simple_operator(*operator));
                self.transformed(field, |sql| _ = sql.bind(value.clone()));
            }
            Operation::Quant(operator, quantifier, value) => {
                self.push(quant_operator(*operator));
                match quantifier {
                    Some(Quantifier::Any) => _ = self.push("ANY("),
                    Some(Quantifier::All) => _ = self.push("ALL("),
                    None => {}
                }
                if matches!(operator, QuantOperator::Like | QuantOperator::ILike) {
                    self.bind(value.replace('*', "%"));
                } else {
                    self.transformed(field, |sql| _ = sql.bind(value.clone()));
                }
                if quantifier.is_some() {
                    self.push(")");
                }
            }
            Operation::In(values) => self.in_list(field, values),
            Operation::Is(value) => _ = self.push(" IS ").push(is_value(*value)),
            Operation::IsDistinct(value) => _ = self.push(" IS DISTINCT FROM ").bind(value.clone()),
            Operation::Fts { operator, language, value } => {
                self.push(fts_operator(*operator)).push("(");
                self.language(language.as_deref());
                self.bind(value.clone()).push(")");
            }
        }
    }

    /// Appends `= ANY` with a single array parameter, so that the statement is the same for any number of values.
    fn in_list(&mut self, field: &PlannedField, values: &[String]) {
        if matches!(values, [only] if only.is_empty()) {
            self.push(" = ANY('{}')");
            return;
        }
        self.push(" = ANY (");
        match &field.transform {
            Some(function) => {
                self.push("(SELECT ").push(function).push("(unnest(").bind(list_literal(values)).push("::text[])))");
            }
            None => _ = self.bind(list_literal(values)),
        }
        self.push(")");
    }

    fn transformed(&mut self, field: &PlannedField, value: impl Fn(&mut Self)) {
        match &field.transform {
            Some(function) => {
                self.push(function).push("(");
                value(self);
                self.push(")");
            }
            None => value(self),
        }
    }

    pub(super) fn join_condition(&mut self, condition: &JoinCondition) {
        let JoinCondition { left: (left, left_column), right: (right, right_column) } = condition;
        self.column(left, left_column).push(" = ").column(right, right_column);
    }

    /// Appends ORDER BY, unless the list of terms is empty.
    pub(super) fn order_by(&mut self, relation: &Name, terms: &[PlannedOrder]) {
        if terms.is_empty() {
            return;
        }
        self.push(" ORDER BY ").list(", ", terms, |sql, term| {
            match &term.relation {
                Some(embed) => sql.field(&Name::local(embed), &term.field),
                None => sql.field(relation, &term.field),
            };
            sql.push(match term.direction {
                Some(Direction::Ascending) => " ASC",
                Some(Direction::Descending) => " DESC",
                None => "",
            });
            sql.push(match term.nulls {
                Some(Nulls::First) => " NULLS FIRST",
                Some(Nulls::Last) => " NULLS LAST",
                None => "",
            });
        });
    }
}

/// Formats values as a `text[]` literal. Each value is cut at the first NUL, as by libpq.
pub(super) fn list_literal(values: &[String]) -> String {
    array_literal(values.iter().map(|value| value.split('\0').next().unwrap_or_default()))
}

fn simple_operator(operator: SimpleOperator) -> &'static str {
    match operator {
        SimpleOperator::NotEqual => " <> ",
        SimpleOperator::Contains => " @> ",
        SimpleOperator::Contained => " <@ ",
        SimpleOperator::Overlaps => " && ",
        SimpleOperator::StrictlyLeft => " << ",
        SimpleOperator::StrictlyRight => " >> ",
        SimpleOperator::NotExtendsRight => " &< ",
        SimpleOperator::NotExtendsLeft => " &> ",
        SimpleOperator::Adjacent => " -|- ",
    }
}

fn quant_operator(operator: QuantOperator) -> &'static str {
    match operator {
        QuantOperator::Equal => " = ",
        QuantOperator::GreaterThanEqual => " >= ",
        QuantOperator::GreaterThan => " > ",
        QuantOperator::LessThanEqual => " <= ",
        QuantOperator::LessThan => " < ",
        QuantOperator::Like => " like ",
        QuantOperator::ILike => " ilike ",
        QuantOperator::Match => " ~ ",
        QuantOperator::IMatch => " ~* ",
    }
}

fn fts_operator(operator: FtsOperator) -> &'static str {
    match operator {
        FtsOperator::ToTsquery => " @@ to_tsquery",
        FtsOperator::Plain => " @@ plainto_tsquery",
        FtsOperator::Phrase => " @@ phraseto_tsquery",
        FtsOperator::Websearch => " @@ websearch_to_tsquery",
    }
}

fn is_value(value: IsValue) -> &'static str {
    match value {
        IsValue::Null => "NULL",
        IsValue::NotNull => "NOT NULL",
        IsValue::True => "TRUE",
        IsValue::False => "FALSE",
        IsValue::Unknown => "UNKNOWN",
    }
}
