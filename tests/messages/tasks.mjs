/** Tasks of an operator in a project that has been running for some time and has a backup. Each task is a row of docs/operations/messages.md. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { firstOperator } from '../support/dashboard.mjs'
import { freePort, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { certificateFor } from './certificates.mjs'
import { run } from './program.mjs'
import { normalised } from './words.mjs'

const environment = { CLOCH_BACKUP_PASSPHRASE: 'tide-granite-lantern-osprey-40' }
const user = '6f1c7d52-7a0b-4a6e-9a51-0f6c1a3e8d11'
const migration = `
create table public.notes (id int primary key, owner uuid references auth.users on delete cascade, body text);
alter table public.notes enable row level security;
insert into auth.users (id, email) values ('${user}', 'anne@example.org');
insert into public.notes values (1, '${user}', 'Take the long rope');
create function public.slow() returns int language sql volatile as 'select 1 from pg_sleep(1)';
`

async function until(found, what) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const value = await found()
    if (value) return value
    await sleep(50)
  }
  throw new Error(`not seen in time: ${what()}`)
}

/** Returns a function that selects the lines of doctor's finding about a subject from doctor's output. */
export const finding = (subject) => (output) => {
  const lines = output.split('\n')
  const first = lines.findIndex((line) => new RegExp(`^\\w+ +${subject} `).test(line))
  const more = lines.slice(first + 1).findIndex((line) => !/^ /.test(line))
  return lines.slice(first, first + 1 + (more < 0 ? lines.length : more)).join('\n')
}

/** The project with its server, and the rows that the tasks have added so far. */
export class Tasks {
  rows = []

  async begin() {
    this.place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
    this.target = this.at('target')
    certificateFor('other.example', this.place.project, 30)
    const tls = `[server.tls]\nlisten = "127.0.0.1:${await freePort()}"\ncertificate = "tls.crt"\nkey = "tls.key"\n`
    writeFileSync(join(this.place.project, 'cloch.toml'), `[backup]\nto = "${this.target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n${tls}`)
    this.server = await start(this.place, { environment })
  }

  async end() {
    await this.server?.stop()
    if (this.disk) spawnSync('umount', ['-l', this.disk])
    removePlace(this.place)
  }

  at = (name) => join(this.place.folder, name)
  of = ({ project = this.place.project, data = this.place.data } = {}) => ['--project', project, '--data', data]
  /** Creates a copy of the project with other settings. The server continues with its own project. */
  with(name, change) {
    cpSync(this.place.project, this.at(name), { recursive: true })
    for (const [file, edit] of Object.entries(change)) writeFileSync(join(this.at(name), file), edit(readFileSync(join(this.at(name), file), 'utf8')))
    return this.of({ project: this.at(name) })
  }

  names = () => [
    ...['restored', 'table', 'row', 'earlier', 'moved'].map((name) => [this.at(name), 'NEW']),
    ...['copy', 'export', 'disk'].map((name) => [this.at(name), name.toUpperCase()]),
    [this.at('notes.dump'), 'notes.dump'], [this.place.data, 'DATA'], [this.place.project, 'PROJECT'], [this.target, 'TARGET'],
    [this.moment, 'MOMENT'], [this.key, 'ID'], [user, 'USER'], [this.server.url, 'URL'],
  ]

  /** Adds a row. Its output must match all patterns in `words`. */
  add({ task, link, command, output, status }, words) {
    const shown = normalised(output, this.names())
    for (const pattern of words) if (!pattern.test(shown)) throw new Error(`${task}: ${pattern} is not in\n${shown}`)
    this.rows.push({ task, link, command: normalised(command, this.names()), output: shown, status })
  }

  /** Runs a command with the options of the project (`flags` for others). Adds the first lines of its output as a row. */
  async command([task, link], words, { status = 0, words: expected, flags = this.of(), variables = {}, lines = 3, pick = (output) => output, shown }) {
    const ended = await run([...words, ...flags], { environment: { ...environment, ...variables } })
    if (ended.status !== status) throw new Error(`${task}: exit code ${ended.status}\n${ended.output}`)
    const output = pick(ended.output).split('\n').slice(0, lines).join('\n')
    this.add({ task, link, command: shown ?? ['cloch', ...words].join(' '), output, status }, expected)
    return ended.output
  }

  /** Adds a row with a line of the server's log. The line must match all patterns in `words`. */
  async log([task, link], command, from, words) {
    const output = await until(() => this.server.output().slice(from).split('\n').find((line) => words.every((pattern) => pattern.test(line))), this.server.output)
    this.add({ task, link, command, output }, words)
  }
}

/** Waits for all functions, also if one of them fails, because the others still use the folder of the project. */
async function together(...works) {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}

/** Tasks that run beside a running server and do not disturb it. */
export async function beside(tasks) {
  await tasks.command(['back up', 'back-up.md'], ['backup', 'now'], { words: [/A base backup was made/] })
  const listed = await run(['backup', 'list', ...tasks.of()], { environment })
  tasks.moment = /base backup (\S+)/.exec(listed.output)[1]
  await together(restores(tasks), running(tasks))
}

