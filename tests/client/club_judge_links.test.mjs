/**
 * A judge's own link, in the running program and with the unmodified client: which data it gives access to, that no data of another judge,
 * category or person can be read or changed with it, and that access ends at once when the link ends.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { png } from '../support/pictures.mjs'
import { startProject } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const bucket = 'youth-awards-submissions'
const picture = new Blob([png(Buffer.alloc(200))], { type: 'image/png' })
const noSession = { auth: { persistSession: false, autoRefreshToken: false } }
const minor = { age: 12, parent_guardian_email: 'parent@example.org' }

let cloch, visitor, service, admin
const entries = {}
const files = {}
before(async () => {
  cloch = await startProject()
  visitor = createClient(cloch.url, cloch.anonKey, noSession)
  service = createClient(cloch.url, cloch.serviceKey, noSession)
  const account = { email: 'secretary@example.org', password: 'a quiet harbour 27' }
  const { data } = await service.auth.admin.createUser({ ...account, email_confirm: true })
  await must(service.from('user_roles').insert({ user_id: data.user.id, role: 'admin' }))
  admin = createClient(cloch.url, cloch.anonKey, noSession)
  await must(admin.auth.signInWithPassword(account))
  await seed()
})
after(() => cloch?.remove())

async function must(answer) {
  const { data, error } = await answer
  assert.equal(error, null)
  return data
}

async function seed() {
  let clock = Date.now()
  for (const [name, store, path, type] of [
    ['ann', bucket, 'artist/ann', 'image/png'],
    ['dan', bucket, 'photographer/dan', 'image/png'],
    ['eve', bucket, 'musician/eve', 'audio/mpeg'],
    ['later', 'music-uploads', 'eve-sample', 'audio/mpeg'],
    ['letter', bucket, 'young-citizen/fay', 'text/plain'],
  ]) {
    files[name] = `${path}/${(clock += 1)}-${name}.${type === 'image/png' ? 'png' : type === 'audio/mpeg' ? 'mp3' : 'txt'}`
    const body = type === 'image/png' ? picture : new Blob([type === 'text/plain' ? 'a letter' : Buffer.alloc(500)], { type })
    await must(service.storage.from(store).upload(files[name], body, { contentType: type }))
  }
  const add = async (table, row) => {
    const [added] = await must(service.from(table).insert(row).select())
    entries[row.entrant_name ?? row.nominee_name] = added.id
  }
  await add('young_artist_entries', { ...minor, entrant_name: 'Ann', category: 'Intermediate', artwork_title: 'Dawn', uploaded_files: [files.ann] })
  await add('young_photographer_entries', { ...minor, entrant_name: 'Dan', category: 'Senior', uploaded_files: [files.dan] })
  await add('young_musician_entries', { ...minor, entrant_name: 'Eve Sample', category: 'vocal', uploaded_files: [files.eve] })
  await must(service.from('extra_files').insert({ kind: 'music', entrant_name: 'Eve Sample', uploaded_files: [files.later] }))
  await add('young_citizen_nominations', {
    nomination_type: 'individual', nominee_name: 'Fay', nominee_age: 13, parent_guardian_email: 'parent@example.org', nominator_name: 'Nora',
    nominator_email: 'nora@example.org', key_achievement: 'Kind', why_deserving: 'True', uploaded_files: [files.letter],
  })
}

/** Adds a judge with a link. Returns the judge's id and the token of the link. */
async function judgeWithLink(name, ...categories) {
  const [{ id }] = await must(admin.from('judges').insert({ name }).select())
  await must(admin.from('judge_categories').insert(categories.map((category) => ({ judge_id: id, category }))))
  return { id, token: await must(admin.rpc('make_judge_link', { judge: id })) }
}

const open = (token) => visitor.functions.invoke('open-judge-link', { body: { token } })

/** Returns a client whose judge has opened the link. */
async function opened(token) {
  const key = await must(open(token))
  assert.deepEqual([key.valid, key.token_type], [true, 'bearer'])
  return createClient(cloch.url, cloch.anonKey, { accessToken: async () => key.access_token })
}

