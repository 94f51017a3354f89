//! Second stage of a REST request: plans the parsed request against the schema cache, without accessing the database.

mod call;
mod columns;
mod embeds;
mod negotiate;
mod read;
mod resolve;
mod spreads;
pub mod tree;
mod values;
mod write;

pub use call::{ArgumentValue, Arguments, CallPlan};
pub use columns::aggregate_name;
pub use negotiate::BodyMaker;
pub use tree::{ReadPlan, SOURCE_CTE};
pub use write::{WriteKind, WritePlan};

use super::Settings;
use super::error::ApiError;
use super::media_type::MediaType;
use super::request::{Action, ApiRequest, Call, Mutation};
use cloch_sql::schema_cache::{Function, Name, SchemaCache, Table, Volatility};
use columns::{cast_computed_fields, returns_whole_rows};
use embeds::name_embedded_columns;

/// What the REST API does to serve a request.
#[derive(Debug)]
pub enum Plan<'a> {
    /// Read or write rows, or call a function.
    Rows(Box<RowsPlan>),
    /// Respond with the OpenAPI description.
    Describe,
    /// Respond with the HTTP methods that a relation allows.
    TableOptions(&'a Table),
    /// Respond with the HTTP methods that a function allows.
    FunctionOptions(&'a Function),
    /// Respond with the HTTP methods of the root path.
    RootOptions,
}

/// The plan of a request that returns rows.
#[derive(Debug, Clone)]
pub struct RowsPlan {
    /// Source of the rows of the response.
    pub source: Source,
    /// Columns, filters, order and embeds with which the rows are read.
    pub read: ReadPlan,
    /// Component that builds the response body from the rows.
    pub maker: BodyMaker,
    /// Media type of the response body.
    pub media_type: MediaType,
    /// Whether the transaction is read-only.
    pub read_only: bool,
}

/// Source of the rows of a response.
#[derive(Debug, Clone)]
pub enum Source {
    /// Rows of a table or view.
    Relation(Name),
    /// Rows that an INSERT, UPDATE or DELETE returns.
    Write(Mutation, WritePlan),
    /// Rows that a function returns.
    Call(Call, CallPlan),
}

struct Planner<'a> {
    schema_cache: &'a SchemaCache,
    settings: &'a Settings,
    request: &'a ApiRequest,
    /// Database role of the caller. Error hints name only objects that this role may access.
    role: &'a str,
}

/// Plans a request.
///
/// # Errors
/// Fails if the request refers to an object that is not in the schema cache, or if the settings forbid the request.
pub fn plan<'a>(
    request: &ApiRequest,
    schema_cache: &'a SchemaCache,
    settings: &Settings,
    role: &str,
) -> Result<Plan<'a>, ApiError> {
    let planner = Planner { schema_cache, settings, request, role };
    let table = |name: &Name| schema_cache.tables.get(name).ok_or_else(|| ApiError::no_table(name, schema_cache, role));
    Ok(match &request.action {
        Action::Read { relation, .. } => {
            table(relation)?;
            Plan::Rows(Box::new(planner.read_rows(relation)?))
        }
        Action::Mutate { relation, mutation } => {
            table(relation)?;
            Plan::Rows(Box::new(planner.write_rows(relation, *mutation)?))
        }
        Action::Call { function, call } => Plan::Rows(Box::new(planner.call_rows(function, *call)?)),
        Action::Describe => {
            let described = [MediaType::OpenApi, MediaType::Json, MediaType::Any];
            if !request.accept.iter().any(|media_type| described.contains(media_type)) {
                let accepted: Vec<String> = request.accept.iter().map(MediaType::to_mime).collect();
                return Err(ApiError::media_type(&accepted));
            }
            Plan::Describe
        }
        Action::RelationOptions(relation) => Plan::TableOptions(table(relation)?),
        Action::FunctionOptions(name) => {
            let found = planner.function(name, Call::Read { headers_only: true })?;
            let overloads = schema_cache.functions.get(name).map_or(&[][..], Vec::as_slice);
            match overloads.iter().find(|function| function.oid == found.oid) {
                Some(function) => Plan::FunctionOptions(function),
                None => Plan::RootOptions,
            }
        }
        Action::RootOptions => Plan::RootOptions,
    })
}

impl Planner<'_> {
    fn read_rows(&self, relation: &Name) -> Result<RowsPlan, ApiError> {
        let mut read = self.read(relation)?;
        name_embedded_columns(self.schema_cache, &mut read);
        let (maker, media_type) = self.negotiate(relation, &read)?;
        self.check_preferences()?;
        Ok(RowsPlan { source: Source::Relation(relation.clone()), read, maker, media_type, read_only: true })
    }

    fn write_rows(&self, relation: &Name, mutation: Mutation) -> Result<RowsPlan, ApiError> {
        let mut read = self.read(relation)?;
        let write = self.write(mutation, relation, &read)?;
        if returns_whole_rows(&write.returning) {
            cast_computed_fields(self.schema_cache, relation, &mut read);
        }
        self.check_preferences()?;
        let (maker, media_type) = self.negotiate(relation, &read)?;
        Ok(RowsPlan { source: Source::Write(mutation, write), read, maker, media_type, read_only: false })
    }

    fn call_rows(&self, name: &Name, call: Call) -> Result<RowsPlan, ApiError> {
        let function = self.function(name, call)?;
        let relation_name = function.table().map_or(&function.name, |table| &table.name);
        let relation = Name::new(&function.schema, relation_name);
        let mut read = self.read(&relation)?;
        let arguments = self.call(function, call, &read);
        if arguments.returns_relation && returns_whole_rows(&arguments.columns) {
            cast_computed_fields(self.schema_cache, &relation, &mut read);
        }
        let (maker, media_type) = self.negotiate(&relation, &read)?;
        self.check_preferences()?;
        let preferences = &self.request.preferences;
        if preferences.max_affected.is_some() && preferences.is_strict() && !function.returns_set {
            return Err(ApiError::max_affected_call());
        }
        let read_only = call != Call::Post || function.volatility != Volatility::Volatile;
        Ok(RowsPlan { source: Source::Call(call, arguments), read, maker, media_type, read_only })
    }

    fn check_preferences(&self) -> Result<(), ApiError> {
        let preferences = &self.request.preferences;
        if preferences.is_strict() && !preferences.invalid.is_empty() {
            return Err(ApiError::preferences(&preferences.invalid));
        }
        Ok(())
    }
}
