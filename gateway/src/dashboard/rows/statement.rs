//! SELECT statements for rows. Names and types come from PostgreSQL's catalog. Values are bound as text, and PostgreSQL converts them to the
//! column's type.

use serde::Deserialize;
use serde_json::Value;

use crate::dashboard::ApiError;
use crate::dashboard::schema::{Column, Relation};

/// Maximum number of rows on a page.
pub(super) const MAX_ROWS: i64 = 1_000;
/// Maximum length in characters of a value on a page of rows. The SELECT statement reads one more character to detect longer values.
pub(super) const MAX_CHARS: usize = 1_000;
/// Maximum stored size in bytes of a value whose type is not text. A page omits larger values, because PostgreSQL would convert the whole
/// value to text.
const MAX_STORED_BYTES: usize = 32 << 10;
const MAX_FILTERS: usize = 50;
/// Maximum number of sort columns in a request.
const MAX_SORT: usize = 10;
const MAX_VALUES: usize = 200;

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Filter {
    pub(super) column: String,
    pub(super) op: Op,
    #[serde(default)]
    pub(super) value: Value,
}

/// Comparison operators, with the names of the table REST API's operators.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Op {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    Like,
    Ilike,
    Is,
    NotIs,
    In,
    Contains,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sort {
    pub(super) column: String,
    #[serde(default)]
    pub(super) descending: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) values: Vec<String>,
}

/// Position at which a page of rows begins.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// The page begins after this number of rows.
    Offset(i64),
    /// The page begins after the row with these values in the sort columns.
    After(Vec<String>),
}

/// Filters and sort order of a relation.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    relation: &'a Relation,
    filters: &'a [Filter],
    order: Vec<(&'a Column, bool)>,
}

impl<'a> Selection<'a> {
    /// Creates the selection and checks that the sort columns exist. Appends the key columns to the sort order, so that all pages have the
    /// same total order.
    pub(super) fn new(relation: &'a Relation, filters: &'a [Filter], sort: &'a [Sort]) -> Result<Self, ApiError> {
        if filters.len() > MAX_FILTERS || sort.len() > MAX_SORT {
            return Err(ApiError::bad_request(format!(
                "At most {MAX_FILTERS} filters and {MAX_SORT} columns to sort by"
            )));
        }
        let mut order = Vec::new();
        for sort in sort {
            order.push((relation.column(&sort.column)?, sort.descending));
        }
        for column in relation.key() {
            if !order.iter().any(|(known, _)| known.name == column.name) {
                order.push((column, false));
            }
        }
        Ok(Self { relation, filters, order })
    }

    /// Returns the positions of the sort columns among the columns of the relation. `None` if the relation has no key or a sort column is
    /// nullable: then a page can begin only at an offset, not after the values of a row.
    pub(super) fn places(&self) -> Option<Vec<usize>> {
        let has_key = self.relation.key().next().is_some();
        if !has_key || self.order.iter().any(|(column, _)| !column.is_required) {
            return None;
        }
        let place = |name: &str| self.relation.columns.iter().position(|column| column.name == name);
        self.order.iter().map(|(column, _)| place(&column.name)).collect()
    }

    /// Returns the SELECT statement for a page of rows: a text for each column, then an array with the indexes of omitted values.
    pub(super) fn page(&self, part: &Part, limit: i64) -> Result<Statement, ApiError> {
        let mut statement = Statement {
            text: format!("select {} from {} as t", self.columns(), self.relation.quoted()),
            ..Statement::default()
        };
        let mut conditions = statement.filters(self.relation, self.filters)?;
        if let Part::After(values) = part {
            conditions.push(self.after(&mut statement, values)?);
        }
        statement.conditions(&conditions);
        self.order_by(&mut statement);
        let offset = if let Part::Offset(rows) = part { (*rows).max(0) } else { 0 };
        statement.text.push_str(&format!(" limit {} offset {offset}", limit.clamp(1, MAX_ROWS)));
        Ok(statement)
    }

    /// Returns the SELECT statement for all matching rows with complete values, for an export.
    pub(super) fn whole(&self) -> Result<Statement, ApiError> {
        let columns: Vec<String> =
            self.relation.columns.iter().map(|column| format!("t.{}::text", column.quoted())).collect();
        let text = format!("select {} from {} as t", columns.join(", "), self.relation.quoted());
        let mut statement = Statement { text, ..Statement::default() };
        let conditions = statement.filters(self.relation, self.filters)?;
        statement.conditions(&conditions);
        self.order_by(&mut statement);
        Ok(statement)
    }

    /// Returns the SELECT statement for all matching rows without order, for counting.
    pub(super) fn matching(&self) -> Result<Statement, ApiError> {
        let text = format!("select 1 from {} as t", self.relation.quoted());
        let mut statement = Statement { text, ..Statement::default() };
        let conditions = statement.filters(self.relation, self.filters)?;
        statement.conditions(&conditions);
        Ok(statement)
    }

