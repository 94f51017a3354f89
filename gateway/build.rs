//! Makes a new program of a new build of the web app, and tells `cloch version` what it is built from. Without git (a source archive)
//! SOURCE_COMMIT and SOURCE_DATE_EPOCH of the environment say it.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let commit = env::var("SOURCE_COMMIT").ok().or_else(|| run("git", &["rev-parse", "--short=12", "HEAD"]));
    let date = env::var("SOURCE_DATE_EPOCH").ok().or_else(|| run("git", &["log", "-1", "--format=%cI"]));
    let rustc = env::var("RUSTC").ok().and_then(|rustc| run(&rustc, &["--version"]));
    let variable = |name: &str| env::var(name).ok();
    for (name, value) in [
        ("COMMIT", commit),
        ("DATE", date),
        ("RUSTC", rustc),
        ("TARGET", variable("TARGET")),
        ("PROFILE", variable("PROFILE")),
    ] {
        println!("cargo::rustc-env=CLOCH_BUILD_{name}={}", value.unwrap_or_else(|| "unknown".to_owned()));
    }
    // rust-embed alone notices changed files, not a folder that appears.
    println!("cargo::rerun-if-changed=../web/club/dist");
    println!("cargo::rerun-if-changed=../web/dashboard/dist");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_COMMIT");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    // Only builds for others need the commit to be exact: watching git would link the program anew after each commit.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for file in ["HEAD", "logs/HEAD"] {
            if let Some(path) = run("git", &["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
                println!("cargo::rerun-if-changed={path}");
            }
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
