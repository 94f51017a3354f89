/**
 * SQL of a project tries to leave its role. No session that runs such SQL may have a superuser as its login. The SQL is in triggers on every table on
 * which the project's owner may create a trigger, and in policies, a view, a job and a migration.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

// Resets the role to the login's role, writes the name of that role to the server's log, and sets the role again.
const probe = `
create function public.probe(place text) returns boolean language plpgsql as $$
declare before text := current_setting('role');
begin
  begin
    perform set_config('role', 'none', true);
    raise log 'probe % session_user=% is_superuser=%', place, session_user, current_setting('is_superuser');
    perform set_config('role', before, true);
  exception when others then
    raise log 'probe % session_user=% is_superuser=definer', place, session_user;
  end;
  return true;
end $$;
grant execute on function public.probe(text) to public;

create function public.probe_trigger() returns trigger language plpgsql as $$
begin
  perform public.probe(tg_table_schema || '.' || tg_table_name);
  return null;
end $$;

do $$
declare t record;
begin
  for t in select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
  loop
    begin
      execute format('create trigger probe after insert or update or delete on %I.%I for each row execute function public.probe_trigger()', t.nspname, t.relname);
    exception when others then null;
    end;
  end loop;
end $$;

create policy probe on realtime.messages for all to authenticated using (public.probe('policy on realtime.messages')) with check (public.probe('policy on realtime.messages'));
create policy probe on storage.objects for all to authenticated using (public.probe('policy on storage.objects')) with check (public.probe('policy on storage.objects'));
create table public.notes (id int primary key, body text default 'x');
alter table public.notes enable row level security;
create policy probe on public.notes for all to anon, authenticated using (public.probe('policy on public.notes')) with check (public.probe('policy on public.notes'));
create view public.overview as select id, public.probe('view') as seen from public.notes;
grant all on public.notes, public.overview to anon, authenticated;
insert into public.notes values (1);
insert into storage.buckets (id, name) values ('files', 'files');
alter publication supabase_realtime add table public.notes;
select public.probe('migration');
select cron.schedule('probe', '1 seconds', 'select public.probe(''job'')');
`

let server
before(async () => {
  const place = await makeProject({
    from: null,
    seed: true,
    files: { 'migrations/20260101000000_probe.sql': probe, 'seed.sql': "select public.probe('seed');" },
  })
  server = await start(place)
})
after(() => server?.remove())

const options = { auth: { persistSession: false, autoRefreshToken: false } }
const probes = () =>
  [...readFileSync(join(server.data, 'db', 'server.log'), 'utf8').matchAll(/probe (.+) session_user=(\w+) is_superuser=(\w+)/g)].map(
    ([, place, user, superuser]) => ({ place, user, superuser }),
  )

test('no superuser session executes code of the project, whoever calls it', async () => {
  const admin = createClient(server.url, server.serviceKey, options)
  const email = 'ann@example.org'
  const password = 'a quiet harbour 27'
  assert.equal((await admin.auth.admin.createUser({ email, password, email_confirm: true })).error, null)
  const client = createClient(server.url, server.anonKey, options)
  const { data: session, error } = await client.auth.signInWithPassword({ email, password })
  assert.equal(error, null)
  const id = session.user.id
  assert.equal((await client.auth.updateUser({ data: { name: 'Ann' } })).error, null)
  assert.equal((await client.auth.refreshSession()).error, null)

  assert.equal((await client.from('overview').select()).error, null)
  assert.equal((await client.from('notes').insert({ id: 2 })).error, null)
  assert.equal((await client.storage.from('files').upload('a.txt', 'text')).error, null)
  assert.equal((await client.storage.from('files').list()).error, null)
  assert.equal((await client.storage.from('files').remove(['a.txt'])).error, null)

  const channel = client.channel('room', { config: { private: true } })
  const joined = await new Promise((done) => channel.subscribe((status) => status !== 'CLOSED' && done(status)))
  assert.equal(joined, 'SUBSCRIBED')
  assert.equal(await channel.send({ type: 'broadcast', event: 'hello', payload: {} }), 'ok')
  await client.removeAllChannels()

  for (const question of [['GET', '/rest/v1/overview'], ['GET', '/rest/v1/notes'], ['POST', '/rest/v1/notes', '--body', '{"id":3}'], ['JOIN', 'room']])
    for (const who of ['anon', id, 'postgres']) {
      const asked = spawnSync(binary, ['why', ...question, '--as', who, '--project', server.project, '--data', server.data])
      assert.equal(asked.status, 0, `${question} as ${who}: ${asked.stderr}`)
    }
  assert.equal((await client.auth.signOut()).error, null)
  assert.equal((await admin.auth.admin.deleteUser(id)).error, null)

  const expected = ['migration', 'seed', 'job', 'view', 'auth.users', 'auth.sessions', 'auth.refresh_tokens', 'storage.objects',
    'policy on realtime.messages', 'policy on storage.objects', 'policy on public.notes', 'cron.job_run_details']
  const missing = () => expected.filter((place) => !probes().some((seen) => seen.place === place))
  for (let tries = 0; tries < 100 && missing().length > 0; tries++) await sleep(100)
  assert.deepEqual(missing(), [])
  const logins = new Map(probes().map(({ place, user, superuser }) => [`${place} by ${user}`, superuser]))
  assert.deepEqual([...logins].filter(([, superuser]) => superuser === 'on'), [])
  // The SQL does not run in a session of the server's own role either. That role can write to schema cloch.
  const users = new Set(probes().map(({ user }) => user))
  assert.deepEqual([...users].sort(), ['authenticator', 'postgres', 'supabase_auth_admin', 'supabase_read_only_user'])
})
