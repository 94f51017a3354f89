/**
 * The methods of the installed supabase-js, and the probe of each method. The list is read from the client's objects, so that the test notices new
 * methods.
 */
import { createClient } from '@supabase/supabase-js'

import { authMethods } from './auth_methods.mjs'
import { dataMethods } from './data_methods.mjs'

/** Methods of the client's objects that apps should not call. */
const internal = new Set([
  'fetch', 'logger', 'cloneRequestState', 'processResponse', 'then', 'handleOperation', 'uploadOrUpdate', 'encodeMetadata', 'toBase64',
  'applyTransformOptsToQuery', 'listBucketOptionsToQueryString', 'isThrowOnErrorEnabled', 'updateJoinPayload', 'teardown', 'copyBindings',
  'endpointURL', 'log', 'push', 'linkIdentityOAuth', 'linkIdentityIdToken', 'signInWithEthereum', 'signInWithSolana', 'accessToken', 'fetchJwk',
])

function methodsOf(object) {
  const names = new Set()
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor' && !name.startsWith('_') && !internal.has(name)) names.add(name)
  return [...names]
}

/** Returns the methods, with the names that apps write. */
export function allMethods(url, key) {
  const client = createClient(url, key, { auth: { persistSession: false } })
  const { auth, storage, functions, realtime } = client
  const objects = {
    '': client, 'auth.': auth, 'auth.mfa.': auth.mfa, 'auth.oauth.': auth.oauth, 'auth.passkey.': auth.passkey, 'auth.admin.': auth.admin,
    'auth.admin.mfa.': auth.admin.mfa, 'auth.admin.oauth.': auth.admin.oauth, 'auth.admin.customProviders.': auth.admin.customProviders,
    'auth.admin.passkey.': auth.admin.passkey, 'from().': client.from('x'), 'from().select().': client.from('x').select(),
    'storage.': storage, 'storage.from().': storage.from('x'), 'storage.vectors.': storage.vectors, 'storage.analytics.': storage.analytics,
    'functions.': functions, 'realtime.': realtime, 'channel().': client.channel('x'),
  }
  const found = Object.entries(objects).flatMap(([prefix, object]) => (object ? methodsOf(object).map((name) => prefix + name) : []))
  void client.removeAllChannels()
  return found
}

/** Returns the probe of each method. A method on which other methods depend comes before them. */
export function entries(url, key) {
  const names = allMethods(url, key)
  const known = { ...dataMethods, ...authMethods }
  const order = Object.keys(known)
  const unknown = names.filter((name) => !(name in known)).map((name) => ({ name }))
  const gone = order.filter((name) => !names.includes(name)).map((name) => ({ name, probe: () => { throw new Error('the client has no such method any more') } }))
  const tried = order.filter((name) => names.includes(name)).map((name) => ({ name, ...(typeof known[name] === 'function' ? { probe: known[name] } : known[name]) }))
  return [...tried, ...unknown, ...gone]
}
