//! Parses the output of a Deno worker: console messages, reports of the preload script, and other lines. An error that the function does not
//! catch is one message with its stack trace.

use std::time::{Duration, Instant};

use serde::Deserialize;

/// Maximum length of one message in bytes. The rest of the message is discarded.
const MAX_MESSAGE_BYTES: usize = 10_000;
/// First character of a line that the preload script writes.
const MARK: char = '\x1e';

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A message with its level and the id of the request that logged it.
    Message {
        level: Level,
        request: String,
        text: String,
    },
    Report(Report),
}

/// A report of the preload script.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Report {
    #[serde(default)]
    pub(super) listening: bool,
    /// Number of promises given to `EdgeRuntime.waitUntil` that have not settled.
    pub(super) pending: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    fn parse(text: &str) -> Self {
        match text {
            "debug" => Self::Debug,
            "warn" => Self::Warn,
            "error" => Self::Error,
            _ => Self::Info,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Parses one output stream of a worker with a limited amount of memory.
#[derive(Debug)]
pub(super) struct OutputReader {
    mark: String,
    /// Log level of lines that were not printed with `console`, but by other means of the function's code or by Deno itself.
    default_level: Level,
    line: Vec<u8>,
    message: Option<(Level, String, String)>,
    /// Last line that was not printed with `console`, together with the lines of its stack trace: level, text, and the time when the last
    /// of these lines was received.
    raw: Option<(Level, String, Instant)>,
}

impl OutputReader {
    /// Creates a parser of worker output. `token` identifies lines that the preload script writes.
    pub(super) fn new(token: &str, default_level: Level) -> Self {
        Self { mark: format!("{MARK}{token}"), default_level, line: Vec::new(), message: None, raw: None }
    }

    /// Parses bytes and passes each complete message or report to `hand_on`.
    pub(super) fn feed(&mut self, bytes: &[u8], mut hand_on: impl FnMut(Output)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_whole) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            let room = MAX_MESSAGE_BYTES.saturating_sub(self.line.len());
            self.line.extend(text.iter().take(room));
            if is_whole {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
                self.take_line(&line, &mut hand_on);
            }
        }
    }

    /// Whether a line waits for the lines of its stack trace.
    pub(super) fn is_waiting(&self) -> bool {
        self.raw.is_some()
    }

    /// Passes the stored line with the lines of its stack trace to `hand_on` if the last of these lines was received at least `waited` ago.
    pub(super) fn flush(&mut self, waited: Duration, mut hand_on: impl FnMut(Output)) {
        if let Some((level, text, _)) = self.raw.take_if(|(_, _, since)| since.elapsed() >= waited) {
            hand_on(Output::Message { level, request: String::new(), text });
        }
    }

    fn take_line(&mut self, line: &str, hand_on: &mut impl FnMut(Output)) {
        let Some(mark) = line.find(&self.mark) else { return self.take_text(line, hand_on) };
        let (before, marked) = line.split_at(mark);
        if !before.is_empty() {
            self.take_text(before, hand_on);
        }
        self.flush(Duration::ZERO, &mut *hand_on);
        let marked = marked.get(self.mark.len()..).unwrap_or_default();
        let (kind, rest) = marked.split_at_checked(1).unwrap_or_default();
        match kind {
            "L" => {
                let (level, request) = rest.split_once(' ').unwrap_or((rest, ""));
                self.message = Some((Level::parse(level), request.to_owned(), String::new()));
            }
            "E" => {
                if let Some((level, request, text)) = self.message.take() {
                    hand_on(Output::Message { level, request, text });
                }
            }
            "T" => {
                if let Ok(report) = serde_json::from_str(rest) {
                    hand_on(Output::Report(report));
                }
            }
            _ => {}
        }
    }

    fn take_text(&mut self, line: &str, hand_on: &mut impl FnMut(Output)) {
        match &mut self.message {
            Some((_, _, text)) => append(text, line),
            None if line.is_empty() => {}
            None => match &mut self.raw {
                Some((_, text, since)) if continues(text, line) => {
                    append(text, line);
                    *since = Instant::now();
                }
                _ => {
                    self.flush(Duration::ZERO, hand_on);
                    let level = level_of_runtime(line).unwrap_or(self.default_level);
                    self.raw = Some((level, line.to_owned(), Instant::now()));
                }
            },
        }
    }
}

/// Whether a line belongs to the message before it. The line belongs to it if it is indented, as the lines of a stack trace are. It also
/// belongs to it if the message is Deno's report of an uncaught error, which quotes a line of the source.
fn continues(message: &str, line: &str) -> bool {
    line.starts_with([' ', '\t']) || message.starts_with("error: Uncaught")
}

