//! The data types of the schema cache.

use std::collections::HashSet;

use serde::Deserialize;

/// A schema-qualified name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Name {
    /// The schema; empty for a name of the query itself, such as a CTE.
    pub schema: String,
    /// The name within it.
    pub name: String,
}

impl Name {
    /// A name in a schema.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self { schema: schema.into(), name: name.into() }
    }

    /// A name that needs no schema.
    pub fn local(name: impl Into<String>) -> Self {
        Self::new("", name)
    }
}

/// A table, view, materialized view or foreign table.
#[derive(Debug, Clone, Deserialize)]
pub struct Table {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its comment.
    pub description: Option<String>,
    /// A view, materialized or not.
    pub is_view: bool,
    /// Whether there may be rows that not everybody sees who may read it: by row security, or by a view's conditions.
    pub may_hide_rows: bool,
    /// Whether rows can be inserted (by anyone).
    pub insertable: bool,
    /// Whether rows can be updated (by anyone).
    pub updatable: bool,
    /// Whether rows can be deleted (by anyone).
    pub deletable: bool,
    /// The primary key's columns; for a view the columns that expose its base tables' keys.
    pub primary_key: Vec<String>,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// The callers' roles with any privilege on it.
    pub visible_to: Vec<String>,
}

impl Table {
    /// A column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A column of a relation.
#[derive(Debug, Clone, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its comment.
    pub description: Option<String>,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// Its type without length; for a domain its base type.
    pub data_type: String,
    /// Its type as declared, with length; for a domain the domain.
    pub nominal_type: String,
    /// Its type's OID.
    pub type_oid: u32,
    /// The declared length of a text or bit type.
    pub max_length: Option<i32>,
    /// The default, as an SQL expression.
    pub default: Option<String>,
    /// The labels of an enum type, in order.
    pub enum_labels: Vec<String>,
}

/// The cardinality of a relationship. The variants are in the order in which an ambiguity error lists candidates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cardinality {
    /// The foreign relation's rows reference the origin's.
    OneToMany,
    /// Each of the origin's rows references at most one row.
    ManyToOne,
    /// Many-to-one, and no two rows reference the same row.
    OneToOne,
    /// Through a junction table.
    ManyToMany(Junction),
}

/// The junction table of a many-to-many relationship.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Junction {
    /// The table.
    pub table: Name,
    /// Its foreign key to the origin.
    pub origin_constraint: String,
    /// Its foreign key to the foreign relation.
    pub foreign_constraint: String,
    /// Pairs: a column of the origin, the junction's column that refers to it.
    pub origin_columns: Vec<(String, String)>,
    /// Pairs: a column of the foreign relation, the junction's column that refers to it.
    pub foreign_columns: Vec<(String, String)>,
}

/// A relationship between two relations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relationship {
    /// By foreign keys.
    Key {
        /// The origin.
        table: Name,
        /// The foreign relation.
        foreign_table: Name,
        /// Whether both are the same relation.
        is_self: bool,
        /// The cardinality.
        cardinality: Cardinality,
        /// The foreign key's name; empty for many-to-many.
        constraint: String,
        /// Pairs of a column of the origin and the matching one of the foreign relation; empty for many-to-many.
        columns: Vec<(String, String)>,
        /// For a one-to-one relationship: whether the origin is the referenced side.
        is_parent: bool,
        /// Whether the origin is a view.
        table_is_view: bool,
        /// Whether the foreign relation is a view.
        foreign_is_view: bool,
    },
    /// By a function of the origin's row (a computed relationship).
    Computed {
        /// The function.
        function: Name,
        /// The origin.
        table: Name,
        /// The foreign relation.
        foreign_table: Name,
        /// Whether it returns at most one row.
        single: bool,
    },
}

impl Relationship {
    /// The origin.
    #[must_use]
    pub fn table(&self) -> &Name {
        match self {
            Self::Key { table, .. } | Self::Computed { table, .. } => table,
        }
    }

