//! Defines the plan of a read: a tree with one query for the root relation and one query for each embed.

use crate::request::Range;
use crate::request::model::{Aggregate, Direction, JoinType, JsonStep, LogicOperator, Nulls, Operation};
use cloch_sql::schema_cache::{Name, Relationship};

/// Name of the CTE that contains the rows of a write or function call.
pub const SOURCE_CTE: &str = "pgrst_source";

/// A requested field, resolved against the columns in the schema cache.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedField {
    /// Name of the column, or `*` for all columns.
    pub name: String,
    /// Steps of the JSON path; empty if the field is the whole column.
    pub path: Vec<JsonStep>,
    /// Whether the column is converted to JSON before the path is applied.
    pub to_json: bool,
    /// Text search configuration for the conversion to `tsvector`. `None` means no conversion, `Some(None)` means the default
    /// configuration.
    pub to_tsvector: Option<Option<String>>,
    /// Declared type of the column, or the source type of the conversion in `transform`; empty if unknown.
    pub data_type: String,
    /// OID of the column's type; 0 if unknown.
    pub type_oid: u32,
    /// SQL function that converts between the domain type of the column and JSON or text (PostgREST's domain representations). `None` if
    /// the type of the column has no such function.
    pub transform: Option<String>,
    /// Default of the column as an SQL expression; `None` if the column has no default.
    pub default: Option<String>,
    /// Whether `*` stands for the whole row, as in `count(row)`.
    pub whole_row: bool,
    /// Relation to whose row type the row is cast before the field is read; `None` without a cast.
    pub row_type: Option<Box<Name>>,
}

impl PlannedField {
    /// Creates a field whose column is not in the schema cache.
    #[must_use]
    pub fn unknown(name: impl Into<String>, path: Vec<JsonStep>) -> Self {
        Self { name: name.into(), path, ..Self::default() }
    }
}

/// A selected column or aggregate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSelect {
    /// Selected column.
    pub field: PlannedField,
    /// Aggregate function that is applied to the column; `None` for a plain column.
    pub aggregate: Option<Aggregate>,
    /// Target type of the cast of the aggregate's result; `None` without a cast.
    pub aggregate_cast: Option<String>,
    /// Target type of the cast of the column; `None` without a cast.
    pub cast: Option<String>,
    /// Name in the result, or `None` for the name that SQL derives.
    pub alias: Option<String>,
}

/// A resolved filter condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedLogic {
    /// Compares a field with a value.
    Filter {
        /// Compared field.
        field: PlannedField,
        /// Whether the condition is negated (`not.`).
        negated: bool,
        /// Operator and value of the comparison.
        operation: Operation,
    },
    /// Checks whether an embed has no row (`child=is.null`).
    NullEmbed {
        /// Whether the condition is negated, so that it checks whether the embed has rows.
        negated: bool,
        /// SQL alias of the embed.
        alias: String,
    },
    /// Joins conditions with AND or OR.
    Group {
        /// Whether the whole group is negated (`not.`).
        negated: bool,
        /// AND or OR.
        operator: LogicOperator,
        /// Joined conditions.
        items: Vec<PlannedLogic>,
    },
}

/// A term of ORDER BY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedOrder {
    /// Embed that contains the sorted column: the embed's name in the request, which planning replaces by the embed's SQL alias. `None` for
    /// a column of the sorted relation itself.
    pub relation: Option<String>,
    /// Column or JSON path to sort by.
    pub field: PlannedField,
    /// Sort direction, or `None` for the default of PostgreSQL.
    pub direction: Option<Direction>,
    /// Position of NULL values, or `None` for the default of PostgreSQL.
    pub nulls: Option<Nulls>,
}

/// A join condition: two columns that must be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinCondition {
    /// Table and column on the left side of the equality.
    pub left: (Name, String),
    /// Table and column on the right side of the equality.
    pub right: (Name, String),
}

/// A column that a spread embed adds to its parent relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpreadSelect {
    /// Name of the column in the spread embed.
    pub name: String,
    /// Aggregate function that the parent relation applies to the column.
    pub aggregate: Option<Aggregate>,
    /// Target type of the cast of the aggregate's result; `None` without a cast.
    pub cast: Option<String>,
    /// Name of the column in the result of the parent relation.
    pub alias: Option<String>,
}

/// Form of an embed in the result of its parent relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedSelect {
    /// The embed is a single JSON value.
    Json {
        /// Key of the embed in the JSON object of the parent row.
        name: String,
        /// SQL alias of the embed.
        alias: String,
        /// Whether the value is an object (to-one) instead of an array (to-many).
        is_object: bool,
        /// Whether the embed selects no columns, as `child()`. Such an embed is joined, but is not part of the result.
        is_empty: bool,
        /// Names of the embed's columns if the statement can return the columns separately; `None` if the embed is returned as one JSON
        /// value.
        columns: Option<Vec<String>>,
        /// Whether `columns` contains the columns that the schema cache lists for `*`. The statement then verifies that the table has no
        /// other columns.
        has_star: bool,
    },
    /// The columns of the embed become columns of the parent relation.
    Spread {
        /// Columns that are moved to the parent relation.
        columns: Vec<SpreadSelect>,
        /// SQL alias of the embed.
        alias: String,
    },
}