    fn columns(&self) -> String {
        let (mut parts, mut left_out) = (Vec::new(), Vec::new());
        for (place, column) in self.relation.columns.iter().enumerate() {
            let name = format!("t.{}", column.quoted());
            let text = format!("left({name}::text, {})", MAX_CHARS + 1);
            if column.is_large {
                let is_too_large = format!("pg_column_size({name}) > {MAX_STORED_BYTES}");
                parts.push(format!("case when {is_too_large} then null else {text} end"));
                left_out.push(format!("case when {is_too_large} then {place} end"));
            } else {
                parts.push(text);
            }
        }
        parts.push(format!("array_remove(array[{}]::int[], null)", left_out.join(", ")));
        parts.join(", ")
    }

    fn order_by(&self, statement: &mut Statement) {
        let direction = |descending: &bool| if *descending { " desc" } else { "" };
        let order: Vec<String> = self
            .order
            .iter()
            .map(|(column, descending)| format!("t.{}{}", column.quoted(), direction(descending)))
            .collect();
        if !order.is_empty() {
            statement.text.push_str(&format!(" order by {}", order.join(", ")));
        }
    }

    /// Returns the condition for rows that follow the row with the sort values `values`. If all sort columns have the same direction, the
    /// condition is one row comparison, which can use an index. Otherwise each column has a comparison of its own.
    fn after(&self, statement: &mut Statement, values: &[String]) -> Result<String, ApiError> {
        if self.places().is_none() || values.len() != self.order.len() {
            return Err(ApiError::bad_request("after: it must have a value for each column that is sorted by"));
        }
        let mut sides = Vec::new();
        for ((column, descending), value) in self.order.iter().zip(values) {
            let value = statement.value(value.clone(), column);
            sides.push((format!("t.{}", column.quoted()), value, if *descending { "<" } else { ">" }));
        }
        let first = sides.first().map(|side| side.2).unwrap_or(">");
        if sides.iter().all(|side| side.2 == first) {
            let (columns, values): (Vec<_>, Vec<_>) =
                sides.iter().map(|side| (side.0.as_str(), side.1.as_str())).unzip();
            return Ok(format!("({}) {first} ({})", columns.join(", "), values.join(", ")));
        }
        let mut condition = String::new();
        for (column, value, operator) in sides.iter().rev() {
            condition = match condition.is_empty() {
                true => format!("{column} {operator} {value}"),
                false => format!("({column} {operator} {value} or ({column} = {value} and {condition}))"),
            };
        }
        Ok(condition)
    }
}

impl Statement {
    /// Adds a value to the statement's parameters and returns its placeholder, cast to the column's type.
    fn value(&mut self, text: String, column: &Column) -> String {
        self.values.push(text);
        format!("${}::{}", self.values.len(), column.type_name)
    }

    fn conditions(&mut self, conditions: &[String]) {
        if !conditions.is_empty() {
            self.text.push_str(&format!(" where {}", conditions.join(" and ")));
        }
    }

    fn filters(&mut self, relation: &Relation, filters: &[Filter]) -> Result<Vec<String>, ApiError> {
        filters.iter().map(|filter| self.filter(relation.column(&filter.column)?, filter)).collect()
    }

    fn filter(&mut self, column: &Column, filter: &Filter) -> Result<String, ApiError> {
        let name = format!("t.{}", column.quoted());
        let operator = match filter.op {
            Op::Eq => "=",
            Op::Neq => "<>",
            Op::Gt => ">",
            Op::Gte => ">=",
            Op::Lt => "<",
            Op::Lte => "<=",
            Op::Contains => "@>",
            Op::Like | Op::Ilike => {
                self.values.push(text(&filter.value)?);
                let operator = if filter.op == Op::Like { "like" } else { "ilike" };
                return Ok(format!("{name}::text {operator} ${}", self.values.len()));
            }
            Op::Is => return Ok(format!("{name} is {}", truth(&filter.value)?)),
            Op::NotIs => return Ok(format!("{name} is not {}", truth(&filter.value)?)),
            Op::In => return self.one_of(column, &filter.value),
        };
        Ok(format!("{name} {operator} {}", self.value(text(&filter.value)?, column)))
    }

    fn one_of(&mut self, column: &Column, values: &Value) -> Result<String, ApiError> {
        let values = values.as_array().filter(|values| !values.is_empty() && values.len() <= MAX_VALUES);
        let values = values.ok_or_else(|| ApiError::bad_request(format!("in: a list of 1 to {MAX_VALUES} values")))?;
        let mut parts = Vec::new();
        for value in values {
            parts.push(self.value(text(value)?, column));
        }
        Ok(format!("t.{} in ({})", column.quoted(), parts.join(", ")))
    }
}

/// Converts the value of a filter to text for PostgreSQL. Refuses null, which can only be compared by `is`.
fn text(value: &Value) -> Result<String, ApiError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Err(ApiError::bad_request("A filter needs a value; \"is\" compares with null")),
        other => Ok(other.to_string()),
    }
}

/// Returns the right operand of an `is` comparison: `null`, `true` or `false`.
fn truth(value: &Value) -> Result<&'static str, ApiError> {
    match value {
        Value::Null => Ok("null"),
        Value::Bool(true) => Ok("true"),
        Value::Bool(false) => Ok("false"),
        Value::String(text) => match text.as_str() {
            "null" => Ok("null"),
            "true" => Ok("true"),
            "false" => Ok("false"),
            _ => Err(ApiError::bad_request("is: null, true or false")),
        },
        _ => Err(ApiError::bad_request("is: null, true or false")),
    }
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
