# Functions of sql/hooks/test.sh: a temporary cluster, and one test for each statement.

# Copies or links the programs into a separate folder, so that the server reads the extensions of tests/extension.
make_tree() {
  local real share root
  real=$(readlink -f "$bin/postgres")
  if [ -d "$(dirname "$real")/../share/postgresql" ]; then
    cp -r "$(dirname "$real")/.." "$tmp/tree"
    share=$tmp/tree/share/postgresql server=$tmp/tree/bin/postgres
  else # Debian: /usr/lib/postgresql/15 and /usr/share/postgresql/15
    root=$tmp/tree share=$root$(pg_share "$real")
    mkdir -p "$root$(dirname "$real")" "$share/extension"
    cp "$real" "$root$(dirname "$real")/postgres"
    ln -s "$(dirname "$(dirname "$real")")/lib" "$root$(dirname "$(dirname "$real")")/lib"
    for file in "$(pg_share "$real")"/*; do [ "$(basename "$file")" = extension ] || ln -s "$file" "$share/"; done
    ln -s "$(pg_share "$real")"/extension/* "$share/extension/"
    server=$root$(dirname "$real")/postgres
  fi
  share_folder=$share/extension
  cp "$here"/tests/extension/* "$share_folder/"
  chmod -R a+rX "$tmp/tree"
}

pg_share() { echo "/usr/share/postgresql/$(basename "$(dirname "$(dirname "$1")")")"; }

as_postgres() { if [ "$(id -u)" = 0 ]; then (cd / && exec setpriv --reuid="$(id -u postgres)" --regid="$(id -g postgres)" --clear-groups "$@"); else "$@"; fi; }

start_cluster() {
  as_postgres "$bin/initdb" -D "$tmp/db" --username supabase_admin --auth=trust --no-sync --encoding=UTF8 --locale=C >"$tmp/initdb.log" 2>&1
  local settings=(-c listen_addresses= -c "unix_socket_directories=$tmp" -c wal_level=logical -c fsync=off -c log_min_messages=warning)
  [ "$library" = none ] || settings+=(-c "shared_preload_libraries=$library" -c cloch.privileged_role=postgres
    -c "cloch.privileged_extensions=dblink, postgres_fdw, cloch_fixture_listed, earthdistance")
  as_postgres "$server" -D "$tmp/db" "${settings[@]}" >"$tmp/server.log" 2>&1 &
  for _ in $(seq 100); do run supabase_admin 'select 1' >/dev/null 2>&1 && return; sleep 0.1; done
  cat "$tmp/server.log" >&2
  exit 1
}

# run ROLE SQL: executes statements in a new session of the role.
run() { PGOPTIONS='' psql -X -q -A -t -v ON_ERROR_STOP=1 -v VERBOSITY=terse -h "$tmp" -U "$1" -d "${database:-postgres}" -f - <<<"$2" 2>&1; }

report() { # report NAME PASSED DETAIL
  if [ "$2" = 1 ]; then passed=$((passed + 1)); [ -z "${VERBOSE:-}" ] || echo "ok      $1"
  else failed=$((failed + 1)); printf 'FAILED  %s\n        %s\n' "$1" "$(tail -n 3 <<<"$3" | tr '\n' ' ')"; fi
}

# prepare ROLE SQL: statements that a later test needs.
prepare() { local output; output=$(run "$1" "$2") || report "preparation: ${2:0:60}" 0 "$output"; }

# ok NAME ROLE SQL [QUERY EXPECTED]: the statements succeed, and the query of a superuser then returns the expected text.
ok() {
  local output found
  if ! output=$(run "$2" "$3"); then report "$1" 0 "$output"; return; fi
  if [ $# -ge 5 ]; then
    found=$(run supabase_admin "$4" | tr '\n' ' ' | sed 's/ $//')
    if [ "$found" != "$5" ]; then report "$1" 0 "expected '$5', found '$found'"; return; fi
  fi
  report "$1" 1 ''
}

# refused NAME ROLE PATTERN SQL: the statements fail with a message that matches the pattern.
refused() {
  local output
  if output=$(run "$2" "$4"); then report "$1" 0 "succeeded"; return; fi
  if grep -qE "$3" <<<"$output"; then report "$1" 1 ''; else report "$1" 0 "another error: $output"; fi
}
