//! Build script: rebuilds the crate if a file is added to `platform/`. rust-embed itself detects only changes of existing files.

fn main() {
    println!("cargo::rerun-if-changed=platform");
    println!("cargo::rerun-if-changed=build.rs");
}
