//! Data types for tables, columns, relationships, functions and roles in the schema cache.

use std::collections::HashSet;

use serde::Deserialize;

/// Schema-qualified name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Name {
    /// Schema of the object; empty for a name defined in the query itself, such as a CTE.
    pub schema: String,
    /// Name of the object within the schema.
    pub name: String,
}

impl Name {
    /// Creates a name in a schema.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self { schema: schema.into(), name: name.into() }
    }

    /// Creates a name without a schema.
    pub fn local(name: impl Into<String>) -> Self {
        Self::new("", name)
    }
}

/// Table, view, materialized view or foreign table.
#[derive(Debug, Clone, Deserialize)]
pub struct Table {
    /// OID of the relation.
    pub oid: u32,
    /// Schema of the relation.
    pub schema: String,
    /// Name of the relation.
    pub name: String,
    /// Comment on the relation (`comment on`).
    pub description: Option<String>,
    /// Whether the relation is a view or materialized view.
    pub is_view: bool,
    /// Whether rows may be invisible to roles with SELECT: by row-level security or by a view's conditions.
    pub may_hide_rows: bool,
    /// Whether rows can be inserted, regardless of privileges.
    pub insertable: bool,
    /// Whether rows can be updated, regardless of privileges.
    pub updatable: bool,
    /// Whether rows can be deleted, regardless of privileges.
    pub deletable: bool,
    /// Columns of the primary key; for a view, the columns that expose its base tables' primary keys.
    pub primary_key: Vec<String>,
    /// Columns of the relation in order.
    pub columns: Vec<Column>,
    /// Roles of callers that have any privilege on the relation.
    pub visible_to: Vec<String>,
}

impl Table {
    /// Returns the column with the given name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Column of a relation.
#[derive(Debug, Clone, Deserialize)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Comment on the column (`comment on`).
    pub description: Option<String>,
    /// Whether the column may be NULL.
    pub nullable: bool,
    /// Type of the column without length; for a domain, its base type.
    pub data_type: String,
    /// Declared type with length; for a domain, the domain.
    pub nominal_type: String,
    /// OID of the column's type.
    pub type_oid: u32,
    /// Declared length of a text or bit type.
    pub max_length: Option<i32>,
    /// Default as an SQL expression.
    pub default: Option<String>,
    /// Labels of the column's enum type, in order; empty for other types.
    pub enum_labels: Vec<String>,
}

/// Cardinality of a relationship. The order of this enum is the order of candidates in the error for an ambiguous relationship.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cardinality {
    /// Several rows of the foreign relation can reference one row of the origin, the relation from which the relationship starts.
    OneToMany,
    /// Each row of the origin references at most one row of the foreign relation.
    ManyToOne,
    /// Many-to-one or its reverse, where no two rows reference the same row.
    OneToOne,
    /// Many-to-many through a junction table.
    ManyToMany(Junction),
}

/// Junction table of a many-to-many relationship between an origin and a foreign relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Junction {
    /// Name of the junction table.
    pub table: Name,
    /// Name of the junction table's foreign key to the origin.
    pub origin_constraint: String,
    /// Name of the junction table's foreign key to the foreign relation.
    pub foreign_constraint: String,
    /// Pairs of a column of the origin and the junction table's column that references it.
    pub origin_columns: Vec<(String, String)>,
    /// Pairs of a column of the foreign relation and the junction table's column that references it.
    pub foreign_columns: Vec<(String, String)>,
}

/// Relationship from an origin to a foreign relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relationship {
    /// Relationship by a foreign key, or by a junction table's foreign keys.
    Key {
        /// Relation from which the relationship starts (the origin).
        table: Name,
        /// Related relation (the foreign relation).
        foreign_table: Name,
        /// Whether origin and foreign relation are the same.
        is_self: bool,
        /// Cardinality from origin to foreign relation.
        cardinality: Cardinality,
        /// Name of the foreign key; empty for many-to-many.
        constraint: String,
        /// Pairs of a column of the origin and the matching column of the foreign relation; empty for many-to-many.
        columns: Vec<(String, String)>,
        /// For a one-to-one relationship: whether the origin is the referenced side.
        is_parent: bool,
        /// Whether the origin is a view.
        table_is_view: bool,
        /// Whether the foreign relation is a view.
        foreign_is_view: bool,
    },
    /// Relationship by a function of the origin's row (computed relationship).
    Computed {
        /// Name of the function that defines the relationship.
        function: Name,
        /// Relation whose row the function takes (the origin).
        table: Name,
        /// Relation whose rows the function returns (the foreign relation).
        foreign_table: Name,
        /// Whether the function returns at most one row.
        single: bool,
    },
}

