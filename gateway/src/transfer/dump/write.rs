//! Writes the three files of a dump from a running database. All files have the content of the same PostgreSQL snapshot.

use std::collections::BTreeSet;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cloch_sql::database::Login;
use cloch_sql::embedded::Account;
use sqlx::{PgConnection, Row};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader, BufWriter};

use super::event_triggers::EventTriggers;
use super::names::{INTERNAL_SCHEMAS, PLATFORM_TABLES, SCHEMAS_WITH_PROJECT_DATA, SESSION_TABLES, VECTORS_TABLE};
use super::reader::{DumpReader, Piece};
use super::rules::{Decision, Target, decide};
use super::stand_in::StandIn;
use super::{DATA_FILE, HISTORY_FILE, ROLES_FILE, SCHEMA_FILE, VECTORS_FILE};
use crate::error::CommandError;
use crate::transfer::LeftOut;

/// PostgreSQL settings that every supported PostgreSQL version has. `SET` statements of pg_dump for other settings are left out of the
/// dump.
const COMMON_SETTINGS: [&str; 11] = [
    "check_function_bodies",
    "client_min_messages",
    "default_table_access_method",
    "default_tablespace",
    "default_transaction_read_only",
    "idle_in_transaction_session_timeout",
    "lock_timeout",
    "row_security",
    "standard_conforming_strings",
    "statement_timeout",
    "xmloption",
];
/// Maximum size in bytes of pg_dump's messages in an error message.
const MAX_MESSAGE_BYTES: u64 = 4096;

pub(crate) struct Dump<'a> {
    /// Folder with the program pg_dump.
    pub tools: PathBuf,
    pub login: &'a Login,
    /// Name of the PostgreSQL snapshot that the dump reads. The connection to the source has exported it (`pg_export_snapshot`).
    pub snapshot: &'a str,
    pub sessions: bool,
}

