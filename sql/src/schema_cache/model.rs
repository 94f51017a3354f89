//! The things a schema cache holds.

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
    /// A materialized view.
    pub is_materialized: bool,
    /// Whether rows can be inserted (by anyone).
    pub insertable: bool,
    /// Whether rows can be updated (by anyone).
    pub updatable: bool,
    /// Whether rows can be deleted (by anyone).
    pub deletable: bool,
    /// The primary key's columns by name; for a view those that show its base tables' keys.
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
    /// Its type without length; the type below a domain.
    pub data_type: String,
    /// Its type as declared, with length, a domain by its own name.
    pub nominal_type: String,
    /// Its type's OID.
    pub type_oid: u32,
    /// The declared length of a text or bit type.
    pub max_length: Option<i32>,
    /// The default, as an SQL expression.
    pub default: Option<String>,
    /// An identity column.
    pub is_identity: bool,
    /// An identity column that takes no values.
    pub is_identity_always: bool,
    /// A generated column.
    pub is_generated: bool,
    /// The labels of an enum type, in order.
    pub enum_labels: Vec<String>,
}

/// How many rows stand on each side. The order is that in which an ambiguity lists its candidates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cardinality {
    /// The foreign relation's rows refer to the origin's.
    OneToMany,
    /// The origin's rows refer to one row each.
    ManyToOne,
    /// As many-to-one, and no two refer to the same.
    OneToOne,
    /// Through a third table.
    ManyToMany(Junction),
}

/// The table between the two sides of a many-to-many relationship.
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

/// A way from one relation to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relationship {
    /// By foreign keys.
    Key {
        /// Where it starts.
        table: Name,
        /// Where it ends.
        foreign_table: Name,
        /// Both ends are one relation.
        is_self: bool,
        /// Rows on each side.
        cardinality: Cardinality,
        /// The foreign key's name; empty for many-to-many.
        constraint: String,
        /// Pairs: a column of the origin, the foreign relation's that it matches; empty for many-to-many.
        columns: Vec<(String, String)>,
        /// Of a one-to-one relationship: this is the side that is referred to.
        is_parent: bool,
        /// The origin is a view.
        table_is_view: bool,
        /// The end is a view.
        foreign_is_view: bool,
    },
    /// By a function of the origin's row.
    Computed {
        /// The function.
        function: Name,
        /// Where it starts.
        table: Name,
        /// Where it ends.
        foreign_table: Name,
        /// At most one row for each.
        single: bool,
    },
}

impl Relationship {
    /// Where it starts.
    #[must_use]
    pub fn table(&self) -> &Name {
        match self {
            Self::Key { table, .. } | Self::Computed { table, .. } => table,
        }
    }

    /// Where it ends.
    #[must_use]
    pub fn foreign_table(&self) -> &Name {
        match self {
            Self::Key { foreign_table, .. } | Self::Computed { foreign_table, .. } => foreign_table,
        }
    }

    /// Whether each row of the origin has at most one on the other side.
    #[must_use]
    pub fn is_to_one(&self) -> bool {
        match self {
            Self::Key { cardinality, .. } => matches!(cardinality, Cardinality::ManyToOne | Cardinality::OneToOne),
            Self::Computed { single, .. } => *single,
        }
    }

    /// The schema a request must be in to find it: the foreign relation's, or the function's.
    pub(super) fn lookup_schema(&self) -> &str {
        match self {
            Self::Key { foreign_table, .. } => &foreign_table.schema,
            Self::Computed { function, .. } => &function.schema,
        }
    }
}

/// Whether a function may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Volatility {
    /// It may.
    #[serde(rename = "v")]
    Volatile,
    /// It reads.
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
    /// Its type, in the form that takes values of any length.
    pub wide_type: String,
    /// Whether it has no default.
    pub required: bool,
    /// Whether it takes all further values.
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
    /// The type it returns, without domains around it.
    pub returns: Name,
    /// The type it returns, as PostgreSQL writes it.
    pub returns_type: String,
    /// Whether it returns a set.
    pub returns_set: bool,
    /// Whether each row is composite: a row type, or output arguments.
    pub returns_composite: bool,
    /// Whether it may write.
    pub volatility: Volatility,
    /// The isolation level it asks for.
    pub isolation: Option<String>,
    /// Its settings that apply to the whole transaction.
    pub settings: Vec<(String, String)>,
    /// The callers' roles that may call it.
    pub visible_to: Vec<String>,
}

impl Function {
    /// One value that is not composite.
    #[must_use]
    pub fn returns_scalar(&self) -> bool {
        !self.returns_set && !self.returns_composite
    }

    /// A set of values that are not composite.
    #[must_use]
    pub fn returns_set_of_scalar(&self) -> bool {
        self.returns_set && !self.returns_composite
    }

    /// Nothing at all.
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

/// What a role brings along.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RoleSettings {
    /// Its `default_transaction_isolation`.
    pub isolation: Option<String>,
    /// Settings for each of its transactions.
    pub settings: Vec<(String, String)>,
}

/// Types beyond the built-in ones whose JSON form is their text in quotes, by OID.
#[derive(Debug, Clone, Default)]
pub struct PlainTypes {
    /// The types.
    pub types: HashSet<u32>,
    /// The types of arrays of them, with commas between the elements.
    pub arrays: HashSet<u32>,
}

impl PlainTypes {
    /// The types, each with that of its arrays, or 0.
    #[must_use]
    pub fn of(pairs: Vec<(u32, u32)>) -> Self {
        let (types, mut arrays): (HashSet<_>, HashSet<_>) = pairs.into_iter().unzip();
        arrays.remove(&0);
        Self { types, arrays }
    }
}
