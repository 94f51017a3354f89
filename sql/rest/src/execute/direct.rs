//! Direct statements, which serve most requests: a read, write or function call without the CTE in which PostgREST wraps every statement.
//! PostgreSQL returns rows, a value or a row count, and Cloch builds the response body.

use std::sync::Arc;

use super::job::{Job, Outcome, api_error, planned_rows};
use super::runner::Runner;
use super::transaction::TransactionStatements;
use super::wrapped::row_limit;
use crate::error::ApiError;
use crate::json::{JsonRows, JsonValue, Part};
use crate::json_form::is_written;
use crate::media_type::MediaType;
use crate::plan::{BodyMaker, CallPlan, Source, WritePlan};
use crate::request::{Mutation, Range, Resolution, Return};
use crate::response_limit;
use crate::sql::{EmbedForm, RowLimit, Sql, counted_rows, direct_statement, pre_request};
use cloch_sql::caller::ANON;
use cloch_sql::client::{BatchStatement, ClientError, Column, Row, RowSink, Rows};

/// SQL query for the response headers and the response status that SQL functions have set.
const RESPONSE_SETTINGS: &str = "select nullif(current_setting('response.headers', true), ''), \
                                 nullif(current_setting('response.status', true), '')";

pub(super) struct DirectStatement {
    pub(super) sql: Sql,
    shape: ResultShape,
    embeds: EmbedForm,
}

/// Kind of result that a direct statement returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultShape {
    /// Rows that Cloch converts to JSON. If a column has a type that only PostgreSQL can convert, the direct statement cannot serve the
    /// request.
    Rows,
    /// A single value of a type that Cloch converts to JSON.
    Value,
    RowCount,
}

impl DirectStatement {
    /// Returns the direct statements that can serve a request, the fastest first. The iterator is empty if only the wrapped statement (with
    /// a CTE, as in PostgREST) can serve the request.
    pub(super) fn candidates(job: Job<'_>) -> impl Iterator<Item = Self> {
        let shape = Self::shape(job);
        let selects = &job.plan.read.embed_selects;
        let has_columns = selects.iter().any(|select| EmbedForm::Columns.columns(select).is_some());
        let embeds = [has_columns.then_some(EmbedForm::Columns), Some(EmbedForm::Json)].into_iter().flatten();
        shape.into_iter().flat_map(move |shape| {
            embeds.clone().map(move |embeds| Self { sql: direct_statement(job.plan, embeds), shape, embeds })
        })
    }

    fn shape(job: Job<'_>) -> Option<ResultShape> {
        match &job.plan.source {
            _ if matches!(job.plan.media_type, MediaType::Plan { .. }) => None,
            Source::Relation(_) | Source::Call(..) if may_change_dates(job) => None,
            Source::Relation(_) => is_json(&job.plan.maker).then_some(ResultShape::Rows),
            Source::Call(_, call) => is_plain_call(job, call).then_some(ResultShape::Value),
            Source::Write(mutation, write) => is_plain_write(job, *mutation, write).then_some(ResultShape::RowCount),
        }
    }

    /// Whether an outdated schema cache may have caused a database error: the columns of a table that is embedded with `*` may have changed
    /// after the schema cache was loaded.
    fn has_old_columns(&self, job: Job<'_>, error: &ClientError) -> bool {
        const SYNTAX_ERROR: &str = "42601";
        const UNDEFINED_COLUMN: &str = "42703";
        // PostgreSQL reports this SQLSTATE if two columns of different types have exchanged their names.
        const DATATYPE_MISMATCH: &str = "42804";
        const CODES: [&str; 3] = [SYNTAX_ERROR, UNDEFINED_COLUMN, DATATYPE_MISMATCH];
        job.plan.read.embed_selects.iter().any(|select| self.embeds.has_star(select))
            && matches!(error, ClientError::Db(error) if CODES.contains(&error.code.as_str()))
    }

