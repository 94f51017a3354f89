//! A new build of the web app makes a new program: rust-embed alone notices changed files, not a folder that appears.

fn main() {
    println!("cargo::rerun-if-changed=../web/club/dist");
    println!("cargo::rerun-if-changed=../web/dashboard/dist");
    println!("cargo::rerun-if-changed=build.rs");
}
