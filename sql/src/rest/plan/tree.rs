//! The plan of a read: a tree of queries, the root's and one for each embed.

use crate::rest::request::Range;
use crate::rest::request::model::{Aggregate, Direction, JoinType, JsonStep, LogicOperator, Nulls, Operation};
use crate::schema_cache::{Name, Relationship};

/// The CTE with the rows of a write or call; reads of their result select from it.
pub const SOURCE_CTE: &str = "pgrst_source";

/// A field with what the schema cache knows of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedField {
    /// The column; `*` for all.
    pub name: String,
    /// Steps into its JSON.
    pub path: Vec<JsonStep>,
    /// Whether it has to be made JSON before a step.
    pub to_json: bool,
    /// Whether a text search has to make it a tsvector, and in which language.
    pub to_tsvector: Option<Option<String>>,
    /// Its type as declared, or the type it is transformed from; empty if unknown.
    pub data_type: String,
    /// Its type's OID; 0 if unknown.
    pub type_oid: u32,
    /// The function between the domain's values and their outside form.
    pub transform: Option<String>,
    /// The column's default, as an SQL expression.
    pub default: Option<String>,
    /// `*` stands for the whole row, as in `count(row)`.
    pub whole_row: bool,
}

impl PlannedField {
    /// A field of which nothing is known.
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
    /// The aggregate's cast.
    pub aggregate_cast: Option<String>,
    /// The column's cast.
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
        /// What has to hold.
        operation: Operation,
    },
    /// On the presence of an embed.
    NullEmbed {
        /// `not.`
        negated: bool,
        /// The embed's alias in SQL.
        alias: String,
    },
    /// Several.
    Group {
        /// `not.`
        negated: bool,
        /// What joins them.
        operator: LogicOperator,
        /// The conditions.
        items: Vec<PlannedLogic>,
    },
}

/// A term of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedOrder {
    /// The embed whose column it is; by name in the request, later by alias in SQL.
    pub relation: Option<String>,
    /// The column.
    pub field: PlannedField,
    /// Which way.
    pub direction: Option<Direction>,
    /// Where NULLs go.
    pub nulls: Option<Nulls>,
}

/// Two columns that have to be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinCondition {
    /// One side.
    pub left: (Name, String),
    /// The other.
    pub right: (Name, String),
}

/// A column that a spread lifts to its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpreadSelect {
    /// Its name in the spread.
    pub name: String,
    /// An aggregate of the parent's level.
    pub aggregate: Option<Aggregate>,
    /// The aggregate's cast.
    pub cast: Option<String>,
    /// Its name in the parent.
    pub alias: Option<String>,
}

/// How an embed shows in its parent's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedSelect {
    /// As a JSON value of its own.
    Json {
        /// The key.
        name: String,
        /// The embed's alias in SQL.
        alias: String,
        /// An object, not an array.
        is_object: bool,
        /// `child()`: not shown at all.
        is_empty: bool,
        /// The names of its columns, where it can come by its columns instead of as a JSON value.
        columns: Option<Vec<String>>,
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

/// A spread, by how many rows it has for each of the parent's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// One.
    ToOne,
    /// Many: its columns become arrays.
    ToMany {
        /// What is selected only to order by it, with the embed it comes from.
        extra: Vec<(Option<String>, PlannedSelect)>,
        /// The arrays' order.
        order: Vec<PlannedOrder>,
    },
}

/// One level of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlan {
    /// Its columns.
    pub select: Vec<PlannedSelect>,
    /// What it reads.
    pub from: Name,
    /// Under which alias.
    pub from_alias: Option<String>,
    /// Its conditions.
    pub filters: Vec<PlannedLogic>,
    /// Its order.
    pub order: Vec<PlannedOrder>,
    /// Its rows.
    pub range: Range,
    /// The name it was asked for by.
    pub name: String,
    /// The name it shall have.
    pub alias: Option<String>,
    /// Which of several relationships is meant.
    pub hint: Option<String>,
    /// How it is joined to its parent.
    pub join: Option<JoinType>,
    /// The relationship to its parent.
    pub relationship: Option<Relationship>,
    /// What a computed relationship is given: the parent's alias.
    pub parent_alias: Name,
    /// The columns that match its parent's.
    pub join_conditions: Vec<JoinCondition>,
    /// Its alias in the parent's SQL.
    pub embed_alias: String,
    /// Whether it spreads.
    pub spread: Option<Spread>,
    /// How its embeds show.
    pub embed_selects: Vec<EmbedSelect>,
    /// Whether a key lets it have one row at most, so that it needs no limit.
    pub is_single_by_key: bool,
    /// Levels above it.
    pub depth: usize,
    /// Its embeds.
    pub embeds: Vec<ReadPlan>,
}

impl ReadPlan {
    /// A level that asks for nothing yet.
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

    /// The name it has in the answer.
    #[must_use]
    pub fn output_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is exactly `select=*`.
    #[must_use]
    pub fn is_default_select(&self) -> bool {
        self.embeds.is_empty() && matches!(self.select.as_slice(), [only] if only.field.name == "*")
    }

    /// Whether its rows are grouped: an aggregate is among its columns.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        let in_spread = |select: &EmbedSelect| matches!(select, EmbedSelect::Spread { columns, .. } if columns.iter().any(|one| one.aggregate.is_some()));
        self.select.iter().any(|select| select.aggregate.is_some()) || self.embed_selects.iter().any(in_spread)
    }

    /// Applies `step` to this level and all below it.
    ///
    /// # Errors
    /// The first that `step` gives.
    pub fn try_each<E>(&mut self, step: &mut impl FnMut(&mut Self) -> Result<(), E>) -> Result<(), E> {
        step(self)?;
        self.embeds.iter_mut().try_for_each(|embed| embed.try_each(step))
    }
}
