/**
 * Names of downloads (`?download=name`). The header of a plain name is that of Supabase's storage server, which sends `encodeURIComponent(name)`.
 * The npm package content-disposition (RFC 6266, RFC 8187) reads all names from it.
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

/** Returns a function that creates pseudo-random numbers below a limit, the same in each run (mulberry32). */
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
const letters = [...'abcXYZ019-_.!~']
const tokens = Array.from({ length: 24 }, () => Array.from({ length: 1 + below(12) }, () => letters[below(letters.length)]).join(''))
const names = ['a.txt', 'custom_name.svg', "it's (1)*.txt", '%41', ...tokens, ...generated]

/** Names that need no encoding: for these the header is that of Supabase's storage server. */
const plain = /^[\w.!~-]+$/

test('names of downloads: plain names have Supabase’s header, and parsers read every name', async () => {
  const headers = await Promise.all(names.map((name) => dispositionOf(publicUrl(name))))
  for (const [at, name] of names.entries()) {
    if (plain.test(name)) assert.equal(headers[at], supabase(name))
    else assert.match(headers[at], /^attachment; filename="([ !#-[\]-~]|\\["\\])*"; filename\*=UTF-8''[\w.!~#$&+^`|%-]+$/, JSON.stringify(name))
    assert.deepEqual([parse(headers[at]).type, parse(headers[at]).parameters.filename], ['attachment', name])
  }
  assert.ok(names.filter((name) => plain.test(name)).length >= 20)
})

/** The file name that a client without support for `filename*` reads. */
const legacy = (header) => parse(header.replace(/; filename\*=.*/, '')).parameters.filename

test('clients without support for filename* read ASCII names too', async () => {
  for (const name of ["it's (1)*.txt", 'a b.txt', 'a"b\\c.txt', 'a;b.txt']) assert.equal(legacy(await dispositionOf(publicUrl(name))), name)
  // Supabase's header for the first name cannot be parsed, and its header for the second name contains a different name.
  assert.throws(() => parse(supabase("it's (1).txt")), TypeError)
  assert.equal(legacy(supabase('a b.txt')), 'a%20b.txt')
})

test('supabase-js: a signed URL for a download, with and without a name', async () => {
  const signed = async (download) => (await storage.from('open').createSignedUrl('a.txt', 60, { download })).data.signedUrl
  assert.equal(await dispositionOf(await signed('report-2.txt')), supabase('report-2.txt'))
  assert.equal(await dispositionOf(await signed(true)), 'attachment;')
})