    /// The foreign relation.
    #[must_use]
    pub fn foreign_table(&self) -> &Name {
        match self {
            Self::Key { foreign_table, .. } | Self::Computed { foreign_table, .. } => foreign_table,
        }
    }

    /// Whether each row of the origin has at most one foreign row.
    #[must_use]
    pub fn is_to_one(&self) -> bool {
        match self {
            Self::Key { cardinality, .. } => matches!(cardinality, Cardinality::ManyToOne | Cardinality::OneToOne),
            Self::Computed { single, .. } => *single,
        }
    }

    /// The schema that a request must use for the relationship to be found: the foreign relation's, or the function's.
    pub(super) fn lookup_schema(&self) -> &str {
        match self {
            Self::Key { foreign_table, .. } => &foreign_table.schema,
            Self::Computed { function, .. } => &function.schema,
        }
    }
}

/// A function's volatility: whether it may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Volatility {
    /// It may write.
    #[serde(rename = "v")]
    Volatile,
    /// It may read.
    #[serde(rename = "s")]
    Stable,
    /// It only computes.
    #[serde(rename = "i")]
    Immutable,
}

/// An argument of a function.
#[derive(Debug, Clone, Deserialize)]
pub struct Argument {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Its type without a length limit.
    pub wide_type: String,
    /// Whether it is required (has no default).
    pub required: bool,
    /// Whether it is variadic.
    pub variadic: bool,
}

/// A function that can be called.
#[derive(Debug, Clone, Deserialize)]
pub struct Function {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its comment.
    pub description: Option<String>,
    /// Its input arguments in order.
    pub arguments: Vec<Argument>,
    /// The returned type, without domains.
    pub returns: Name,
    /// Whether it returns a set.
    pub returns_set: bool,
    /// Whether each row is composite: a row type, or several output arguments.
    pub returns_composite: bool,
    /// Whether it may write.
    pub volatility: Volatility,
    /// Its setting `default_transaction_isolation`.
    pub isolation: Option<String>,
    /// Its settings that apply to the whole transaction.
    pub settings: Vec<(String, String)>,
    /// The callers' roles that may call it.
    pub visible_to: Vec<String>,
}

impl Function {
    /// Whether it returns one value that is not composite.
    #[must_use]
    pub fn returns_scalar(&self) -> bool {
        !self.returns_set && !self.returns_composite
    }

    /// Whether it returns a set of values that are not composite.
    #[must_use]
    pub fn returns_set_of_scalar(&self) -> bool {
        self.returns_set && !self.returns_composite
    }

    /// Whether it returns `void`.
    #[must_use]
    pub fn returns_void(&self) -> bool {
        self.returns_scalar() && self.returns.schema == "pg_catalog" && self.returns.name == "void"
    }

    /// The relation whose rows it returns, if any.
    #[must_use]
    pub fn table(&self) -> Option<&Name> {
        self.returns_composite.then_some(&self.returns)
    }
}

/// Settings of a role.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RoleSettings {
    /// Its `default_transaction_isolation`.
    pub isolation: Option<String>,
    /// Settings for each of its transactions.
    pub settings: Vec<(String, String)>,
}

/// Types beyond the built-in ones whose JSON is their text form in quotes, by OID.
#[derive(Debug, Clone, Default)]
pub struct PlainTypes {
    /// The types.
    pub types: HashSet<u32>,
    /// The array types with one of them as element type and a comma as delimiter.
    pub arrays: HashSet<u32>,
}

impl PlainTypes {
    /// From pairs of a type and its array type, or 0.
    #[must_use]
    pub fn of(pairs: Vec<(u32, u32)>) -> Self {
        let (types, mut arrays): (HashSet<_>, HashSet<_>) = pairs.into_iter().unzip();
        arrays.remove(&0);
        Self { types, arrays }
    }
}
