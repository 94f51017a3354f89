//! A new file of the platform's SQL makes a new program: rust-embed alone notices changed files, not one that appears.

fn main() {
    println!("cargo::rerun-if-changed=platform");
    println!("cargo::rerun-if-changed=build.rs");
}
