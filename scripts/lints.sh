# Sourced: makes clippy the compiler of the workspace's crates, with warnings as errors. cargo keeps what it makes apart from a build without.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver
export CLIPPY_ARGS='-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__'
