/**
 * Vector buckets through the unmodified client: every endpoint and its refusals. Searches of generated vectors are compared with an exact computation
 * (tests/support/vector_oracle.mjs). If pgvector is installed, PostgreSQL computes the distances with it.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'
import pg from 'pg'

import { binary, makeProject, removePlace, start } from '../support/program.mjs'
import { generator, matches, nearest, randomFilter, randomMetadata } from '../support/vector_oracle.mjs'

const SEED = Number(process.env.CLOCH_ORACLE_SEED ?? 20261128)
const random = generator(SEED)
const DIMENSION = 24

const files = { 'migrations/20260101000000_vector.sql': 'create extension if not exists vector;' }

let place, cloch, vectors

before(async () => {
  // Runs with pgvector if it is installed, otherwise with Cloch's stand-in (SQL with the same types).
  place = await makeProject({ from: null, files })
  cloch = await start(place)
  vectors = client(cloch.serviceKey)
})
after(() => cloch?.remove())

/** The error code of the last refusal. This version of the client does not expose it. */
let lastCode
const recording = async (...request) => {
  const answer = await fetch(...request)
  if (!answer.ok) lastCode = (await answer.clone().json()).code
  return answer
}
const client = (key) => createClient(cloch.url, key, { auth: { persistSession: false }, global: { fetch: recording } }).storage.vectors
const done = ({ data, error }) => {
  assert.equal(error, null, error?.message)
  return data
}
/** Checks the HTTP status, the code and the text of a refusal. */
const refused = ({ data, error }, status, code, message) => {
  assert.equal(data, null)
  assert.deepEqual([error.name, error.status, error.statusCode, lastCode], ['StorageVectorsApiError', status, String(status), code], error.message)
  if (message !== undefined) assert.match(error.message, message)
}
/** Calls an endpoint with a body that the client would not send. */
const call = async (endpoint, body, key = cloch.serviceKey, method = 'POST') => {
  const headers = { 'content-type': 'application/json', ...(key && { apikey: key, authorization: `Bearer ${key}` }) }
  const answer = await fetch(`${cloch.url}/storage/v1/vector/${endpoint}`, { method, headers, body: method === 'POST' ? JSON.stringify(body) : undefined })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
const index = { indexName: 'docs', dataType: 'float32', dimension: DIMENSION, distanceMetric: 'cosine' }
const isNow = (seconds) => Number.isInteger(seconds) && Math.abs(seconds - Date.now() / 1000) < 600

/** Creates a bucket with an index. Returns the scope of its vectors. */
async function scope(bucket, options = {}) {
  done(await vectors.createBucket(bucket))
  done(await vectors.from(bucket).createIndex({ ...index, ...options }))
  return vectors.from(bucket).index('docs')
}

test('a bucket is created, shown, listed and deleted', async () => {
  assert.deepEqual(done(await vectors.createBucket('life')), {})
  refused(await vectors.createBucket('life'), 409, 'ConflictException', /^vector bucket "life" already exists$/)
  const { vectorBucket } = done(await vectors.getBucket('life'))
  assert.equal(vectorBucket.vectorBucketName, 'life')
  assert.ok(isNow(vectorBucket.creationTime))
  refused(await vectors.getBucket('death'), 404, 'NotFoundException', /^resource "death" not found$/)
  for (const name of ['page-b', 'page-a', 'page_c', 'other']) done(await vectors.createBucket(name))
  const first = done(await vectors.listBuckets({ prefix: 'page', maxResults: 2 }))
  assert.deepEqual(first.vectorBuckets.map(({ vectorBucketName }) => vectorBucketName), ['page-a', 'page-b'])
  const second = done(await vectors.listBuckets({ prefix: 'page', maxResults: 2, nextToken: first.nextToken }))
  assert.deepEqual([second.vectorBuckets.map(({ vectorBucketName }) => vectorBucketName), second.nextToken], [['page_c'], undefined])
  // The server compares a prefix literally, not as a pattern.
  assert.deepEqual(done(await vectors.listBuckets({ prefix: 'page_' })).vectorBuckets.map(({ vectorBucketName }) => vectorBucketName), ['page_c'])
  done(await vectors.from('life').createIndex(index))
  refused(await vectors.deleteBucket('life'), 400, 'VectorBucketNotEmpty', /^Vector Bucket "life" not empty$/)
  done(await vectors.from('life').deleteIndex('docs'))
  assert.deepEqual(done(await vectors.deleteBucket('life')), {})
  done(await vectors.deleteBucket('life'))
  refused(await vectors.getBucket('life'), 404, 'NotFoundException')
})

test('an index is created, shown, listed and deleted', async () => {
  done(await vectors.createBucket('indexes'))
  const bucket = vectors.from('indexes')
  const metadataConfiguration = { nonFilterableMetadataKeys: ['text', 'url'] }
  assert.deepEqual(done(await bucket.createIndex({ ...index, distanceMetric: 'euclidean', metadataConfiguration })), {})
  refused(await bucket.createIndex(index), 409, 'ConflictException', /^vector index "docs" already exists$/)
  refused(await vectors.from('nowhere').createIndex(index), 404, 'NotFoundException', /^resource "nowhere" not found$/)
  const { index: shown } = done(await bucket.getIndex('docs'))
  assert.ok(isNow(shown.creationTime))
  delete shown.creationTime
  assert.deepEqual(shown, { ...index, distanceMetric: 'euclidean', metadataConfiguration, vectorBucketName: 'indexes' })
  done(await bucket.createIndex({ ...index, indexName: 'plain' }))
  assert.equal(done(await bucket.getIndex('plain')).index.metadataConfiguration, null)
  const first = done(await bucket.listIndexes({ maxResults: 1 }))
  assert.deepEqual([first.indexes[0].indexName, first.indexes[0].vectorBucketName], ['docs', 'indexes'])
  const second = done(await bucket.listIndexes({ maxResults: 1, nextToken: first.nextToken }))
  assert.deepEqual([second.indexes.map(({ indexName }) => indexName), second.nextToken], [['plain'], undefined])
  assert.deepEqual(done(await bucket.listIndexes({ prefix: 'pl' })).indexes.length, 1)
  assert.deepEqual(done(await vectors.from('nowhere').listIndexes()).indexes, [])
  done(await bucket.deleteIndex('docs'))
  refused(await bucket.deleteIndex('docs'), 404, 'NotFoundException', /^resource "docs" not found$/)
  refused(await bucket.getIndex('docs'), 404, 'NotFoundException')
  for (const [options, message] of [
    [{ indexName: 'Ab' }, /^body\/indexName must NOT have fewer than 3 characters$/],
    [{ indexName: 'a_b' }, /must match pattern/],
    [{ dimension: 0 }, /^body\/dimension must be >= 1$/],
    [{ dimension: 4097 }, /^body\/dimension must be <= 4096$/],
    [{ dimension: '3' }, /^body\/dimension must be integer$/],
    [{ distanceMetric: 'dotproduct' }, /^body\/distanceMetric must be equal to one of the allowed values$/],
    [{ dataType: undefined }, /^body must have required property 'dataType'$/],
    [{ metadataConfiguration: {} }, /required property 'nonFilterableMetadataKeys'/],
    [{ metadataConfiguration: { nonFilterableMetadataKeys: ['a', 'a'] } }, /must NOT have duplicate items/],
  ]) {
    refused(await bucket.createIndex({ ...index, indexName: 'other', ...options }), 400, 'InvalidRequest', message)
  }
})

test('vectors are written, replaced, read and deleted', async () => {
  const docs = await scope('written', { dimension: 3 })
  const first = { key: 'a', data: { float32: [0.1, -2, 3e-8] }, metadata: { title: 'Über', tags: ['x', 1, true] } }
  assert.deepEqual(done(await docs.putVectors({ vectors: [first, { key: 'b', data: { float32: [1, 2, 3] } }] })), {})
  const read = async (keys, options) => done(await docs.getVectors({ keys, ...options })).vectors
  assert.deepEqual(await read(['b', 'nobody', 'a']), [{ key: 'a' }, { key: 'b' }])
  assert.deepEqual(await read(['a'], { returnData: true, returnMetadata: true }), [first])
  assert.deepEqual(await read(['b'], { returnMetadata: true }), [{ key: 'b', metadata: {} }])
  const second = { key: 'a', data: { float32: [7, 8, 9] }, metadata: { other: 1 } }
  done(await docs.putVectors({ vectors: [second] }))
  assert.deepEqual(await read(['a'], { returnData: true, returnMetadata: true }), [second])
  assert.deepEqual(done(await docs.deleteVectors({ keys: ['a', 'nobody'] })), {})
  assert.deepEqual(await read(['a', 'b']), [{ key: 'b' }])
  // An index that is deleted and created again with the same name is a new index.
  done(await vectors.from('written').deleteIndex('docs'))
  refused(await docs.getVectors({ keys: ['b'] }), 404, 'NotFoundException', /^resource "docs" not found$/)
  done(await vectors.from('written').createIndex({ ...index, dimension: 3 }))
  assert.deepEqual(await read(['b']), [])
})

test('invalid vectors are refused, and no vector of the request is written', async () => {
  const docs = await scope('refused', { dimension: 2, metadataConfiguration: { nonFilterableMetadataKeys: ['text'] } })
  const good = { key: 'good', data: { float32: [1, 2] } }
  for (const [vector, code, message] of [
    [{ key: 'k', data: { float32: [1] } }, 'InvalidParameter', /^Invalid record for key 'k': vector must have length 2, but has length 1$/],
    [{ key: 'k', data: { float32: [1, 1e39] } }, 'InvalidParameter', /outside of the range of float32/],
    [{ ...good }, 'InvalidParameter', /^Request must not contain duplicate keys$/],
    [{ key: '', data: { float32: [1, 2] } }, 'InvalidRequest', /vectors\/1\/key/],
    [{ key: 'x'.repeat(1025), data: { float32: [1, 2] } }, 'InvalidRequest', /from 1 to 1024 characters/],
    [{ key: 'k', data: { float32: ['1', '2'] } }, 'InvalidRequest', /expected f32/],
    [{ key: 'k', data: { float32: [1, 2] }, metadata: { a: { b: 1 } } }, 'InvalidRequest', /vectors\/1\/metadata\/a/],
    [{ key: 'k', data: { float32: [1, 2] }, metadata: { a: 'x'.repeat(2048) } }, 'InvalidParameter', /Filterable metadata must have at most 2048 bytes/],
    [{ key: 'k', data: { float32: [1, 2] }, metadata: { text: 'x'.repeat(40_960) } }, 'InvalidParameter', /Total metadata must have at most 40960 bytes/],
    [{ key: 'k', data: { float32: [1, 2] }, metadata: { a: '\0' } }, 'InvalidParameter', undefined],
    [{ key: 'a\0b', data: { float32: [1, 2] } }, 'InvalidParameter', undefined],
  ]) {
    const answer = await call('PutVectors', { vectorBucketName: 'refused', indexName: 'docs', vectors: [good, vector] })
    assert.deepEqual([answer.status, answer.body.code, answer.body.statusCode], [400, code, '400'], JSON.stringify(answer.body))
    if (message) assert.match(answer.body.message, message)
  }
  const many = Array.from({ length: 501 }, (_, number) => ({ key: `${number}`, data: { float32: [1, 2] } }))
  await assert.rejects(docs.putVectors({ vectors: many }), /between 1 and 500/)
  const names = { vectorBucketName: 'refused', indexName: 'docs' }
  for (const [endpoint, body, message] of [
    ['PutVectors', { ...names, vectors: many }, 'body/vectors must NOT have more than 500 items'],
    ['PutVectors', { ...names, vectors: [] }, 'body/vectors must NOT have fewer than 1 items'],
    ['DeleteVectors', { ...names, keys: many.map(({ key }) => key) }, 'body/keys must NOT have more than 500 items'],
    ['GetVectors', { ...names, keys: many.slice(0, 101).map(({ key }) => key) }, 'body/keys must NOT have more than 100 items'],
    ['GetVectors', { ...names, keys: ['a'], returnData: 'true' }, 'body/returnData must be boolean'],
    ['ListVectors', { ...names, maxResults: 1001 }, 'body/maxResults must be <= 1000'],
    ['ListVectors', { ...names, segmentCount: 2 }, 'segmentCount and segmentIndex must be provided together'],
    ['ListVectors', { ...names, segmentCount: 2, segmentIndex: 2 }, 'segmentIndex must be less than segmentCount'],
    ['ListVectorBuckets', [], 'body must be object'],
    ['GetVectorBucket', {}, "body must have required property 'vectorBucketName'"],
  ]) {
    const answer = await call(endpoint, body)
    assert.deepEqual([answer.status, answer.body.message], [400, message], endpoint)
  }
  assert.deepEqual(done(await docs.listVectors()).vectors, [])
  // The largest request: metadata that cannot be used in filters, and 500 vectors with 4096 dimensions.
  done(await docs.putVectors({ vectors: [{ ...good, metadata: { text: 'x'.repeat(40_000) } }] }))
  const largest = await scope('largest', { dimension: 4096 })
  const rows = Array.from({ length: 500 }, (_, number) => ({ key: `${number}`, data: { float32: new Array(4096).fill(number) } }))
  done(await largest.putVectors({ vectors: rows }))
  const [row] = done(await largest.getVectors({ keys: ['499'], returnData: true })).vectors
  assert.deepEqual(row, rows[499])
})

test('vectors are listed by key, in pages and segments', async () => {
  const docs = await scope('listed', { dimension: 1 })
  const all = Array.from({ length: 200 }, (_, number) => ({ key: `Key ${number} ü`, data: { float32: [number / 10] }, metadata: { number } }))
  done(await docs.putVectors({ vectors: all }))
  const byBytes = (a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))
  const listed = async (options) => {
    const rows = []
    let nextToken
    do {
      const page = done(await docs.listVectors({ ...options, nextToken }))
      rows.push(...page.vectors)
      nextToken = page.nextToken
    } while (nextToken)
    return rows
  }
  assert.deepEqual(await listed({ maxResults: 30, returnData: true, returnMetadata: true }), all.toSorted(byBytes))
  assert.deepEqual(await listed({ maxResults: 200 }), all.map(({ key }) => ({ key })).toSorted(byBytes))
  const segments = []
  for (let segmentIndex = 0; segmentIndex < 4; segmentIndex += 1) segments.push(await listed({ segmentCount: 4, segmentIndex, maxResults: 9 }))
  assert.ok(segments.every((segment) => segment.length > 10), `${segments.map(({ length }) => length)}`)
  assert.deepEqual(segments.flat().toSorted(byBytes), all.map(({ key }) => ({ key })).toSorted(byBytes))
})

