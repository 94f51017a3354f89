/** Deletions of one file and of many. */
import { VALUES, withField } from './values.mjs'

const type = { 'content-type': 'text/plain' }

export async function deletions(server) {
  await server.bucket('own-deleted')
  await server.prepare({ method: 'POST', path: '/object/own-deleted/user.txt', body: 'x', headers: type, token: 'user' })
  await server.file('own-deleted', 'dir/a.txt')
  for (const token of ['anon', 'otherUser', 'user', 'service'])
    await server.send({ method: 'DELETE', path: '/object/own-deleted/user.txt', token })
  for (const key of ['dir', 'dir/', 'none', 'dir/a.txt', 'dir/a.txt'])
    await server.send({ method: 'DELETE', path: `/object/own-deleted/${key}` })
  await server.send({ method: 'DELETE', path: '/object/none/a.txt' })
  await server.file('own-deleted', 'with-body.txt')
  await server.send({ method: 'DELETE', path: '/object/own-deleted/with-body.txt', json: {} })
  await server.objectRows('own-deleted')
}

export async function deletionsOfMany(server) {
  await server.bucket('many')
  for (const key of ['a', 'b', 'c', 'd', 'dir/x', 'dir/y', 'e']) await server.file('many', key)
  const remove = (json) => server.send({ method: 'DELETE', path: '/object/many', json, unordered: true })
  for (const prefixes of [['a', 'none'], ['b', 'b'], ['dir'], ['dir/'], ['dir/x', 'dir/y'], [''], ['ü'], ['c', 'd']])
    await remove({ prefixes })
  for (const count of [1000])
    await server.send({
      method: 'DELETE',
      path: '/object/many',
      json: { prefixes: Array(count).fill('q') },
      label: `${count} names`,
    })
  for (const json of [{ prefix: ['e'] }, { prefixes: ['e'], extra: 1 }]) await remove(json)
  await server.send({ method: 'DELETE', path: '/object/many' })
  await server.send({ method: 'DELETE', path: '/object/none', json: { prefixes: ['a'] } })
  for (const value of VALUES)
    await server.send({
      method: 'DELETE',
      path: '/object/many',
      jsonText: withField({}, 'prefixes', value),
      label: `prefixes = ${value}`,
    })
  await server.objectRows('many')
}

export async function deletionsOfManyByCallers(server) {
  await server.bucket('own-many')
  await server.file('own-many', 'service')
  for (const token of ['anon', 'otherUser', 'user', 'service']) {
    if (token !== 'service')
      await server.prepare({ method: 'POST', path: `/object/own-many/user-${token}`, body: 'x', headers: type, token: 'user' })
    await server.send({
      method: 'DELETE',
      path: '/object/own-many',
      json: { prefixes: [`user-${token}`, 'service'] },
      token,
      unordered: true,
    })
  }
  await server.objectRows('own-many')
}
