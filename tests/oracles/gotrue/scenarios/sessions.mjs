/** Refresh tokens and sign-out. */
import { PASSWORD } from '../session.mjs'

/** Moves all tokens and sessions an hour back, so that a used token is no longer accepted within the reuse interval. */
async function anHourLater(auth) {
  await auth.sql("update auth.refresh_tokens set updated_at = updated_at - interval '1 hour', created_at = created_at - interval '1 hour'")
  await auth.sql("update auth.sessions set refreshed_at = refreshed_at - interval '1 hour'")
}

export async function refresh_tokens(auth) {
  const first = await auth.confirmedUser('refresh@example.org')
  const second = (await auth.refresh(first.refresh_token, 'first')).json
  await auth.rows('refreshed', ['sessions', 'refresh_tokens'])
  await auth.refresh(first.refresh_token, 'first, again at once')
  const third = (await auth.refresh(second.refresh_token, 'second')).json
  await anHourLater(auth)
  const again = (await auth.refresh(second.refresh_token, 'second, the parent of the newest')).json
  await auth.rows('with the parent', ['sessions', 'refresh_tokens'])
  await auth.refresh(first.refresh_token, 'first, an hour later')
  await auth.rows('after a reuse', ['sessions', 'refresh_tokens'])
  await auth.refresh(third.refresh_token, 'third, after a reuse')
  await auth.refresh(again?.refresh_token, 'newest, after a reuse')
  await auth.get('/user', { token: first.access_token, note: 'after a reuse' })
}

export async function tokens_of_removed_users(auth) {
  const email = 'removed@example.org'
  const banned = await auth.confirmedUser(email)
  await auth.sql("update auth.users set banned_until = now() + interval '1 day'")
  await auth.refresh(banned.refresh_token, 'banned')
  await auth.signIn(email)
  await auth.get('/user', { token: banned.access_token, note: 'banned' })
  await auth.sql('update auth.users set banned_until = null')
  await auth.sql('delete from auth.sessions')
  await useAll(auth, banned, 'session deleted')
  const deleted = (await auth.signIn(email)).json
  await auth.removeUsers()
  await useAll(auth, deleted, 'user deleted')
}

async function useAll(auth, session, note) {
  await auth.refresh(session.refresh_token, note)
  await auth.get('/user', { token: session.access_token, note })
  await auth.put('/user', {}, { token: session.access_token, note })
  await auth.post('/logout', {}, { token: session.access_token, note })
}

export async function sign_out(auth) {
  const email = 'sign-out@example.org'
  await auth.confirmedUser(email)
  for (const query of ['', '?scope=global', '?scope=local', '?scope=others', '?scope=', '?scope=unknown', '?scope=LOCAL']) {
    await auth.sql('delete from auth.sessions')
    const a = (await auth.signIn(email, PASSWORD, { brief: true })).json
    const b = (await auth.signIn(email, PASSWORD, { brief: true })).json
    await auth.post(`/logout${query}`, undefined, { token: a.access_token })
    await auth.get('/user', { token: a.access_token, note: `a, after ${query}`, brief: true })
    await auth.get('/user', { token: b.access_token, note: `b, after ${query}`, brief: true })
    await auth.refresh(b.refresh_token, `b, after ${query}`, { brief: true })
    await auth.post(`/logout${query}`, undefined, { token: a.access_token, note: 'again' })
  }
}
