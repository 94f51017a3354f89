//! Builds the main statement of a request, which returns the requested rows, their count, and the response body.

use super::builder::Sql;
use super::column_types::TypedColumns;
use super::embed_form::EmbedForm;
use super::settings::current_setting;
use crate::media_type::{MediaType, PlanFormat};
use crate::plan::tree::PlannedLogic;
use crate::plan::{BodyMaker, RowsPlan, SOURCE_CTE, Source, WriteKind};
use crate::request::{Count, Mutation, Preferences, Resolution, Return};
use cloch_sql::client::NOT_KEPT;
use cloch_sql::schema_cache::{Function, HandlerTarget, Name};

/// Number of affected rows that a request allows. If the statement affects a different number of rows, it fails and PostgreSQL rolls the
/// transaction back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowLimit {
    /// The request allows any number of rows.
    None,
    /// The request allows exactly one row.
    One,
    /// The request allows at most this number of rows.
    AtMost(i64),
    /// The request may write at most this number of rows. Unlike [`RowLimit::AtMost`], this limit counts the written rows and not the rows
    /// in the response, and the statement returns the number of written rows in an additional column.
    Counted(i64),
    /// [`RowLimit::One`] and [`RowLimit::Counted`] together. Both are needed, because an embed with `!inner` can remove written rows from
    /// the response.
    OneCounted(i64),
}

impl RowLimit {
    /// Whether the statement returns the number of written rows.
    #[must_use]
    pub fn counts_written(self) -> bool {
        matches!(self, Self::Counted(_) | Self::OneCounted(_))
    }
}

/// Builds the main statement. The statement returns one row with the columns total, rows, location, body, response headers, response
/// status, inserted. Unless `limit` is [`RowLimit::None`], one more column follows: the number of written rows if the limit counts them,
/// otherwise 0.
///
/// If the number of rows violates `limit`, the statement raises an error in PostgreSQL, so that the transaction is rolled back in the same
/// round trip. The message of this error contains the text `guard` and the number of rows.
#[must_use]
pub fn main_statement(
    plan: &RowsPlan,
    preferences: &Preferences,
    max_rows: Option<u32>,
    limit: RowLimit,
    guard: &str,
) -> Sql {
    let mut sql = Sql::with_room();
    if matches!(&plan.source, Source::Call(_, call) if call.returns_hidden_type()) {
        sql.push(NOT_KEPT);
    }
    if let MediaType::Plan { format, options, .. } = &plan.media_type {
        sql.push(if *format == PlanFormat::Json { "EXPLAIN (FORMAT JSON" } else { "EXPLAIN (FORMAT TEXT" });
        options.iter().for_each(|option| _ = sql.push(", ").push(&option.to_uppercase()));
        sql.push(") ");
    }
    sql.push("WITH ").push(SOURCE_CTE).push(" AS (");
    match &plan.source {
        Source::Relation(_) => sql.read(&plan.read),
        Source::Write(_, write) => sql.write(write),
        Source::Call(_, call) => sql.call(call),
    }
    sql.push(")");
    if let Source::Call(_, call) = &plan.source
        && call.returns_relation
    {
        // PostgreSQL does not plan a prepared function call again when the type of the returned rows changes, and would decode the rows
        // with the previous type. A CTE that is never read makes the statement depend on the relation without requiring a privilege.
        sql.push(", pgrst_row AS (SELECT FROM ").name(&call.function.returns).push(")");
    }
    let counts = preferences.counts() && !matches!(plan.source, Source::Write(..));
    if counts {
        sql.push(", pgrst_source_count AS (");
        sql.count(plan, preferences, max_rows);
        sql.push(")");
    }
    sql.push(" SELECT ");
    sql.push(if counts { "(SELECT pg_catalog.count(*) FROM pgrst_source_count)" } else { "null::bigint" });
    sql.push(" AS total_result_set, ");
    page_total(&mut sql, plan);
    sql.push(" AS page_total, ");
    location(&mut sql, plan, preferences);
    sql.push(" AS header, ");
    body(&mut sql, plan);
    sql.push(" AS body, ").push(&current_setting("response.headers")).push(" AS response_headers, ");
    sql.push(&current_setting("response.status")).push(" AS response_status, ");
    inserted(&mut sql, plan, preferences);
    sql.push(" AS response_inserted");
    row_limit(&mut sql, limit, guard);
    if !matches!(plan.media_type, MediaType::Plan { .. }) {
        sql.column_types(&TypedColumns::of(plan));
    }
    sql.push(" FROM (");
    match (&plan.source, &plan.maker) {
        (Source::Relation(_), _) | (Source::Write(..), BodyMaker::Nothing) => {
            sql.push("SELECT * FROM ").push(SOURCE_CTE);
        }
        (Source::Write(..) | Source::Call(..), _) => sql.read(&plan.read),
    }
    sql.push(") _postgrest_t");
    sql
}

fn page_total(sql: &mut Sql, plan: &RowsPlan) {
    let is_single = matches!(&plan.source, Source::Call(_, call) if !call.function.returns_set);
    sql.push(if is_single { "1::bigint" } else { "pg_catalog.count(_postgrest_t)" });
}

