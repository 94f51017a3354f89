/** Wrong tokens, odd claims, and no token. */
import { sign, USER } from '../client.mjs'

const exp = 4_102_444_800
const CLAIMS = {
  'role unknown': { role: 'no_such_role', exp },
  'role null': { role: null, exp },
  'role 5': { role: 5, exp },
  'role empty': { role: '', exp },
  'role list': { role: ['anon'], exp },
  'sub 5': { role: 'authenticated', sub: 5, exp },
  'sub null': { role: 'authenticated', sub: null, exp },
  'sub empty': { role: 'authenticated', sub: '', exp },
  'sub long': { role: 'authenticated', sub: 'x'.repeat(300), exp },
  'sub in capitals': { role: 'authenticated', sub: USER.toUpperCase(), exp },
  'exp text': { role: 'service_role', exp: '4102444800' },
  'exp fraction': { role: 'service_role', exp: exp + 0.5 },
  'exp 0': { role: 'service_role', exp: 0 },
  'exp negative': { role: 'service_role', exp: -1 },
  'exp null': { role: 'service_role', exp: null },
  'iat future': { role: 'service_role', exp, iat: exp - 1 },
  'iat text': { role: 'service_role', exp, iat: 'x' },
  'nbf text': { role: 'service_role', exp, nbf: 'x' },
  'nbf past': { role: 'service_role', exp, nbf: 1 },
  'aud list': { role: 'authenticated', sub: USER, aud: ['a', 'b'], exp },
  'anon with sub': { role: 'anon', sub: USER, exp },
  'service with sub': { role: 'service_role', sub: USER, exp },
}

const requestsOn = (bucket) => [
  { path: `/bucket/${bucket}` },
  { method: 'POST', path: '/bucket', json: { name: `${bucket}-made` } },
  { method: 'DELETE', path: `/bucket/${bucket}-made` },
  { method: 'POST', path: `/object/list/${bucket}`, json: { prefix: '' } },
  { path: `/object/${bucket}/a.txt` },
  { path: `/object/public/${bucket}/a.txt` },
  { path: `/object/authenticated/${bucket}/a.txt` },
  { path: `/object/info/${bucket}/a.txt` },
  { path: `/object/info/public/${bucket}/a.txt` },
  { method: 'POST', path: `/object/${bucket}/made.txt`, body: 'x', headers: { 'content-type': 'text/plain' } },
  { method: 'POST', path: `/object/sign/${bucket}/a.txt`, json: { expiresIn: 60 } },
  { method: 'POST', path: `/object/upload/sign/${bucket}/new.txt` },
  { method: 'POST', path: '/object/copy', json: { bucketId: bucket, sourceKey: 'a.txt', destinationKey: 'b.txt' } },
  { method: 'DELETE', path: `/object/${bucket}/made.txt` },
]

export async function wrongTokens(server) {
  await server.bucket('own-tokens')
  await server.file('own-tokens', 'a.txt')
  for (const token of [
    'expired',
    'future',
    'foreign',
    'unsigned',
    'garbage',
    'dotted',
    'empty',
    'withoutExpiry',
    'withoutRole',
    'textAsUser',
  ]) {
    for (const request of requestsOn('own-tokens')) await server.send({ ...request, token })
  }
  for (const scheme of ['bearer ', 'BEARER ', 'Bearer  ', '', 'Basic ', 'Token '])
    await server.send({ path: '/bucket/own-tokens', scheme })
  await server.objectRows('own-tokens')
}

export async function oddClaims(server) {
  await server.bucket('own-claims')
  await server.file('own-claims', 'a.txt')
  for (const [name, claims] of Object.entries(CLAIMS)) {
    for (const request of requestsOn('own-claims')) {
      await server.send({
        ...request,
        token: sign(claims, server.secret),
        label: `${name}: ${request.method ?? 'GET'} ${request.path}`,
      })
    }
  }
  await server.objectRows('own-claims')
}

/** Supabase's gateway sends an empty token for such requests. */
export async function withoutToken(server) {
  await server.bucket('own-without')
  await server.file('own-without', 'a.txt')
  for (const request of requestsOn('own-without')) await server.send({ ...request, token: 'none' })
  await server.send({ path: '/bucket', token: 'none' })
}
