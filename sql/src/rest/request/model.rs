//! The typed syntax tree of a request's query string.

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
    /// The selected key or index.
    pub key: JsonKey,
}

/// The operand of a JSON arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKey {
    /// A key of an object.
    Key(String),
    /// An index of an array, with its sign.
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
    /// The compared field.
    pub field: Field,
    /// `not.`
    pub negated: bool,
    /// The comparison.
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
    /// Conditions joined by an operator.
    Group {
        /// `not.`
        negated: bool,
        /// The operator.
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
    /// Its name in the answer; `None` for a spread.
    pub alias: Option<String>,
    /// The hint that selects one of several relationships.
    pub hint: Option<String>,
    /// The type of the join.
    pub join: Option<JoinType>,
    /// `...`: its columns become the parent's.
    pub spread: bool,
    /// The selected items.
    pub items: Vec<SelectItem>,
}

/// An item of `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it holds")]
pub enum SelectItem {
    Field(SelectField),
    Relation(SelectRelation),
}

/// The target of an order term.
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
    /// The target.
    pub target: OrderTarget,
    /// The direction.
    pub direction: Option<Direction>,
    /// The position of NULLs.
    pub nulls: Option<Nulls>,
}
