//! The schema cache (PostgREST's term): tables, relationships and functions of the exposed schemas, as of the last load. Immutable.

mod fuzzy;
mod keys;
mod load;
mod model;
mod node_tree;
mod relationships;
mod views;
mod watch;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use fuzzy::best_match;
pub use load::{Scope, load};
pub use model::{
    Argument, Cardinality, Column, Function, Junction, Name, PlainTypes, Relationship, RoleSettings, Table, Volatility,
};
pub use watch::SharedSchemaCache;

/// Where a media type's own handler applies.
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
    /// What it applies to.
    pub target: HandlerTarget,
    /// The `Content-Type` of its answers.
    pub content_type: String,
}

/// Everything planning needs to know about the database.
#[derive(Debug, Default)]
pub struct SchemaCache {
    /// What was loaded.
    pub scope: Scope,
    /// The login's settings in the database, those that begin with `pgrst.`, without that.
    pub login_settings: BTreeMap<String, String>,
    /// Relations of the exposed schemas.
    pub tables: HashMap<Name, Table>,
    /// Relationships by the relation they start from; the foreign relation may be in any exposed schema.
    pub relationships: HashMap<Name, Vec<Relationship>>,
    /// Callable functions of the exposed schemas, overloads by number of arguments.
    pub functions: HashMap<Name, Vec<Function>>,
    /// Functions, ready for SQL text, that turn the first type's values into the second's.
    pub representations: HashMap<(String, String), String>,
    /// Handlers of media types (in lower case).
    pub handlers: HashMap<(HandlerTarget, String), Handler>,
    /// Names of time zones.
    pub timezones: HashSet<String>,
    /// Settings of the roles a caller may have.
    pub roles: HashMap<String, RoleSettings>,
    /// Further types whose JSON form is their quoted text.
    pub plain_types: PlainTypes,
    /// Whether anything in the database may set an answer's status or headers.
    pub may_set_response: bool,
}

impl SchemaCache {
    /// The relationships that start from a relation and end in its schema.
    #[must_use]
    pub fn relationships_of(&self, origin: &Name) -> Vec<&Relationship> {
        self.relationships_to(origin, &origin.schema)
    }

    /// The relationships that start from a relation and end in a schema.
    #[must_use]
    pub fn relationships_to(&self, origin: &Name, schema: &str) -> Vec<&Relationship> {
        let all = self.relationships.get(origin).into_iter().flatten();
        all.filter(|relationship| relationship.lookup_schema() == schema).collect()
    }

    /// The function that turns values of one type into another, where the database defines one.
    #[must_use]
    pub fn representation(&self, source: &str, target: &str) -> Option<&str> {
        if self.representations.is_empty() {
            return None;
        }
        self.representations.get(&(source.to_owned(), target.to_owned())).map(String::as_str)
    }
}
