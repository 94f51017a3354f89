/**
 * A dump of PostgreSQL 17 can contain the privilege MAINTAIN, because pg_dump 17 writes it together with the other privileges of a table. PostgreSQL
 * 15 and 16 do not have this privilege.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { binary, makeProject, start } from '../support/program.mjs'

/** The output of pg_dump 17.6 for a table on which a role has all privileges except TRUNCATE. */
const SCHEMA = `SET transaction_timeout = 0;
CREATE TABLE "public"."a" ("id" integer);
REVOKE ALL ON TABLE "public"."a" FROM "anon";
GRANT SELECT,INSERT,REFERENCES,DELETE,TRIGGER,MAINTAIN,UPDATE ON TABLE "public"."a" TO "anon";
REVOKE MAINTAIN ON TABLE "public"."a" FROM "authenticated";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" REVOKE ALL ON TABLES FROM "anon";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT SELECT,MAINTAIN ON TABLES TO "anon";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT MAINTAIN ON TABLES TO "authenticated";
`

test('grants of MAINTAIN are imported without it', async () => {
  const place = await makeProject({ from: null })
  const folder = join(place.folder, 'dump')
  mkdirSync(folder)
  writeFileSync(join(folder, 'roles.sql'), '')
  writeFileSync(join(folder, 'schema.sql'), SCHEMA)
  writeFileSync(join(folder, 'data.sql'), 'COPY "public"."a" ("id") FROM stdin;\n1\n\\.\n')
  const done = spawnSync(binary, ['import', '--dir', folder, '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 400_000 })
  assert.equal(done.status, 0, done.stderr + done.stdout)
  assert.match(done.stdout, /Everything is here/)
  const cloch = await start(place)
  try {
    const sql = (statement) => execFileSync('psql', ['-X', '-At', '-v', 'ON_ERROR_STOP=1', cloch.keys.DB_URL, '-c', statement], { encoding: 'utf8' }).trim()
    const old = Number(sql('show server_version_num')) < 170_000
    if (old) assert.match(done.stderr + done.stdout, /privilege MAINTAIN skipped/)
    // PostgreSQL writes each privilege as a letter. The letter of MAINTAIN is m.
    const granted = "select split_part(split_part(relacl::text, 'anon=', 2), '/', 1) from pg_class where oid = "
    assert.equal(sql(`${granted} 'public.a'::regclass`), old ? 'arwdxt' : 'arwdxtm')
    assert.equal(sql(`set role postgres; create table public.b (id int); ${granted} 'public.b'::regclass`).split('\n').at(-1), old ? 'r' : 'rm')
    assert.equal(sql('select count(*) from public.a'), '1')
  } finally {
    await cloch.remove()
    rmSync(place.folder, { recursive: true, force: true })
  }
})
