/**
 * Compares the S3 protocol with other S3 servers: moto, and Ceph's gateway if it is installed. s3.py sends random operations with boto3 to all
 * servers and compares the responses. s3_commands.py does the same with commands of aws-cli and rclone, and compares their output, the bucket and the
 * local files. s3_differences.py lists differences and reasons. CLOCH_ORACLE_SEED repeats a run. CLOCH_ORACLE_STEPS: number of operations; the number
 * of commands is a fifteenth of it.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { hasCeph, startCeph } from '../support/ceph.mjs'
import { startProject } from '../support/program.mjs'
import { startMoto } from '../support/s3_servers.mjs'
import { randomFrom } from './random.mjs'

const python = process.env.CLOCH_TEST_PYTHON
const skip = python ? false : 'CLOCH_TEST_PYTHON is not set, so there is no moto to compare with'
const works = (program, ...parameters) => {
  try {
    execFileSync(program, parameters, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const rclone = works('rclone', 'version')
const aws = python && works(python, '-c', 'import awscli')
const ceph = hasCeph()
const steps = Number(process.env.CLOCH_ORACLE_STEPS ?? 600)

let cloch
const references = []
before(async () => {
  if (skip) return
  const [own, moto, gateway] = await Promise.allSettled([startProject({ from: null }), startMoto(python), ceph ? startCeph() : undefined])
  // `after` stops all started servers, even if another one failed to start. Otherwise this process would not end.
  cloch = own.value
  if (moto.value) references.push({ ...moto.value, name: 'moto' })
  if (gateway.value) references.push({ ...gateway.value, name: 'ceph' })
  const failed = [own, moto, gateway].find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}, { timeout: 120_000 })
after(async () => {
  for (const server of references) server.stop()
  await cloch?.remove()
})

const compare = async (t, script, more) => {
  const { seed } = randomFrom()
  t.diagnostic(`seed ${seed}`)
  const { STORAGE_S3_URL: url, S3_PROTOCOL_REGION: region, S3_PROTOCOL_ACCESS_KEY_ID: key, S3_PROTOCOL_ACCESS_KEY_SECRET: secret } = cloch.keys
  const servers = [{ name: 'cloch', url, region, key, secret }, ...references.map(({ stop: _, ...server }) => server)]
  const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, script), JSON.stringify({ servers, seed, ...more })], { maxBuffer: 1 << 26 })
  const { faults, ...figures } = JSON.parse(stdout.trim().split('\n').at(-1))
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(faults.slice(0, 40), [], `${faults.length} of ${figures.steps}`)
  assert.ok(figures.same > figures.steps / 2, 'most differ: this shows little')
  const done = Object.values(figures.done).reduce((sum, count) => sum + count, 0)
  assert.ok(done > figures.steps / 2, 'most are refused: this shows little')
}

test('other S3 servers have the same results, except for explained differences', { skip, timeout: 900_000 }, (t) => compare(t, 's3.py', { steps }))

test('aws-cli and rclone have the same results with other S3 servers', { skip: skip || (!aws && 'aws-cli is not installed'), timeout: 1_800_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-s3-commands-'))
  try {
    await compare(t, 's3_commands.py', { steps: Math.ceil(steps / 15), rclone, folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('rclone is one of the tested clients', { skip: rclone ? false : 'rclone is not installed' }, () => {})

test('Ceph’s gateway is one of the reference servers', { skip: ceph ? false : 'ceph-mon, ceph-osd and radosgw are not installed: only moto is compared' }, () => {})
