/** The TypeScript blocks of the pages: checks the types of client code, and executes client code. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import ts from 'typescript'

const tests = resolve(import.meta.dirname, '..')

/** Names that the code of the pages uses but does not declare: the client of the page, its user, and functions for the app's screen. */
const AMBIENT = `import type { RealtimePresenceState, Session, SupabaseClient, User } from '@supabase/supabase-js'
declare global {
  const supabase: SupabaseClient
  const url: string
  const publishableKey: string
  const secretKey: string
  const email: string
  const password: string
  const code: string
  const file: Blob
  const user: User
  const show: (value: unknown) => void
}
`

/** A block as a module. */
const asModule = (text) => `${text}\nexport {}\n`

/** Returns the errors of the TypeScript compiler in all blocks. The result is empty if there are none. */
export function typeProblems(blocks) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-types-'))
  symlinkSync(join(tests, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'ambient.d.ts'), AMBIENT)
  const files = blocks.map((block, index) => {
    const file = join(folder, `${index}.ts`)
    writeFileSync(file, asModule(block.text))
    return file
  })
  try {
    const program = ts.createProgram([...files, join(folder, 'ambient.d.ts')], {
      target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], strict: true, noEmit: true, skipLibCheck: true, types: ['node'],
    })
    return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')
      if (!diagnostic.file) return text
      const block = blocks[files.indexOf(diagnostic.file.fileName)]
      const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start)
      return block ? `${block.page}:${block.line + 1 + line}: ${text}` : `${diagnostic.file.fileName}: ${text}`
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Executes a block in Node with the server of the page. The client keeps its session in a file, so that the next block continues as the same user. If
 * a response contains an error, the block fails, because clients return errors and do not throw them.
 */
export function runClient(block, { folder, environment }) {
  mkdirSync(folder, { recursive: true })
  try {
    symlinkSync(join(tests, 'node_modules'), join(folder, 'node_modules'))
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const javascript = ts.transpileModule(block.text, { compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true } }).outputText
  writeFileSync(join(folder, 'ambient.mjs'), RUNTIME.replace('TOTP', join(tests, 'support/totp.mjs')))
  writeFileSync(join(folder, 'block.mjs'), `import './ambient.mjs'\n${javascript}\nawait globalThis.finish()\n`)
  return spawnSync(process.execPath, ['--experimental-websocket', join(folder, 'block.mjs')], { cwd: folder, env: environment, encoding: 'utf8', timeout: 60_000 })
}

const RUNTIME = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createClient } from '@supabase/supabase-js'
import { totp } from 'TOTP'
const file = new URL('session.json', import.meta.url)
const stored = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
const save = () => writeFileSync(file, JSON.stringify(stored))
const storage = {
  getItem: (name) => stored[name] ?? null,
  setItem: (name, value) => { stored[name] = value; save() },
  removeItem: (name) => { delete stored[name]; save() },
}
const refused = []
const fetched = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const response = await fetched(input, init)
  if (/\\/factors$/.test(input?.url ?? input)) stored.factor = (await response.clone().json()).totp?.secret
  if (response.status >= 400) refused.push(\`\${init?.method ?? 'GET'} \${input?.url ?? input}: \${response.status} \${await response.clone().text()}\`)
  return response
}
/**
 * Answers in place of a user who is asked for a code: returns the code of the authenticator app, or the code in the newest mail to the address
 * with which the prompt text ends.
 */
globalThis.prompt = (message) => {
  if (message.includes('app')) return totp(stored.factor)
  const address = message.split(' ').at(-1)
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const mails = execFileSync('curl', ['-s', process.env.API_URL + '/_/inbox/api/messages?limit=1&to=' + encodeURIComponent(address), '-H', 'apikey: ' + process.env.SECRET_KEY])
    const found = /<strong>(\\d{6})<\\/strong>/.exec(JSON.parse(mails).messages[0]?.html)
    if (found) return found[1]
    execFileSync('sleep', ['0.5'])
  }
  throw new Error(['no code in a mail to ' + address, ...refused].join('\\n'))
}
const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = process.env
const supabase = createClient(API_URL, PUBLISHABLE_KEY, { auth: { storage, autoRefreshToken: false, flowType: 'implicit' } })
const { data } = await supabase.auth.getSession()
Object.assign(globalThis, {
  supabase, url: API_URL, publishableKey: PUBLISHABLE_KEY, secretKey: SECRET_KEY, email: 'anne@example.org', password: 'kestrel harbour bright 21',
  user: data.session?.user, show: (value) => console.log(value), file: new Blob([readFileSync(process.env.A_PICTURE)], { type: 'image/png' }),
  finish: async () => {
    await supabase.removeAllChannels()
    if (refused.length) throw new Error(refused.join('\\n'))
    process.exit(0)
  },
})
`
