/** Unknown paths, wrong methods, bodies that are no JSON object, and what the server says about itself. */
const PATHS = [
  '/signup',
  '/token',
  '/verify',
  '/otp',
  '/magiclink',
  '/recover',
  '/resend',
  '/reauthenticate',
  '/user',
  '/logout',
  '/factors',
  '/user/identities/authorize',
  '/admin/users',
  '/admin/generate_link',
  '/admin/audit',
  '/admin/sso/providers',
  '/invite',
  '/settings',
  '/health',
  '/authorize',
  '/callback',
  '/sso',
  '/unknown',
  '/admin',
  '/admin/unknown',
  '/signup/',
  '/settings/',
]

export async function methods(auth) {
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      await auth.request(method, path, { body: method === 'GET' ? undefined : {}, brief: path === '/settings' })
      await auth.removeUsers()
    }
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const BODIES = {
  empty: '',
  'open brace': '{',
  null: 'null',
  array: '[]',
  text: '"x"',
  number: '1',
  'empty object': '{}',
  'two objects': '{} {}',
  'trailing comma': '{"email":"a@example.org",}',
  'twice the same key': '{"email":"a@example.org","email":"b@example.org"}',
  'not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  'half a surrogate pair': '{"email":"\\ud800@example.org"}',
  'NUL character': '{"email":"a\\u0000@example.org"}',
  'byte order mark': '\ufeff{}',
  deep: '['.repeat(20_000),
}
const TYPES = { 'text/plain': '{}', 'application/x-www-form-urlencoded': 'email=a%40example.org&password=x', 'multipart/form-data': '{}' }

export async function bodies(auth) {
  const paths = [
    '/signup',
    '/token?grant_type=password',
    '/token?grant_type=refresh_token',
    '/token?grant_type=pkce',
    '/verify',
    '/otp',
    '/magiclink',
    '/recover',
    '/resend',
    '/invite',
    '/admin/users',
    '/admin/generate_link',
  ]
  for (const path of paths) {
    const token = /admin|invite/.test(path) ? auth.service : undefined
    for (const [note, text] of Object.entries(BODIES)) {
      await auth.removeUsers()
      await auth.request('POST', path, { text, headers: JSON_TYPE, token, note, brief: true })
    }
    for (const [type, text] of Object.entries(TYPES)) {
      await auth.removeUsers()
      await auth.request('POST', path, { text, headers: { 'content-type': type }, token, note: type, brief: true })
    }
  }
}

export async function information(auth) {
  for (const path of ['/settings', '/health']) await auth.get(path)
}
