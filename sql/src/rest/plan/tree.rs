//! The plan of a read: a tree of queries, the root's and one for each embed.

use crate::rest::request::Range;
use crate::rest::request::model::{Aggregate, Direction, JoinType, JsonStep, LogicOperator, Nulls, Operation};
use crate::schema_cache::{Name, Relationship};

/// The CTE with the rows of a write or call; reads of their result select from it.
pub const SOURCE_CTE: &str = "pgrst_source";

/// A field resolved against the schema cache.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedField {
    /// The column; `*` for all.
    pub name: String,
    /// The JSON path.
    pub path: Vec<JsonStep>,
    /// Whether it has to be converted to JSON before the path is applied.
    pub to_json: bool,
    /// Whether a text search has to convert it to a tsvector, and in which language.
    pub to_tsvector: Option<Option<String>>,
    /// Its type as declared, or the type it is transformed from; empty if unknown.
    pub data_type: String,
    /// Its type's OID; 0 if unknown.
    pub type_oid: u32,
    /// The function that converts between the domain's values and their representation.
    pub transform: Option<String>,
    /// The column's default, as an SQL expression.
    pub default: Option<String>,
    /// Whether `*` stands for the whole row, as in `count(row)`.
    pub whole_row: bool,
}

impl PlannedField {
    /// A field that is not in the schema cache.
    #[must_use]
    pub fn unknown(name: impl Into<String>, path: Vec<JsonStep>) -> Self {
        Self { name: name.into(), path, ..Self::default() }
    }
}

/// A selected column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSelect {
    /// The column.
    pub field: PlannedField,
    /// An aggregate over it.
    pub aggregate: Option<Aggregate>,
    /// The cast of the aggregate's result.
    pub aggregate_cast: Option<String>,
    /// The cast of the column.
    pub cast: Option<String>,
    /// Its name in the result.
    pub alias: Option<String>,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedLogic {
    /// On a field.
    Filter {
        /// The field.
        field: PlannedField,
        /// `not.`
        negated: bool,
        /// The comparison.
        operation: Operation,
    },
    /// On the presence of an embed.
    NullEmbed {
        /// `not.`
        negated: bool,
        /// The embed's alias in SQL.
        alias: String,
    },
    /// Conditions joined by an operator.
    Group {
        /// `not.`
        negated: bool,
        /// The operator.
        operator: LogicOperator,
        /// The conditions.
        items: Vec<PlannedLogic>,
    },
}

/// A term of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedOrder {
    /// The embed that the column belongs to: in the request by name, later by its SQL alias.
    pub relation: Option<String>,
    /// The column.
    pub field: PlannedField,
    /// The direction.
    pub direction: Option<Direction>,
    /// The position of NULLs.
    pub nulls: Option<Nulls>,
}

/// Two columns that have to be equal (a join condition).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinCondition {
    /// One side.
    pub left: (Name, String),
    /// The other.
    pub right: (Name, String),
}

/// A column that a spread moves to its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpreadSelect {
    /// Its name in the spread.
    pub name: String,
    /// The aggregate that is applied on the parent's level.
    pub aggregate: Option<Aggregate>,
    /// The aggregate's cast.
    pub cast: Option<String>,
    /// Its name in the parent.
    pub alias: Option<String>,
}

/// The form of an embed in its parent's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedSelect {
    /// As one JSON value.
    Json {
        /// The key.
        name: String,
        /// The embed's alias in SQL.
        alias: String,
        /// Whether it is an object instead of an array.
        is_object: bool,
        /// `child()`: joined, but not part of the result.
        is_empty: bool,
        /// The names of its columns, if it can be returned as columns instead of as a JSON value.
        columns: Option<Vec<String>>,
        /// Whether some of these are the schema cache's columns for `*`. The statement then makes sure that there are no others.
        has_star: bool,
    },
    /// As columns of the parent.
    Spread {
        /// The columns.
        columns: Vec<SpreadSelect>,
        /// The embed's alias in SQL.
        alias: String,
    },
}

impl EmbedSelect {
    /// The embed's alias in SQL.
    #[must_use]
    pub fn alias(&self) -> &str {
        match self {
            Self::Json { alias, .. } | Self::Spread { alias, .. } => alias,
        }
    }
}

/// A spread embed, by its cardinality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// One row for each row of the parent.
    ToOne,
    /// Many rows: its columns become arrays.
    ToMany {
        /// Columns selected only for the order, each with the embed it belongs to.
        extra: Vec<(Option<String>, PlannedSelect)>,
        /// The order of the arrays.
        order: Vec<PlannedOrder>,
    },
}

/// One level of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlan {
    /// Its columns.
    pub select: Vec<PlannedSelect>,
    /// The relation that is read.
    pub from: Name,
    /// Its SQL alias.
    pub from_alias: Option<String>,
    /// Its conditions.
    pub filters: Vec<PlannedLogic>,
    /// Its order.
    pub order: Vec<PlannedOrder>,
    /// The range of its rows.
    pub range: Range,
    /// The name it was requested by.
    pub name: String,
    /// The name it has in the result.
    pub alias: Option<String>,
    /// The hint that selects one of several relationships.
    pub hint: Option<String>,
    /// The type of its join with its parent.
    pub join: Option<JoinType>,
    /// The relationship to its parent.
    pub relationship: Option<Relationship>,
    /// The parent's alias, which is the argument of a computed relationship.
    pub parent_alias: Name,
    /// The join conditions with its parent.
    pub join_conditions: Vec<JoinCondition>,
    /// Its alias in the parent's SQL.
    pub embed_alias: String,
    /// Whether it is spread.
    pub spread: Option<Spread>,
    /// The form of its embeds.
    pub embed_selects: Vec<EmbedSelect>,
    /// Whether a key limits it to one row, so that it needs no limit.
    pub is_single_by_key: bool,
    /// The number of levels above it.
    pub depth: usize,
    /// Its embeds.
    pub embeds: Vec<ReadPlan>,
}

impl ReadPlan {
    /// An empty level.
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

    /// The name it has in the response.
    #[must_use]
    pub fn output_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether its select is exactly `*`.
    #[must_use]
    pub fn is_default_select(&self) -> bool {
        self.embeds.is_empty() && matches!(self.select.as_slice(), [only] if only.field.name == "*")
    }

    /// Whether its rows are grouped, because an aggregate is among its columns.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        let in_spread = |select: &EmbedSelect| matches!(select, EmbedSelect::Spread { columns, .. } if columns.iter().any(|one| one.aggregate.is_some()));
        self.select.iter().any(|select| select.aggregate.is_some()) || self.embed_selects.iter().any(in_spread)
    }

    /// Applies `step` to this level and all levels below it.
    ///
    /// # Errors
    ///
    /// The first error of `step`.
    pub fn try_each<E>(&mut self, step: &mut impl FnMut(&mut Self) -> Result<(), E>) -> Result<(), E> {
        step(self)?;
        self.embeds.iter_mut().try_for_each(|embed| embed.try_each(step))
    }
}