impl Dump<'_> {
    /// Writes the files of the dump into a folder, and returns the statements that were left out. `source` is the connection that has
    /// exported the snapshot.
    ///
    /// # Errors
    /// When a program fails or a file cannot be written.
    pub(crate) async fn write(&self, source: &mut PgConnection, folder: &Path) -> Result<Vec<LeftOut>, CommandError> {
        let target = Target {
            settings: COMMON_SETTINGS.iter().map(|name| (*name).to_owned()).collect(),
            schemas: BTreeSet::from(["public".to_owned()]),
            ..Target::default()
        };
        let mut left_out = Vec::new();
        let roles = self.command("pg_dumpall", &["--roles-only", "--no-role-passwords", "--quote-all-identifiers"])?;
        left_out.extend(self.filter(roles, &folder.join(ROLES_FILE), &target, Frame::NONE).await?);
        let event_triggers = EventTriggers::read(source).await?;
        let tail = project_objects_of_platform_tables(source).await? + &event_triggers.statements();
        left_out.extend(event_triggers.left_out);
        let stand_in = StandIn::read(source).await?;
        let frame = Frame { tail: &tail, stand_in: stand_in.as_ref(), ..Frame::NONE };
        left_out.extend(self.filter(self.schema_command()?, &folder.join(SCHEMA_FILE), &target, frame).await?);
        let head = "SET session_replication_role = replica;\n\n";
        let frame = Frame { head, tail: "RESET ALL;\n", ..Frame::NONE };
        left_out.extend(self.filter(self.data_command()?, &folder.join(DATA_FILE), &target, frame).await?);
        left_out.extend(self.write_vectors(source, &folder.join(VECTORS_FILE), &target).await?);
        if has_history(source).await? {
            let mut history = self.snapshot_command()?;
            history.args(["--data-only", "--table=supabase_migrations.schema_migrations"]);
            self.filter(history, &folder.join(HISTORY_FILE), &target, Frame::NONE).await?;
        }
        Ok(left_out)
    }

    /// Writes the file with the vectors of vector buckets if the login may read Cloch's table of vectors. Otherwise, deletes the file of an
    /// earlier export, and reports the vectors as left out if the table contains any.
    async fn write_vectors(
        &self,
        source: &mut PgConnection,
        file: &Path,
        target: &Target,
    ) -> Result<Vec<LeftOut>, CommandError> {
        let table = vectors_table(source).await?;
        if table.is_some_and(|table| table.is_readable) {
            let mut command = self.snapshot_command()?;
            command.args(["--data-only", &format!("--table={VECTORS_TABLE}")]);
            return self.filter(command, file, target, Frame::NONE).await;
        }
        // The file of an earlier export is deleted, because it would not belong to this dump.
        if let Err(error) = tokio::fs::remove_file(file).await
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error.into());
        }
        if table.is_none_or(|table| !table.has_size) {
            return Ok(Vec::new());
        }
        let reason = format!("the login of the database may not read the table {VECTORS_TABLE}");
        Ok(vec![LeftOut::new("the vectors of vector buckets", reason)])
    }

    fn command(&self, name: &str, arguments: &[&str]) -> Result<tokio::process::Command, CommandError> {
        let mut command = Account::choose().client_command(&self.tools.join(name), self.login)?;
        command.args(arguments);
        Ok(tokio::process::Command::from(command))
    }

    fn snapshot_command(&self) -> Result<tokio::process::Command, CommandError> {
        let mut command = self.command("pg_dump", &["--quote-all-identifiers", "--no-security-labels"])?;
        command.arg(format!("--snapshot={}", self.snapshot));
        Ok(command)
    }

    fn schema_command(&self) -> Result<tokio::process::Command, CommandError> {
        let mut command = self.snapshot_command()?;
        command.args(["--schema-only", "--no-tablespaces", "--no-subscriptions"]);
        command.args(INTERNAL_SCHEMAS.iter().map(|name| format!("--exclude-schema={name}")));
        Ok(command)
    }

    fn data_command(&self) -> Result<tokio::process::Command, CommandError> {
        let mut command = self.snapshot_command()?;
        command.arg("--data-only");
        let excluded = INTERNAL_SCHEMAS.iter().filter(|name| !SCHEMAS_WITH_PROJECT_DATA.contains(name));
        command.args(excluded.map(|name| format!("--exclude-schema={name}")));
        let sessions = SESSION_TABLES.iter().filter(|_| !self.sessions);
        command.args(PLATFORM_TABLES.iter().chain(sessions).map(|name| format!("--exclude-table={name}")));
        Ok(command)
    }

    /// Runs pg_dump or pg_dumpall, applies the rules for statements to its output, and writes the result to `file`. Returns the statements
    /// that were left out. Until the file is complete, its name has the suffix `.partial`.
    async fn filter(
        &self,
        mut command: tokio::process::Command,
        file: &Path,
        target: &Target,
        frame: Frame<'_>,
    ) -> Result<Vec<LeftOut>, CommandError> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or("pg_dump has no output")?;
        let mut errors = child.stderr.take().ok_or("pg_dump has no output for messages")?;
        let messages = tokio::spawn(async move {
            let mut text = Vec::new();
            let _ = (&mut errors).take(MAX_MESSAGE_BYTES).read_to_end(&mut text).await;
            let _ = tokio::io::copy(&mut errors, &mut tokio::io::sink()).await;
            String::from_utf8_lossy(&text).into_owned()
        });
        let draft = file.with_extension("sql.partial");
        let written =
            write_filtered(DumpReader::new(BufReader::with_capacity(1 << 18, output)), &draft, target, frame).await;
        let status = child.wait().await?;
        let messages = messages.await.unwrap_or_default();
        if !status.success() {
            return Err(format!("pg_dump failed: {}", messages.trim()).into());
        }
        let left_out = written?;
        tokio::fs::rename(&draft, file).await?;
        Ok(left_out)
    }
}

/// Changes to the output of pg_dump: `head` is written before it, `tail` after it, and the objects of `stand_in` are left out.
#[derive(Clone, Copy)]
struct Frame<'a> {
    head: &'a str,
    tail: &'a str,
    stand_in: Option<&'a StandIn>,
}

impl Frame<'_> {
    const NONE: Self = Self { head: "", tail: "", stand_in: None };
}