fn row_limit(sql: &mut Sql, limit: RowLimit, guard: &str) {
    const GIVEN: &str = "pg_catalog.count(_postgrest_t)";
    const WRITTEN: &str = "(SELECT pg_catalog.count(*) FROM pgrst_source)";
    let one = (GIVEN, " <> 1".to_owned());
    let most = |counted, rows| (counted, format!(" > {rows}"));
    let violations = match limit {
        RowLimit::None => return,
        RowLimit::One => vec![one],
        RowLimit::AtMost(rows) => vec![most(GIVEN, rows)],
        RowLimit::Counted(rows) => vec![most(WRITTEN, rows)],
        RowLimit::OneCounted(rows) => vec![most(WRITTEN, rows), one],
    };
    sql.push(", CASE");
    for (rows, violation) in violations {
        sql.push(" WHEN ").push(rows).push(&violation).push(" THEN (");
        sql.bind(guard.to_owned()).push("::text || ").push(rows).push(")::int");
    }
    sql.push(" ELSE ").push(if limit.counts_written() { WRITTEN } else { "0" }).push(" END AS guard");
}

/// Appends the expression for the `Location` header, which contains the primary key of a single inserted row.
fn location(sql: &mut Sql, plan: &RowsPlan, preferences: &Preferences) {
    let key = match &plan.source {
        Source::Write(Mutation::Insert, write) if preferences.representation == Some(Return::HeadersOnly) => {
            match &write.kind {
                WriteKind::Insert { primary_key, .. } => primary_key.as_slice(),
                _ => &[],
            }
        }
        _ => &[],
    };
    if key.is_empty() {
        sql.push("null::text");
        return;
    }
    sql.push("CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (SELECT json_agg(json_build_array(pair.key, ");
    sql.push("coalesce('eq.' || pair.value, 'is.null')))::text FROM (SELECT row_to_json(one.*) AS object FROM ");
    sql.push(SOURCE_CTE)
        .push(" AS one LIMIT 1) AS first CROSS JOIN json_each_text(first.object) AS pair WHERE pair.key IN (");
    sql.list(", ", key, |sql, column| _ = sql.literal(column)).push(")) END");
}

fn inserted(sql: &mut Sql, plan: &RowsPlan, preferences: &Preferences) {
    let counted = match &plan.source {
        Source::Write(Mutation::Upsert, _) => true,
        Source::Write(Mutation::Insert, _) => preferences.resolution == Some(Resolution::Merge),
        _ => false,
    };
    if counted {
        sql.push(&current_setting("pgrst.inserted")).push("::int");
    } else {
        sql.push("null::int");
    }
}

fn body(sql: &mut Sql, plan: &RowsPlan) {
    let function = match &plan.source {
        Source::Call(_, call) => Some(&call.function),
        _ => None,
    };
    match &plan.maker {
        BodyMaker::Nothing => _ = sql.push("''::text"),
        BodyMaker::Json => json_body(sql, function, false),
        BodyMaker::JsonStripped => json_body(sql, function, true),
        BodyMaker::Object { stripped } => {
            let is_scalar = function.is_some_and(Function::returns_scalar);
            json_value(sql, is_scalar, "->0", *stripped, "'null'");
        }
        BodyMaker::GeoJson => {
            sql.push("json_build_object('type', 'FeatureCollection', 'features', ");
            sql.push("coalesce(json_agg(ST_AsGeoJSON(_postgrest_t)::json), '[]'))");
        }
        BodyMaker::Csv => csv_body(sql, plan),
        BodyMaker::Custom(handler) => {
            sql.name(&handler.function).push("(_postgrest_t");
            match &handler.target {
                _ if function.is_some_and(Function::returns_scalar) => _ = sql.push(".pgrst_scalar"),
                HandlerTarget::Any => {}
                HandlerTarget::One(target) => _ = sql.push("::").name(target),
            }
            sql.push(")");
        }
    }
}

/// Appends the expression for the body in CSV (RFC 4180): a line with the names of the selected columns, taken from the first row, and one
/// line for each row. A line is PostgreSQL's text of the row without the parentheses. In this text, PostgreSQL quotes each value with a
/// backslash and doubles the backslash. The expression replaces each double backslash by a single one.
fn csv_body(sql: &mut Sql, plan: &RowsPlan) {
    sql.push("(SELECT coalesce(string_agg(CASE WHEN header.name ~ '[\",\\r\\n]' THEN '\"' || replace(header.name, '\"', '\"\"') ");
    sql.push("|| '\"' ELSE header.name END, ','), '') FROM (SELECT json_object_keys(first.object)::text AS name FROM ");
    sql.push("(SELECT row_to_json(one.*) AS object FROM ");
    match &plan.source {
        Source::Relation(_) => _ = sql.push(SOURCE_CTE),
        // The written or returned rows can have further columns, which the request does not select.
        Source::Write(..) | Source::Call(..) => {
            sql.push("(").read(&plan.read);
            sql.push(")");
        }
    }
    sql.push(" AS one LIMIT 1) AS first) AS header) || E'\\n' || coalesce(string_agg(replace(substring(_postgrest_t::text, 2, ");
    sql.push("length(_postgrest_t::text) - 2), E'\\\\\\\\', E'\\\\'), E'\\n'), '')");
}

