//! The schema cache (PostgREST's term): an immutable snapshot of the tables, relationships and functions of the exposed schemas.

mod catch_up;
mod fuzzy;
mod keys;
mod lineage;
mod load;
mod model;
mod node_tree;
mod outer_joins;
mod relationships;
mod timezones;
mod views;
mod watch;

use std::collections::{BTreeMap, HashMap};

pub use fuzzy::best_match;
pub(crate) use lineage::{Lineage, Reference};
pub use load::{Scope, load};
pub use model::{
    Argument, Cardinality, Column, Function, Junction, Name, PlainTypes, Relationship, RoleSettings, Table, Volatility,
};
pub use timezones::Timezones;
pub use watch::SharedSchemaCache;

/// Relations and functions to which a media type handler applies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HandlerTarget {
    /// The media type handler applies to every relation and function.
    Any,
    /// The media type handler applies to one relation (by its row type) or one function.
    One(Name),
}

/// Media type handler: a function of the database that builds response bodies of one media type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// The function that builds the response body: an aggregate function, or the cast function of the media type's domain.
    pub function: Name,
    /// Relations and functions to which the media type handler applies.
    pub target: HandlerTarget,
    /// `Content-Type` of the responses that the media type handler builds.
    pub content_type: String,
}

/// Model of the database for planning requests of the table REST API.
#[derive(Debug, Default)]
pub struct SchemaCache {
    /// Scope with which the schema cache was loaded.
    pub scope: Scope,
    /// The login role's settings in the database that begin with `pgrst.`, without the prefix.
    pub login_settings: BTreeMap<String, String>,
    /// Relations of the exposed schemas.
    pub tables: HashMap<Name, Table>,
    /// Relationships by their origin, the relation from which a relationship starts. The foreign relation may be in any exposed schema.
    pub relationships: HashMap<Name, Vec<Relationship>>,
    /// Callable functions of the exposed schemas, with overloads.
    pub functions: HashMap<Name, Vec<Function>>,
    /// Conversion functions between types, as quoted SQL names. The key contains the source type and the target type.
    pub representations: HashMap<(String, String), String>,
    /// Media type handlers, by target and by media type in lower case.
    pub handlers: HashMap<(HandlerTarget, String), Handler>,
    /// Names of the time zones that PostgreSQL supports.
    pub timezones: Timezones,
    /// Settings of the roles that callers may have.
    pub roles: HashMap<String, RoleSettings>,
    /// Types, besides the built-in types, whose JSON form is their quoted text form.
    pub plain_types: PlainTypes,
    /// Whether a function or stored expression in the database may set a response's status or headers.
    pub may_set_response: bool,
}

impl SchemaCache {
    /// Returns the relationships of a relation to relations of its own schema.
    #[must_use]
    pub fn relationships_of(&self, origin: &Name) -> Vec<&Relationship> {
        self.relationships_to(origin, &origin.schema)
    }

    /// Returns the relationships of a relation to relations of a schema.
    #[must_use]
    pub fn relationships_to(&self, origin: &Name, schema: &str) -> Vec<&Relationship> {
        let all = self.relationships.get(origin).into_iter().flatten();
        all.filter(|relationship| relationship.lookup_schema() == schema).collect()
    }

    /// Returns the function that converts values of type `source` to type `target`; `None` if the database defines none.
    #[must_use]
    pub fn representation(&self, source: &str, target: &str) -> Option<&str> {
        if self.representations.is_empty() {
            return None;
        }
        self.representations.get(&(source.to_owned(), target.to_owned())).map(String::as_str)
    }
}
