/** Private channels: a new token with fewer permissions, and the order of broadcasts from the database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import pg from 'pg'

import { openSocket } from '../support/bare_socket.mjs'
import { startProject } from '../support/program.mjs'
import { signToken } from '../support/tokens.mjs'
import { until } from '../support/until.mjs'

const migration = `
create function public.may(what text) returns boolean language sql stable as
  $$ select coalesce(auth.jwt() -> 'may' ? what, false) $$;
create policy "Reads what the token names" on realtime.messages for select to authenticated using (public.may(extension));
create policy "All but one event" on realtime.messages for select to authenticated using (realtime.topic() = 'events' and event <> 'secret');
create policy "Writes" on realtime.messages for insert to authenticated with check (true);
create table public.rows (id int primary key, v text);
create function public.tell() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.broadcast_changes('rows', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
  return null;
end $$;
create trigger tell after insert or update or delete on public.rows for each row execute function public.tell();
`

let cloch
let database
const open = []
before(async () => {
  cloch = await startProject({ from: null, files: { 'migrations/1_private.sql': migration } })
  database = new pg.Client({ connectionString: cloch.keys.DB_URL })
  await database.connect()
})
after(async () => {
  for (const socket of open) socket.close()
  await database?.end()
  await cloch?.remove()
})

/** Returns a token of a user who may read these kinds of messages. */
function token(...may) {
  const sub = '0f8fad5b-d9cb-469f-a165-000000000001'
  return signToken(cloch.keys.JWT_SECRET, { sub, role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 3600, may })
}

/** Joins a private channel. `of` lists the payloads of an event. */
async function joined(name, access_token, config = {}) {
  const { socket, heard, ask, send } = await openSocket(cloch)
  open.push(socket)
  const topic = `realtime:${name}`
  const reply = await ask(topic, 'phx_join', { config: { private: true, ...config }, access_token })
  assert.equal(reply.status, 'ok', JSON.stringify(reply))
  return {
    of: (event) => heard.filter((frame) => frame[3] === event).map((frame) => frame[4]),
    renew: (next) => send(topic, 'access_token', { access_token: next }),
    track: (payload) => ask(topic, 'presence', { type: 'presence', event: 'track', payload }),
  }
}

const here = (key) => ({ presence: { enabled: true, key } })

for (const lost of ['presence', 'broadcast']) {
  test(`a new token that may not read ${lost} closes the channel`, async () => {
    const kinds = ['presence', 'broadcast']
    const one = await joined(`loses-${lost}`, token(...kinds), here('one'))
    const other = await joined(`loses-${lost}`, token(...kinds), here('other'))
    one.renew(token(...kinds.filter((kind) => kind !== lost)))
    await until(() => one.of('phx_close').length, 'the end of the channel')
    assert.match(one.of('system').at(-1).message, /no longer have permission to read from this Channel topic: loses-/)
    assert.equal((await other.track({ secret: 1 })).status, 'ok')
    await until(() => other.of('presence_diff').length, 'the presence')
    assert.deepEqual(one.of('presence_diff'), [])
  })
}

test('a policy cannot let in to some events of a channel, and lets in to none', async () => {
  const { socket, ask } = await openSocket(cloch)
  open.push(socket)
  const reply = await ask('realtime:events', 'phx_join', { config: { private: true }, access_token: token() })
  assert.match(reply.response.reason, /^Unauthorized/)
})

test('a new token that may read presence gets the present members', async () => {
  const boss = await joined('gains', token('presence', 'broadcast'), here('boss'))
  assert.equal((await boss.track({ n: 1 })).status, 'ok')
  const late = await joined('gains', token('broadcast'), here('late'))
  late.renew(token('presence', 'broadcast'))
  const [state] = await until(() => late.of('presence_state').length && late.of('presence_state'), 'the presence')
  assert.deepEqual(state.boss.metas.map(({ n }) => n), [1])
  assert.equal((await boss.track({ n: 2 })).status, 'ok')
  await until(() => late.of('presence_diff').length, 'the change')
})

test('messages of one transaction are replayed in order, and a limit keeps the newest', async () => {
  await database.query(`begin; set local time zone 'Pacific/Auckland';
    select realtime.send(jsonb_build_object('n', n), 'counted', 'order') from generate_series(1, 40) as n; commit`)
  for (const [limit, first] of [[2, 39], [undefined, 16]]) {
    const one = await joined('order', token('broadcast'), { broadcast: { replay: { since: Date.now() - 60_000, limit } } })
    await until(() => one.of('broadcast').length >= 41 - first, 'the repetition')
    assert.deepEqual(one.of('broadcast').map(({ payload }) => payload.n), Array.from({ length: 41 - first }, (_, n) => first + n))
  }
})

test('a trigger sends the row before and after the change, and no unknown operation', async () => {
  const one = await joined('rows', token('broadcast'))
  await database.query(`insert into public.rows values (1, 'a'); update public.rows set v = 'b'; delete from public.rows`)
  await until(() => one.of('broadcast').length === 3, 'the changes')
  assert.deepEqual(one.of('broadcast').map(({ payload }) => [payload.operation, payload.record?.v, payload.old_record?.v]),
    [['INSERT', 'a', undefined], ['UPDATE', 'b', 'a'], ['DELETE', undefined, 'b']])
  const sent = (operation, level) => database.query(`do $$ declare r public.rows;
    begin perform realtime.broadcast_changes('rows', 'e', ${operation}, 'rows', 'public', r, r, '${level}'); end $$`)
  for (const operation of ["'TRUNCATE'", 'null']) {
    await assert.rejects(sent(operation, 'ROW'), /Failed to process the row: Unexpected operation type: (TRUNCATE|<NULL>)/)
  }
  await assert.rejects(sent("'INSERT'", 'STATEMENT'), /Failed to process the row: function can only be triggered for each row/)
  const warnings = []
  database.on('notice', ({ message }) => warnings.push(message))
  await database.query(`select realtime.send('[1]', 'e', 'rows')`)
  assert.match(warnings.join(), /^WarnSendingBroadcastMessage: /)
})