const canSign = async (judge, path, store = bucket) => (await judge.storage.from(store).createSignedUrl(path, 3600)).error === null

test('only administrators create a link, and guessed tokens are refused', async () => {
  const { id, token } = await judgeWithLink('Guessed', 'artist')
  for (const client of [visitor, service]) {
    const answer = await client.rpc('make_judge_link', { judge: id })
    assert.equal(answer.error === null, client === service)
  }
  assert.deepEqual((await open(token)).data, { valid: false }, 'the link that the server made has replaced the first one')
  for (const guess of ['', '0'.repeat(64), "' or true --", token.toUpperCase()]) assert.deepEqual((await open(guess)).data, { valid: false }, guess)
  assert.ok((await visitor.functions.invoke('open-judge-link', { body: { token, extra: 1 } })).error)
})

test('a judge sees the entries to judge, without contact data, and no table', async () => {
  const judge = await opened((await judgeWithLink('Ann Judge', 'artist', 'singing', 'citizen')).token)
  const { judge: name, sections } = await must(judge.rpc('own_judging'))
  assert.equal(name, 'Ann Judge')
  assert.deepEqual(
    sections.map(({ award, category, entries }) => [award, category, entries]),
    [['citizen', 'individual', 1], ['citizen', 'group', 0], ['musician', 'vocal', 1], ['artist', 'intermediate', 1], ['artist', 'senior', 0]],
  )
  const listed = async (award, category) => must(judge.rpc('entries_to_judge', { award, category }))
  const [work] = await listed('artist', 'intermediate')
  assert.deepEqual([work.entrant, work.title, work.files], ['Ann', 'Dawn', [files.ann]])
  const [song] = await listed('musician', 'vocal')
  assert.deepEqual([song.files, song.recordings], [[files.eve], [files.later]])
  const [nominee] = await listed('citizen', 'individual')
  assert.deepEqual([nominee.entrant, nominee.files, nominee.facts[0]], ['Fay', [], ['Key achievement', 'Kind']])
  assert.ok(!JSON.stringify([work, song, nominee]).includes('@'))
  assert.deepEqual(await listed('photographer', 'senior'), [])

  for (const table of ['young_artist_entries', 'young_photographer_entries', 'schools'])
    assert.deepEqual((await judge.from(table).select('id')).data, [], table)
  for (const table of ['young_musician_entries', 'young_citizen_nominations', 'judges', 'judge_categories', 'judging_criteria', 'extra_files', 'entry_links'])
    assert.equal((await judge.from(table).select('*')).error?.code, '42501', table)
  for (const table of ['judge_marks', 'judge_links', 'judge_finished']) {
    assert.ok((await judge.from(table).select('*')).error, table)
    assert.ok((await judge.schema('club').from(table).select('*')).error, table)
  }
  assert.deepEqual((await judge.from('young_artist_entries').update({ junior_ranking: 1 }).eq('id', entries.Ann).select('id')).data, [])
  for (const [call, args] of [['joint_result', { award: 'artist', category: 'senior' }], ['judge_links', {}], ['award_counts', {}], ['make_judge_link', { judge: entries.Ann }]])
    assert.equal((await judge.rpc(call, args)).error?.code, '42501', call)

  assert.deepEqual([await canSign(judge, files.ann), await canSign(judge, files.eve), await canSign(judge, files.later, 'music-uploads')], [true, true, true])
  assert.deepEqual([await canSign(judge, files.dan), await canSign(judge, files.letter)], [false, false])
  assert.deepEqual((await judge.storage.from(bucket).list('photographer/dan')).data, [])
  assert.ok((await judge.storage.from(bucket).upload(`artist/ann/${Date.now()}-b.png`, picture)).error)
  assert.ok((await judge.functions.invoke('send-email', { body: {} })).error)
})

