/** examples/rag: the search finds the nearest passages, and only passages of the caller. If the AI server fails, no data changes. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'

import { startAiServer } from '../support/ai_server.mjs'
import { deno } from '../support/deno.mjs'
import { binary, startProject } from '../support/program.mjs'
import { similarity, vectorOf } from '../support/word_vectors.mjs'

const example = resolve(import.meta.dirname, '../../examples/rag')
const key = 'sk-rag-4c1d7f6e92b3'
const dimensions = 384
const passwordOf = (name) => `the password of ${name}`
const textOf = (title) => readFileSync(join(example, 'texts', title), 'utf8')
let ai, cloch, service
before(async () => {
  ai = await startAiServer({ key, dimensions, embeddingModel: 'all-minilm', chatModel: 'llama3.2' })
  // The values of .env.example, with the URL and the key of this test's AI server.
  const values = readFileSync(join(example, 'supabase/.env.example'), 'utf8')
  const own = values.replace(/^OPENAI_BASE_URL=.*$/m, `OPENAI_BASE_URL=${ai.url}`).replace(/^OPENAI_API_KEY=.*$/m, `OPENAI_API_KEY=${key}`)
  cloch = await startProject({ from: join(example, 'supabase'), files: { '.env': own }, environment: { CLOCH_DENO: deno } })
  cpSync(join(example, 'rag.mjs'), join(cloch.folder, 'rag.mjs'))
  cpSync(join(example, 'texts'), join(cloch.folder, 'texts'), { recursive: true })
  symlinkSync(resolve(import.meta.dirname, '../node_modules'), join(cloch.folder, 'node_modules'))
  service = createClient(cloch.url, cloch.keys.SECRET_KEY)
})
after(async () => {
  await cloch?.remove()
  ai?.close()
})

/** Runs the program of the example as the user with this name. */
async function rag(name, ...words) {
  const child = spawn(process.execPath, ['rag.mjs', `${name}@example.org`, passwordOf(name), ...words], {
    cwd: cloch.folder,
    env: { ...process.env, SUPABASE_URL: cloch.url },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (piece) => (output[name] += piece))
  const status = await new Promise((done) => child.once('close', done))
  return { status, ...output }
}
async function good(name, ...words) {
  const { status, stdout, stderr } = await rag(name, ...words)
  assert.equal(status, 0, stderr)
  return stdout
}
/** Creates a user with an account. Returns the client of this user. */
async function clientOf(name) {
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  const { error } = await client.auth.signInWithPassword({ email: `${name}@example.org`, password: passwordOf(name) })
  assert.equal(error, null)
  return client
}
const data = ({ data: found, error }) => {
  assert.equal(error, null, JSON.stringify(error))
  return found
}
const call = async (client, name, body) => {
  const { data: found, error } = await client.functions.invoke(name, { body })
  return error ? { status: error.context.status, ...(await error.context.json()) } : { status: 200, ...found }
}
/** Returns all stored documents and passages of all users. */
const stored = async () => data(await service.from('documents').select('id, owner, title, added_at, passages(number, body, embedding)').order('id').order('number', { referencedTable: 'passages' }))
const prompts = () => ai.asked.filter(({ path }) => path.endsWith('/chat/completions')).map(({ messages }) => messages.at(-1).content)

test('visitors, wrong requests and a question without documents are refused, and the chat model is not called', async () => {
  const visitor = createClient(cloch.url, cloch.anonKey)
  for (const [name, body] of [['ask', { question: 'ferry?' }], ['documents', { title: 'a', text: 'b' }]]) {
    assert.deepEqual(await call(visitor, name, body), { status: 401, error: 'sign in first' })
  }
  assert.equal((await visitor.rpc('find_passages', { question: vectorOf('ferry', dimensions) })).error.code, '42501')
  assert.equal((await visitor.rpc('add_document', { title: 'a', passages: [] })).error.code, '42501')
  const { status, stderr } = await rag('anne', 'guess', 'a word')
  assert.deepEqual([status, /^usage: /.test(stderr)], [2, true])
  assert.deepEqual(ai.asked, [], 'nothing of this reaches the AI server')

  assert.deepEqual(await rag('anne', 'ask', 'ferry?'), { status: 1, stdout: '', stderr: 'failed: there are no documents: add one first\n' })
  const anne = await clientOf('anne')
  for (const body of [{}, { question: '  ' }, { question: ['x'] }, { question: 'x'.repeat(2001) }]) {
    assert.deepEqual(await call(anne, 'ask', body), { status: 400, error: 'question must be a text of 1 to 2000 characters' })
  }
  assert.match((await call(anne, 'documents', { title: 'a', text: '' })).error, /^text must be/)
  assert.deepEqual([prompts(), await stored()], [[], []])
  assert.match((await rag('anne', 'add', 'no-such-file')).stderr, /^failed: ENOENT: no such file/)
})

test('documents become passages that contain the whole text, with their embeddings', async () => {
  assert.match(await good('anne', 'add', 'texts/ferry.md', 'texts/moorings.md'), /^ferry\.md: \d passages\nmoorings\.md: \d passages\n$/)
  await good('ben', 'add', 'texts/library.md')
  const documents = await stored()
  assert.deepEqual(documents.map(({ title }) => title), ['ferry.md', 'moorings.md', 'library.md'])
  for (const { title, passages } of documents) {
    assert.ok(passages.length >= 2, title)
    const words = (text) => text.split(/\s+/).filter(Boolean)
    assert.deepEqual(words(passages.map(({ body }) => body).join(' ')), words(textOf(title)))
    for (const { body, embedding } of passages) {
      assert.ok(body.length <= 500, body)
      assert.ok(similarity(JSON.parse(embedding), vectorOf(body, dimensions)) > 0.9999, body)
    }
  }
})

test('the nearest passages are found, and the answer is made from them', async () => {
  const anne = await clientOf('anne')
  const passages = data(await anne.from('passages').select('body'))
  for (const [question, answer, title] of [
    ['At what hour is the crossing on Sundays?', /one\s+crossing, at 11:00/, 'ferry.md'],
    ['Where are the showers, and what is the code of the door?', /old lifeboat shed/, 'moorings.md'],
    ['Does a bicycle cost extra?', /£1\.50/, 'ferry.md'],
  ]) {
    const nearest = (text) => similarity(vectorOf(text, dimensions), vectorOf(question, dimensions))
    const expected = passages.map(({ body }) => body).sort((one, other) => nearest(other) - nearest(one))
    const found = await call(anne, 'ask', { question })
    assert.equal(found.status, 200, found.error)
    assert.equal(found.sources.length, 4)
    assert.equal(found.sources[0].title, title)
    assert.equal(found.sources[0].body, expected[0])
    for (const [index, source] of found.sources.entries()) {
      assert.ok(Math.abs(source.similarity - nearest(source.body)) < 1e-5)
      assert.ok(Math.abs(source.similarity - nearest(expected[index])) < 1e-5, `${question}: passage ${index}`)
      assert.ok(prompts().at(-1).includes(source.body), 'the model gets the passage')
    }
    assert.match(found.answer, answer)
    const printed = await good('anne', 'ask', question)
    assert.match(printed, answer)
    assert.match(printed, new RegExp(`^\\[1\\] ${title}, similarity 0\\.\\d\\d$`, 'm'))
  }
})

test("another user's documents are not found, answered, changed or replaced", async () => {
  const [anne, ben] = await Promise.all(['anne', 'ben'].map(clientOf))
  const before = await stored()
  const [ferry] = before
  ai.asked.length = 0
  const found = await call(ben, 'ask', { question: 'At what hour is the crossing on Sundays?' })
  assert.deepEqual([...new Set(found.sources.map(({ title }) => title))], ['library.md'])
  assert.doesNotMatch(found.answer, /11:00/)
  // The prompt to the model contained none of Anne's passages.
  assert.equal(prompts().length, 1)
  for (const { body } of ferry.passages) assert.ok(!prompts()[0].includes(body))
  const exact = data(await ben.rpc('find_passages', { question: ferry.passages[0].embedding, matches: 1000 }))
  assert.deepEqual([...new Set(exact.map(({ title }) => title))], ['library.md'])
  assert.deepEqual(data(await ben.from('documents').select('title')), [{ title: 'library.md' }])
  assert.deepEqual(data(await ben.from('passages').select().eq('document', ferry.id)), [])

  const forged = { document: ferry.id, number: 99, body: 'The ferry is free.', embedding: ferry.passages[0].embedding }
  assert.equal((await ben.from('passages').insert(forged)).error.code, '42501')
  assert.equal((await ben.from('documents').insert({ title: 'x', owner: ferry.owner })).error.code, '42501')
  const [own] = data(await ben.from('passages').select('document, number').limit(1))
  assert.equal((await ben.from('passages').update({ document: ferry.id, number: 98 }).match(own)).error.code, '42501')
  assert.deepEqual(data(await ben.from('documents').delete().eq('id', ferry.id).select()), [])
  assert.equal(await good('ben', 'remove', 'ferry.md'), '0 removed\n')
  assert.deepEqual(await stored(), before)

  // Another user adds a document with the same title. It is a different document.
  assert.equal((await call(ben, 'documents', { title: 'ferry.md', text: 'A poem about a boat.' })).status, 200)
  assert.deepEqual((await stored()).slice(0, before.length), before)
  assert.equal(data(await anne.from('documents').select('title')).length, 2)
  assert.equal(await good('ben', 'remove', 'ferry.md'), '1 removed\n')
})

test('a document that is added again replaces the old one, and removal removes its passages', async () => {
  const anne = await clientOf('anne')
  const added = await call(anne, 'documents', { title: 'notice.md', text: 'The slipway is closed.' })
  const again = await call(anne, 'documents', { title: 'notice.md', text: 'The slipway is open.' })
  assert.deepEqual(again, { ...added, passages: 1 })
  assert.deepEqual(data(await anne.from('passages').select('body').eq('document', added.document)), [{ body: 'The slipway is open.' }])
  await good('anne', 'remove', 'notice.md')
  assert.deepEqual(data(await service.from('passages').select().eq('document', added.document)), [])
})

test('a text that takes several requests to the AI server, with a sentence that is longer than a passage', async () => {
  const sentences = Array.from({ length: 900 }, (_, number) => `Entry ${number} names vessel${number * 7} at berth${number % 13}.`)
  const text = `${sentences.join(' ')}\n\n${'𝄞 long '.repeat(200)}`
  writeFileSync(join(cloch.folder, 'log.md'), text)
  ai.asked.length = 0
  await good('anne', 'add', 'log.md')
  const sizes = ai.asked.map(({ input }) => input.length)
  assert.ok(sizes.length >= 2 && Math.max(...sizes) <= 64, String(sizes))
  const passages = (await stored()).find(({ title }) => title === 'log.md').passages
  assert.equal(passages.length, sizes.reduce((sum, size) => sum + size))
  assert.equal(passages.map(({ body }) => body).join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''))
  for (const { body } of passages) {
    assert.ok(body.length <= 500 && body.isWellFormed(), body)
    assert.match(body, /^(Entry|𝄞|long)/, 'begins with a word')
  }
  const { sources } = await call(await clientOf('anne'), 'ask', { question: `Berths: vessel${776 * 7}, vessel${777 * 7}, vessel${778 * 7}?` })
  assert.match(sources[0].body, /Entry 777 names vessel5439 /)
})

