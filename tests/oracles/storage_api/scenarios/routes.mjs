/** Methods that a path does not have, and paths that do not exist. */
const PATHS = [
  '/bucket',
  '/bucket/',
  '/bucket/routes',
  '/bucket/routes/empty',
  '/bucket/routes/x',
  '/object',
  '/object/',
  '/object/routes',
  '/object/routes/',
  '/object/routes/x',
  '/object/public',
  '/object/public/routes',
  '/object/public/routes/x',
  '/object/sign/routes',
  '/object/sign/routes/x',
  '/object/upload/sign/routes',
  '/object/upload/sign/routes/x',
  '/object/info/routes',
  '/object/info/routes/x',
  '/object/list/routes',
  '/object/list-v2/routes',
  '/object/copy',
  '/object/move',
  '/object/authenticated/routes/x',
  '/none',
  '/',
  '',
  '/upload',
  '/cdn/routes/x',
]

export async function methods(server) {
  await server.bucket('routes')
  for (const path of PATHS) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      // The first would delete the bucket, the others show the buckets of all scenarios.
      if (method === 'DELETE' && path === '/bucket/routes') continue
      if (['GET', 'HEAD'].includes(method) && /^\/bucket\/?$/.test(path)) continue
      const json = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined
      await server.send({ method, path, json })
    }
  }
}

export async function trailingSlashes(server) {
  await server.bucket('slashes')
  for (const path of ['/bucket/', '/bucket/slashes/'])
    await server.send({ path: path.replace(/^\/bucket\/$/, '/bucket/?search=slashes') })
  for (const path of [
    '/object/list/slashes/',
    '/object/list-v2/slashes/',
    '/object/copy/',
    '/object/move/',
    '/object/sign/slashes/',
    '/bucket/slashes/empty/',
  ]) {
    await server.send({ method: 'POST', path, json: { prefix: '' } })
  }
}
