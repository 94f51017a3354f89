/** Texts in a project: migrations that contain transactions, `.env` files, mail templates. They must have the same meaning as in Supabase. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messageTo } from '../support/inbox.mjs'
import { binary, makeProject, removePlace, start } from '../support/program.mjs'

const ownTransactions = `begin;
create type public.st as enum ('a');
commit;
begin;
alter type public.st add value if not exists 'cruise';
commit;
begin;
create table public.t (id int primary key, s public.st default 'cruise');
grant all on public.t to service_role;
commit;
`
const magic = `<p>{{ range .Data.list }}{{ . }},{{ else }}none{{ end }}</p><p>{{ slice .Token 0 3 }} {{ slice .Token 3 }}</p>
{{ if and .Data.team (eq .Data.team.title "TT") }}team{{ else }}no team{{ end }} {{ .Data.n | printf "%.0f" }} {{ .Data.list }}`
const change = (config) => `${config}
[auth]
site_url = "env(MY_SITE)"
[auth.external.github]
enabled = true
client_id = "env(GH_ID)"
secret = "env(GH_SECRET)"
[auth.email.template.magic_link]
subject = "Sign in to {{ .Data.n }}"
content_path = "./templates/magic.html"
`

let cloch, service
before(async () => {
  cloch = await start(
    await makeProject({
      from: null,
      change,
      files: {
        '.env': '\ufeffMY_SITE=http://localhost:3000 # the app\r\nthis is no variable\r\nGH_ID=abc\r\nGH_SECRET=x y\r\n',
        'templates/magic.html': magic,
        'migrations/20250101000000_a.sql': ownTransactions,
        'migrations/20250103000000_bom.sql': '\ufeffcreate table public.bom (id int);\r\n',
      },
    }),
  )
  service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
})
after(() => cloch?.remove())

test('a migration commits its transactions where its file does', async () => {
  const { data, error } = await service.from('t').insert({ id: 1 }).select()
  assert.equal(error, null)
  assert.deepEqual(data, [{ id: 1, s: 'cruise' }])
})

test('env() reads .env, and an invalid line affects only itself', async () => {
  const answer = await fetch(`${cloch.url}/auth/v1/authorize?provider=github`, { redirect: 'manual' })
  assert.equal(new URL(answer.headers.get('location')).searchParams.get('client_id'), 'abc')
  assert.match(cloch.output(), /\.env, line 2: skipped/)
  assert.doesNotMatch(cloch.output(), /no variable/)
})

test('mails are the project’s own templates, rendered as Go does', async () => {
  const mail = async (email, user_metadata) => {
    assert.equal((await service.auth.admin.createUser({ email, email_confirm: true, user_metadata })).error, null)
    const anybody = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
    assert.equal((await anybody.auth.signInWithOtp({ email })).error, null)
    const { subject, html } = await messageTo(cloch.url, email)
    return { subject, html: html.replace(/[0-9]{3} [0-9]{3}/, '123 456') }
  }
  const full = await mail('full@example.org', { list: ['a', 'b'], team: { title: 'TT' }, n: 3 })
  assert.equal(full.html, '<p>a,b,</p><p>123 456</p>\nteam 3 [a b]')
  assert.equal(full.subject, 'Sign in to 3')
  // Go writes this text if a format verb for a number gets a value of another type.
  assert.equal((await mail('bare@example.org', {})).html, '<p>none</p><p>123 456</p>\nno team %!f(&lt;nil&gt;) ')
})

test('an invalid text stops the start, with file and line', async () => {
  const refused = async (name, text, message) => {
    const files = { '.env': 'MY_SITE=http://a.b\n', 'templates/magic.html': magic, [name]: text }
    const place = await makeProject({ from: null, change, files })
    const run = spawnSync(binary, ['start', '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 })
    removePlace(place)
    assert.notEqual(run.status, 0)
    assert.match(run.stdout + run.stderr, message)
  }
  await refused('migrations/1_a.sql', 'select 1;\n/* never closed\nselect 2;', /migrations\/1_a\.sql, line 2, column 1: a comment is opened here/)
  await refused('templates/magic.html', '<p>\n{{ range .Data }}</p>', /auth\.email\.template\.magic_link\.content \(\.?\/?templates\/magic\.html\): line 2: unexpected EOF/)
})

test('roles.sql, the output of db diff, and statements that refuse transactions', async () => {
  const other = await start(
    await makeProject({
      from: null,
      fresh: true,
      files: {
        'roles.sql': 'create role reader nologin;\nalter role anon set statement_timeout to \'3s\';\n',
        'migrations/20250101000000_a.sql': `drop extension if exists "uuid-ossp";
drop extension if exists "pg_net";
create extension if not exists pg_cron;
select cron.schedule('first', '* * * * *', 'select 1');
drop extension pg_cron;
create extension pg_cron with schema pg_catalog;
select cron.schedule('second', '* * * * *', 'select 1');
create table public.t (id uuid primary key default extensions.uuid_generate_v4(), n int);
grant select on public.t to reader;
create index concurrently t_n on public.t (n);
create view public.jobs as select jobname from cron.job;
grant all on public.t, public.jobs to service_role;
`,
      },
    }),
  )
  try {
    assert.match(other.output(), /`drop extension` of uuid-ossp skipped/)
    const caller = createClient(other.url, other.serviceKey, { auth: { persistSession: false } })
    const { data: rows, error } = await caller.from('t').insert({ n: 1 }).select('n')
    assert.deepEqual([rows, error], [[{ n: 1 }], null])
    // The real extension pg_cron also deletes its jobs when the extension is dropped.
    const { data: jobs } = await caller.from('jobs').select()
    assert.deepEqual(jobs, [{ jobname: 'second' }])
  } finally {
    await other.remove()
  }
})
