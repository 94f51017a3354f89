/**
 * The test breaks forty policies, one at a time, and `why` must report the broken policy. To find out the expected result, the test executes the
 * statement itself as the caller and rolls it back. `why` changes nothing: a digest of all rows, sequences and policies stays the same.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { outcomeOf, started } from '../support/why.mjs'

let server
after(() => server?.remove())

const USER = '22222222-2222-4222-8222-222222222222'
const commands = ['select', 'insert', 'update', 'delete']
const tables = Array.from({ length: 10 }, (_, index) => `t${index}`)
const conditions = ['owner = (select auth.uid())', "owner = auth.uid() and body <> ''", "coalesce(owner = auth.uid(), false)", 'owner in (select auth.uid())', "(select auth.jwt() ->> 'sub') = owner::text"]

/** Ways to break a policy. Each has the cause that `why` must report. */
const breaks = [
  ['false', (clause) => `alter policy %p on %t ${clause} (false)`, 'not_permitted'],
  ['unknown', (clause) => `alter policy %p on %t ${clause} (owner = null)`, 'not_permitted'],
  ['an error', (clause) => `alter policy %p on %t ${clause} (1 / (id - id) = 1)`, 'policy_fails'],
  ['for another role', () => 'alter policy %p on %t to service_role', 'no_policy'],
  ['dropped', () => 'drop policy %p on %t', 'no_policy'],
]

test('forty policies, broken one at a time: the explanation names the broken policy', async () => {
  const create = (table, command, index) => {
    const condition = conditions[(index + commands.indexOf(command)) % conditions.length]
    const clauses = { select: `using (${condition})`, insert: `with check (${condition})`, update: `using (${condition}) with check (${condition})`, delete: `using (${condition})` }
    return `create policy "${table} ${command}" on public.${table} for ${command} to authenticated ${clauses[command]}`
  }
  const schema = tables.map(
    (table, index) => `create table public.${table} (id int primary key, owner uuid, body text);
      alter table public.${table} enable row level security;
      grant select, insert, update, delete on public.${table} to authenticated;
      insert into public.${table} values (1, '${USER}', 'own'), (2, null, 'of nobody');
      ${commands.map((command) => create(table, command, index)).join(';\n')};`,
  )
  server = await started({ from: null, files: { 'migrations/20260101000000_tables.sql': schema.join('\n') } })
  const { rows, attempt, why, digest } = server
  const as = { claims: { role: 'authenticated', sub: USER } }
  const questions = {
    select: ['GET', (table) => `/rest/v1/${table}?id=eq.1`, undefined, (table) => `select count(*) from public.${table} where id = 1`],
    insert: ['POST', (table) => `/rest/v1/${table}`, { id: 3, owner: USER, body: 'new' }, (table) => `insert into public.${table} values (3, '${USER}', 'new'); select 1`],
    update: ['PATCH', (table) => `/rest/v1/${table}?id=eq.1`, { body: 'changed' }, (table) => `with w as (update public.${table} set body = 'changed' where id = 1 returning 1) select count(*) from w`],
    delete: ['DELETE', (table) => `/rest/v1/${table}?id=eq.1`, undefined, (table) => `with w as (delete from public.${table} where id = 1 returning 1) select count(*) from w`],
  }
  let broken = 0
  for (const [index, table] of tables.entries()) {
    for (const [place, command] of commands.entries()) {
      const [method, path, body, statement] = questions[command]
      const policy = `${table} ${command}`
      assert.equal((await why(as, method, path(table), body)).outcome, 'allowed', `${policy}, whole`)
      assert.equal(outcomeOf(await attempt(as, statement(table)), 1), 'allowed', `${policy}, whole`)
      const [way, breaking, cause] = breaks[(index + place) % breaks.length]
      const clause = command === 'insert' || (command === 'update' && index % 2 === 1) ? 'with check' : 'using'
      await rows(`${breaking(clause).replace('%p', `"${policy}"`).replace('%t', `public.${table}`)}; select 1`)
      const before = await digest()
      const did = await attempt(as, statement(table))
      const explanation = await why(as, method, path(table), body)
      assert.deepEqual(await digest(), before, `${policy}: asking changed something`)
      const what = `${policy}, ${way}: ${JSON.stringify(did)}; ${JSON.stringify({ ...explanation, facts: undefined })}`
      if (cause === 'policy_fails') {
        assert.match(did.error.message, /division by zero/, what)
        assert.equal(explanation.outcome, 'refused', what)
      } else assert.equal(explanation.outcome, outcomeOf(did, 1), what)
      assert.equal(explanation.cause, cause, what)
      assert.equal(explanation.command, command.toUpperCase(), what)
      if (cause === 'policy_fails') assert.equal(explanation.policy, policy, what)
      if (cause === 'not_permitted') assert.deepEqual([explanation.candidates, explanation.rows[0].would_be_enough], [[policy], [policy]], what)
      await rows(`drop policy if exists "${policy}" on public.${table}; ${create(table, command, index)}; select 1`)
      broken += 1
    }
  }
  assert.equal(broken, 40)
})
