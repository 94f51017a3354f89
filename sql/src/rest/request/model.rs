//! The parts of a request's query string, as a typed tree.

/// A column and a path into its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The column (or a computed field).
    pub name: String,
    /// Steps into a JSON value.
    pub path: Vec<JsonStep>,
}

/// One `->` or `->>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonStep {
    /// `->>`: the result is text.
    pub as_text: bool,
    /// What it picks.
    pub key: JsonKey,
}

/// What a JSON arrow picks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKey {
    /// A key of an object.
    Key(String),
    /// An element of an array, with its sign.
    Index(String),
}

/// Operators that take one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum SimpleOperator {
    NotEqual,
    Contains,
    Contained,
    Overlaps,
    StrictlyLeft,
    StrictlyRight,
    NotExtendsRight,
    NotExtendsLeft,
    Adjacent,
}

/// Operators that may be followed by `(any)` or `(all)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum QuantOperator {
    Equal,
    GreaterThanEqual,
    GreaterThan,
    LessThanEqual,
    LessThan,
    Like,
    ILike,
    Match,
    IMatch,
}

/// `(any)` or `(all)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Quantifier {
    Any,
    All,
}

/// Full-text search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the function that reads the query")]
pub enum FtsOperator {
    ToTsquery,
    Plain,
    Phrase,
    Websearch,
}

/// What `is` compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum IsValue {
    Null,
    NotNull,
    True,
    False,
    Unknown,
}

/// An operator with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its operator")]
pub enum Operation {
    Simple(SimpleOperator, String),
    Quant(QuantOperator, Option<Quantifier>, String),
    In(Vec<String>),
    Is(IsValue),
    IsDistinct(String),
    Fts { operator: FtsOperator, language: Option<String>, value: String },
}

/// A condition on a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// What it looks at.
    pub field: Field,
    /// `not.`
    pub negated: bool,
    /// What has to hold.
    pub operation: Operation,
}

/// `and` or `or`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum LogicOperator {
    And,
    Or,
}

/// Conditions joined by `and` and `or`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogicTree {
    /// One condition.
    Filter(Filter),
    /// Several.
    Group {
        /// `not.`
        negated: bool,
        /// What joins them.
        operator: LogicOperator,
        /// The conditions.
        items: Vec<LogicTree>,
    },
}

/// Aggregate functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Aggregate {
    Sum,
    Avg,
    Count,
    Max,
    Min,
}

/// `!inner` or `!left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum JoinType {
    Inner,
    Left,
}

/// A selected column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectField {
    /// The column; `*` for all.
    pub field: Field,
    /// Its name in the answer.
    pub alias: Option<String>,
    /// A type to cast it to.
    pub cast: Option<String>,
    /// An aggregate over it.
    pub aggregate: Option<Aggregate>,
    /// A type to cast the aggregate to.
    pub aggregate_cast: Option<String>,
}

/// A selected relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectRelation {
    /// The target: a relation, a foreign key or its column.
    pub name: String,
    /// Its name in the answer; none for a spread.
    pub alias: Option<String>,
    /// Which of several relationships is meant.
    pub hint: Option<String>,
    /// How it is joined.
    pub join: Option<JoinType>,
    /// `...`: its columns become the parent's.
    pub spread: bool,
    /// What is selected of it.
    pub items: Vec<SelectItem>,
}

/// An item of `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it holds")]
pub enum SelectItem {
    Field(SelectField),
    Relation(SelectRelation),
}

/// What is ordered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderTarget {
    /// A column.
    Field(Field),
    /// A column of an embedded relation.
    Related(String, Field),
}

/// `asc` or `desc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Direction {
    Ascending,
    Descending,
}

/// `nullsfirst` or `nullslast`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Nulls {
    First,
    Last,
}

/// A term of `order`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderTerm {
    /// What is ordered by.
    pub target: OrderTarget,
    /// Which way.
    pub direction: Option<Direction>,
    /// Where NULLs go.
    pub nulls: Option<Nulls>,
}
