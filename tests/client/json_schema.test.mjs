/**
 * Cloch's stand-in for pg_jsonschema (SQL that is used if the extension is missing). Its results for generated schemas and values are compared
 * with those of the Python package jsonschema (tests/clients/python/json_schema_cases.py). Then tests properties that this package does not
 * define: messages, limits, references, regular expressions.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import pg from 'pg'

import { makeProject, removePlace, sleep, start } from '../support/program.mjs'

const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'
const hasPackage = spawnSync(python, ['-c', 'import jsonschema']).status === 0
const SEED = 20261128
const SCHEMAS = 200

let place, server, client, isReal

before(async () => {
  place = await makeProject({ from: null })
  server = await start(place)
  client = new pg.Client({ connectionString: server.keys.DB_URL })
  await client.connect()
  await client.query('create extension if not exists pg_jsonschema with schema extensions')
  isReal = (await one("select extversion <> 'stand-in' from pg_extension where extname = 'pg_jsonschema'")) === true
})
after(async () => {
  await client?.end()
  await server?.stop()
  removePlace(place)
})

/** Returns the only value in the result of a statement. */
async function one(statement, values) {
  const { rows } = await client.query(statement, values)
  return Object.values(rows[0])[0]
}
const matches = (schema, value) => one('select jsonb_matches_schema($1, $2)', [JSON.stringify(schema), JSON.stringify(value)])
const errors = (schema, value) => one('select jsonschema_validation_errors($1, $2)', [JSON.stringify(schema), JSON.stringify(value)])

test('generated schemas and values: the results equal those of the Python package jsonschema', { skip: hasPackage ? false : 'the Python package jsonschema is not installed' }, async () => {
  const program = join(import.meta.dirname, '../clients/python/json_schema_cases.py')
  const { status, stdout, stderr } = spawnSync(python, [program, String(SEED), String(SCHEMAS)], { encoding: 'utf8', maxBuffer: 1 << 28 })
  assert.equal(status, 0, stderr)
  const different = []
  const counts = { valid: 0, invalid: 0, matching: 0, other: 0 }
  for (const { schema, isValid, cases } of stdout.trim().split('\n').map((line) => JSON.parse(line))) {
    counts[isValid ? 'valid' : 'invalid'] += 1
    if ((await one('select jsonschema_is_valid($1)', [JSON.stringify(schema)])) !== isValid) different.push({ schema, isValid })
    for (const { value, matches: expected } of cases) {
      counts[expected ? 'matching' : 'other'] += 1
      if ((await matches(schema, value)) !== expected) different.push({ schema, value, expected })
      else if (((await errors(schema, value)).length === 0) !== expected) different.push({ schema, value, expected, of: 'errors' })
    }
  }
  assert.deepEqual(different, [])
  assert.ok(Object.values(counts).every((count) => count > 20), JSON.stringify(counts))
})

test('the functions have the properties of the extension', async () => {
  const { rows } = await client.query(
    `select oid::regprocedure::text as name, proargnames as arguments, prorettype::regtype::text as type, provolatile, proisstrict, proparallel, prosecdef
       from pg_proc where pronamespace = 'extensions'::regnamespace
        and proname in ('json_matches_schema', 'jsonb_matches_schema', 'jsonschema_is_valid', 'jsonschema_validation_errors') order by 1`,
  )
  const same = { provolatile: 'i', proisstrict: true, proparallel: 's', prosecdef: false }
  assert.deepEqual(rows, [
    { name: 'json_matches_schema(json,json)', arguments: ['schema', 'instance'], type: 'boolean', ...same },
    { name: 'jsonb_matches_schema(json,jsonb)', arguments: ['schema', 'instance'], type: 'boolean', ...same },
    { name: 'jsonschema_is_valid(json)', arguments: ['schema'], type: 'boolean', ...same },
    { name: 'jsonschema_validation_errors(json,json)', arguments: ['schema', 'instance'], type: 'text[]', ...same },
  ])
})

test('messages equal those of the extension', async () => {
  const schema = { type: 'object', properties: { foo: { type: 'string' }, bar: { type: 'number' }, baz: { type: 'boolean' } } }
  assert.deepEqual(await errors(schema, { foo: 1, bar: [], baz: '1' }), ['[] is not of type "number"', '"1" is not of type "boolean"', '1 is not of type "string"'])
  assert.deepEqual(await errors({ maxLength: 4 }, '123456789'), ['"123456789" is longer than 4 characters'])
  assert.deepEqual(await errors({ maxLength: 4 }, 'foo'), [])
  assert.deepEqual(await errors({ additionalProperties: false, required: ['c'] }, { b: 1, a: { y: 1, x: 2 } }), [
    '"c" is a required property', "Additional properties are not allowed ('a', 'b' were unexpected)",
  ])
  assert.deepEqual(await errors({ enum: [1, 'a', null, true] }, { b: 1, a: [] }), ['{"a":[],"b":1} is not one of 1, "a" or 2 other candidates'])
})

