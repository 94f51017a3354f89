/**
 * Client libraries that are not installed here (Dart, Swift, Kotlin, C#, Go). The folders below tests/clients/ contain the requests that the sources
 * of these libraries build. The test replays the requests unchanged. `CLOCH_LANGUAGES`: the languages to replay.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { checkTable } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { load, replayer } from '../clients/replay.mjs'

const LEAST_CALLS = 60
const all = ['dart', 'swift', 'kotlin', 'csharp', 'go']
const languages = process.env.CLOCH_LANGUAGES?.split(',') ?? all
let server

before(async () => {
  server = await startClub()
})
after(() => server?.remove())

const results = []

for (const language of languages) {
  const client = load(language)
  test(`${client.title}: the responses contain what its parsers need`, async (context) => {
    await resetRows(server)
    const { play, close } = replayer(server, client)
    const counted = client.calls.filter(({ call }) => call)
    let right = 0
    for (const call of client.calls) {
      const name = call.call ? `${call.subject}: ${call.call}` : `${call.subject}: (prepares ${call.prepares})`
      await context.test(name, async () => {
        assert.ok(call.call ? call.source : call.prepares, 'a call names its source, another step what it prepares')
        assert.deepEqual(await play(call), [])
        if (call.call) right += 1
      })
    }
    close()
    const different = counted.filter(({ differs }) => differs)
    results.push([client.title, counted.length, right - different.length, different.map(({ call, differs }) => `\`${call}\`: ${differs}`).join('<br>') || 'none'])
    assert.equal(right, counted.length)
    assert.ok(counted.length >= LEAST_CALLS, `${counted.length} calls`)
  })
}

test('docs/clients.md shows the calls that were replayed', { skip: languages.length < all.length }, () => {
  checkTable('languages', ['client', 'calls', 'right', 'deliberately different'], results)
})
