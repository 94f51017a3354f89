/** The generated types that the club's app uses match the schema that the club's migrations create. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

import { binary, startProject } from '../support/program.mjs'

const file = 'web/club/src/lib/database.types.ts'

test(`${file} equals the output of \`cloch gen types typescript\``, async () => {
  const cloch = await startProject()
  try {
    const generated = execFileSync(binary, ['gen', 'types', 'typescript', '--project', cloch.project, '--data', cloch.data]).toString()
    const committed = readFileSync(join(resolve(import.meta.dirname, '../..'), file), 'utf8')
    assert.equal(committed, generated, `make it anew: cloch gen types typescript > ${file}`)
  } finally {
    await cloch.remove()
  }
})
