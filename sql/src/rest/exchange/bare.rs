//! The short way, for most requests: the read, the write or the call as it is, with nothing built around it. PostgreSQL gives rows, a
//! value or the number of rows it changed, and what is left to do with them is done here.

use std::sync::Arc;

use super::frame::Frame;
use super::whole::row_limit;
use super::{Job, Outcome, plan_rows, words};
use crate::client::{Column, Pool, Row, RowSink, Rows, BatchStatement};
use crate::rest::error::ApiError;
use crate::rest::json::{JsonRows, JsonValue, Part, is_written};
use crate::rest::plan::{BodyMaker, CallPlan, Source, WritePlan};
use crate::rest::request::{MediaType, Mutation, Range, Resolution, Return};
use crate::rest::sql::{Embeds, RowLimit, Sql, bare_statement, counted_rows, pre_request};

/// What functions have set for the answer.
const RESPONSE_SETTINGS: &str = "select nullif(current_setting('response.headers', true), ''), \
                                 nullif(current_setting('response.status', true), '')";

/// A statement that can go alone.
pub(super) struct Bare {
    pub(super) sql: Sql,
    gives: Gives,
    embeds: Embeds,
}

/// What a bare statement gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// Rows, which become JSON here; unless a column has a type of which only PostgreSQL can make JSON.
    Rows,
    /// One value, of a type that becomes JSON here.
    Value,
    /// How many rows it changed.
    Number,
}

impl Bare {
    /// The ways in which a request may go, the fastest first; no way for requests that need more than the bare statement.
    pub(super) fn ways(job: Job<'_>) -> impl Iterator<Item = Self> {
        let gives = Self::gives(job);
        let selects = &job.plan.read.embed_selects;
        let has_columns = selects.iter().any(|select| Embeds::Columns.columns(select).is_some());
        let embeds = [has_columns.then_some(Embeds::Columns), Some(Embeds::Json)].into_iter().flatten();
        gives.into_iter().flat_map(move |gives| {
            embeds.clone().map(move |embeds| Self { sql: bare_statement(job.plan, embeds), gives, embeds })
        })
    }

    fn gives(job: Job<'_>) -> Option<Gives> {
        match &job.plan.source {
            _ if matches!(job.plan.media_type, MediaType::Plan { .. }) => None,
            Source::Relation(_) => is_json(&job.plan.maker).then_some(Gives::Rows),
            Source::Call(_, call) => is_plain_call(job, call).then_some(Gives::Value),
            Source::Write(mutation, write) => is_plain_write(job, *mutation, write).then_some(Gives::Number),
        }
    }

    /// Runs it; none if it was a read whose rows give no JSON here.
    pub(super) async fn run(&self, pool: &Pool, job: Job<'_>) -> Result<Option<Outcome>, ApiError> {
        let frame = Frame::choose(job);
        let count = (self.gives == Gives::Rows && job.request.preferences.counts())
            .then(|| counted_rows(job.plan, &job.request.preferences, job.settings.max_rows));
        let planned = job.planned_count();
        let before = job.settings.pre_request.as_ref().map(pre_request);
        let (mut total, mut expected, mut response) = (Rows::default(), Rows::default(), Rows::default());
        let selects = job.plan.read.embed_selects.iter();
        let parts: Vec<_> = selects.map(|select| Part::of(select, self.embeds.columns(select))).collect();
        let (mut rows, mut value) = (JsonRows::new(&job.catalog.plain_types, &parts), JsonValue::default());
        let mut number = Number::default();
        let run = async {
            let sink: &mut dyn RowSink = match self.gives {
                Gives::Rows => &mut rows,
                Gives::Value => &mut value,
                Gives::Number => &mut number,
            };
            let mut asked = vec![BatchStatement { sql: &self.sql.text, params: &self.sql.params, sink: Some(sink) }];
            if let Some(sql) = &count {
                asked.push(BatchStatement { sql: &sql.text, params: &sql.params, sink: Some(&mut total) });
            }
            if job.catalog.may_set_response {
                asked.push(BatchStatement { sql: RESPONSE_SETTINGS, params: &[], sink: Some(&mut response) });
            }
            if let Some(sql) = &planned {
                asked.push(BatchStatement { sql: &sql.text, params: &sql.params, sink: Some(&mut expected) });
            }
            let mut steps = frame.around(job, before.as_ref(), asked);
            job.run(pool, &mut steps).await
        };
        run.await.map_err(|error| words(error, job.caller))?;
        if rows.unsupported {
            return Ok(None);
        }
        let setting = |index| response.rows().first().and_then(|row| row.text(index)).map(str::to_owned);
        let (count, body) = match self.gives {
            Gives::Rows => (rows.count, if job.plan.maker == BodyMaker::Json { rows.array() } else { rows.object() }),
            Gives::Value => (1, vec![value.body]),
            Gives::Number => (number.0, Vec::new()),
        };
        Ok(Some(Outcome {
            total: total.rows().first().and_then(|row| row.text(0)?.parse().ok()),
            rows: count,
            headers: setting(0),
            status: setting(1),
            planned: expected.rows().first().and_then(|row| plan_rows(row.text(0)?)),
            body,
            ..Outcome::default()
        }))
    }
}

/// Takes the number of rows that were changed.
#[derive(Debug, Default)]
struct Number(i64);

impl RowSink for Number {
    fn start(&mut self, _: &Arc<[Column]>) {}

    fn row(&mut self, _: Row) {}

    fn end(&mut self, rows: i64) {
        self.0 = rows;
    }
}

fn is_json(maker: &BodyMaker) -> bool {
    matches!(maker, BodyMaker::Json | BodyMaker::Object { stripped: false })
}

/// A call of which one value comes back, and whose body is that value. (It may write, and so cannot be tried: its type must be known.)
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

/// A write of which only the number of rows is told. What its triggers set for the answer comes too late in PostgREST: there the
/// statement has read it by then.
fn is_plain_write(job: Job<'_>, mutation: Mutation, write: &WritePlan) -> bool {
    let preferences = &job.request.preferences;
    let tells_more = match mutation {
        Mutation::Insert => {
            preferences.representation == Some(Return::HeadersOnly) || preferences.resolution == Some(Resolution::Merge)
        }
        Mutation::Upsert => true,
        Mutation::Update | Mutation::Delete => false,
    };
    !tells_more
        && job.plan.maker == BodyMaker::Nothing
        && write.returning.is_empty()
        && row_limit(job) == RowLimit::None
        && !job.catalog.may_set_response
}