async function restores(tasks) {
  const restore = ['restore', '--from', tasks.target, '--data']
  const only = (what, name) => [...restore, tasks.at(name), '--only', what]
  await together(
    tasks.command(['drill', 'back-up.md#the-drill'], ['backup', 'drill'], { words: [/The backup can be restored/] }),
    tasks.command(['restore everything', 'restore.md'], [...restore, tasks.at('restored')], { flags: [], lines: 6, words: [/Restored test as it was at TIME/, /1 users/, /missing: nothing/, /Start it: cloch start/] }),
    tasks.command(['downgrade: the state before an upgrade', 'upgrade.md'], [...restore, tasks.at('earlier'), '--to', tasks.moment], { flags: [], lines: 6, words: [/Restored test as it was at/, /Start it: cloch start/] }),
  )
  await together(
    tasks.command(['restore one table', 'restore-one-row.md'], only('table:public.notes', 'table'), { flags: [], lines: 4, words: [/public\.notes\.1\.csv: N rows/, /bring them back: psql/] }),
    tasks.command(['restore one row', 'restore-one-row.md'], only('row:public.notes:id=1', 'row'), { flags: [], lines: 4, words: [/public\.notes\.1\.csv: N rows/, /bring them back: psql/] }),
  )
}

async function running(tasks) {
  const { place, server, target } = tasks
  await tasks.command(['check a backup', 'back-up.md'], ['backup', 'check'], { words: [/Everything is whole/] })
  await tasks.command(['the passphrase of the backup is lost', 'lost-password.md'], ['restore', '--from', target, '--data', tasks.at('restored')], {
    status: 1, flags: [], variables: { CLOCH_BACKUP_PASSPHRASE: 'a guess at the passphrase' }, words: [/the passphrase is not the one it was made with/, /--key-file/],
  })
  const made = await tasks.command(['rotate a secret key: a new one beside the old one', 'rotate-keys.md'], ['keys', 'new', 'secret', '--name', 'worker'], { words: [/sb_secret_KEY/, /not shown again/] })
  tasks.key = /ID is (\w+)/.exec(made)[1]
  await tasks.command(['revoke a key', 'rotate-keys.md'], ['keys', 'revoke', tasks.key], { words: [/is revoked; servers refuse it within/] })
  await tasks.command(['rotate the signing key of user tokens', 'rotate-keys.md'], ['keys', 'rotate'], { words: [/previously used/, /in use/, /restart cloch to use them/] })
  await firstOperator(server)
  await tasks.command(['an owner lost the password', 'lost-password.md'], ['operators', 'link', 'owner@club.example'], { words: [/welcome#token=TOKEN/] })
  const named = tasks.with('named', { 'config.toml': (text) => text.replace('[api]\n', '[api]\nexternal_url = "https://club.example"\n') })
  await tasks.command(['the certificate is for another name', 'certificate.md'], ['doctor'], { status: 1, flags: named, pick: finding('certificate'), words: [/PROBLEM +certificate +it is not for club\.example/, /renew the file of \[server\.tls\]/] })
  const unused = await freePort()
  const replica = tasks.with('replica', { 'cloch.toml': (text) => `[database]\nread_url = "postgres://reader@127.0.0.1:${unused}/postgres"\n${text}` })
  await tasks.command(['a read replica is lost', 'read-replica.md'], ['doctor'], { status: 1, flags: replica, variables: { CLOCH_DB_URL: server.keys.DB_URL }, pick: finding('replica'), words: [/PROBLEM +replica/, /the primary answers all reads/] })
  await tasks.command(['a node is lost', 'several-nodes.md'], ['status', '--url', `http://127.0.0.1:${unused}`], { status: 1, flags: [], variables: { CLOCH_SERVICE_ROLE_KEY: server.keys.SECRET_KEY }, words: [/does not answer/, /start the server there, or check the URL/] })
  await tasks.command(['upgrade Cloch: look after it', 'upgrade.md'], ['doctor'], { lines: 2, words: [/ok +configuration +PROJECT\/config\.toml/, /ok +keys +signed with the project's secret/] })
  await tasks.command(['upgrade PostgreSQL while the server runs', 'upgrade.md'], ['upgrade', '--check'], { status: 1, words: [/another cloch \(process N\) uses the data folder DATA: stop it/] })
  await tasks.command(['a second start on the same data', 'move.md'], ['start'], { status: 1, words: [/another cloch \(process N\) uses the data folder DATA: stop it/, /--data/] })
  const other = tasks.of({ data: tasks.at('other') })
  await tasks.command(['the port is in use', '../configuration.md'], ['start', '--port', String(place.port)], { status: 1, flags: other, words: [/port PORT on 127\.0\.0\.1 is taken by another program: stop it/, /--port/], shown: 'cloch start --port PORT' })
  // If PostgreSQL deletes files during the copy, cp reports an error. This error is not important here.
  spawnSync('cp', ['-a', place.data, tasks.at('copy')])
  const copied = [...tasks.with('copied', { 'cloch.toml': () => '' }).slice(0, 2), '--data', tasks.at('copy')]
  await tasks.command(['start a copy of the folder of a running server', 'move.md'], ['start', '--port', String(await freePort())], {
    status: 1, flags: copied, words: [/port PORT on 127\.0\.0\.1, where the database should listen, is taken/, /\[db\] port in config\.toml/], shown: 'cp -a DATA COPY\ncloch start --data COPY --port PORT',
  })
  await tasks.command(['copy a running project: a dump', 'move.md#with-a-dump'], ['db', 'dump', tasks.at('notes.dump')], { words: [/Wrote notes\.dump/, /secrets\.toml/] })
  await tasks.command(['export', '../moving-in.md'], ['export', '--dir', tasks.at('export')], { words: [/Wrote EXPORT: N rows in all, 1 users/] })
  await tasks.command(['import: a try', '../moving-in.md'], ['import', '--dir', tasks.at('export'), '--dry-run'], {
    lines: 4, pick: (output) => output.split('\n').filter((line) => /^ +source|^rows of|^This was/.test(line)).join('\n').replaceAll(/ {2,}/g, '  '), words: [/rows of public\.notes/, /This was a dry run: nothing was changed/],
  })
}

export { environment, until, user }
