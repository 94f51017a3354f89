//! Compares Cloch's parser of `.env` files with two other parsers, on generated lines: with godotenv, whose rules Cloch's parser follows,
//! and with Node's `parseEnv`. The output of godotenv is stored in godotenv/corpus.jsonl. `CLOCH_UPDATE=1` with `CLOCH_TEST_GO` (a Go
//! toolchain) and `GOPATH` (with github.com/joho/godotenv) regenerates the file.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cloch_functions::dotenv::parse;
use serde_json::{Value, json};

/// A small random number generator (xorshift64*), so that a seed produces the same lines everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64).unwrap()
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    fn text(&mut self) -> String {
        let parts = [
            "a", "word", " ", "#", " # ", "'", "\"", "`", "$", "$B", "${B}", "${B", "\\", "\\n", "\\\"", "=", ":", "ä",
            "{", "}", "<x@y.z>", "100%", "\t", "\\$B", "$(x)", "$b", "5",
        ];
        (0..self.below(5)).map(|_| self.one(&parts)).collect()
    }

    fn line(&mut self) -> String {
        let text = self.text();
        let value = match self.below(8) {
            0..=3 => text,
            4 => format!("\"{}\"", text.replace('"', "\\\"")),
            5 => format!("'{}'", text.replace('\'', "")),
            6 => format!("\"{}\"{}", text.replace(['"', '\\'], "\n"), self.one(&["", " ", " # c", "#c"])),
            _ => format!("'{}'{}", text.replace(['\'', '\\'], "x"), self.one(&["", " ", " # c", " y"])),
        };
        let name = self.one(&["A", "B", "A", "A_1", "a.b", "A-B"]);
        let start = self.one(&["", "", "", "export ", "  ", "export"]);
        let equals = self.one(&["=", "=", "=", " = ", ":", ": ", " "]);
        let more = self.one(&["", "", "\n# comment", "\n\n", "\nB=2"]);
        format!("{start}{name}{equals}{value}{more}{}", self.one(&["", "\n", "\r\n"]))
    }
}

fn cases(count: usize) -> Vec<String> {
    let mut random = Random(0x5eed);
    (0..count)
        .map(|_| {
            let before = random.one(&["", "", "B=1\n", "B='x y'\n# c\n"]);
            format!("{before}{}", random.line())
        })
        .collect()
}

/// Whether Cloch's parser intentionally differs from godotenv for this text.
fn is_explained(text: &str) -> bool {
    let found = parse(text.as_bytes());
    // An escaped quote at the end of a value belongs to the value; godotenv removes the quote.
    text.contains("\\\"\"")
        // Names with spaces, and text after a closing quote, are errors in Cloch's parser; godotenv makes them part of the next name.
        || found.faults.iter().any(|(_, fault)| fault.contains("a name") || fault.contains("closing quote"))
        // godotenv (main branch) returns an error for a value that begins with #.
        || text.lines().any(|line| line.split_once(['=', ':']).is_some_and(|(_, value)| value.trim_start().starts_with('#')))
        // godotenv continues an unclosed quote up to a quote in a later line; Cloch's parser skips the line.
        || found.faults.iter().any(|(_, fault)| fault.contains("never closed"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/godotenv")
}

fn run(command: &mut Command, input: String) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("{}\n", json!(text))).collect()
}

#[test]
fn lines_are_read_as_godotenv_reads_them() {
    let file = folder().join("corpus.jsonl");
    if std::env::var_os("CLOCH_UPDATE").is_some()
        && let Some(go) = std::env::var_os("CLOCH_TEST_GO")
    {
        let texts = cases(800);
        let mut command = Command::new(go);
        command.arg("run").arg(folder().join("main.go")).env("GO111MODULE", "off").env("GOTOOLCHAIN", "local");
        let answers = run(&mut command, lines(&texts));
        let kept = texts.iter().zip(answers.lines()).map(|(text, answer)| {
            let mut answer: Value = serde_json::from_str(answer).unwrap();
            answer["text"] = json!(text);
            format!("{answer}\n")
        });
        std::fs::write(&file, kept.collect::<String>()).unwrap();
    }
    let corpus = std::fs::read_to_string(file).unwrap();
    let (mut same, mut explained, mut differences) = (0, 0, Vec::new());
    for line in corpus.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let found = parse(text.as_bytes());
        let is_same = match case["values"].as_object() {
            Some(_) => found.faults.is_empty() && json!(found.variables) == case["values"],
            None => !found.faults.is_empty(),
        };
        match (is_same, is_explained(text)) {
            (true, _) => same += 1,
            (false, true) => explained += 1,
            (false, false) => differences.push(format!("{text:?}: {found:?}, godotenv: {}", case["values"])),
        }
    }
    println!("{same} alike, {explained} differ as explained, {} differ", differences.len());
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(same >= 500, "{same}");
}

/// Compares only lines for which Node has the same rules. Node has different rules for comments without a space before them, backquotes,
/// `$`, escapes, `name: value`, and values that begin with a quote and do not end with it.
#[test]
fn plain_lines_are_read_as_node_reads_them() {
    let script = "const { parseEnv } = require('node:util'); if (!parseEnv) process.exit(3);
        require('readline').createInterface({ input: process.stdin }).on('line', (line) =>
            console.log(JSON.stringify(parseEnv(JSON.parse(line)))))";
    if !Command::new("node")
        .args(["-e", "process.exit(require('node:util').parseEnv ? 0 : 3)"])
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("skipped: there is no node with parseEnv");
        return;
    }
    let comparable = |text: &String| {
        !text.contains(['`', '$', '\\', ':', '\u{e4}', '\t'])
            && parse(text.as_bytes()).faults.is_empty()
            && !text.lines().any(|line| {
                line.split_once('=').is_some_and(|(_, value)| {
                    let value = value.trim();
                    (value.contains('#') && !value.contains(" #"))
                        || value.contains("##")
                        || (value.contains(['\'', '"']) && value.contains('#'))
                })
            })
    };
    let texts: Vec<String> = cases(6_000).into_iter().filter(comparable).collect();
    let answers = run(Command::new("node").args(["-e", script]), lines(&texts));
    let differences: Vec<String> = texts
        .iter()
        .zip(answers.lines())
        .filter_map(|(text, answer)| {
            let (own, node) = (json!(parse(text.as_bytes()).variables), serde_json::from_str::<Value>(answer).unwrap());
            (own != node).then(|| format!("{text:?}: {own}, node: {node}"))
        })
        .collect();
    println!("{} lines, {} differ", texts.len(), differences.len());
    assert!(texts.len() >= 500, "{}", texts.len());
    assert!(differences.is_empty(), "{:#?}", differences.iter().take(20).collect::<Vec<_>>());
}
