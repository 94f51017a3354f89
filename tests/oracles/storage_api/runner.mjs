/** Runs scenarios on a server, and collects the normalised result of each step. */
import pg from 'pg'

import { makeClient } from './client.mjs'
import { normalResponse, normalText, normalValue } from './normal.mjs'

const OBJECTS = `
  select name, metadata - 'eTag' - 'lastModified' as metadata, metadata ? 'eTag' as has_etag,
    metadata ->> 'lastModified' ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' as has_time,
    user_metadata, version is not null as has_version, owner, owner_id, path_tokens
  from storage.objects where bucket_id = $1 order by name collate "C"`
const BUCKETS = `
  select id, name, owner, owner_id, public, file_size_limit, allowed_mime_types, type
  from storage.buckets where id like $1 order by id collate "C"`

function labelOf({ method = 'GET', path, token, scheme, json, jsonText, form, body, headers, chunked }) {
  const parts = [method, path]
  if (token !== undefined) parts.push(`as ${token}`)
  if (scheme !== undefined) parts.push(JSON.stringify(scheme))
  if (json !== undefined) parts.push(JSON.stringify(json))
  if (jsonText !== undefined) parts.push(jsonText)
  if (form !== undefined)
    parts.push(`form ${JSON.stringify(form.map(({ name, filename, value }) => [filename ?? name, value]))}`)
  if (headers !== undefined) parts.push(JSON.stringify(headers))
  if (body !== undefined) parts.push(`body of ${body.length}`)
  if (chunked) parts.push('chunked')
  return normalText(parts.join(' '))
}

/**
 * Runs the scenarios one after the other. Each creates its own buckets.
 * @param {Record<string, (server: object) => Promise<void>>} scenarios
 * @param {{ url: string, database: string, secret: string }} target
 * @returns {Promise<Record<string, Record<string, object>>>} the results by scenario and step
 */
export async function run(scenarios, target) {
  const database = new pg.Client({ connectionString: target.database })
  await database.connect()
  const results = {}
  try {
    for (const [name, scenario] of Object.entries(scenarios)) {
      results[name] = {}
      await scenario(makeServer(makeClient(target), database, results[name]))
    }
  } finally {
    await database.end()
  }
  return results
}

/** The functions that a scenario uses. `steps` gets the results. */
function makeServer({ send, secret }, database, steps) {
  const record = (label, result) => {
    let unique = label
    for (let count = 2; unique in steps; count += 1) unique = `${label} #${count}`
    steps[unique] = result
  }
  return {
    secret,
    /**
     * Sends a request, records the response and returns it. `label`: the step's name, if the request alone does not tell it. `unordered`: the order of
     * the rows in the body does not count.
     */
    async send({ label, unordered, ...request }) {
      const response = await send(request)
      record(label ?? labelOf(request), normalResponse(response, { method: request.method, unordered }))
      return { ...response, json: parse(response.body) }
    },
    /** Sends a request that only prepares a scenario. */
    async prepare(request) {
      const response = await send(request)
      if (response.status >= 300) throw new Error(`${labelOf(request)}: ${response.status} ${response.body}`)
      return { ...response, json: parse(response.body) }
    },
    async bucket(id, settings = {}) {
      await this.prepare({ method: 'POST', path: '/bucket', json: { id, name: id, ...settings } })
    },
    /** Uploads a file that a scenario needs. `key`: encoded as in a URL. */
    async file(bucket, key, body = 'x', { token, ...headers } = {}) {
      await this.prepare({
        method: 'POST',
        path: `/object/${bucket}/${key}`,
        body,
        token,
        headers: { 'content-type': 'text/plain', 'x-upsert': 'true', ...headers },
      })
    },
    /** Records the rows of a bucket's files. */
    async objectRows(bucket) {
      for (const { name, ...row } of (await database.query(OBJECTS, [bucket])).rows) record(`row of ${name}`, normalValue(row))
    },
    /** Records the rows of the buckets whose identifiers match a pattern. */
    async bucketRows(pattern) {
      for (const { id, ...row } of (await database.query(BUCKETS, [pattern])).rows)
        record(`row of bucket ${id}`, normalValue(row))
    },
  }
}

function parse(body) {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