test('only the judge who gave a mark, and administrators, can see it', async () => {
  const [first, second] = [await judgeWithLink('First', 'artist'), await judgeWithLink('Second', 'artist', 'photography')]
  const [one, two] = [await opened(first.token), await opened(second.token)]
  const own = async (judge) => (await must(judge.rpc('entries_to_judge', { award: 'artist', category: 'intermediate' })))[0]
  await must(one.rpc('save_mark', { entry: entries.Ann, change: { place: 1, known: true } }))
  assert.deepEqual([(await own(one)).place, (await own(one)).known, (await own(two)).place, (await own(two)).known], [1, true, null, false])
  await must(two.rpc('save_mark', { entry: entries.Ann, change: { place: 3 } }))
  assert.equal((await own(one)).place, 1)
  assert.equal((await one.rpc('save_mark', { entry: entries.Dan, change: { place: 1 } })).error.code, '42501')
  assert.equal((await one.rpc('save_mark', { entry: entries.Ann, change: { place: 4 } })).error.code, '23514')
  assert.equal((await visitor.rpc('save_mark', { entry: entries.Ann, change: { place: 2 } })).error.code, '42501')
  // The judge's own place is not the shared place.
  assert.equal((await must(service.from('young_artist_entries').select('junior_ranking').eq('id', entries.Ann).single())).junior_ranking, null)

  await must(one.rpc('finish_judging', { award: 'artist', category: 'intermediate', finished: true }))
  assert.equal((await one.rpc('save_mark', { entry: entries.Ann, change: { place: 2 } })).error.code, 'CLB02')
  const section = { award: 'artist', category: 'intermediate' }
  const seen = await must(admin.rpc('joint_result', section))
  assert.deepEqual(
    seen.judges.filter(({ id }) => [first.id, second.id].includes(id)).map(({ name, finishedAt }) => [name, finishedAt !== null]),
    [['First', true], ['Second', false]],
  )
  const marks = Object.fromEntries(seen.entries[0].marks.map(({ judge, place }) => [judge, place]))
  assert.deepEqual([marks[first.id], marks[second.id]], [1, 3])

  // A result can be settled only in the state that the administrator has seen.
  await must(two.rpc('save_mark', { entry: entries.Ann, change: { place: 2 } }))
  const settle = async (state) => must(admin.rpc('settle_places', { ...section, state, places: { [entries.Ann]: 1 } }))
  assert.equal(await settle(seen.state), 'changed')
  assert.equal(await settle((await must(admin.rpc('joint_result', section))).state), 'settled')
  assert.equal((await must(service.from('young_artist_entries').select('junior_ranking').eq('id', entries.Ann).single())).junior_ranking, 1)
})

test('a link that is revoked, replaced or whose judge is deleted ends its sessions', async () => {
  const ends = [
    ({ id }) => admin.rpc('revoke_judge_link', { judge: id }),
    ({ id }) => admin.rpc('make_judge_link', { judge: id }),
    ({ id }) => admin.from('judges').delete().eq('id', id),
  ]
  for (const [number, end] of ends.entries()) {
    const link = await judgeWithLink(`Ended ${number}`, 'artist')
    const judge = await opened(link.token)
    assert.equal(await canSign(judge, files.ann), true)
    await must(end(link))
    assert.equal((await judge.rpc('own_judging')).error?.code, '42501')
    assert.equal((await judge.rpc('entries_to_judge', { award: 'artist', category: 'intermediate' })).error?.code, '42501')
    assert.equal((await judge.rpc('save_mark', { entry: entries.Ann, change: { place: 1 } })).error?.code, '42501')
    assert.equal(await canSign(judge, files.ann), false)
    assert.deepEqual((await open(link.token)).data, { valid: false })
  }
})

/** Joins the private channel of a judge. `tables` contains the names of the changed tables from the channel's messages. */
async function listen(client, topic) {
  const heard = { tables: [], status: undefined }
  await client.realtime.setAuth()
  const channel = client.channel(topic, { config: { private: true } })
  channel.on('broadcast', { event: 'changed' }, ({ payload }) => heard.tables.push(payload.table))
  channel.subscribe((status) => (heard.status ??= status))
  await until(() => heard.status !== undefined, 'the channel is joined or refused')
  return { heard, leave: () => client.removeAllChannels() }
}

