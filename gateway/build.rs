//! Build script: rebuilds the program if the built web apps change, and sets the variables for `cloch version`. Without git (in a source
//! archive), the environment variables SOURCE_COMMIT and SOURCE_DATE_EPOCH supply commit and date.

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
    // rust-embed itself notices changed files, but not a new folder.
    println!("cargo::rerun-if-changed=../web/club/dist");
    println!("cargo::rerun-if-changed=../web/dashboard/dist");
    println!("cargo::rerun-if-changed=../web/docs/dist/packed");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_COMMIT");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    // Only release builds need an exact commit: watching git in development would link the program again after each commit.
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
