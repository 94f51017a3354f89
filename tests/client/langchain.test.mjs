/**
 * LangChain's SupabaseVectorStore, unmodified. Its packages are installed for this run only. As dependencies of the tests, they would add a hundred
 * packages, and older versions of packages that other suites use.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient } from '@supabase/supabase-js'

import { checkTable } from '../clients/document.mjs'
import { startProject } from '../support/program.mjs'
import { similarity, vectorOf } from '../support/word_vectors.mjs'

const community = '1.1.29'
const packages = [`@langchain/community@${community}`, '@langchain/core@1.4.0']
const dimensions = 64
/** The table and the function from LangChain's documentation, with an owner and row-level security. */
const schema = `
create extension if not exists vector;
create table documents (
  id bigserial primary key,
  content text,
  metadata jsonb,
  embedding vector(${dimensions}),
  owner uuid default auth.uid()
);
alter table documents enable row level security;
create policy "own documents" on documents for all to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
create function match_documents (
  query_embedding vector(${dimensions}),
  match_count int DEFAULT null,
  filter jsonb DEFAULT '{}'
) returns table (
  id bigint,
  content text,
  metadata jsonb,
  embedding jsonb,
  similarity float
)
language plpgsql
as $$
#variable_conflict use_column
begin
  return query
  select
    id,
    content,
    metadata,
    (embedding::text)::jsonb as embedding,
    1 - (documents.embedding <=> query_embedding) as similarity
  from documents
  where metadata @> filter
  order by documents.embedding <=> query_embedding
  limit match_count;
end;
$$;
`
const texts = [
  ['The ferry leaves the pier at nine', { place: 'pier', year: 2019, tags: ['boat'] }],
  ['The ferry returns to the pier at noon', { place: 'pier', year: 2021, tags: ['boat', 'noon'] }],
  ['Lamp oil is sold beside the lighthouse', { place: 'lighthouse', year: 2021, tags: [] }],
  ['The lighthouse keeper paints "the stairs", in white\\blue', { place: 'lighthouse', year: 2023, tags: ['paint'] }],
  ['Ünterwegs: a poem about nothing', {}],
]
const embeddings = { embedQuery: async (text) => vectorOf(text, dimensions), embedDocuments: async (all) => all.map((text) => vectorOf(text, dimensions)) }
const results = []
let folder, cloch, langchain
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloch-langchain-'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  // The peer dependencies include the clients of all other vector stores. Therefore npm must not install them.
  execFileSync('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...packages], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 })
  const require = createRequire(join(folder, 'package.json'))
  langchain = await import(pathToFileURL(require.resolve('@langchain/community/vectorstores/supabase')))
  cloch = await startProject({ from: null, files: { 'migrations/20260102000000_documents.sql': schema } })
})
after(async () => {
  await cloch?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const documents = texts.map(([pageContent, metadata]) => ({ pageContent, metadata }))
const contents = (found) => found.map(({ pageContent }) => pageContent)
/** Returns the texts, sorted by their similarity to the question. */
const nearest = (question) => {
  const to = ([text]) => similarity(vectorOf(text, dimensions), vectorOf(question, dimensions))
  return texts.toSorted((one, other) => to(other) - to(one))
}

/** Creates a user, and returns a vector store with the user's privileges. */
async function storeOf(name, options = {}) {
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  const { error } = await client.auth.signUp({ email: `${name}@example.org`, password: 'a long password' })
  assert.equal(error, null)
  return new langchain.SupabaseVectorStore(embeddings, { client, ...options })
}

function scenario(does, run) {
  test(does, async () => {
    await run()
    results.push(does)
  })
}

scenario('addDocuments in batches', async () => {
  const store = await storeOf('batches', { upsertBatchSize: 2 })
  const ids = await store.addDocuments(documents)
  assert.equal(new Set(ids).size, texts.length)
  const { data } = await store.client.from('documents').select('id, content, metadata, embedding').order('id')
  assert.deepEqual(data.map(({ content, metadata }) => [content, metadata]), texts)
  for (const { content, embedding } of data) assert.ok(similarity(JSON.parse(embedding), vectorOf(content, dimensions)) > 0.9999)
  await assert.rejects(store.addVectors([[1, 2, 3]], [documents[0]]), /expected 64 dimensions, not 3/)
})

scenario('similaritySearch', async () => {
  const store = await storeOf('search')
  await store.addDocuments(documents)
  for (const question of ['When does the ferry leave?', 'Who is the keeper of the lighthouse?']) {
    const expected = nearest(question)
    assert.equal((await store.similaritySearch(question, 1))[0].pageContent, expected[0][0])
    const scored = await store.similaritySearchWithScore(question, texts.length)
    assert.equal(scored.length, texts.length)
    for (const [index, [document, score]] of scored.entries()) {
      const own = similarity(vectorOf(document.pageContent, dimensions), vectorOf(question, dimensions))
      const wanted = similarity(vectorOf(expected[index][0], dimensions), vectorOf(question, dimensions))
      assert.ok(Math.abs(score - own) < 1e-5 && Math.abs(score - wanted) < 1e-5, `${question}: ${document.pageContent}`)
      assert.deepEqual(document.metadata, texts.find(([text]) => text === document.pageContent)[1])
    }
  }
})

scenario('filters by metadata, as objects and functions', async () => {
  const store = await storeOf('filters')
  await store.addDocuments(documents)
  const question = 'the ferry at the lighthouse'
  const matching = (isWanted) => contents(nearest(question).filter(([, metadata]) => isWanted(metadata)).map(([pageContent]) => ({ pageContent }))).toSorted()
  const search = async (filter, k = 10) => contents(await store.similaritySearch(question, k, filter)).toSorted()
  assert.deepEqual(await search({ place: 'pier' }), matching(({ place }) => place === 'pier'))
  assert.deepEqual(await search({ place: 'lighthouse', year: 2021 }), matching(({ place, year }) => place === 'lighthouse' && year === 2021))
  assert.deepEqual(await search({ tags: ['boat'] }), matching(({ tags = [] }) => tags.includes('boat')))
  assert.deepEqual(await search({ place: 'nowhere' }), [])
  assert.deepEqual(await search((rpc) => rpc.filter('metadata->year', 'gt', 2020).filter('metadata->>place', 'eq', 'pier')), matching(({ place, year }) => place === 'pier' && year > 2020))
  assert.deepEqual(await search((rpc) => rpc.or('metadata->>place.eq.pier,metadata->year.gte.2023')), matching(({ place, year }) => place === 'pier' || year >= 2023))
  assert.deepEqual(await search((rpc) => rpc.textSearch('content', "'ferry' & 'noon'", { config: 'english' })), [texts[1][0]])
  assert.equal((await search((rpc) => rpc.not('metadata->place', 'is', null), 2)).length, 2, 'limit')
})

scenario('addDocuments with ids (replaces), and delete', async () => {
  const store = await storeOf('ids')
  const ids = await store.addDocuments(documents)
  assert.deepEqual(await store.addDocuments([{ pageContent: 'A seal sleeps on the slipway', metadata: { place: 'slipway' } }], { ids: [ids[0]] }), [ids[0]])
  assert.equal((await store.similaritySearch('seal on the slipway', 1))[0].metadata.place, 'slipway')
  await store.delete({ ids: ids.slice(0, 2) })
  const left = contents(await store.similaritySearch('the ferry', 10)).toSorted()
  assert.deepEqual(left, texts.slice(2).map(([text]) => text).toSorted())
})

scenario('retrievers by similarity and by marginal relevance', async () => {
  const store = await storeOf('retrievers')
  await store.addDocuments(documents)
  const question = 'the ferry at the pier'
  assert.deepEqual(contents(await store.asRetriever(2).invoke(question)).toSorted(), texts.slice(0, 2).map(([text]) => text).toSorted())
  // The second passage about a ferry is similar to the first one, so MMR selects a different text in its place.
  const mmr = store.asRetriever({ searchType: 'mmr', k: 2, searchKwargs: { fetchK: 5, lambda: 0 } })
  const diverse = contents(await mmr.invoke(question))
  assert.equal(diverse[0], nearest(question)[0][0])
  assert.ok(!texts.slice(0, 2).some(([text]) => text === diverse[1]), diverse[1])
})

scenario('row-level security with the session of a user', async () => {
  const [anne, ben] = [await storeOf('anne'), await storeOf('ben')]
  const ids = await anne.addDocuments(documents)
  assert.deepEqual(await ben.similaritySearch('the ferry at the pier', 10), [])
  await ben.delete({ ids })
  await assert.rejects(ben.addDocuments([documents[2]], { ids: [ids[0]] }), /row-level security/)
  assert.equal((await anne.similaritySearch('the ferry at the pier', 10)).length, texts.length)
  const visitor = new langchain.SupabaseVectorStore(embeddings, { client: createClient(cloch.url, cloch.anonKey) })
  assert.deepEqual(await visitor.similaritySearch('the ferry at the pier', 10), [])
  await assert.rejects(visitor.addDocuments([documents[0]]), /row-level security/)
})

test('docs/clients.md shows the scenarios that ran', () => {
  checkTable('langchain', ['package', 'what works'], [[`\`@langchain/community\` ${community}`, `SupabaseVectorStore: ${results.join('; ')}`]])
})
