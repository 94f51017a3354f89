/** Probes for the client's methods for tables, files, functions and realtime. `service` is a client with the secret key. */
import { expect, good } from './table.mjs'

const rows = (query) => async ({ service }) => expect(Array.isArray(good(await query(service.from('pupils').select('id'), service))), 'rows')
const schools = (query) => async ({ service }) => expect(good(await query(service.from('schools').select('id'))).length === 1, 'one row')
const notThere = 'no such part: analytics buckets are in alpha at Supabase'
const gone = (call) => ({ probe: async (context) => good(await call(context)), missing: notThere })

const filters = {
  eq: rows((q) => q.eq('id', 1)), neq: rows((q) => q.neq('id', 1)), gt: rows((q) => q.gt('id', 1)), gte: rows((q) => q.gte('id', 1)),
  lt: rows((q) => q.lt('id', 1)), lte: rows((q) => q.lte('id', 1)), like: rows((q) => q.like('name', 'A%')), likeAllOf: rows((q) => q.likeAllOf('name', ['A%'])),
  likeAnyOf: rows((q) => q.likeAnyOf('name', ['A%'])), ilike: rows((q) => q.ilike('name', 'a%')), ilikeAllOf: rows((q) => q.ilikeAllOf('name', ['a%'])),
  ilikeAnyOf: rows((q) => q.ilikeAnyOf('name', ['a%'])), regexMatch: rows((q) => q.regexMatch('name', '^A')), regexIMatch: rows((q) => q.regexIMatch('name', '^a')),
  is: rows((q) => q.is('school', null)), isDistinct: rows((q) => q.isDistinct('age', 11)), in: rows((q) => q.in('id', [1, 2])), notIn: rows((q) => q.notIn('id', [1, 2])),
  contains: schools((q) => q.contains('tags', ['old'])), containedBy: schools((q) => q.containedBy('tags', ['old', 'big']).neq('tags', '{}')),
  rangeGt: schools((q) => q.rangeGt('span', '[1,5)')), rangeGte: schools((q) => q.rangeGte('span', '[5,6)')), rangeLt: schools((q) => q.rangeLt('span', '[5,6)')),
  rangeLte: schools((q) => q.rangeLte('span', '[1,6)')), rangeAdjacent: schools((q) => q.rangeAdjacent('span', '[9,10)')), overlaps: schools((q) => q.overlaps('tags', ['big'])),
  textSearch: schools((q) => q.textSearch('words', 'gourock', { type: 'websearch' })), match: rows((q) => q.match({ id: 1 })), not: rows((q) => q.not('id', 'eq', 1)),
  or: rows((q) => q.or('id.eq.1,id.eq.2')), filter: rows((q) => q.filter('id', 'eq', 1)), select: async ({ service }) => good(await service.from('clubs').update({ name: 'Chess' }).eq('id', 1).select()),
  order: rows((q) => q.order('id')), limit: rows((q) => q.limit(1)), range: rows((q) => q.range(0, 1)), abortSignal: rows((q) => q.abortSignal(AbortSignal.timeout(60_000))),
  single: async ({ service }) => expect(good(await service.from('pupils').select('id').eq('id', 1).single()).id === 1, 'a row'),
  maybeSingle: async ({ service }) => expect(good(await service.from('pupils').select('id').eq('id', 0).maybeSingle()) === null, 'no row'),
  csv: async ({ service }) => expect(/^id\n/.test(good(await service.from('pupils').select('id').csv())), 'lines'),
  geojson: { probe: async ({ service }) => good(await service.from('pupils').select('id').geojson()), missing: 'needs PostGIS in the database' },
  explain: { probe: async ({ service }) => expect((await service.from('pupils').select('id').explain()).status === 406, '406'), differs: 'off until `pgrst.db_plan_enabled` is set, as at Supabase' },
  rollback: { probe: async ({ service }) => good(await service.from('clubs').update({ name: 'Chess' }).eq('id', 1).rollback().select()), differs: 'ignored until `pgrst.db_tx_end` allows it, as at Supabase' },
  returns: rows((q) => q.returns()), overrideTypes: rows((q) => q.overrideTypes()), throwOnError: rows((q) => q.throwOnError()), setHeader: rows((q) => q.setHeader('X-A', 'b')),
  stripNulls: rows((q) => q.stripNulls()), retry: rows((q) => q.retry(false)),
  maxAffected: async ({ service }) => expect((await service.from('pupils').update({ age: 1 }).gt('id', 0).maxAffected(1)).error?.code === 'PGRST124', 'PGRST124'),
}

const bucket = ({ service }) => service.storage.from('files')
const vectorIndex = { indexName: 'docs', dataType: 'float32', dimension: 2, distanceMetric: 'cosine' }
const message = 'hello'