impl EmbedSelect {
    /// Returns the SQL alias of the embed.
    #[must_use]
    pub fn alias(&self) -> &str {
        match self {
            Self::Json { alias, .. } | Self::Spread { alias, .. } => alias,
        }
    }
}

/// Cardinality of a spread embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// At most one row for each row of the parent relation.
    ToOne,
    /// Any number of rows for each row of the parent relation, so that each column becomes an array.
    ToMany {
        /// Columns that are selected only for the order, each with the SQL alias of its embed (`None` for a column of the spread itself).
        extra: Vec<(Option<String>, PlannedSelect)>,
        /// Order of the elements in the arrays.
        order: Vec<PlannedOrder>,
    },
}

/// Plan of one relation of a read: the root relation or an embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlan {
    /// Selected columns.
    pub select: Vec<PlannedSelect>,
    /// Relation that is read.
    pub from: Name,
    /// SQL alias of the relation, or `None` if its own name is used.
    pub from_alias: Option<String>,
    /// Filters on the rows of this relation.
    pub filters: Vec<PlannedLogic>,
    /// Terms of ORDER BY for the rows of this relation.
    pub order: Vec<PlannedOrder>,
    /// Requested range of rows from `limit` and `offset`.
    pub range: Range,
    /// Name by which the request refers to the relation or relationship.
    pub name: String,
    /// Alias of this relation in the response; `None` if the request specifies no alias.
    pub alias: Option<String>,
    /// Hint that selects one of several relationships, as in `child!hint(*)`.
    pub hint: Option<String>,
    /// Type of the join with the parent relation, if the request specifies a type.
    pub join: Option<JoinType>,
    /// Relationship to the parent relation; `None` for the root relation.
    pub relationship: Option<Relationship>,
    /// SQL alias of the parent relation, which is the argument of a computed relationship's function.
    pub parent_alias: Name,
    /// Conditions of the join with the parent relation.
    pub join_conditions: Vec<JoinCondition>,
    /// SQL alias of this embed in the statement of the parent relation.
    pub embed_alias: String,
    /// Cardinality of the spread, or `None` if the embed is not spread.
    pub spread: Option<Spread>,
    /// Form of each embed in the result of this relation.
    pub embed_selects: Vec<EmbedSelect>,
    /// Whether a foreign key restricts the embed to one row, so that the statement needs no LIMIT.
    pub is_single_by_key: bool,
    /// Nesting depth of this relation: 0 for the root relation, 1 for an embed of the root relation.
    pub depth: usize,
    /// Embedded relations of this relation.
    pub embeds: Vec<ReadPlan>,
}

impl ReadPlan {
    /// Creates the plan of a relation without columns, filters and embeds.
    #[must_use]
    pub fn new(from: Name, depth: usize) -> Self {
        Self {
            name: from.name.clone(),
            parent_alias: from.clone(),
            from,
            depth,
            select: Vec::new(),
            from_alias: None,
            filters: Vec::new(),
            order: Vec::new(),
            range: Range::ALL,
            alias: None,
            hint: None,
            join: None,
            relationship: None,
            join_conditions: Vec::new(),
            embed_alias: String::new(),
            spread: None,
            embed_selects: Vec::new(),
            is_single_by_key: false,
            embeds: Vec::new(),
        }
    }

    /// Returns the name of the relation in the response: its alias or its requested name.
    #[must_use]
    pub fn output_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether the request selects exactly `*` from this relation.
    #[must_use]
    pub fn is_default_select(&self) -> bool {
        self.embeds.is_empty() && matches!(self.select.as_slice(), [only] if only.field.name == "*")
    }

    /// Whether the statement needs GROUP BY, because a selected column is an aggregate.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        let in_spread = |select: &EmbedSelect| matches!(select, EmbedSelect::Spread { columns, .. } if columns.iter().any(|one| one.aggregate.is_some()));
        self.select.iter().any(|select| select.aggregate.is_some()) || self.embed_selects.iter().any(in_spread)
    }

    /// Applies `step` to this relation and to all embeds below it.
    ///
    /// # Errors
    ///
    /// Returns the first error of `step`.
    pub fn try_each<E>(&mut self, step: &mut impl FnMut(&mut Self) -> Result<(), E>) -> Result<(), E> {
        step(self)?;
        self.embeds.iter_mut().try_for_each(|embed| embed.try_each(step))
    }
}
