/** The operations that every tool performs, the rules by which their results are judged, and the table of the outcomes. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { digests } from '../support/s3_files.mjs'

const same = (one, other) => {
  if (!readFileSync(one).equals(readFileSync(other))) throw new Error('the bytes are others')
}
const must = (holds, what) => {
  if (!holds) throw new Error(what)
}

/**
 * The steps in their order. Each step needs the results of earlier ones. `tool` performs the step, `place` is a folder, and `server` contains the
 * location of the files to synchronise.
 */
const steps = [
  ['make a bucket', ({ tool }) => tool['make a bucket']()],
  ['list the buckets', async ({ tool, server }) => must((await tool['list the buckets']()).includes(server.bucket), 'the bucket is not listed')],
  ['upload', ({ tool, small }) => tool.upload(small, 'dir/small file+1.txt'), 'upload'],
  ['upload in parts', ({ tool, large }) => tool.upload(large, 'large'), 'upload'],
  ['read the details', async ({ tool }) => must((await tool['read the details']('dir/small file+1.txt')).includes('11'), 'another size')],
  ['list', async ({ tool }) => must(/dir\/small file\+1\.txt/.test(await tool.list()), 'the object is not listed')],
  ['download', async ({ tool, place, large }) => {
    await tool.download('large', join(place, 'down'))
    same(join(place, 'down'), large)
  }],
  ['copy', async ({ tool, place, small }) => {
    await tool.copy('dir/small file+1.txt', 'copied')
    await tool.download('copied', join(place, 'copied'))
    same(join(place, 'copied'), small)
  }],
  ['presigned download', async ({ tool }) => {
    const answer = await (await fetch(await tool.presign('copied'))).text()
    must(answer === 'hello world', answer)
  }, 'presign'],
  ['presigned upload', async ({ tool, place, small }) => {
    const answer = await fetch(await tool['presign an upload']('presigned'), { method: 'PUT', body: readFileSync(small) })
    must(answer.ok, `${answer.status} ${await answer.text()}`)
    await tool.download('presigned', join(place, 'presigned'))
    same(join(place, 'presigned'), small)
  }, 'presign an upload'],
  ['begin and abort an upload in parts', ({ tool }) => tool['begin and abort an upload in parts']()],
  ['write on a condition', async ({ tool, small }) => tool['write on a condition'](small, 'copied')],
  ['read the attributes', async ({ tool }) => must((await tool['read the attributes']('copied')) === '11', 'another size')],
  ['sync up', ({ tool, server }) => tool['sync up'](server.files)],
  ['sync down', async ({ tool, server, place }) => {
    const to = join(place, 'synced')
    mkdirSync(to)
    await tool['sync down'](to, server.files)
    const found = existsSync(join(to, server.files)) ? join(to, server.files) : to
    const [wanted, got] = [digests(server.files), digests(found)]
    must(wanted.length > 0 && JSON.stringify(got) === JSON.stringify(wanted), `${got.length} files of ${wanted.length}`)
  }],
  ['sync again: nothing to do', async ({ tool, server }) => must(!(await tool['sync again'](server.files)), 'files are sent again'), 'sync again'],
  ['a name in another alphabet', async ({ tool, small }) => tool.upload(small, 'Grianaig ò'), 'upload'],
  ['delete one', ({ tool }) => tool['delete one']('copied')],
  ['delete all', ({ tool }) => tool['delete all']()],
  ['remove the bucket', ({ tool }) => tool['remove the bucket']()],
]
/** Refusals that are expected from every tool. */
const refusals = { 'a name in another alphabet': { outcome: 'InvalidKey', says: /InvalidKey|Invalid key/ } }
/** Returns the outcome that is expected of a tool's operation with Cloch. */
export const expected = (tool, operation) => ({ ...refusals, ...tool.refusals })[operation]?.outcome ?? 'works'

/** Runs all operations that the tool supports. Returns the outcome of each. */
export async function outcomesOf(tool, server, place) {
  const [small, large] = [join(place, 'small'), join(place, 'large')]
  writeFileSync(small, 'hello world')
  writeFileSync(large, randomBytes(11 * 1024 * 1024))
  const operations = tool.operations(server)
  const outcomes = []
  for (const [operation, run, needs = operation] of steps) {
    if (!operations[needs]) {
      outcomes.push({ operation, outcome: undefined })
      continue
    }
    const outcome = await run({ tool: operations, server, place, small, large }).then(() => 'works', (error) => error.message)
    const refusal = { ...refusals, ...tool.refusals }[operation]
    outcomes.push({ operation, outcome: refusal?.says.test(outcome) ? refusal.outcome : outcome })
  }
  return outcomes.filter(({ outcome }) => outcome !== undefined)
}

/** Writes the page with all outcomes. */
export function writeTable(seen) {
  const shown = (outcomes, operation) => {
    const found = outcomes?.find((entry) => entry.operation === operation)?.outcome
    return found === undefined || /^[\w ]{1,20}$/.test(found) ? (found ?? '') : 'fails'
  }
  const row = (cells) => `| ${cells.join(' | ')} |`
  const cell = ({ ours, other }, operation) => {
    const [one, two] = [shown(ours, operation), shown(other, operation)]
    return one === two ? one : `${one} / ${two}`
  }
  const head = row(['operation', ...seen.map(({ tool, version }) => `${tool} ${version}`)])
  const rows = steps.map(([operation]) => row([operation, ...seen.map((column) => cell(column, operation))]))
  return `${INTRODUCTION}\n${[head, row(['---', ...seen.map(() => '---')]), ...rows].join('\n')}\n`
}

const INTRODUCTION = `# S3 tools

Made by \`tests/client/s3_tools.test.mjs\`: what unchanged tools do with Cloch at \`/storage/v1/s3\`, and with moto, another S3 server. One word is
the outcome with both; two are Cloch's and moto's. An empty cell is an operation that the tool has not.
\`cd tests && CLOCH_WRITE_DOCS=1 CLOCH_TEST_S3_FILES=2000 node --test client/s3_tools.test.mjs\` writes it, with 2,000 files to synchronise.

- *InvalidKey*: Supabase's storage takes names of letters, digits and \`_/!-.*'() &$=@;:+,?\` only, and Cloch the same. The tool says which name it is.
- *version 2*: \`s3cmd signurl\` signs with the signature version 2, which Supabase and Amazon's newer regions refuse too; moto checks none.
- What fails with moto alone is its own: it has no GetObjectAttributes, and rclone's upload in parts ends with an error there.
- What an answer cannot keep is refused with \`NotImplemented\` instead of left out: tags, server-side encryption, object locks, redirects, conditions in
  DeleteObjects. GetObject with \`partNumber\` works for parts of equal size, as tools make them.
- restic, s3cmd and s3fs know S3 at the root of a host only: give the S3 protocol a host of its own ([s3-host.md](operations/s3-host.md)). The paths that
  such a tool signs are known.
`