async fn write_filtered<R: tokio::io::AsyncBufRead + Unpin>(
    mut reader: DumpReader<R>,
    draft: &Path,
    target: &Target,
    frame: Frame<'_>,
) -> Result<Vec<LeftOut>, CommandError> {
    let _ = std::fs::remove_file(draft);
    // Mode 0600: the dump file contains the mail address and password hash of every user.
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    let mut out = BufWriter::with_capacity(1 << 18, tokio::fs::File::from_std(file));
    let mut left_out = Vec::new();
    out.write_all(frame.head.as_bytes()).await?;
    while let Some(piece) = reader.next().await? {
        match piece {
            Piece::Statement { text, .. } if frame.stand_in.is_some_and(|stand_in| stand_in.has(&text)) => {}
            Piece::Statement { text, line } => match decide(&text, target) {
                Decision::Run(kept) | Decision::Try(kept) | Decision::Extension { statement: kept, .. } => {
                    out.write_all(kept.as_bytes()).await?;
                    out.write_all(b";\n\n").await?;
                }
                Decision::RunPart { statement, reason } => {
                    out.write_all(statement.as_bytes()).await?;
                    out.write_all(b";\n\n").await?;
                    left_out.push(LeftOut::new(&text, reason));
                }
                // Event triggers are read from the catalog (`EventTriggers::read`).
                Decision::Skip | Decision::Ignore(_) | Decision::EventTrigger(_) => {}
                Decision::LeaveOut(reason) => left_out.push(LeftOut::new(&text, reason)),
                Decision::Refuse(reason) => return Err(format!("line {line}: {reason}").into()),
            },
            Piece::Copy(header) => {
                out.write_all(header.statement(&header.columns).as_bytes()).await?;
                out.write_all(b";\n").await?;
                while let Some(row) = reader.row().await? {
                    out.write_all(row).await?;
                }
                out.write_all(b"\\.\n\n").await?;
            }
        }
    }
    out.write_all(frame.tail.as_bytes()).await?;
    out.flush().await?;
    out.get_ref().sync_all().await?;
    Ok(left_out)
}

/// Properties of Cloch's table of vectors (`cloch.vectors`).
#[derive(Clone, Copy, sqlx::FromRow)]
struct VectorsTable {
    /// Whether the login may read the table.
    is_readable: bool,
    /// Whether the table occupies disk space, so that it may contain rows. Every login can read the size, even without the right to read
    /// the table.
    has_size: bool,
}

/// Returns the properties of Cloch's table of vectors. `None` if the database has no such table.
async fn vectors_table(source: &mut PgConnection) -> sqlx::Result<Option<VectorsTable>> {
    sqlx::query_as(
        "select pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select') as is_readable,
                pg_catalog.pg_relation_size(c.oid) > 0 as has_size
           from pg_catalog.pg_class as c
           join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
          where n.nspname || '.' || c.relname = $1",
    )
    .bind(VECTORS_TABLE)
    .fetch_optional(source)
    .await
}

async fn has_history(source: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query("select to_regclass('supabase_migrations.schema_migrations') is not null")
        .fetch_one(source)
        .await?
        .try_get(0)
}

/// Returns the SQL statements that create the project's policies and triggers on tables of the platform. pg_dump does not write them, because
/// it leaves out the schemas of the platform.
async fn project_objects_of_platform_tables(source: &mut PgConnection) -> sqlx::Result<String> {
    let rows = sqlx::query(
        "select format('CREATE POLICY %I ON %I.%I AS %s FOR %s TO %s%s%s', policyname, schemaname, tablename, permissive, cmd,
                  (select string_agg(case when role = 'public' then 'PUBLIC' else quote_ident(role) end, ', ')
                     from unnest(roles) as role),
                  ' USING (' || qual || ')', ' WITH CHECK (' || with_check || ')')
           from pg_catalog.pg_policies where schemaname in ('auth', 'storage', 'realtime')
         union all
         select pg_catalog.pg_get_triggerdef(t.oid)
           from pg_catalog.pg_trigger as t
           join pg_catalog.pg_class as c on c.oid = t.tgrelid
           join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
           join pg_catalog.pg_proc as p on p.oid = t.tgfoid
           join pg_catalog.pg_namespace as f on f.oid = p.pronamespace
          where not t.tgisinternal and t.tgparentid = 0 and n.nspname in ('auth', 'storage', 'realtime')
            and f.nspname <> all ($1)
         order by 1",
    )
    .bind(INTERNAL_SCHEMAS)
    .fetch_all(source)
    .await?;
    rows.iter().map(|row| Ok(row.try_get::<String, _>(0)? + ";\n\n")).collect()
}
