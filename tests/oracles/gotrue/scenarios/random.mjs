/** Random sequences of requests of one user and an administrator. */
import { PASSWORD } from '../session.mjs'

const STEPS = 50

/** The same numbers in each run. */
function random(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

export async function random_7(auth) {
  await sequence(auth, 7)
}

export async function random_41(auth) {
  await sequence(auth, 41)
}

async function sequence(auth, seed) {
  const email = `random-${seed}@example.org`
  const number = random(seed)
  const first = await auth.confirmedUser(email)
  const path = `/admin/users/${first.user.id}`
  const sessions = [first]
  let password = PASSWORD
  const options = (session) => ({ token: session.access_token, brief: true })
  const actions = [
    async () => {
      const { json } = await auth.post('/token?grant_type=password', { email, password }, { brief: true })
      if (json.access_token) sessions.push(json)
    },
    async (session) => {
      const { json } = await auth.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token }, { brief: true, note: 'refresh' })
      if (json.access_token) sessions[sessions.indexOf(session)] = json
    },
    (session) => auth.post(`/logout?scope=${['local', 'others', 'global'][number(3)]}`, undefined, options(session)),
    (session) => auth.get('/user', options(session)),
    (session) => auth.put('/user', { data: { [`k${number(3)}`]: number(2) ? null : number(5) } }, options(session)),
    async (session) => {
      const next = `user password ${number(100)}`
      const { status } = await auth.put('/user', { password: next }, options(session))
      if (status === 200) password = next
    },
    async () => {
      password = `admin password ${number(100)}`
      await auth.admin('PUT', path, { password }, { brief: true })
    },
    () => auth.admin('PUT', path, { ban_duration: ['1h', 'none', 'none'][number(3)] }, { brief: true }),
    () => auth.post('/token?grant_type=password', { email, password: 'wrong' }, { brief: true }),
    () => auth.admin('PUT', path, { app_metadata: { r: number(2) ? null : number(3) } }, { brief: true }),
    (session) => auth.post('/factors', { factor_type: 'totp', friendly_name: `f${number(3)}` }, options(session)),
    () => auth.admin('GET', path, undefined, { brief: true }),
  ]
  for (let n = 0; n < STEPS; n += 1) {
    await actions[number(actions.length)](sessions[number(sessions.length)])
  }
  await auth.rows('at the end', ['users', 'sessions', 'refresh_tokens', 'mfa_factors'])
}
