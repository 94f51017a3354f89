/**
 * The documentation in the program: every page and the target of every link exists, no page loads anything from other servers, and the search index
 * contains the text.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'

import { startProject } from '../support/program.mjs'

const docs = resolve(import.meta.dirname, '../../docs')
const base = '/_/docs/'
let cloch
before(async () => {
  cloch = await startProject({ from: null })
})
after(() => cloch?.remove())

const get = (path, headers = {}) => fetch(new URL(path, cloch.url), { headers, redirect: 'manual' })

test('a path without a page is not found, and its response has the policy too', async () => {
  for (const path of ['gone.html', 'assets/gone.js', '..%2fsecrets.toml', '%252e%252e/secrets.toml', 'start.html/']) {
    const answer = await get(`${base}${path}`)
    assert.equal(answer.status, 404, path)
    assert.match(answer.headers.get('content-security-policy'), /^default-src 'none'/, path)
  }
})

test('every link from the first page on leads to a page of the site, and every page of docs/ is reachable', async () => {
  const waiting = [base]
  const seen = new Set(waiting)
  const [broken, loaded, external] = [[], [], []]
  for (const path of waiting) {
    const answer = await get(path)
    if (answer.status !== 200) broken.push(`${answer.status} ${path}`)
    if (!/html/.test(answer.headers.get('content-type'))) continue
    assert.doesNotMatch(answer.headers.get('content-security-policy'), /unsafe|https?:/, path)
    const page = await answer.text()
    for (const [, tag, target] of page.matchAll(/<(\w+)[^>]*?\s(?:href|src)="([^"]+)"/g)) {
      const url = new URL(target.replaceAll('&amp;', '&'), new URL(path, cloch.url))
      if (url.origin !== new URL(cloch.url).origin) (tag === 'a' ? external : loaded).push(url.href)
      else if (!seen.has(url.pathname)) {
        seen.add(url.pathname)
        waiting.push(url.pathname)
        if (!url.pathname.startsWith(base)) broken.push(`${path} leads to ${url.pathname}`)
      }
    }
  }
  assert.deepEqual({ broken, loaded }, { broken: [], loaded: [] })
  assert.ok(external.every((url) => /^https?:/.test(url)))
  const names = readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md'))
  const unreached = names.map((name) => `${base}${name.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '.html')}`).filter((path) => !seen.has(path))
  assert.deepEqual(unreached, [])
  assert.ok(names.length > 40)
})

test('the search index is a file of the site, and contains words of the pages', async () => {
  const page = await (await get(base)).text()
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path)
  const texts = await Promise.all(scripts.map(async (path) => (await get(path)).text()))
  // The page loads the search box when the user opens it. The search box then loads the index.
  const box = /VPLocalSearchBox\.[\w-]+\.js/.exec(texts.join('\n'))?.[0]
  assert.ok(box, 'a script names the search')
  const name = /@localSearchIndexroot\.[\w-]+\.js/.exec(await (await get(`${base}assets/chunks/${box}`)).text())?.[0]
  assert.ok(name, 'a script names the index')
  const index = await get(`${base}assets/chunks/${name}`)
  assert.equal(index.status, 200)
  assert.match(index.headers.get('cache-control'), /immutable/)
  assert.match(await index.text(), /landlock/i)
})

test('llms.txt lists the pages as Markdown, and each of them exists', async () => {
  const list = await (await get(`${base}llms.txt`)).text()
  assert.match(list, /^# Cloch\n\n> /)
  const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path)
  assert.ok(links.length > 40)
  for (const path of links) {
    const answer = await get(path)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], path)
  }
})

test('all representations have the same text, and an unchanged page is not sent again', async () => {
  const texts = await Promise.all(['gzip', 'br', 'identity'].map(async (coding) => (await get(`${base}start.html`, { 'accept-encoding': coding })).text()))
  assert.equal(new Set(texts).size, 1)
  const first = await get(base)
  assert.equal((await get(base, { 'if-none-match': first.headers.get('etag') })).status, 304)
})
