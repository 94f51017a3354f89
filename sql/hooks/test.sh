#!/usr/bin/env bash
# Tests the library on a temporary cluster: sql/hooks/test.sh BIN LIBRARY
#   BIN: folder with initdb and postgres; LIBRARY: the compiled library, or `none`, with which the tests must fail.
# Needs psql in PATH. As root the server runs as the account postgres. VERBOSE=1 prints each test.
set -euo pipefail
bin=${1:?folder of PostgreSQL programs} library=${2:?the library, or none}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d /tmp/cloch-hooks.XXXXXX)
passed=0 failed=0
. "$here/tests/harness.sh"
cleanup() {
  [ ! -f "$tmp/db/postmaster.pid" ] || as_postgres "$bin/pg_ctl" stop -D "$tmp/db" -m fast -s || true
  rm -rf "$tmp"
}
trap cleanup EXIT
[ "$(id -u)" != 0 ] || chown postgres "$tmp"
[ "$library" = none ] || { cp "$library" "$tmp/cloch_hooks.so" && chmod a+r "$tmp/cloch_hooks.so" && library=$tmp/cloch_hooks.so; }
make_tree
start_cluster
run supabase_admin "$(cat "$here/tests/setup.sql")"
version=$(run supabase_admin 'show server_version_num')
. "$here/tests/statements.sh"
. "$here/tests/attacks.sh"
echo "PostgreSQL $(run supabase_admin 'show server_version'): $passed passed, $failed failed"
[ "$failed" = 0 ]