test('a judge gets messages about the judge’s own entries within a second, nobody else does, and a revoked link gets none', async () => {
  const [first, second] = [await judgeWithLink('Listens', 'artist'), await judgeWithLink('Other award', 'photography')]
  const [one, two] = [await opened(first.token), await opened(second.token)]
  const { channel } = await must(one.rpc('own_judging'))
  const own = await listen(one, channel)
  const other = await listen(two, (await must(two.rpc('own_judging'))).channel)
  assert.deepEqual([own.heard.status, other.heard.status], ['SUBSCRIBED', 'SUBSCRIBED'])

  // The channel of a judge, and the channels of administrators and of judges with the password, refuse everybody else.
  const stranger = createClient(cloch.url, cloch.anonKey, noSession)
  for (const [client, topic] of [[stranger, channel], [two, channel], [one, 'judging'], [one, 'desk'], [one, 'judge:'], [one, `${channel}x`]]) {
    const refused = await listen(client === stranger ? stranger : await opened(client === one ? first.token : second.token), topic)
    assert.equal(refused.heard.status, 'CHANNEL_ERROR', topic)
    await refused.leave()
  }
  // A public channel with this name is a different channel.
  const open = []
  const spying = stranger.channel(channel)
  spying.on('broadcast', { event: '*' }, (message) => open.push(message))
  await new Promise((done) => spying.subscribe(done))

  const section = { award: 'artist', category: 'intermediate' }
  const { state } = await must(admin.rpc('joint_result', section))
  const begun = Date.now()
  assert.equal(await must(admin.rpc('settle_places', { ...section, state, places: { [entries.Ann]: 2 } })), 'settled')
  await until(() => own.heard.tables.includes('young_artist_entries'), 'the judge is told')
  assert.ok(Date.now() - begun < 10_000, `told after ${Date.now() - begun} ms`)
  // Marks and completed categories of a judge are reported only on the channel of this judge.
  await must(two.rpc('save_mark', { entry: entries.Dan, change: { place: 1 } }))
  await must(two.rpc('finish_judging', { award: 'photographer', category: 'senior', finished: true }))
  await until(() => other.heard.tables.includes('judge_finished'), 'the other judge is told')
  assert.deepEqual([own.heard.tables, other.heard.tables], [['young_artist_entries'], ['judge_marks', 'judge_finished']])

  await must(admin.rpc('revoke_judge_link', { judge: first.id }))
  await until(() => own.heard.tables.includes('judge_links'), 'the end is told')
  await must(service.from('young_artist_entries').update({ artwork_title: 'Dusk' }).eq('id', entries.Ann))
  await must(service.from('judges').update({ notes: 'ended' }).eq('id', first.id))
  // Messages to the other judge are sent after the messages to this judge.
  await must(service.from('young_photographer_entries').update({ photo_title: 'Gull' }).eq('id', entries.Dan))
  await until(() => other.heard.tables.includes('young_photographer_entries'), 'a later change is told')
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.deepEqual(own.heard.tables, ['young_artist_entries', 'judge_links'])
  await own.leave()
  assert.equal((await listen(one, channel)).heard.status, 'CHANNEL_ERROR')
  assert.deepEqual(open, [])
  for (const client of [one, two, stranger]) await client.removeAllChannels()
})

test('the response to a wrong token is delayed, and the response to a right one is not', async () => {
  const { token } = await judgeWithLink('In time', 'artist')
  const wrong = Array.from({ length: 12 }, () => open('0'.repeat(64)))
  const begun = Date.now()
  assert.equal((await open(token)).data.valid, true)
  const right = Date.now() - begun
  for (const { data } of await Promise.all(wrong)) assert.deepEqual(data, { valid: false })
  assert.ok(Date.now() - begun > right + 500, 'the last wrong one is answered later')
})