for (const metric of ['cosine', 'euclidean'])
  test(`searches by ${metric} distance return the same as an exact computation`, async () => {
    const docs = await scope(`exact-${metric}`, { distanceMetric: metric })
    const all = Array.from({ length: 400 }, (_, number) => ({ key: `v${number}`, data: { float32: random.embedding(DIMENSION) }, metadata: { number } }))
    done(await docs.putVectors({ vectors: all }))
    for (let round = 0; round < 40; round += 1) {
      const query = random.below(4) === 0 ? random.one(all).data.float32 : random.embedding(DIMENSION)
      const topK = 1 + random.below(100)
      const filter = random.below(2) === 0 ? { number: { $lt: random.below(400) + 1 } } : undefined
      const found = done(await docs.queryVectors({ queryVector: { float32: query }, topK, filter, returnDistance: true, returnMetadata: true }))
      assert.equal(found.distanceMetric, metric)
      const expected = nearest(all, metric, query, filter)
      assert.equal(found.vectors.length, Math.min(topK, expected.length))
      found.vectors.forEach(({ key, distance, metadata }, place) => {
        const own = expected.find((vector) => vector.key === key)
        assert.deepEqual(metadata, own?.metadata)
        for (const right of [own.distance, expected[place].distance]) {
          assert.ok(Math.abs(distance - right) < 1e-5, `seed ${SEED}, round ${round}, place ${place}: ${distance}, not ${right}`)
        }
      })
    }
    const plain = done(await docs.queryVectors({ queryVector: { float32: all[7].data.float32 }, topK: 1 }))
    assert.deepEqual(plain.vectors, [{ key: 'v7' }])
  })

