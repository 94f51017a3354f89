/**
 * A server is restored from a backup in a bucket of an S3 server, as of the last moment and as of an earlier moment. If a restore is not possible,
 * the command creates nothing and prints the reason.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'
import { noS3Server, startS3Server } from '../support/s3_server.mjs'

// These tests damage the contents of the S3 server with requests that have no signature. A server in CLOCH_TEST_S3_URL may refuse such requests.
const skip = noS3Server || (process.env.CLOCH_TEST_S3_URL ? 'these tests damage what the server holds' : false)
const migration = `
create table public.notes (id bigint primary key);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const environment = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const content = randomBytes(9 << 20)
const prefix = `club/${randomBytes(4).toString('hex')}`

let s3, place, cloch, noted

const run = (given) => {
  const access = { ENDPOINT: s3.endpoint, ACCESS_KEY_ID: 'test', SECRET_ACCESS_KEY: 'test', PATH_STYLE: 'true' }
  const s3Environment = Object.fromEntries(Object.entries(access).map(([name, value]) => [`CLOCH_BACKUP_S3_${name}`, value]))
  // The S3 server runs in a separate process, so it responds while this process waits for the program.
  const { status, stdout, stderr } = spawnSync(binary, given, { env: { ...process.env, ...environment, ...s3Environment }, timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const of = () => ['--project', place.project, '--data', place.data]
const restore = (name, ...more) => run(['restore', '--from', `s3://${s3.bucket}/${prefix}`, '--data', join(place.folder, name), ...more])
const must = ({ data, error }) => {
  assert.equal(error, null)
  return data
}
const service = () => createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })

async function backedUpUntil(moment) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const file = join(place.data, 'backup/status.json')
    const status = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    if (new Date(status.restorable_until ?? 0) >= moment && status.last_base) return
    await sleep(100)
  }
  assert.fail(`not backed up: ${run(['backup', 'status', ...of()]).text}\n${cloch.output()}`)
}

/** Runs a script that changes the bucket. The script gets `client`, `bucket` and `key` (the object whose name contains `part`). */
function change(part, script) {
  const client = `boto3.client('s3', endpoint_url='${s3.endpoint}', region_name='us-east-1', aws_access_key_id='test', aws_secret_access_key='test')`
  const head = `import boto3\nclient, bucket = ${client}, '${s3.bucket}'\nlisted = client.list_objects_v2(Bucket=bucket, Prefix='${prefix}')['Contents']
key = next(entry['Key'] for entry in listed if '${part}' in entry['Key'])\nsaved = {'Bucket': bucket, 'Key': 'saved'}\n`
  const { status, stderr } = spawnSync(process.env.CLOCH_TEST_PYTHON, ['-c', head + script])
  assert.equal(status, 0, String(stderr))
}

before(async () => {
  if (skip) return
  s3 = await startS3Server()
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  const settings = `[backup]\nto = "s3://${s3.bucket}/${prefix}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n[backup.s3]\n${s3.access}`
  writeFileSync(join(place.project, 'cloch.toml'), settings)
  cloch = await start(place, { environment })
  must(await service().from('notes').insert({ id: 1 }))
  must(await service().storage.from('files').upload('large.bin', content))
  await backedUpUntil(new Date())
  await sleep(1500)
  noted = new Date().toISOString()
  await sleep(1500)
  must(await service().from('notes').insert({ id: 2 }))
  must(await service().storage.from('files').remove(['large.bin']))
  must(await service().storage.from('files').upload('small.txt', 'small'))
  await backedUpUntil(new Date(Date.now() + 1500))
})
after(async () => {
  await cloch?.remove()
  s3?.stop()
})

test('list, check, status and drill work on a bucket', { skip }, () => {
  assert.match(run(['backup', 'list', ...of()]).text, /Every moment from .*\n {2}base backup/)
  for (const command of ['check', 'status', 'drill']) {
    const { status, text } = run(['backup', command, ...of()])
    assert.equal(status, 0, `${command}: ${text}`)
  }
})

test('the last moment and an earlier one are restored from a bucket', { skip }, () => {
  const blobs = (name) => {
    const files = readdirSync(join(place.folder, name, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return files.map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name)))
  }
  const latest = restore('latest')
  assert.equal(latest.status, 0, latest.text)
  assert.match(latest.text, /files: 1 [^]*missing: nothing/)
  assert.deepEqual(blobs('latest'), [Buffer.from('small')])
  const earlier = restore('earlier', '--to', noted)
  assert.equal(earlier.status, 0, earlier.text)
  assert.ok(blobs('earlier')[0].equals(content))
})

test('a damaged or incomplete bucket is refused, and nothing is left behind', { skip }, () => {
  const refused = (part, words, script) => {
    change(part, `client.copy_object(**saved, CopySource={'Bucket': bucket, 'Key': key})\n${script}`)
    const { status, text } = restore('refused')
    assert.notEqual(status, 0, text)
    assert.match(text, words)
    assert.deepEqual(readdirSync(place.folder).filter((name) => name.startsWith('refused')), [])
  }
  const flip = `body = bytearray(client.get_object(**saved)['Body'].read()); body[len(body) // 2] ^= 1; client.put_object(Bucket=bucket, Key=key, Body=bytes(body))`
  refused('/tar.000000', /tar\.000000 in the backup is damaged/, flip)
  change('/tar.000000', `client.copy_object(Bucket=bucket, Key=key, CopySource=saved)`)
  refused('/tar.000001', /tar\.000001 is missing in the backup/, `client.delete_object(Bucket=bucket, Key=key)`)
})
