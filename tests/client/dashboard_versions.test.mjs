/** Black-box test of file versions in the dashboard: who may restore versions, a replaced file, a deleted file, and files without versions. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstOperator, invited } from '../support/dashboard.mjs'
import { startProject } from '../support/program.mjs'

const NAME = 'notes/a b?.txt'
const OBJECT = `/objects/${NAME.split('/').map(encodeURIComponent).join('/')}`

let server
let developer
let viewer

const bucket = (path) => `/files/buckets/kept${path}`
const storage = async (method, path, body, type = 'application/json') => {
  const headers = { authorization: `Bearer ${server.serviceKey}`, 'content-type': type, 'x-upsert': 'true' }
  const answer = await fetch(`${server.url}/storage/v1${path}`, { method, headers, body: type === 'application/json' ? JSON.stringify(body) : body })
  assert.ok(answer.ok, await answer.clone().text())
  return answer
}
const upload = (text) => storage('POST', `/object/kept/${NAME.split('/').map(encodeURIComponent).join('/')}`, text, 'text/plain')
const remove = () => storage('DELETE', '/object/kept', { prefixes: [NAME] })
const text = async (query = '') => (await viewer.send('GET', bucket(`${OBJECT}${query}`))).text
const versions = async () => (await viewer.must('POST', bucket('/versions'), { path: NAME })).objects
const deleted = async (prefix = '') => (await viewer.must('POST', bucket('/deleted'), { prefix })).objects

before(async () => {
  server = await startProject({ from: null })
  const owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
  await storage('POST', '/bucket', { id: 'kept', name: 'kept', versioning_status: 'ENABLED' })
  await storage('POST', '/bucket', { id: 'plain', name: 'plain' })
})

after(() => server?.remove())

test('a replaced file is read and restored', async () => {
  await upload('first')
  await upload('second')
  const [current, former, ...more] = await versions()
  assert.deepEqual([more, current.archived_at, current.is_delete_marker, former.metadata.size], [[], null, false, 5])
  assert.ok(former.archived_at)
  assert.deepEqual([await text(), await text(`?version=${former.version}`)], ['second', 'first'])
  const chosen = { path: NAME, version: former.version }
  assert.equal((await viewer.send('POST', bucket('/restore'), chosen)).status, 403)
  assert.equal((await developer.send('POST', bucket('/restore'), chosen, { headers: { 'x-cloch-csrf': 'wrong' } })).status, 403)
  assert.equal(await text(), 'second')
  await developer.must('POST', bucket('/restore'), chosen)
  assert.equal(await text(), 'first')
  assert.ok((await versions()).some(({ metadata, archived_at }) => archived_at && metadata.size === 6), 'the replaced file is a version in turn')
  const { entries } = await developer.must('GET', '/audit?action=files.restore')
  assert.deepEqual(entries.find(({ status }) => status === 200).details, chosen)
})

test('a deleted file is listed and restored', async () => {
  assert.deepEqual(await deleted(), [])
  await remove()
  assert.match(await text(), /not_found/)
  const [marker, ...more] = await deleted()
  assert.deepEqual([marker.name, marker.is_delete_marker, more], [NAME, true, []])
  assert.equal((await deleted('notes/')).length, 1)
  assert.deepEqual(await deleted('other/'), [])
  await developer.must('POST', bucket('/restore'), { path: NAME, version: marker.version })
  assert.equal(await text(), 'first')
  assert.deepEqual(await deleted(), [])
})

test('an unknown version is refused, and a bucket contains its versioning status', async () => {
  const version = '6f1c7d52-7a0b-4a6e-9a51-0f6c1a3e8d11'
  await developer.must('POST', bucket('/restore'), { path: NAME, version }, 404)
  assert.equal(await text(), 'first')
  const listed = await viewer.must('GET', '/files/buckets')
  assert.deepEqual(listed.map(({ id, has_versions }) => [id, has_versions]), [['kept', true], ['plain', false]])
})