test('filters select the vectors that their documentation describes', async () => {
  const docs = await scope('filters', { dimension: 2 })
  const all = Array.from({ length: 90 }, (_, number) => ({ key: `${number}`, data: { float32: [number + 1, 1] }, metadata: randomMetadata(random) }))
  done(await docs.putVectors({ vectors: all }))
  const counts = { none: 0, some: 0, all: 0 }
  for (let round = 0; round < 300; round += 1) {
    const filter = randomFilter(random)
    const found = done(await docs.queryVectors({ queryVector: { float32: [1, 0] }, topK: 100, filter })).vectors
    const expected = all.filter(({ metadata }) => matches(filter, metadata))
    assert.deepEqual(new Set(found.map(({ key }) => key)), new Set(expected.map(({ key }) => key)), `seed ${SEED}: ${JSON.stringify(filter)}`)
    counts[expected.length === 0 ? 'none' : expected.length < all.length ? 'some' : 'all'] += 1
  }
  assert.ok(counts.some > 150 && counts.none > 5, JSON.stringify(counts))
})

test('invalid searches are refused', async () => {
  const docs = await scope('searches', { dimension: 2, metadataConfiguration: { nonFilterableMetadataKeys: ['text'] } })
  done(await docs.putVectors({ vectors: [{ key: 'a', data: { float32: [1, 2] }, metadata: { text: 'kept', n: 1 } }, { key: 'zero', data: { float32: [0, 0] } }] }))
  const search = (options) => docs.queryVectors({ queryVector: { float32: [1, 2] }, topK: 5, ...options })
  const { vectors: [first, second] } = done(await search({ returnDistance: true, returnMetadata: true }))
  assert.deepEqual([first.key, first.metadata, Math.abs(first.distance) < 1e-6], ['a', { text: 'kept', n: 1 }, true])
  // A zero vector has no direction, so its distance is undefined. It is the last result.
  assert.deepEqual(second, { key: 'zero', distance: null, metadata: {} })
  for (const [options, code, message] of [
    [{ topK: 0 }, 'InvalidRequest', /topK must be >= 1/],
    [{ topK: 101 }, 'InvalidRequest', /topK must be <= 100/],
    [{ topK: undefined }, 'InvalidRequest', /required property 'topK'/],
    [{ queryVector: { float32: [1] } }, 'InvalidParameter', /^Invalid query vector: vector must have length 2, but has length 1$/],
    [{ queryVector: { float32: ['1', 2] } }, 'InvalidRequest', /float32 must be a list of numbers/],
    [{ other: 1 }, 'InvalidRequest', /^body must NOT have additional properties$/],
    [{ filter: {} }, 'InvalidParameter', /^Filter must contain at least one clause$/],
    [{ filter: { n: { $like: 1 } } }, 'InvalidRequest', /^body\/filter\/n\/\$like/],
    [{ filter: { $or: [] } }, 'InvalidRequest', /^body\/filter\/\$or/],
    [{ filter: { $or: [{ n: 1 }, { text: 'kept' }] } }, 'InvalidParameter', /^Metadata key "text" is configured as non-filterable$/],
    [{ filter: { n: '\0' } }, 'InvalidParameter', undefined],
  ]) {
    refused(await search(options), 400, code, message)
  }
  refused(await vectors.from('searches').index('nowhere').queryVectors({ queryVector: { float32: [1, 2] }, topK: 5 }), 404, 'NotFoundException')
})