test('a check constraint uses it with the rights of every role', async () => {
  const schema = JSON.stringify({ type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } })
  await client.query(`create table public.documents (body jsonb check (extensions.jsonb_matches_schema(schema := '${schema}', instance := body)));
    alter table public.documents enable row level security; create policy anyone on public.documents for insert with check (true);
    grant insert on public.documents to anon`)
  const insert = (body) => fetch(`${server.url}/rest/v1/documents`, {
    method: 'POST', headers: { apikey: server.anonKey, 'content-type': 'application/json', prefer: 'return=minimal' }, body: JSON.stringify({ body }),
  })
  // The API needs a moment to load the new table.
  let status
  for (let tries = 0; tries < 100 && status !== 201; tries += 1) {
    if (tries > 0) await sleep(100)
    status = (await insert({ name: 'x' })).status
  }
  assert.equal(status, 201)
  const refused = await insert({ name: '' })
  assert.deepEqual([refused.status, (await refused.json()).code], [400, '23514'])
})

test('an invalid schema is refused', async () => {
  await assert.rejects(matches({ type: 'obj' }, 1), /Invalid schema/)
  assert.equal(await one('select jsonschema_is_valid($1)', ['{"$schema": "invalid-uri", "type": "string"}']), false)
  assert.equal((await errors({ enum: 1 }, 'anything')).length, 1)
})

test('references: only within the schema, with limited depth', async (context) => {
  const tree = { $id: 'https://example.org/tree', $defs: { n: { $anchor: 'n', type: 'integer' } }, properties: { value: { $ref: '#n' }, next: { $ref: 'tree' } } }
  assert.equal(await matches(tree, { value: 1, next: { value: 2, next: { value: 3 } } }), true)
  assert.equal(await matches(tree, { value: 1, next: { value: 2, next: { value: 'x' } } }), false)
  if (isReal) return context.skip('the messages of the stand-in; the extension is installed')
  await assert.rejects(matches({ $ref: 'https://example.org/other.json' }, 1), /unresolvable reference "https:\/\/example.org\/other.json"/)
  await assert.rejects(matches({ $ref: '#/nowhere' }, 1), /unresolvable reference "#\/nowhere"/)
  await assert.rejects(matches({ $ref: '#' }, 1), /more than 100 nested schemas/)
  const nested = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  assert.equal(await matches({ items: { $ref: '#' } }, nested(40)), true)
  await assert.rejects(matches({ items: { $ref: '#' } }, nested(60)), /more than 100 nested schemas/)
})

test('patterns have the meaning of ECMA-262', async (context) => {
  for (const [pattern, text, expected] of [
    ['^\\w+$', 'é', false], ['^\\d$', '٣', false], ['^\\s$', '\u00a0', true], ['^[\\w-.]+$', 'a-b.c', true], ['^.$', '\n', false], ['^[\\s\\S]$', '\n', true],
    ['^a{300}$', 'a'.repeat(300), true], ['^a{300}$', 'a'.repeat(299), false], ['^(?:ab){2,600}$', 'ab'.repeat(600), true], ['^a{0,500}$', 'a'.repeat(501), false],
    ['^a{256,}$', 'a'.repeat(255), false], ['\\bfoo\\b', 'a foo b', true], ['\\bfoo\\b', 'afoo', false], ['^(?=.*\\d)(?!.*x)', 'ab1', true], ['^(?=.*\\d)(?!.*x)', 'x1', false],
    ['^(?<year>[0-9]{4})$', '2026', true], ['^\\u00e9$', 'é', true], ['^\\x41$', 'A', true], ['[[]', '[', true], ['^\\/$', '/', true], ['(a)\\1', 'aa', true], ['^[^]$', '\n', true],
  ]) {
    assert.equal(await matches({ pattern }, text), expected, `${pattern} ${JSON.stringify(text)}`)
  }
  if (isReal) return context.skip('the messages of the stand-in; the extension is installed')
  for (const pattern of ['(', 'a)', '[', '*', 'a**', 'a{2,1}', '\\']) await assert.rejects(matches({ pattern }, 'x'), /invalid pattern/, pattern)
  await assert.rejects(matches({ pattern: '^\\p{L}$' }, 'x'), /not supported by the stand-in/)
  await assert.rejects(matches({ pattern: 'a{99999}' }, 'x'), /repeats more than/)
})
