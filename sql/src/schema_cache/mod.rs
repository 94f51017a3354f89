//! The schema cache (PostgREST's term): tables, relationships and functions of the exposed schemas, as of the last load. Immutable.

mod fuzzy;
mod keys;
mod lineage;
mod load;
mod model;
mod node_tree;
mod outer_joins;
mod relationships;
mod views;
mod watch;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use fuzzy::best_match;
pub(crate) use lineage::{Lineage, Reference};
pub use load::{Scope, load};
pub use model::{
    Argument, Cardinality, Column, Function, Junction, Name, PlainTypes, Relationship, RoleSettings, Table, Volatility,
};
pub use watch::SharedSchemaCache;

/// The target of a media type handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HandlerTarget {
    /// Every relation and function.
    Any,
    /// One relation (its row type) or one function.
    One(Name),
}

/// A handler of a media type that the database defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// The aggregate or the domain's cast.
    pub function: Name,
    /// Its target.
    pub target: HandlerTarget,
    /// The `Content-Type` of its responses.
    pub content_type: String,
}

/// The model of the database that planning uses.
#[derive(Debug, Default)]
pub struct SchemaCache {
    /// The loaded scope.
    pub scope: Scope,
    /// The login's settings in the database that begin with `pgrst.`, without that prefix.
    pub login_settings: BTreeMap<String, String>,
    /// Relations of the exposed schemas.
    pub tables: HashMap<Name, Table>,
    /// Relationships by their origin; the foreign relation may be in any exposed schema.
    pub relationships: HashMap<Name, Vec<Relationship>>,
    /// Callable functions of the exposed schemas, overloads by number of arguments.
    pub functions: HashMap<Name, Vec<Function>>,
    /// Functions that convert the first type to the second, as quoted SQL names.
    pub representations: HashMap<(String, String), String>,
    /// Handlers of media types (in lower case).
    pub handlers: HashMap<(HandlerTarget, String), Handler>,
    /// Names of time zones.
    pub timezones: HashSet<String>,
    /// Settings of the roles a caller may have.
    pub roles: HashMap<String, RoleSettings>,
    /// Further types whose JSON is their text form in quotes.
    pub plain_types: PlainTypes,
    /// Whether something in the database may set a response's status or headers.
    pub may_set_response: bool,
}

impl SchemaCache {
    /// The relationships of a relation to relations of its own schema.
    #[must_use]
    pub fn relationships_of(&self, origin: &Name) -> Vec<&Relationship> {
        self.relationships_to(origin, &origin.schema)
    }

    /// The relationships of a relation to relations of a schema.
    #[must_use]
    pub fn relationships_to(&self, origin: &Name, schema: &str) -> Vec<&Relationship> {
        let all = self.relationships.get(origin).into_iter().flatten();
        all.filter(|relationship| relationship.lookup_schema() == schema).collect()
    }

    /// The function that converts values of one type to another, if the database defines one.
    #[must_use]
    pub fn representation(&self, source: &str, target: &str) -> Option<&str> {
        if self.representations.is_empty() {
            return None;
        }
        self.representations.get(&(source.to_owned(), target.to_owned())).map(String::as_str)
    }
}