/// Appends a line to a message, up to the maximum length.
fn append(text: &mut String, line: &str) {
    if !text.is_empty() && text.len() < MAX_MESSAGE_BYTES {
        text.push('\n');
    }
    let room = MAX_MESSAGE_BYTES.saturating_sub(text.len());
    let end = (0..=room.min(line.len())).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
    text.push_str(line.get(..end).unwrap_or_default());
}

/// Returns the level of a line that Deno itself writes to standard error; `None` for other lines. Deno writes warnings and progress there, for
/// example about a deprecated Node module that a package imports.
fn level_of_runtime(line: &str) -> Option<Level> {
    const PROGRESS: [&str; 4] = ["Download ", "Initialize ", "Check file://", "Installed "];
    let is_of_node = line.starts_with("(node:") && line.contains("Warning: ")
        || line.starts_with("(Use `") && line.contains("--trace-");
    let is_warning = is_of_node || line.starts_with("Warning ") || line.starts_with("Warning: ");
    if is_warning {
        return Some(Level::Warn);
    }
    PROGRESS.iter().any(|begin| line.starts_with(begin)).then_some(Level::Info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_and_progress_of_the_runtime_are_no_errors() {
        for (line, level) in [
            ("(node:2587) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.", Level::Warn),
            ("(node:7) ExperimentalWarning: SQLite is an experimental feature", Level::Warn),
            ("(Use `node --trace-deprecation ...` to show where the warning was created)", Level::Warn),
            ("Warning The following peer dependency issues were found:", Level::Warn),
            ("Download https://registry.npmjs.org/x", Level::Info),
            ("error: Uncaught (in promise) Error: Warning: all is lost", Level::Error),
            ("TypeError: a is not a function", Level::Error),
        ] {
            assert_eq!(read(&format!("{line}\n")), [message(level, "", line)], "{line}");
        }
    }

    fn read(text: &str) -> Vec<Output> {
        let mut found = Vec::new();
        let mut reader = OutputReader::new("word", Level::Error);
        // Feed the text in pieces of three bytes, so that piece boundaries occur at any position.
        for piece in text.as_bytes().chunks(3) {
            reader.feed(piece, |output| found.push(output));
        }
        reader.flush(Duration::ZERO, |output| found.push(output));
        assert!(!reader.is_waiting());
        found
    }

    fn message(level: Level, request: &str, text: &str) -> Output {
        Output::Message { level, request: request.into(), text: text.into() }
    }

    #[test]
    fn messages_keep_their_level_request_and_lines() {
        let text = "\x1ewordLwarn r1\nfirst\nsecond\n\x1ewordE\nraw\n\x1ewordT{\"listening\":true}\nrest\x1ewordT{\"pending\":2}\n";
        let expected = vec![
            message(Level::Warn, "r1", "first\nsecond"),
            message(Level::Error, "", "raw"),
            Output::Report(Report { listening: true, pending: None }),
            message(Level::Error, "", "rest"),
            Output::Report(Report { listening: false, pending: Some(2) }),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_stack_trace_is_one_message() {
        let trace = "Error: boom\n    at file:///a.ts:1:73\n    at main (file:///b.ts:2:1)";
        let text = format!("{trace}\nanother line\n\x1ewordLinfo r1\n  indented\n\x1ewordE\n{trace}\n");
        let expected = [
            message(Level::Error, "", trace),
            message(Level::Error, "", "another line"),
            message(Level::Info, "r1", "  indented"),
            message(Level::Error, "", trace),
        ];
        assert_eq!(read(&text), expected);
        let mut reader = OutputReader::new("word", Level::Error);
        reader.feed(b"Error: boom\n", |output| panic!("{output:?} before its trace"));
        reader.flush(Duration::from_secs(60), |output| panic!("{output:?} before its trace"));
        assert!(reader.is_waiting());
    }

    #[test]
    fn a_function_cannot_report_without_the_word() {
        assert_eq!(
            read("\x1eotherT{\"listening\":true}\n"),
            [message(Level::Error, "", "\x1eotherT{\"listening\":true}")]
        );
    }

    #[test]
    fn no_message_is_longer_than_the_limit() {
        let long = "x".repeat(3 * MAX_MESSAGE_BYTES);
        let lines = "x\n".repeat(100 * MAX_MESSAGE_BYTES);
        for text in
            [&long, &format!("{long}\n{long}"), &lines].map(|text| format!("\x1ewordLinfo \n{text}\n\x1ewordE\n"))
        {
            let Some(Output::Message { text, .. }) = read(&text).pop() else { unreachable!() };
            assert!(text.len() <= MAX_MESSAGE_BYTES, "{}", text.len());
        }
        let Some(Output::Message { text, .. }) = read(&format!("{long}\n")).pop() else { unreachable!() };
        assert!(text.len() <= MAX_MESSAGE_BYTES, "{}", text.len());
    }
}