    /// Runs the statement without the CTE. Returns `None` for a read whose rows only PostgreSQL can convert to JSON, or whose columns differ from
    /// the schema cache.
    pub(super) async fn run(&self, runner: &Runner, job: Job<'_>) -> Result<Option<Outcome>, ApiError> {
        let transaction = TransactionStatements::of(job);
        let count = (self.shape == ResultShape::Rows && job.request.preferences.counts())
            .then(|| counted_rows(job.plan, &job.request.preferences, job.settings.max_rows));
        let planned = job.planned_count();
        let before = job.settings.pre_request.as_ref().map(pre_request);
        let (mut total, mut expected, mut response) = (Rows::default(), Rows::default(), Rows::default());
        let selects = job.plan.read.embed_selects.iter();
        let parts: Vec<_> = selects.map(|select| Part::of(select, self.embeds.columns(select))).collect();
        let is_visitor = job.caller.role() == ANON;
        let limit = response_limit::limit(is_visitor);
        let mut rows =
            JsonRows::new(&job.schema_cache.plain_types, &parts, self.sql.hidden_columns, (&**job.meter, limit));
        let mut value = JsonValue::default();
        let mut row_count = RowCount::default();
        let run = async {
            let sink: &mut dyn RowSink = match self.shape {
                ResultShape::Rows => &mut rows,
                ResultShape::Value => &mut value,
                ResultShape::RowCount => &mut row_count,
            };
            let mut main = vec![BatchStatement { sql: &self.sql.text, params: &self.sql.params, sink: Some(sink) }];
            if let Some(sql) = &count {
                main.push(BatchStatement { sql: &sql.text, params: &sql.params, sink: Some(&mut total) });
            }
            if job.schema_cache.may_set_response {
                main.push(BatchStatement { sql: RESPONSE_SETTINGS, params: &[], sink: Some(&mut response) });
            }
            if let Some(sql) = &planned {
                main.push(BatchStatement { sql: &sql.text, params: &sql.params, sink: Some(&mut expected) });
            }
            let mut steps = transaction.around(job, before.as_ref(), main);
            runner.run(job, &self.sql, &mut steps).await
        };
        let lsn = match run.await {
            Err(error) if self.has_old_columns(job, &error) => return Ok(None),
            ended => ended.map_err(|error| api_error(error, job.caller))?,
        };
        if rows.too_large {
            return Err(ApiError::answer_too_large(is_visitor));
        }
        if rows.no_room {
            return Err(ApiError::no_room_for_answer());
        }
        if rows.unsupported {
            return Ok(None);
        }
        let setting = |index| response.rows().first().and_then(|row| row.text(index)).map(str::to_owned);
        let (count, body) = match self.shape {
            ResultShape::Rows => {
                (rows.count, if job.plan.maker == BodyMaker::Json { rows.array() } else { rows.object() })
            }
            ResultShape::Value => (1, vec![value.body]),
            ResultShape::RowCount => (row_count.0, Vec::new()),
        };
        Ok(Some(Outcome {
            total: total.rows().first().and_then(|row| row.text(0)?.parse().ok()),
            rows: count,
            headers: setting(0),
            status: setting(1),
            planned: expected.rows().first().and_then(|row| planned_rows(row.text(0)?)),
            body,
            lsn,
            ..Outcome::default()
        }))
    }
}

#[derive(Debug, Default)]
struct RowCount(i64);

impl RowSink for RowCount {
    fn start(&mut self, _: &Arc<[Column]>) {}

    fn row(&mut self, _: Row) {}

    fn end(&mut self, rows: i64) {
        self.0 = rows;
    }
}

/// Whether the role's settings or the function's settings contain `DateStyle`. Cloch can only convert dates in the style `ISO`, so
/// PostgreSQL must then convert the rows to JSON, where dates have the same form in every style.
fn may_change_dates(job: Job<'_>) -> bool {
    let is_style = |(name, _): &(String, String)| name.eq_ignore_ascii_case("DateStyle");
    let function = match &job.plan.source {
        Source::Call(_, call) => call.function.settings.as_slice(),
        Source::Relation(_) | Source::Write(..) => &[],
    };
    let role = job.schema_cache.roles.get(job.caller.role()).map_or(&[][..], |role| role.settings.as_slice());
    role.iter().chain(function).any(is_style)
}

fn is_json(maker: &BodyMaker) -> bool {
    matches!(maker, BodyMaker::Json | BodyMaker::Object { stripped: false })
}

/// Whether a function call returns a single value that is the whole response body. The type of the value must be known before the call,
/// because a call may write data and must not be repeated.
fn is_plain_call(job: Job<'_>, call: &CallPlan) -> bool {
    let read = &job.plan.read;
    call.function.returns_scalar()
        && is_written(&call.function.returns)
        && is_json(&job.plan.maker)
        && !job.request.preferences.counts()
        && read.is_default_select()
        && read.filters.is_empty()
        && read.order.is_empty()
        && read.range == Range::ALL.restricted(job.settings.max_rows)
}

/// Whether the response to a write requires only the row count from PostgreSQL. The settings `response.headers` and `response.status` are
/// not needed, because a trigger cannot set them in PostgREST either: PostgREST reads these settings before triggers run.
fn is_plain_write(job: Job<'_>, mutation: Mutation, write: &WritePlan) -> bool {
    let preferences = &job.request.preferences;
    let needs_more = match mutation {
        Mutation::Insert => {
            preferences.representation == Some(Return::HeadersOnly) || preferences.resolution == Some(Resolution::Merge)
        }
        Mutation::Upsert => true,
        Mutation::Update | Mutation::Delete => false,
    };
    !needs_more
        && job.plan.maker == BodyMaker::Nothing
        && write.returning.is_empty()
        && row_limit(job) == RowLimit::None
        && !job.schema_cache.may_set_response
}
