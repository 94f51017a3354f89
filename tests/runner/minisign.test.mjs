/** Signatures of releases. Signatures made with minisign are accepted; all others are refused. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

import { publicKey, signed, verified } from '../../packaging/minisign.mjs'

const program = resolve(import.meta.dirname, '../../packaging/minisign.mjs')
const folder = mkdtempSync(join(tmpdir(), 'cloch-minisign-'))
after(() => rmSync(folder, { recursive: true }))
const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })

/** A signature of the file `test` that was made with minisign. It is from the documentation of the crate minisign-verify. */
const upstream = {
  key: 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3',
  text: `untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1633700835\tfile:test\tprehashed
wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==
`,
}

test('a signature made by minisign is accepted', () => {
  assert.match(verified(Buffer.from('test'), upstream.text, upstream.key), /^timestamp:1633700835/)
  assert.throws(() => verified(Buffer.from('Test'), upstream.text, upstream.key), /wrong signature/)
})

test('a changed file, comment, signature or key is refused', () => {
  const secret = newKey()
  const [content, key] = [Buffer.from('a release'), publicKey(secret)]
  const text = signed(content, secret, 'cloch 1.2.3')
  assert.equal(verified(content, text, key), 'cloch 1.2.3')
  const lines = text.split('\n')
  const bent = (line) => `${line.slice(0, 20)}${line[20] === 'A' ? 'B' : 'A'}${line.slice(21)}`
  const cases = [
    [Buffer.from('a releasE'), text, key, /file was changed/],
    [content, text.replace('1.2.3', '1.2.4'), key, /of the comment/],
    [content, [lines[0], bent(lines[1]), ...lines.slice(2)].join('\n'), key, /wrong signature/],
    [content, [...lines.slice(0, 3), bent(lines[3])].join('\n'), key, /of the comment/],
    [content, text, publicKey(newKey()), /another key/],
    [content, lines.slice(0, 2).join('\n'), key, /invalid signature file/],
    [content, text, 'AAAA', /invalid signature file or key/],
    [content, '', key, /invalid signature file/],
  ]
  for (const [file, signature, by, message] of cases) assert.throws(() => verified(file, signature, by), message)
  assert.throws(() => signed(content, secret, 'two\nlines'), /one line/)
})

test('the command signs, verifies, and fails without a key', () => {
  const file = join(folder, 'SHA256SUMS')
  writeFileSync(file, 'sums')
  const output = execFileSync(process.execPath, [program, 'new-key'], { encoding: 'utf8' })
  const [, secret, key] = /^(-[\s\S]+-\n)(\S+)\n$/.exec(output)
  const run = (...words) => spawnSync(process.execPath, [program, ...words], { encoding: 'utf8', env: { ...process.env, CLOCH_SIGNING_KEY: secret } })
  assert.equal(run('sign', file, 'cloch 1').status, 0)
  assert.equal(run('verify', file, key).stdout, 'cloch 1\n')
  writeFileSync(file, 'other sums')
  assert.deepEqual([run('verify', file, key).status, /failed/.test(run('verify', file, key).stderr)], [1, true])
  const without = spawnSync(process.execPath, [program, 'sign', file, 'x'], { encoding: 'utf8', env: { ...process.env, CLOCH_SIGNING_KEY: '' } })
  assert.deepEqual([without.status, /CLOCH_SIGNING_KEY is missing/.test(without.stderr)], [1, true])
  assert.ok(!readFileSync(`${file}.minisig`, 'utf8').includes('PRIVATE'))
})
