//! Defines the syntax tree of a query string: select items, filters and order terms.

/// A column with an optional path into its JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name of the column or computed field.
    pub name: String,
    /// Steps of the JSON path; empty if the field is the whole column.
    pub path: Vec<JsonStep>,
}

/// A step of a JSON path: `->` or `->>` with its operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonStep {
    /// Whether the arrow is `->>`, whose result is text.
    pub as_text: bool,
    /// Key or array index that the step selects.
    pub key: JsonKey,
}

/// Operand of a JSON arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKey {
    /// A key of a JSON object.
    Key(String),
    /// An index of a JSON array with its sign, such as `+1` or `-2`.
    Index(String),
}

/// Operators that take a single value and no quantifier.
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

/// Operators that accept the quantifier `(any)` or `(all)`.
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

/// Quantifier of an operator: `(any)` or `(all)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Quantifier {
    Any,
    All,
}

/// Full-text search operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the function that reads the query")]
pub enum FtsOperator {
    ToTsquery,
    Plain,
    Phrase,
    Websearch,
}

/// Operand of the `is` operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum IsValue {
    Null,
    NotNull,
    True,
    False,
    Unknown,
}

/// An operator of a filter with its value.
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

/// A condition that compares a field with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Compared field.
    pub field: Field,
    /// Whether the condition is negated (`not.`).
    pub negated: bool,
    /// Operator and value of the comparison.
    pub operation: Operation,
}

/// Logical operator that joins conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum LogicOperator {
    And,
    Or,
}

/// A tree of conditions that are joined by `and` and `or`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogicTree {
    /// A single condition.
    Filter(Filter),
    /// Conditions joined by an operator.
    Group {
        /// Whether the whole group is negated (`not.`).
        negated: bool,
        /// AND or OR.
        operator: LogicOperator,
        /// Joined conditions.
        items: Vec<LogicTree>,
    },
}

/// Aggregate functions in `select`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Aggregate {
    Sum,
    Avg,
    Count,
    Max,
    Min,
}

/// Join type of an embed: `!inner` or `!left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum JoinType {
    Inner,
    Left,
}

/// A column in `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectField {
    /// Selected field; its name is `*` for all columns.
    pub field: Field,
    /// Alias in the response.
    pub alias: Option<String>,
    /// Type to which the column is cast.
    pub cast: Option<String>,
    /// Aggregate function that is applied to the column.
    pub aggregate: Option<Aggregate>,
    /// Type to which the result of the aggregate is cast.
    pub aggregate_cast: Option<String>,
}

/// An embedded relation in `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectRelation {
    /// Name of the embedded relation, or of the foreign key constraint or foreign key column that refers to the relation.
    pub name: String,
    /// Alias in the response; always `None` for a spread.
    pub alias: Option<String>,
    /// Hint that selects one of several relationships, as in `child!hint(*)`.
    pub hint: Option<String>,
    /// Join type, if `!inner` or `!left` is given.
    pub join: Option<JoinType>,
    /// Whether the embed is a spread (`...`), whose columns become columns of the parent relation.
    pub spread: bool,
    /// Selected items of the embedded relation.
    pub items: Vec<SelectItem>,
}

/// An item of `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it holds")]
pub enum SelectItem {
    Field(SelectField),
    Relation(SelectRelation),
}

/// Field that an order term sorts by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderTarget {
    /// A column of the sorted relation itself.
    Field(Field),
    /// A column of an embedded relation, with the name of the embed.
    Related(String, Field),
}

/// Sort direction: `asc` or `desc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Direction {
    Ascending,
    Descending,
}

/// Position of NULL values: `nullsfirst` or `nullslast`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Nulls {
    First,
    Last,
}

/// A term of the `order` parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderTerm {
    /// Field to sort by.
    pub target: OrderTarget,
    /// Sort direction, or `None` for the default of PostgreSQL.
    pub direction: Option<Direction>,
    /// Position of NULL values, or `None` for the default of PostgreSQL.
    pub nulls: Option<Nulls>,
}
