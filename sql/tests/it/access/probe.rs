//! Determines the access of one caller to one table: runs a statement in the caller's role inside a savepoint, which is rolled back.

use std::fmt;

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

pub(super) enum Target {
    /// Table or view of schema public.
    Table(String),
    Bucket(String),
}

#[derive(Clone, Copy)]
pub(super) enum Action {
    Select,
    Insert,
    Update,
    Delete,
}

impl Action {
    pub(super) const ALL: [Self; 4] = [Self::Select, Self::Insert, Self::Update, Self::Delete];

    fn privilege(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

impl Target {
    fn relation(&self) -> String {
        match self {
            Self::Table(name) => format!("public.\"{name}\""),
            Self::Bucket(_) => "storage.objects".to_owned(),
        }
    }

    fn rows(&self) -> String {
        match self {
            Self::Table(_) => "true".to_owned(),
            Self::Bucket(id) => format!("bucket_id = '{id}'"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(name) => formatter.write_str(name),
            Self::Bucket(id) => write!(formatter, "bucket {id}"),
        }
    }
}

/// Returns the access of a caller to a table as text.
pub(super) async fn cell(
    scene: &mut PgConnection,
    target: &Target,
    caller: &str,
    action: Action,
) -> sqlx::Result<String> {
    let mut attempt = scene.begin().await?;
    // Constraints and triggers are disabled, because they are not tested. Row-level security and grants still apply.
    sqlx::raw_sql("set local role none; set local session_replication_role = replica").execute(&mut *attempt).await?;
    let (relation, rows) = (target.relation(), target.rows());
    let columns = Columns::of(&mut attempt, &relation, caller, action).await?;
    let total: i64 = scalar(&mut attempt, format!("select count(*) from {relation} where {rows}")).await?;
    assert!(total > 0, "{target} has no row to try with: add one to the seed or to tests/setup.sql");
    let (names, sample) = (columns.names(), sample(&mut attempt, &relation, &rows, action).await?);

    sqlx::query("select expect.caller($1)").bind(caller).execute(&mut *attempt).await?;
    let statement = match action {
        Action::Select => format!("select {names} from {relation} where {rows}"),
        Action::Insert => format!(
            "insert into {relation} ({names}) select {names} from jsonb_populate_record(null::{relation}, $sample${sample}$sample$)"
        ),
        Action::Update => format!("update {relation} set {} where {rows}", columns.assignments()),
        Action::Delete => format!("delete from {relation} where {rows}"),
    };
    let result = sqlx::query(AssertSqlSafe(statement)).execute(&mut *attempt).await;
    attempt.rollback().await?;
    let done = match result {
        Ok(done) => i64::try_from(done.rows_affected()).unwrap_or(i64::MAX),
        Err(error) if error.as_database_error().and_then(|error| error.code()).as_deref() == Some("42501") => {
            return Ok("refused".to_owned());
        }
        Err(error) => return Err(error),
    };
    Ok(match (action, done) {
        (_, 0) => "nothing".to_owned(),
        (Action::Insert, _) => columns.describe("yes"),
        (_, done) if done == total => columns.describe("all rows"),
        _ => columns.describe("some rows"),
    })
}

/// Returns a row as JSON and deletes the row, so that the tested insert can add the row again.
async fn sample(connection: &mut PgConnection, relation: &str, rows: &str, action: Action) -> sqlx::Result<String> {
    if !matches!(action, Action::Insert) {
        return Ok(String::new());
    }
    // The newest row is deleted: in the table of roles, the older rows include the role that makes the caller an admin.
    let removal = format!(
        "delete from {relation} as t where ctid = (select max(ctid) from {relation} where {rows}) returning to_jsonb(t)::text"
    );
    scalar(connection, removal).await
}

async fn scalar<T>(connection: &mut PgConnection, query: String) -> sqlx::Result<T>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    sqlx::query(AssertSqlSafe(query)).fetch_one(connection).await?.try_get(0)
}

struct Columns {
    granted: Vec<String>,
    all: bool,
}

impl Columns {
    async fn of(connection: &mut PgConnection, relation: &str, caller: &str, action: Action) -> sqlx::Result<Self> {
        let role = if matches!(caller, "stranger" | "admin") { "authenticated" } else { caller };
        // DELETE has no column privileges. The columns with SELECT are tested instead, and are not printed.
        let privilege = if matches!(action, Action::Delete) { "select" } else { action.privilege() };
        let rows = sqlx::query(
            "select attname::text, has_column_privilege($2, attrelid, attnum, $3),
                    attgenerated = '' and attidentity <> 'a'
               from pg_attribute
              where attrelid = $1::regclass and attnum > 0 and not attisdropped
              order by attnum",
        )
        .bind(relation)
        .bind(role)
        .bind(privilege)
        .fetch_all(connection)
        .await?;
        let mut columns = Self { granted: Vec::new(), all: true };
        let mut any = None;
        for row in &rows {
            let (name, granted, writable): (String, bool, bool) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            if !writable && !matches!(action, Action::Select) {
                continue;
            }
            columns.all &= granted;
            if granted {
                columns.granted.push(name);
            } else {
                any = any.or(Some(name));
            }
        }
        if columns.granted.is_empty() {
            // If the caller has no privileges, the test uses any column, so that PostgreSQL refuses the statement.
            columns.granted.extend(any);
            columns.all = true;
        } else if matches!(action, Action::Delete) {
            columns.all = true;
        }
        Ok(columns)
    }

    fn names(&self) -> String {
        self.granted.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
    }

    fn assignments(&self) -> String {
        self.granted.iter().map(|name| format!("\"{name}\" = \"{name}\"")).collect::<Vec<_>>().join(", ")
    }

    fn describe(&self, rows: &str) -> String {
        if self.all { rows.to_owned() } else { format!("{rows}: {}", self.granted.join(", ")) }
    }
}