impl Relationship {
    /// Returns the relation from which the relationship starts.
    #[must_use]
    pub fn table(&self) -> &Name {
        match self {
            Self::Key { table, .. } | Self::Computed { table, .. } => table,
        }
    }

    /// Returns the foreign relation, to which the relationship leads.
    #[must_use]
    pub fn foreign_table(&self) -> &Name {
        match self {
            Self::Key { foreign_table, .. } | Self::Computed { foreign_table, .. } => foreign_table,
        }
    }

    /// Whether each row of the origin has at most one related row in the foreign relation.
    #[must_use]
    pub fn is_to_one(&self) -> bool {
        match self {
            Self::Key { cardinality, .. } => matches!(cardinality, Cardinality::ManyToOne | Cardinality::OneToOne),
            Self::Computed { single, .. } => *single,
        }
    }

    /// Returns the schema that a request must select to use the relationship: the schema of the foreign relation, or of the computed
    /// relationship's function.
    pub(super) fn lookup_schema(&self) -> &str {
        match self {
            Self::Key { foreign_table, .. } => &foreign_table.schema,
            Self::Computed { function, .. } => &function.schema,
        }
    }
}

/// Volatility of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Volatility {
    /// The function may write.
    #[serde(rename = "v")]
    Volatile,
    /// The function may read, but not write.
    #[serde(rename = "s")]
    Stable,
    /// The function depends only on its arguments.
    #[serde(rename = "i")]
    Immutable,
}

/// Argument of a function.
#[derive(Debug, Clone, Deserialize)]
pub struct Argument {
    /// Name of the argument; empty for an unnamed argument.
    pub name: String,
    /// Type of the argument.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Type of the argument without a length limit.
    pub wide_type: String,
    /// Whether the argument is required, i.e. has no default.
    pub required: bool,
    /// Whether the argument is variadic.
    pub variadic: bool,
}

/// Function that callers can call through the table REST API.
#[derive(Debug, Clone, Deserialize)]
pub struct Function {
    /// OID of the function.
    pub oid: u32,
    /// Schema of the function.
    pub schema: String,
    /// Name of the function.
    pub name: String,
    /// Comment on the function (`comment on`).
    pub description: Option<String>,
    /// Input arguments in order.
    pub arguments: Vec<Argument>,
    /// Type that the function returns; for a domain, the domain's base type.
    pub returns: Name,
    /// Whether the function returns a set.
    pub returns_set: bool,
    /// Whether each returned row is composite, because the function returns a row type or has several output arguments.
    pub returns_composite: bool,
    /// Volatility of the function, i.e. whether the function may write.
    pub volatility: Volatility,
    /// Value of the function's setting `default_transaction_isolation`.
    pub isolation: Option<String>,
    /// Settings of the function that apply to the whole transaction.
    pub settings: Vec<(String, String)>,
    /// Roles of callers that may call the function.
    pub visible_to: Vec<String>,
}

impl Function {
    /// Whether the function returns a single, non-composite value.
    #[must_use]
    pub fn returns_scalar(&self) -> bool {
        !self.returns_set && !self.returns_composite
    }

    /// Whether the function returns a set of non-composite values.
    #[must_use]
    pub fn returns_set_of_scalar(&self) -> bool {
        self.returns_set && !self.returns_composite
    }

    /// Whether the function returns `void`.
    #[must_use]
    pub fn returns_void(&self) -> bool {
        self.returns_scalar() && self.returns.schema == "pg_catalog" && self.returns.name == "void"
    }

    /// Returns the relation or composite type whose rows the function returns; `None` for non-composite results.
    #[must_use]
    pub fn table(&self) -> Option<&Name> {
        self.returns_composite.then_some(&self.returns)
    }
}

/// Settings of a database role that apply to the role's transactions.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RoleSettings {
    /// Value of the role's setting `default_transaction_isolation`.
    pub isolation: Option<String>,
    /// Settings that apply to each transaction of the role.
    pub settings: Vec<(String, String)>,
}

/// Types, besides the built-in types, whose JSON form is their quoted text form; stored by OID.
#[derive(Debug, Clone, Default)]
pub struct PlainTypes {
    /// OIDs of the types themselves.
    pub types: HashSet<u32>,
    /// OIDs of the array types of `types` that use a comma as delimiter.
    pub arrays: HashSet<u32>,
}

impl PlainTypes {
    /// Creates the sets from pairs of OIDs: a type and its array type, or 0 if the type has no array type.
    #[must_use]
    pub fn of(pairs: Vec<(u32, u32)>) -> Self {
        let (types, mut arrays): (HashSet<_>, HashSet<_>) = pairs.into_iter().unzip();
        arrays.remove(&0);
        Self { types, arrays }
    }
}
