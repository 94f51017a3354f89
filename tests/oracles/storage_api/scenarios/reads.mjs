/** Reads of files: ways, download names, ranges and conditions. */
const DOWNLOADS = [
  'download',
  'download=',
  'download=a.txt',
  'download=%C3%BC.txt',
  'download=a%20b',
  'download=a%22b',
  "download=a'b",
  'download=a%0D%0Ab',
  'download=a,b',
  'download=a(1).txt',
  'download=100%25.txt',
  'download=%',
  'download=true',
  'download=a&download=b',
  'download=a;b',
  'download=..%2Fx',
  'download=%E2%82%AC',
  'width=10',
  'other=1',
  'token=x',
]
const RANGES = [
  'bytes=0-3',
  'bytes=3-',
  'bytes=-3',
  'bytes=0-100',
  'bytes=10-',
  'bytes=20-30',
  'bytes=5-2',
  'items=0-1',
  'bytes=a-b',
  'garbage',
  'bytes=0-0',
  'bytes=-100',
  'bytes=9-9',
  '',
]
const PAST = 'Wed, 01 Jan 2020 00:00:00 GMT'
const FUTURE = 'Wed, 01 Jan 2050 00:00:00 GMT'
const CONDITIONS = [
  { 'if-none-match': '"x"' },
  { 'if-none-match': '*' },
  { 'if-modified-since': PAST },
  { 'if-modified-since': FUTURE },
  { 'if-modified-since': 'garbage' },
  { 'accept-encoding': 'gzip' },
]
const WAYS = ['/object/public/reads/a.txt', '/object/reads/a.txt', '/object/authenticated/reads/a.txt']

async function makeFiles(server, id, settings) {
  await server.bucket(id, settings)
  await server.file(id, 'a.txt', '0123456789', { 'cache-control': 'max-age=60' })
  await server.file(id, 'd/page.html', '<b>x</b>', { 'content-type': 'text/html' })
  await server.file(id, 'robots.txt', 'x', { 'x-robots-tag': 'noindex' })
  await server.file(id, 'empty.txt', '')
}

export async function downloadNames(server) {
  await makeFiles(server, 'downloads', { public: true })
  for (const path of [
    '/object/public/downloads/a.txt',
    '/object/downloads/a.txt',
    '/object/authenticated/downloads/d/page.html',
  ]) {
    for (const query of DOWNLOADS) for (const method of ['GET', 'HEAD']) await server.send({ method, path: `${path}?${query}` })
  }
}

export async function rangesAndConditions(server) {
  await makeFiles(server, 'reads', { public: true })
  const headers = [...RANGES.map((range) => ({ range })), ...CONDITIONS]
  for (const path of WAYS)
    for (const method of ['GET', 'HEAD']) for (const header of headers) await server.send({ method, path, headers: header })
}

export async function entityTags(server) {
  await makeFiles(server, 'tags', { public: true })
  const path = '/object/public/tags/a.txt'
  const { headers } = await server.send({ path })
  const forms = { same: (tag) => tag, weak: (tag) => `W/${tag}`, second: (tag) => `"y", ${tag}`, first: (tag) => `${tag}, "y"` }
  for (const [name, form] of Object.entries(forms)) {
    for (const method of ['GET', 'HEAD'])
      await server.send({
        method,
        path,
        headers: { 'if-none-match': form(headers.etag) },
        label: `${method} If-None-Match: ${name}`,
      })
  }
}

/** Each way of access to files of a public and a private bucket, and to what does not exist. */
export async function waysToRead(server) {
  await makeFiles(server, 'open', { public: true })
  await makeFiles(server, 'closed')
  for (const bucket of ['open', 'closed', 'no-bucket']) {
    for (const key of ['a.txt', 'd/page.html', 'robots.txt', 'empty.txt', 'd', 'd/', 'none']) {
      for (const way of ['', 'public/', 'authenticated/', 'info/', 'info/public/', 'info/authenticated/']) {
        for (const token of ['service', 'user', 'anon']) {
          if (token !== 'service' && key !== 'a.txt' && key !== 'none') continue
          for (const method of ['GET', 'HEAD']) await server.send({ method, path: `/object/${way}${bucket}/${key}`, token })
        }
      }
    }
  }
}
