/** Tasks during which the server stops or is stopped, as rows of docs/operations/messages.md. They run after the tasks of tasks.mjs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { start } from '../support/program.mjs'
import { certificateFor } from './certificates.mjs'
import { environment, finding, until, user } from './tasks.mjs'

const postmaster = (data) => Number(readFileSync(join(data, 'db/postmaster.pid'), 'utf8').split('\n')[0])

const sql = (server, text) => spawnSync('psql', [server.keys.DB_URL, '-XAtc', text], { encoding: 'utf8' }).stdout.trim()

/** Adds rows for which the server runs. Stops the server at the end. */
export async function whileItStops(tasks) {
  const { place, server } = tasks
  removeUser(tasks)
  let from = server.output().length
  process.kill(postmaster(place.data), 'SIGKILL')
  await tasks.log(['PostgreSQL was killed', '../monitoring.md'], 'kill -9 (PostgreSQL)', from, [/PostgreSQL exited unexpectedly, its connections are lost, restarting it/, /SIGKILL/])
  const headers = { apikey: server.serviceKey, authorization: `Bearer ${server.serviceKey}` }
  const slow = () => fetch(`${server.url}/rest/v1/rpc/slow`, { method: 'POST', headers })
  await until(async () => (await slow()).ok, server.output)
  from = server.output().length
  const running = (count) => until(() => sql(server, "select count(*) from pg_stat_activity where wait_event = 'PgSleep'") === count, server.output)
  await running('0')
  const asked = slow()
  await running('1')
  await server.stop()
  const { status } = await asked
  if (status !== 200) throw new Error(`the running request got ${status}`)
  const lines = server.output().slice(from).split('\n').filter((line) => /server: stop/.test(line)).join('\n')
  tasks.add({ task: 'stop while requests run', link: '../operations.md#what-a-server-does-by-itself', command: 'kill -TERM', output: lines }, [/server: stopping, running requests are finished first/, /server: stopped/])
}

/** Task: delete a user. The user's rows reference the user with `on delete cascade`. */
function removeUser(tasks) {
  const { url, keys } = tasks.server
  const words = ['-s', '-w', '%{http_code}', '-X', 'DELETE', `${url}/auth/v1/admin/users/${user}`, '-H', `apikey: ${keys.SECRET_KEY}`]
  const { stdout, status } = spawnSync('curl', words, { encoding: 'utf8' })
  const left = sql(tasks.server, 'select count(*) from public.notes')
  const command = `curl -X DELETE URL/auth/v1/admin/users/${user} -H "apikey: $SECRET_KEY"`
  tasks.add({ task: 'remove a user with all data', link: '../auth.md', command, output: `${stdout.replace(/(\d{3})$/, '\nstatus $1')}\nrows that are left: ${left}`, status }, [/status 200/, /rows that are left: 0/])
}

/** Adds rows for which the server is stopped, and rows for the starts after that. */
export async function stopped(tasks) {
  const { place } = tasks
  await tasks.command(['replace the JWT secret', 'rotate-keys.md#the-jwt-secret'], ['keys', 'rotate-jwt-secret', '--yes'], {
    pick: (output) => output.split('\n').filter((line) => !line.startsWith('- ')).join('\n'), words: [/With a new JWT secret:/, /The new keys are in DATA\/secrets\.toml/],
  })
  const data = tasks.at('moved')
  renameSync(place.data, data)
  Object.assign(place, { data })
  certificateFor('club.example', place.project, -1)
  tasks.server = await start(place, { environment })
  const lines = (pattern) => tasks.server.output().split('\n').filter((line) => pattern.test(line)).map((line) => line.trim()).join('\n')
  tasks.add({ task: 'move to another folder', link: 'move.md', command: 'mv DATA NEW\ncloch start --data NEW', output: lines(/^ +(Ready|Data folder) /) }, [/Ready +cloch VERSION, after N s/, /Data folder +NEW/])
  tasks.add({ task: 'the certificate has expired', link: 'certificate.md', command: 'cloch start', output: lines(/TLS certificate/).split('\n')[0] }, [/TLS certificate of \[server\.tls\] expired on DATE, clients refuse the certificate, renew it now/])
  await tasks.server.kill()
  tasks.server = await start(place, { environment })
  tasks.add({ task: 'the server was killed (kill -9)', link: '../operations.md', command: 'cloch start', output: lines(/^ +Ready /) }, [/Ready +cloch VERSION, after N s/])
  await tasks.server.stop()
  certificateFor('club.example', place.project, 30)
  const version = join(place.data, 'db/PG_VERSION')
  writeFileSync(version, '13\n')
  await tasks.command(['the database is of another major version', 'upgrade.md'], ['start'], { status: 1, words: [/was made by PostgreSQL N, but POSTGRES is version N/, /Install PostgreSQL N/, /cloch upgrade/] })
}

/** Task: the disk of a data folder is full. Returns whether this account may mount a small disk. */
export async function fullDisk(tasks) {
  const disk = tasks.at('disk')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=755', 'none', disk]).status !== 0) return false
  tasks.disk = disk
  await tasks.command(['the disk is full', 'full-disk.md'], ['doctor'], { status: 1, flags: tasks.of({ data: join(disk, 'data') }), pick: finding('disk'), words: [/PROBLEM +disk +N MB are free/, /free some/] })
  return true
}

