/**
 * Names of downloads (`?download=name`): the header is that of Supabase's storage server, which sends `encodeURIComponent(name)`, and the npm
 * package content-disposition (RFC 6266, RFC 8187) reads the name from it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'
import { parse } from 'content-disposition'

import { makeProject, start } from '../support/program.mjs'

let cloch, storage

before(async () => {
  cloch = await start(await makeProject({ from: null }))
  storage = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } }).storage
  assert.equal((await storage.createBucket('open', { public: true })).error, null)
  assert.equal((await storage.from('open').upload('a.txt', 'text', { contentType: 'text/plain' })).error, null)
})
after(() => cloch?.remove())

async function dispositionOf(url) {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  await response.text()
  return response.headers.get('content-disposition')
}

const publicUrl = (name) => `${storage.from('open').getPublicUrl('a.txt').data.publicUrl}?download=${encodeURIComponent(name)}`
const supabase = (name) => `attachment; filename=${encodeURIComponent(name)}; filename*=UTF-8''${encodeURIComponent(name)}`

/** `encodeURIComponent` leaves these, but a token or an extended value must not contain them: Cloch encodes them too. */
const encodedByCloch = /['()*]/g
const percentEncoded = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Numbers below a limit, the same in each run (mulberry32). */
function numbers(seed) {
  return (limit) => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const below = numbers(20_261_129)
const characters = [...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), '\0', '\n', '\r', '\t', '\u007f', 'é', 'ß', '€', '漢', 'ע', '\u202e', '🗼']
const generated = Array.from({ length: 120 }, () => Array.from({ length: 1 + below(12) }, () => characters[below(characters.length)]).join(''))
const names = ['a.txt', 'custom_name.svg', "it's (1)*.txt", '%41', ...generated]

test('a name of a download has the header of Supabase, and parsers read it', async () => {
  const headers = await Promise.all(names.map((name) => dispositionOf(publicUrl(name))))
  let equal = 0
  for (const [at, name] of names.entries()) {
    const encoded = encodeURIComponent(name).replaceAll(encodedByCloch, percentEncoded)
    assert.equal(headers[at], `attachment; filename=${encoded}; filename*=UTF-8''${encoded}`)
    if (headers[at] === supabase(name)) equal += 1
    assert.deepEqual([parse(headers[at]).type, parse(headers[at]).parameters.filename], ['attachment', name])
  }
  // Only names with a character of `encodedByCloch` differ.
  assert.equal(equal, names.filter((name) => !name.match(encodedByCloch)).length)
  assert.ok(equal > names.length / 2)
  // The reason for the difference.
  assert.throws(() => parse(supabase("it's (1).txt")), TypeError)
})

test('supabase-js: a signed URL for a download, with and without a name', async () => {
  const signed = async (download) => (await storage.from('open').createSignedUrl('a.txt', 60, { download })).data.signedUrl
  assert.equal(await dispositionOf(await signed('report 2.txt')), supabase('report 2.txt'))
  assert.equal(await dispositionOf(await signed(true)), 'attachment;')
})
