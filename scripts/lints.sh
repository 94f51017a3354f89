# To be sourced. Makes clippy the compiler of the workspace's crates, with warnings as errors. cargo stores the results of such a build separately
# from those of other builds.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver
export CLIPPY_ARGS='-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__'
