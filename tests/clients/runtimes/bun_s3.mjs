/** The calls of Bun's own S3 client. The first argument contains the endpoint, the keys and the bucket. Prints `right` if all are right. */
const client = new Bun.S3Client(JSON.parse(process.argv[2]))

function check(value, expected, what) {
  const [is, wanted] = [value, expected].map((one) => JSON.stringify(one))
  if (is !== wanted) throw new Error(`${what}: ${is} instead of ${wanted}`)
}

const name = 'bun/a b+c.txt'
check(await client.write(name, 'hello', { type: 'text/plain' }), 5, 'write')
check(await client.file(name).text(), 'hello', 'text')
check(await client.file(name).slice(1, 4).text(), 'ell', 'slice')
check([await client.exists(name), await client.exists('bun/none')], [true, false], 'exists')
const { size, type, etag } = await client.stat(name)
check([size, type, etag], [5, 'text/plain;charset=utf-8', '"5d41402abc4b2a76b9719d911017c592"'], 'stat')

const large = Uint8Array.from({ length: 13_000_000 }, (_, at) => (at * 31) % 251)
const writer = client.file('bun/large.bin').writer({ partSize: 5 * 1024 * 1024, queueSize: 3, retry: 1 })
for (let at = 0; at < large.length; at += 1_000_000) writer.write(large.slice(at, at + 1_000_000))
await writer.end()
let streamed = 0
for await (const chunk of client.file('bun/large.bin').stream()) streamed += chunk.length
check(streamed, large.length, 'stream')

const listed = await client.list({ prefix: 'bun/', maxKeys: 10 })
check(listed.contents.map(({ key, size: bytes }) => [key, bytes]), [[name, 5], ['bun/large.bin', large.length]], 'list')
check(await (await fetch(client.presign(name, { expiresIn: 60 }))).text(), 'hello', 'presigned download')
const url = client.presign('bun/put.txt', { method: 'PUT', expiresIn: 60, type: 'text/plain' })
const put = await fetch(url, { method: 'PUT', body: 'put', headers: { 'content-type': 'text/plain' } })
check([put.status, await client.file('bun/put.txt').text()], [200, 'put'], 'presigned upload')
await client.delete('bun/put.txt')
const missing = await client.file('bun/put.txt').text().catch(({ code }) => code)
check(missing, 'NoSuchKey', 'missing')
console.log('right')