/** Failures of the AI server. If they begin with the second request, which is for the second batch, some embeddings already exist. */
const failures = {
  'an error': (path, response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"overloaded"}}'),
  'an interrupted connection': (path, response) => response.destroy(),
  'a page instead of JSON': (path, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  'an empty answer': (path, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"choices":[]}'),
  'embeddings of another size, and no text': (path, response, { input = [] }) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [input].flat().map((_, index) => ({ index, embedding: [1, 2, 3] })), choices: [{ message: { content: ' ' } }] })),
}
const clear = 'the AI server failed, and nothing was stored. The log of the function shows the reason'
for (const [name, fail] of Object.entries(failures)) {
  test(`an AI server that fails with ${name}: a clear error, and nothing is stored or replaced`, async () => {
    const anne = await clientOf('anne')
    const before = await stored()
    const failsAt = (wanted, number = 1) => {
      let count = 0
      ai.failure = (path, ...rest) => path.endsWith(wanted) && (count += 1) >= number && (fail(path, ...rest), true)
    }
    const add = (title, text) => call(anne, 'documents', { title, text })
    const ask = () => call(anne, 'ask', { question: 'At what hour is the crossing on Sundays?' })
    try {
      failsAt('/embeddings')
      assert.deepEqual(await add('ferry.md', textOf('ferry.md')), { status: 502, error: clear })
      assert.deepEqual(await ask(), { status: 502, error: clear })
      failsAt('/embeddings', 2)
      assert.deepEqual(await add('log.md', readFileSync(join(cloch.folder, 'log.md'), 'utf8')), { status: 502, error: clear })
      failsAt('/chat/completions')
      assert.deepEqual(await ask(), { status: 502, error: clear })
    } finally {
      ai.failure = undefined
    }
    assert.deepEqual(await stored(), before)
    assert.match((await ask()).answer, /11:00/, 'works again')
  })
}

test('the function’s log contains the reason, and neither the log nor the response contains the key', async () => {
  ai.failure = (path, response) => (response.writeHead(401, { 'content-type': 'application/json' }).end(`{"error":{"message":"Incorrect API key provided: ${key.slice(0, 12)}***"}}`), true)
  const refused = await rag('anne', 'ask', 'ferry?')
  ai.failure = undefined
  assert.deepEqual(refused, { status: 1, stdout: '', stderr: `failed: ${clear}\n` })
  const log = execFileSync(binary, ['functions', 'logs', 'ask', '--project', cloch.project, '--data', cloch.data], { encoding: 'utf8' })
  assert.match(log, /the AI server failed: .*answered 500/)
  assert.match(log, /the AI server failed: .*answered 401/)
  assert.match(log, /the embeddings have 3 dimensions, and the table has 384/)
  assert.ok(!log.includes(key))
})
