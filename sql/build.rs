//! The platform's SQL is embedded: a file that is added must be seen.

fn main() {
    println!("cargo:rerun-if-changed=platform");
}
