//! Compares Cloch's splitter of migrations and seeds with psql, for random SQL files: the statements that `psql -f` sends to a fake server
//! must equal the statements of the splitter. In some cases psql differs from PostgreSQL (`end` in the body of a function, a string with
//! escapes that continues on the next line). In these cases PostgreSQL itself is the reference.
//!
//! CLOCH_ORACLE_STEPS is the number of files, CLOCH_ORACLE_SEED the random seed.

mod files;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use cloch_sql::migrations::split::statements;
use cloch_sql::testing::TestDatabase;

use files::{Random, valid};

const FILES_AT_ONCE: usize = 100;
/// SQL query that separates two files in the recorded queries.
const MARK: &str = "select 'next file'";

/// Whether a backslash is outside of quotes: psql would execute the text after the backslash as a psql command.
fn has_backslash(text: &str) -> bool {
    statements(text).is_err_and(|error| error.message.contains("backslash"))
}

/// Responds to psql like a PostgreSQL server, and returns the texts of psql's queries until the connection ends.
fn serve(mut stream: TcpStream) -> Vec<String> {
    let mut length = [0; 4];
    let mut message = |stream: &mut TcpStream| -> Option<Vec<u8>> {
        stream.read_exact(&mut length).ok()?;
        let mut body = vec![0; usize::try_from(u32::from_be_bytes(length)).ok()?.checked_sub(4)?];
        stream.read_exact(&mut body).ok()?;
        Some(body)
    };
    let frame = |tag: u8, body: &[u8]| {
        let mut frame = vec![tag];
        frame.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
        frame.extend(body);
        frame
    };
    // psql may first request TLS, then sends the start-up message.
    loop {
        let body = message(&mut stream).unwrap();
        let asks = |code: u32| body.starts_with(&code.to_be_bytes());
        if asks(80_877_103) || asks(80_877_104) {
            stream.write_all(b"N").unwrap();
            continue;
        }
        break;
    }
    let mut hello = frame(b'R', &[0; 4]);
    for (name, value) in
        [("server_version", "15.0"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on")]
    {
        hello.extend(frame(b'S', format!("{name}\0{value}\0").as_bytes()));
    }
    hello.extend(frame(b'K', &[0; 8]));
    hello.extend(frame(b'Z', b"I"));
    stream.write_all(&hello).unwrap();
    let mut queries = Vec::new();
    let mut tag = [0];
    while stream.read_exact(&mut tag).is_ok() {
        let Some(body) = message(&mut stream) else { break };
        if tag == [b'Q'] {
            queries.push(String::from_utf8_lossy(body.strip_suffix(&[0]).unwrap_or(&body)).into_owned());
            let mut answer = frame(b'C', b"SELECT 0\0");
            answer.extend(frame(b'Z', b"I"));
            if stream.write_all(&answer).is_err() {
                break;
            }
        }
    }
    queries
}

/// Returns the queries that psql sends for each file.
fn psql(listener: &TcpListener, files: &[String]) -> Vec<Vec<String>> {
    let folder = tempfile_folder();
    let mut command = Command::new("psql");
    let port = listener.local_addr().unwrap().port();
    command.args(["-X", "-q", "-h", "127.0.0.1", "-U", "x", "-d", "x", "-p", &port.to_string()]);
    command.env("PGSSLMODE", "disable").env("PGGSSENCMODE", "disable").env("PGCLIENTENCODING", "UTF8");
    for (index, text) in files.iter().enumerate() {
        let file = folder.join(format!("{index}.sql"));
        std::fs::write(&file, text).unwrap();
        command.arg("-f").arg(file).args(["-c", MARK]);
    }
    let mut child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let (stream, _) = listener.accept().unwrap();
    let queries = serve(stream);
    child.wait().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let mut found = vec![Vec::new()];
    for query in queries {
        if query == MARK {
            found.push(Vec::new());
        } else {
            found.last_mut().unwrap().push(query);
        }
    }
    found.pop();
    found
}

fn tempfile_folder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("cloch-psql-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether a text consists only of white space, comments and semicolons.
fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start_matches([' ', '\t', '\r', '\n', ';', '\u{b}', '\u{c}']);
    if let Some(comment) = rest.strip_prefix("--") {
        return comment.find(['\n', '\r']).is_none_or(|end| is_blank(&comment[end..]));
    }
    if !rest.starts_with("/*") {
        return rest.is_empty();
    }
    let mut depth = 0;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix("/*") {
            (depth, rest) = (depth + 1, inner);
        } else if let Some(behind) = rest.strip_prefix("*/") {
            (depth, rest) = (depth - 1, behind);
            if depth == 0 {
                return is_blank(rest);
            }
        } else {
            rest = &rest[rest.chars().next().unwrap().len_utf8()..];
        }
    }
    false
}

#[derive(Default)]
struct Count {
    same: usize,
    refused: usize,
    guessed: usize,
    differences: Vec<String>,
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}

/// Whether psql may split the text in a different way than PostgreSQL. psql counts the words `begin`, `case` and `end`, and reads line by
/// line.
fn psql_guesses(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_body = lower.contains("create")
        && (lower.contains("function") || lower.contains("procedure"))
        && lower.contains("begin");
    has_body || (lower.contains("e'") && text.lines().any(|line| line.trim_start().starts_with('\'')))
}

fn compare(text: &str, queries: &[String], count: &mut Count) {
    let queries: Vec<&String> = queries.iter().filter(|query| !is_blank(query)).collect();
    let ranges = match statements(text) {
        Ok(ranges) => ranges,
        Err(error) => {
            // If the splitter refuses a file, psql sends the rest of the file as one query, which PostgreSQL refuses. psql's queries must
            // contain all text before the rest.
            let last = squeeze(queries.last().map_or("", |query| query.as_str()));
            let rest = squeeze(text.get(error.offset..).unwrap_or_default());
            let is_row_copy = error.message.starts_with("COPY");
            if is_row_copy || psql_guesses(text) || last.ends_with(&rest) {
                count.refused += 1;
            } else {
                count.differences.push(format!("{text:?}\n refused: {error}\n psql: {queries:?}"));
            }
            return;
        }
    };
    // psql omits empty lines, so white space is ignored. The text of a query may also occur in a comment before the statement, so the
    // search continues up to the position of the statement.
    let squeezed = squeeze(text);
    let place = |at: usize| squeeze(text.get(..at).unwrap_or_default()).len();
    let mut cursor = 0;
    let mut is_same = ranges.len() == queries.len();
    for (range, query) in ranges.iter().zip(&queries) {
        let query = squeeze(query);
        let (start, end) = (place(range.start), place(range.end));
        let earliest = cursor.max(end.saturating_sub(query.len()));
        let holds = |at: &usize| squeezed.get(*at..).is_some_and(|rest| rest.starts_with(&query));
        let Some(found) = (earliest..=start).find(holds) else {
            is_same = false;
            break;
        };
        cursor = found + query.len();
    }
    if is_same {
        count.same += 1;
    } else if psql_guesses(text) {
        count.guessed += 1;
    } else {
        let own: Vec<&str> = ranges.iter().filter_map(|range| text.get(range.clone())).collect();
        count.differences.push(format!("{text:?}\n here: {own:?}\n psql: {queries:?}"));
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn seed() -> u64 {
    number("CLOCH_ORACLE_SEED").unwrap_or(4)
}

#[test]
fn files_are_split_as_psql_splits_them() {
    if Command::new("psql").arg("--version").output().is_err() {
        println!("skipped: there is no psql");
        return;
    }
    let (seed, steps) = (seed(), usize::try_from(number("CLOCH_ORACLE_STEPS").unwrap_or(400)).unwrap());
    let mut random = Random::new(seed);
    let files: Vec<String> =
        std::iter::repeat_with(|| random.file()).filter(|text| !has_backslash(text)).take(steps).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut count = Count::default();
    for some in files.chunks(FILES_AT_ONCE) {
        for (text, queries) in some.iter().zip(psql(&listener, some)) {
            compare(text, &queries, &mut count);
        }
    }
    println!(
        "seed {seed}: {steps} files, {} split alike, {} refused, {} in which psql may read otherwise, {} differences",
        count.same,
        count.refused,
        count.guessed,
        count.differences.len()
    );
    let shown: Vec<&String> = count.differences.iter().take(10).collect();
    assert!(count.differences.is_empty(), "seed {seed}: {shown:#?}");
    assert_eq!(count.same + count.refused + count.guessed, steps, "psql has stopped early");
    assert!(count.same * 2 > steps, "the generator tests nothing");
}

/// The texts contain valid statements with random white space, comments and quotes. PostgreSQL executes each text and must return one
/// result per statement.
#[tokio::test]
async fn valid_texts_are_split_as_postgresql_splits_them() {
    let database = TestDatabase::platform().await;
    let seed = seed();
    let mut random = Random::new(seed);
    let mut connection = database.superuser().acquire().await.unwrap();
    let steps = number("CLOCH_ORACLE_STEPS").unwrap_or(400) / 10;
    for _ in 0..steps {
        let mut text = String::new();
        for _ in 0..=random.below(5) {
            text.push_str(&valid(&mut random));
            text.push_str(random.one(&[";", ";\n", "; -- x ;\n", "/* ; */;"]));
        }
        let own = statements(&text).unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let answers =
            answers(&mut connection, &text).await.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        assert_eq!(own.len(), answers, "seed {seed}: {text}");
        for range in own {
            let one = text.get(range).unwrap();
            assert_eq!(self::answers(&mut connection, one).await.ok(), Some(1), "seed {seed}: {one}");
        }
    }
}

async fn answers(connection: &mut sqlx::PgConnection, text: &str) -> sqlx::Result<usize> {
    use futures_util::TryStreamExt;
    let results = sqlx::raw_sql(sqlx::AssertSqlSafe(text.to_owned())).fetch_many(connection);
    results.try_fold(0, |count, result| async move { Ok(count + usize::from(result.is_left())) }).await
}