fn json_body(sql: &mut Sql, function: Option<&Function>, stripped: bool) {
    match function {
        Some(function) if function.returns_scalar() => json_value(sql, true, "->0", stripped, "'null'"),
        Some(function) if function.returns_set_of_scalar() => json_value(sql, true, "", stripped, "'[]'"),
        Some(function) if !function.returns_set => json_value(sql, false, "->0", stripped, "'null'"),
        _ => json_value(sql, false, "", stripped, "'[]'"),
    }
}

fn json_value(sql: &mut Sql, is_scalar: bool, pick: &str, stripped: bool, nothing: &str) {
    sql.push("coalesce(").push(if stripped { "json_strip_nulls(" } else { "" });
    sql.push(if is_scalar { "json_agg(_postgrest_t.pgrst_scalar)" } else { "json_agg(_postgrest_t)" }).push(pick);
    sql.push(if stripped { ")" } else { "" }).push(", ").push(nothing).push(")");
}

/// Builds an EXPLAIN statement that estimates the number of rows that match the conditions of the root relation.
#[must_use]
pub fn planned_count(plan: &RowsPlan) -> Sql {
    let mut sql = Sql::default();
    sql.push("EXPLAIN (FORMAT JSON) ");
    sql.count_rows(&plan.read);
    sql
}

/// Builds a statement that counts all rows that match the conditions of the root relation, without a maximum for the count.
#[must_use]
pub fn whole_count(plan: &RowsPlan) -> Sql {
    let mut sql = Sql::default();
    sql.push("SELECT pg_catalog.count(*)").column_types(&TypedColumns::of_level(&plan.read));
    sql.push(" FROM (");
    sql.count_rows(&plan.read);
    sql.push(") AS counted");
    sql
}

/// Builds the direct statement of a plan, without a CTE: a read or function call that returns rows, or a write that returns no rows.
#[must_use]
pub fn direct_statement(plan: &RowsPlan, embeds: EmbedForm) -> Sql {
    let mut sql = Sql::with_room();
    match &plan.source {
        Source::Relation(_) => sql.direct_read(&plan.read, embeds),
        Source::Write(_, write) => {
            sql.silent_write(write);
            sql.returning_types(&TypedColumns::of_write(write));
        }
        Source::Call(_, call) => sql.call(call),
    }
    sql
}

/// Builds a statement that counts the rows that match the conditions of the root relation. For `count=estimated`, counts at most `max_rows`
/// + 1 rows.
#[must_use]
pub fn counted_rows(plan: &RowsPlan, preferences: &Preferences, max_rows: Option<u32>) -> Sql {
    let mut sql = Sql::default();
    sql.push("SELECT pg_catalog.count(*)").column_types(&TypedColumns::of_level(&plan.read));
    sql.push(" FROM (").count(plan, preferences, max_rows);
    sql.push(") AS counted");
    sql
}

impl Sql {
    fn count(&mut self, plan: &RowsPlan, preferences: &Preferences, max_rows: Option<u32>) {
        self.count_rows(&plan.read);
        if let (Source::Relation(_), Some(Count::Estimated), Some(max_rows)) =
            (&plan.source, preferences.count, max_rows)
        {
            // One row more than the maximum shows that more rows exist.
            self.push(" LIMIT ").push(&(u64::from(max_rows) + 1).to_string());
        }
    }
}

/// Builds a statement that returns the rows of a relation that meet all conditions, each row as PostgreSQL's text of a record. If `counts`
/// is true, the statement returns the number of these rows instead. Reads at most `limit` rows.
pub(crate) fn matching_rows(relation: &Name, conditions: &[PlannedLogic], counts: bool, limit: u32) -> Sql {
    let mut sql = Sql::default();
    let alias = Name::local(&relation.name);
    let typed = TypedColumns::of_conditions(relation, conditions);
    sql.push("SELECT ");
    if counts {
        sql.push("pg_catalog.count(*)::text").column_types(&typed);
        sql.push(" FROM (SELECT 1 FROM ");
    } else {
        sql.ident(&alias.name).push("::text").column_types(&typed);
        sql.push(" FROM ");
    }
    sql.name(relation).push(" AS ").ident(&alias.name);
    let tested = conditions.iter().filter(|condition| !matches!(condition, PlannedLogic::NullEmbed { .. }));
    if tested.clone().next().is_some() {
        sql.push(" WHERE ").list(" AND ", tested, |sql, condition| {
            sql.logic(&alias, condition, &|sql, _, _| _ = sql.push("true"));
        });
    }
    sql.push(" LIMIT ").push(&limit.to_string());
    if counts {
        sql.push(") AS counted");
    }
    sql
}
