/** Black-box test of versioning and lifecycle rules in the dashboard: the required role, the resulting state of Storage, and the audit entries. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstOperator, invited } from '../support/dashboard.mjs'
import { startProject } from '../support/program.mjs'
import { askS3 } from '../support/s3.mjs'

let server
let developer
let viewer

const listed = async (id) => (await viewer.must('GET', '/files/buckets')).find((bucket) => bucket.id === id)
const s3 = async (query) => {
  const answer = await askS3(server, 'GET', `/box?${query}`)
  return { status: answer.status, text: await answer.text() }
}
const audited = async (action) => (await developer.must('GET', `/audit?action=${action}`)).entries.filter(({ status }) => status < 300)

before(async () => {
  server = await startProject({ from: null })
  const owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
  await developer.must('POST', '/files/buckets', { id: 'box' }, 201)
})

after(() => server?.remove())

test('versions are enabled and suspended, and the other settings of a bucket do not change them', async () => {
  assert.equal((await listed('box')).versioning_status, 'DISABLED')
  const change = (settings, status) => developer.must('PUT', '/files/buckets/box', settings, status)
  assert.equal((await viewer.send('PUT', '/files/buckets/box', { versioning_status: 'ENABLED' })).status, 403)
  await change({ versioning_status: 'ENABLED' })
  assert.match((await s3('versioning=')).text, /<Status>Enabled<\/Status>/)
  await change({ public: true })
  assert.deepEqual([(await listed('box')).versioning_status, (await listed('box')).public], ['ENABLED', true])
  await change({ versioning_status: 'SUSPENDED' })
  assert.equal((await listed('box')).versioning_status, 'SUSPENDED')
  await change({ versioning_status: 'DISABLED' }, 400)
  await developer.must('POST', '/files/buckets', { id: 'kept', versioning_status: 'ENABLED' }, 201)
  assert.equal((await listed('kept')).has_versions, true)
})

test('rules are added one by one and removed one by one', async () => {
  const rule = { status: 'Enabled', filter: { prefix: 'tmp/' }, expiration: { days: 30 } }
  assert.equal((await viewer.send('POST', '/files/buckets/box/rules', rule)).status, 403)
  assert.equal((await s3('lifecycle=')).status, 404)
  await developer.must('POST', '/files/buckets/box/rules', rule, 201)
  const former = {
    status: 'Enabled',
    filter: {},
    noncurrentVersionExpiration: { noncurrentDays: 7, newerNoncurrentVersions: 2 },
    abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
  }
  await developer.must('POST', '/files/buckets/box/rules', { id: 'a/b c?', ...former }, 201)
  const { rules } = await listed('box')
  assert.deepEqual(rules, [{ id: rules[0].id, ...rule }, { id: 'a/b c?', ...former }])
  const { text } = await s3('lifecycle=')
  assert.match(text, /<Prefix>tmp\/<\/Prefix>.*<Days>30<\/Days>.*<NoncurrentDays>7<\/NoncurrentDays>/s)
  // Storage's validation applies, and a refused rule changes nothing.
  await developer.must('POST', '/files/buckets/box/rules', { ...rule, expiration: { days: 0 } }, 400)
  await developer.must('POST', '/files/buckets/box/rules', { id: 'a/b c?', ...former }, 400)
  await developer.must('POST', '/files/buckets/none/rules', rule, 404)
  assert.equal((await listed('box')).rules.length, 2)

  const address = `/files/buckets/box/rules/${encodeURIComponent('a/b c?')}`
  assert.equal((await viewer.send('DELETE', address)).status, 403)
  await developer.must('DELETE', address, undefined, 204)
  await developer.must('DELETE', address, undefined, 404)
  assert.deepEqual((await listed('box')).rules, [rules[0]])
  await developer.must('DELETE', `/files/buckets/box/rules/${rules[0].id}`, undefined, 204)
  assert.deepEqual((await listed('box')).rules, [])
  assert.equal((await s3('lifecycle=')).status, 404)

  assert.deepEqual((await audited('files.add_rule')).map(({ details }) => details.rule.filter), [{}, { prefix: 'tmp/' }])
  assert.deepEqual((await audited('files.remove_rule')).map(({ details }) => details.rule.id), [rules[0].id, 'a/b c?'])
})
