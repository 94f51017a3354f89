//! Reads a row of `storage.objects` with the caller's RLS policies in one round trip. Downloads with an access token use this query.

use std::str::FromStr;

use chrono::{DateTime, NaiveDateTime, Utc};
use cloch_sql::LocalSettings;
use cloch_sql::caller::SERVICE_ROLE;
use cloch_sql::client::{Param, Pool, Row, Rows};

use super::objects::Object;
use super::retrying_query::{DOWNLOAD_ACQUIRE_TIMEOUT, RetryingQuery, Statement};
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;

/// Determines who may read an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    /// Only callers whom the RLS policies allow to read the object.
    Policies,
    /// Everybody if the bucket is public. If the bucket is private, only callers whom the RLS policies allow to read the object.
    PoliciesOrPublic,
}

/// Returns the row of an object. `None` if the object does not exist or the RLS policies hide it from `role`.
///
/// # Errors
/// [`Error::NoSuchBucket`] if the query checks the bucket and the bucket does not exist; errors raised by policies.
pub(crate) async fn find(
    pool: &Pool,
    settings: &LocalSettings,
    role: &str,
    decides: Decides,
    path: &ObjectPath,
) -> Result<Option<Object>> {
    let asks_bucket = decides == Decides::PoliciesOrPublic;
    let mut statements = vec![begin(role, if asks_bucket { SERVICE_ROLE } else { role }, settings)];
    if asks_bucket {
        statements.push((TAKE_ROLE, vec![text(&path.bucket), text(role)]));
    }
    statements.push((FIND, vec![text(&path.bucket), text(&path.name)]));
    // Prepared plans depend on the role, because RLS policies depend on the role.
    let query = RetryingQuery { plan_role: role, statements, acquire_timeout: DOWNLOAD_ACQUIRE_TIMEOUT };
    let results = query.run(pool).await.result?;
    let (found, before) = results.split_last().ok_or_else(unreadable)?;
    if asks_bucket && before.last().is_none_or(|bucket| bucket.rows().is_empty()) {
        return Err(Error::NoSuchBucket);
    }
    first(found).map(|row| object(row).ok_or_else(unreadable)).transpose()
}

/// Returns a statement that sets the caller's role and the settings that RLS policies read. The settings apply until the end of the
/// transaction. The statement then sets the role `next` for the next statement.
fn begin(role: &str, next: &str, settings: &LocalSettings) -> Statement {
    (BEGIN, vec![text(role), Param::texts(settings.names()), Param::texts(settings.values()), text(next)])
}

/// SQL statement that sets roles and settings. The statement sets the caller's role first. PostgreSQL then refuses the request if the
/// database login may not use this role, even if the bucket is public and the caller's role is not needed to read the object.
const BEGIN: &str = "select set_config('role', $1, true), \
                            (select count(set_config(setting.name, setting.text, true)) \
                               from unnest($2::text[], $3::text[]) as setting (name, text)), \
                            set_config('role', $4, true)";

/// SQL statement that runs in the service role, which can see all buckets. If the bucket is private, the statement switches to the caller's
/// role for the next statement. If the bucket is public, the role stays the service role, which reads the object's row.
const TAKE_ROLE: &str = "select set_config('role', case when public then 'service_role' else $2 end, true) \
                           from storage.buckets where id = $1";

/// SQL query for an object's row. `at time zone 'utc'` removes the time zone, so that times have only one text format.
const FIND: &str = "select name, bucket_id, owner, owner_id, version, id, updated_at at time zone 'utc', \
                           created_at at time zone 'utc', last_accessed_at at time zone 'utc', metadata, user_metadata \
                      from storage.objects where bucket_id = $1 and name = $2";

fn object(row: &Row) -> Option<Object> {
    let mut columns = Columns(row.values());
    Some(Object {
        name: columns.required(known)?,
        bucket_id: columns.required(known)?,
        owner: columns.next(known)?,
        owner_id: columns.next(known)?,
        version: columns.next(known)?,
        id: columns.required(known)?,
        updated_at: columns.next(time)?,
        created_at: columns.next(time)?,
        last_accessed_at: columns.next(time)?,
        metadata: columns.next(known)?,
        user_metadata: columns.next(known)?,
    })
}

/// Iterator over the columns of a query row, from left to right.
struct Columns<I>(I);

impl<'a, I: Iterator<Item = Option<&'a [u8]>>> Columns<I> {
    /// Parses the next column. `None` if the column is missing or invalid, `Some(None)` if it is null.
    fn next<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
        match self.0.next()? {
            Some(bytes) => read(std::str::from_utf8(bytes).ok()?).map(Some),
            None => Some(None),
        }
    }

    fn required<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.next(read)?
    }
}

fn known<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f").ok().map(|time| time.and_utc())
}

fn first(rows: &Rows) -> Option<&Row> {
    rows.rows().first()
}

fn text(text: &str) -> Param {
    Param::unknown(text.to_owned())
}

fn unreadable() -> Error {
    Error::internal("reading an object's row")("unexpected columns in the query result".into())
}
