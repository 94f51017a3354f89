#!/usr/bin/env bash
# Compiles the library for one PostgreSQL: sql/hooks/build.sh PG_CONFIG FILE. PG_CONFIG is the pg_config program of this PostgreSQL, FILE is the
# path of the library.
set -euo pipefail
pg_config=${1:?the program pg_config of a PostgreSQL} library=${2:?the file to write}
headers=${CLOCH_SERVER_HEADERS:-$("$pg_config" --includedir-server)}
[ -f "$headers/postgres.h" ] || { echo "build: $headers has no postgres.h: install the headers (Debian, Ubuntu: postgresql-server-dev-NN)" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$(dirname "$library")"
draft=$(mktemp "$library.XXXXXX")
trap 'rm -f "$draft"' EXIT
shared=(-shared)
[ "$(uname -s)" != Darwin ] || shared=(-bundle -undefined dynamic_lookup)
"${CC:-cc}" -std=gnu11 -O2 -fPIC -fvisibility=hidden -fno-strict-aliasing -fwrapv -Wall -Wextra -Werror -isystem "$headers" \
  "${shared[@]}" -o "$draft" "$here"/*.c
chmod 0644 "$draft"
mv "$draft" "$library"