export const dataMethods = {
  'from().select': async ({ service }) => expect((await service.from('pupils').select('*', { count: 'exact', head: true })).count === 4, 'a count'),
  'from().insert': async ({ service }) => good(await service.from('clubs').insert([{ id: 50, name: 'x' }, { id: 51 }])),
  'from().upsert': async ({ service }) => good(await service.from('clubs').upsert({ id: 50, name: 'y' })),
  'from().update': async ({ service }) => good(await service.from('clubs').update({ name: 'z' }).eq('id', 50)),
  'from().delete': async ({ service }) => good(await service.from('clubs').delete().in('id', [50, 51])),
  ...Object.fromEntries(Object.entries(filters).map(([name, probe]) => [`from().select().${name}`, probe])),
  from: async ({ service }) => good(await service.from('pupils').select()),
  schema: async ({ service }) => good(await service.schema('other').from('things').select()),
  rpc: async ({ service }) => expect(good(await service.rpc('add', { a: 1 })) === 2, '2'),

  'storage.createBucket': async ({ service }) => good(await service.storage.createBucket('files', { public: true })),
  'storage.getBucket': async ({ service }) => good(await service.storage.getBucket('files')),
  'storage.listBuckets': async ({ service }) => expect(good(await service.storage.listBuckets()).length === 1, 'a bucket'),
  'storage.updateBucket': async ({ service }) => good(await service.storage.updateBucket('files', { public: true })),
  'storage.purgeBucketCache': { probe: async ({ service }) => good(await service.storage.purgeBucketCache('files')), missing: 'there is no cache to purge: answers are revalidated' },
  'storage.from': async (context) => good(await bucket(context).list()),
  'storage.throwOnError': async ({ service }) => void service.storage.throwOnError,
  'storage.setHeader': async ({ service }) => good(await service.storage.setHeader('X-A', 'b').listBuckets()),
  'storage.from().upload': async (context) => good(await bucket(context).upload('a.txt', message, { contentType: 'text/plain', metadata: { a: 1 } })),
  'storage.from().update': async (context) => good(await bucket(context).update('a.txt', message)),
  'storage.from().createSignedUploadUrl': async (context) => (context.signed = good(await bucket(context).createSignedUploadUrl('signed.txt'))),
  'storage.from().uploadToSignedUrl': async (context) => good(await bucket(context).uploadToSignedUrl('signed.txt', context.signed.token, message)),
  'storage.from().copy': async (context) => good(await bucket(context).copy('a.txt', 'b/c.txt')),
  'storage.from().move': async (context) => good(await bucket(context).move('b/c.txt', 'b/d.txt')),
  'storage.from().createSignedUrl': async (context) => expect((await fetch(good(await bucket(context).createSignedUrl('a.txt', 60)).signedUrl)).ok, 'a file'),
  'storage.from().createSignedUrls': async (context) => expect(good(await bucket(context).createSignedUrls(['a.txt'], 60))[0].signedUrl, 'a URL'),
  'storage.from().download': async (context) => expect((await good(await bucket(context).download('a.txt')).text()) === message, 'the file'),
  'storage.from().info': async (context) => expect(good(await bucket(context).info('a.txt')).size === 5, 'its size'),
  'storage.from().exists': async (context) => expect(good(await bucket(context).exists('a.txt')), 'true'),
  'storage.from().getPublicUrl': async (context) => expect((await fetch(bucket(context).getPublicUrl('a.txt').data.publicUrl)).ok, 'a file'),
  'storage.from().list': async (context) => expect(good(await bucket(context).list('b')).length === 1, 'a file'),
  'storage.from().listV2': async (context) => expect(good(await bucket(context).listV2({ prefix: 'b/' })).objects.length === 1, 'a file'),
  'storage.from().purgeCache': { probe: async (context) => good(await bucket(context).purgeCache('a.txt')), missing: 'there is no cache to purge: answers are revalidated' },
  'storage.from().throwOnError': async (context) => void bucket(context).throwOnError().getPublicUrl('a.txt'),
  'storage.from().setHeader': async (context) => good(await bucket(context).setHeader('X-A', 'b').list()),
  'storage.from().remove': async (context) => expect(good(await bucket(context).remove(['a.txt'])).length === 1, 'one file'),
  'storage.emptyBucket': async ({ service }) => good(await service.storage.emptyBucket('files')),
  'storage.deleteBucket': async ({ service }) => good(await service.storage.deleteBucket('files')),
  'storage.vectors.createBucket': async ({ service }) => good(await service.storage.vectors.createBucket('vectors')),
  'storage.vectors.getBucket': async ({ service }) => expect(good(await service.storage.vectors.getBucket('vectors')).vectorBucket.vectorBucketName === 'vectors', 'its name'),
  'storage.vectors.listBuckets': async ({ service }) => expect(good(await service.storage.vectors.listBuckets()).vectorBuckets.length === 1, 'one bucket'),
  'storage.vectors.from': async ({ service }) => {
    const vectors = service.storage.vectors.from('vectors')
    good(await vectors.createIndex(vectorIndex))
    good(await vectors.index('docs').putVectors({ vectors: [{ key: 'a', data: { float32: [1, 2] } }, { key: 'b', data: { float32: [2, 1] } }] }))
    expect(good(await vectors.index('docs').queryVectors({ queryVector: { float32: [1, 2] }, topK: 1 })).vectors[0].key === 'a', 'the nearest vector')
    good(await vectors.deleteIndex('docs'))
  },
  'storage.vectors.throwOnError': async ({ service }) => good(await service.storage.vectors.throwOnError().listBuckets()),
  'storage.vectors.setHeader': async ({ service }) => good(await service.storage.vectors.setHeader('X-A', 'b').listBuckets()),
  'storage.vectors.deleteBucket': async ({ service }) => good(await service.storage.vectors.deleteBucket('vectors')),
  ...Object.fromEntries(['createBucket', 'listBuckets', 'deleteBucket'].map((name) => [`storage.analytics.${name}`, gone(({ service }) => service.storage.analytics[name](name === 'listBuckets' ? undefined : 'x'))])),
  'storage.analytics.from': gone(({ service }) => service.storage.analytics.from('x').listNamespaces()),
  ...Object.fromEntries(['throwOnError', 'setHeader'].map((name) => [`storage.analytics.${name}`, { probe: () => expect(false, notThere), missing: notThere }])),

  'functions.invoke': async ({ service }) => expect(good(await service.functions.invoke('hello', { body: { a: 1 } })).a === 1, 'what it was sent'),
  'functions.setAuth': async ({ service, cloch }) => void service.functions.setAuth(cloch.serviceKey),

  channel: ({ service }) => void service.channel('unused'),
  'realtime.channel': ({ service }) => void service.realtime.channel('unused-too'),
  'realtime.setAuth': async ({ service, cloch }) => service.realtime.setAuth(cloch.serviceKey),
  'channel().on': (context) => {
    context.heard = []
    context.channel = context.service.channel('room', { config: { broadcast: { self: true, ack: true }, presence: { key: 'me' } } })
    context.channel.on('broadcast', { event: 'said' }, ({ payload }) => context.heard.push(payload.word))
    context.channel.on('presence', { event: 'sync' }, () => context.heard.push('sync'))
    context.channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'clubs' }, ({ new: row }) => context.heard.push(`row ${row.id}`))
  },
  'realtime.connect': ({ service }) => service.realtime.connect(),
  'channel().subscribe': ({ channel }) =>
    new Promise((done, failed) => channel.subscribe((status, error) => (status === 'SUBSCRIBED' ? done() : status === 'CHANNEL_ERROR' && failed(error ?? new Error(status))))),
  'realtime.isConnected': ({ service }) => expect(service.realtime.isConnected(), 'true'),
  'realtime.isConnecting': ({ service }) => expect(!service.realtime.isConnecting(), 'false'),
  'realtime.isDisconnecting': ({ service }) => expect(!service.realtime.isDisconnecting(), 'false'),
  'realtime.connectionState': ({ service }) => expect(service.realtime.connectionState() === 'open', 'open'),
  'realtime.onHeartbeat': async (context) => context.service.realtime.onHeartbeat((status) => context.heard.push(`heartbeat ${status}`)),
  'realtime.sendHeartbeat': async (context) => {
    await context.service.realtime.sendHeartbeat()
    await until(() => context.heard.includes('heartbeat ok'), 'a heartbeat')
  },
  'channel().send': async ({ channel, heard }) => {
    expect((await channel.send({ type: 'broadcast', event: 'said', payload: { word: 'one' } })) === 'ok', 'ok')
    await until(() => heard.includes('one'), 'the broadcast')
  },
  'channel().httpSend': async ({ channel, heard }) => {
    expect((await channel.httpSend('said', { word: 'two' })).success, 'success')
    await until(() => heard.includes('two'), 'the broadcast')
  },
  'channel().track': async ({ channel, heard }) => {
    expect((await channel.track({ at: 1 })) === 'ok', 'ok')
    await until(() => heard.includes('sync') && channel.presenceState().me, 'presence')
  },
  'channel().presenceState': ({ channel }) => expect(channel.presenceState().me[0].at === 1, 'its own state'),
  'channel().untrack': async ({ channel }) => expect((await channel.untrack()) === 'ok', 'ok'),
  'realtime.getChannels': ({ service }) => expect(service.realtime.getChannels().length > 0, 'channels'),
  getChannels: ({ service }) => expect(service.getChannels().length > 0, 'channels'),
  'channel().unsubscribe': async ({ channel }) => expect((await channel.unsubscribe()) === 'ok', 'ok'),
  removeChannel: async ({ service }) => service.removeChannel(service.channel('unused')),
  'realtime.removeChannel': async ({ service }) => service.realtime.removeChannel(service.channel('unused')),
  'realtime.removeAllChannels': async ({ service }) => service.realtime.removeAllChannels(),
  removeAllChannels: async ({ service }) => service.removeAllChannels(),
  'realtime.disconnect': async ({ service }) => service.realtime.disconnect(),
}

async function until(holds, what) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (holds()) return
    await new Promise((next) => setTimeout(next, 25))
  }
  throw new Error(`${what} did not come`)
}