test('only the secret key may call the endpoints', async () => {
  refused(await client(cloch.anonKey).listBuckets(), 403, 'AccessDenied', /^Access denied: Invalid role$/)
  refused(await client(cloch.anonKey).from('listed').index('docs').queryVectors({ queryVector: { float32: [1] }, topK: 1 }), 403, 'AccessDenied')
  assert.deepEqual([(await call('ListVectorBuckets', {}, null)).status, (await call('ListVectorBuckets', {}, 'x.y.z')).status], [403, 403])
  assert.equal((await call('Nothing', {})).status, 404)
  assert.equal((await call('ListVectorBuckets', undefined, cloch.serviceKey, 'GET')).status, 404)
})

test('a dump contains the vectors, and truncating the buckets deletes them', async () => {
  const database = new pg.Client({ connectionString: cloch.keys.DB_URL })
  await database.connect()
  const dump = join(place.folder, 'vectors.dump')
  const run = (...words) => spawnSync(binary, [...words, '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 })
  try {
    const dumped = run('db', 'dump', dump)
    assert.equal(dumped.status, 0, dumped.stderr)
    await database.query('truncate storage.buckets_vectors cascade')
    assert.deepEqual(done(await vectors.listBuckets()).vectorBuckets, [])
  } finally {
    await database.end()
  }
  await cloch.stop()
  const restored = run('db', 'restore', dump, '--yes')
  assert.equal(restored.status, 0, restored.stderr)
  cloch = await start(place)
  vectors = client(cloch.serviceKey)
  const found = done(await vectors.from('searches').index('docs').queryVectors({ queryVector: { float32: [1, 2] }, topK: 1, filter: { n: 1 } }))
  assert.deepEqual(found.vectors, [{ key: 'a' }])
})

const psql = (database, query) => execFileSync('psql', ['-X', '-At', '-v', 'ON_ERROR_STOP=1', database, '-c', query], { encoding: 'utf8', maxBuffer: 1 << 28 })
/** All vectors of a database with every bit of their numbers, and the buckets and indexes that contain them. */
const contents = (database) =>
  psql(database, `select b.id, i.name, i.dimension, i.distance_metric, v.key, v.embedding, v.metadata
                   from storage.buckets_vectors as b join storage.vector_indexes as i on i.bucket_id = b.id left join cloch.vectors as v on v.index_id = i.id
                  order by 1, 2, v.key`)

test('an export contains the vectors, and an import from its folder or from the database restores them', async (context) => {
  const before = contents(cloch.keys.DB_URL)
  assert.match(before, /\{1,2\}/)
  const count = Number(psql(cloch.keys.DB_URL, 'select count(*) from cloch.vectors'))
  const folder = join(place.folder, 'moved')
  const run = (words, to, environment = {}) =>
    spawnSync(binary, [...words, '--project', to.project, '--data', to.data], { env: { ...process.env, ...environment }, encoding: 'utf8', timeout: 120_000 })
  const exported = run(['export', '--dir', folder, '--no-files'], place)
  assert.equal(exported.status, 0, exported.stdout + exported.stderr)
  assert.match(exported.stdout, new RegExp(`vectors_data\\.sql contains ${count} vectors`))
  // The dump contains nothing of schema cloch, which Supabase does not have.
  assert.doesNotMatch(readFileSync(join(folder, 'data.sql'), 'utf8'), /"cloch"/)
  for (const [words, environment] of [[['--dir', folder], {}], [[], { CLOCH_IMPORT_FROM: cloch.keys.DB_URL }]]) {
    const target = await makeProject({ from: null, files })
    context.after(() => removePlace(target))
    const imported = run(['import', ...words], target, environment)
    assert.equal(imported.status, 0, imported.stdout + imported.stderr)
    assert.match(imported.stdout, new RegExp(`rows of cloch\\.vectors +${count} +${count}\n`))
    const moved = await start(target)
    try {
      assert.equal(contents(moved.keys.DB_URL), before)
      const found = createClient(moved.url, moved.serviceKey, { auth: { persistSession: false } }).storage.vectors.from('searches').index('docs')
      assert.deepEqual(done(await found.queryVectors({ queryVector: { float32: [1, 2] }, topK: 1, filter: { n: 1 } })).vectors, [{ key: 'a' }])
    } finally {
      await moved.stop()
    }
  }
})
