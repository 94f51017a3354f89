import { createClient } from '@supabase/supabase-js'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../database.types'
import { entryToken, makeEntryToken } from '../entry-link'
import { ToldFailure } from './form-spec'
import { insertEntry, insertOnce } from './insert-once'

const late = 'ab'.repeat(32)
const repeated = { code: '23505', message: 'duplicate key value', details: 'Key (submission_key)=(x) already exists.' }

let sent: { path: string; late: string | null; entry: string | null }[]
beforeEach(() => {
  sent = []
  sessionStorage.clear()
  localStorage.clear()
})

/** An insert with the real client. The test server responds with the given error, or without one. */
function insert(error: object | null = null) {
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    sent.push({
      path: new URL(input instanceof Request ? input.url : input).pathname,
      late: headers.get('x-late-link'),
      entry: headers.get('x-entry-link'),
    })
    return Promise.resolve(error === null ? new Response(null, { status: 201 }) : Response.json(error, { status: 400 }))
  }
  const client = createClient<Database>('http://localhost', 'key', { global: { fetch } })
  return client.from('extra_files').insert({ kind: 'music', entrant_name: 'A', uploaded_files: ['a'] })
}

describe('an insert whose response may have been lost', () => {
  it('is saved if there is no error, or if its key exists', async () => {
    expect(await insertOnce(insert())).toBe(false)
    expect(await insertOnce(insert(repeated))).toBe(true)
  })

  it('is not saved for any other reason', async () => {
    await expect(insertOnce(insert({ ...repeated, code: '42501' }))).rejects.toThrow('duplicate key value')
    await expect(insertOnce(insert({ ...repeated, details: 'Key (id)=(x) already exists.' }))).rejects.toThrow()
  })

  it('shows since when entries are closed', async () => {
    const closed = { code: 'CLB01', message: 'Entries closed at the end of 31 October 2026', details: null }
    const failure: unknown = await insertOnce(insert(closed)).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(ToldFailure)
    expect((failure as ToldFailure).notice).toEqual({
      title: 'Entries are closed',
      description: 'Entries closed at the end of 31 October 2026.',
    })
  })

  it('contains the token of a late link, if there is one', async () => {
    await insertOnce(insert())
    sessionStorage.setItem('late-link', late)
    await insertOnce(insert())
    const path = '/rest/v1/extra_files'
    expect(sent).toEqual([
      { path, late: null, entry: null },
      { path, late, entry: null },
    ])
  })
})

describe('an entry', () => {
  it('has one token for all attempts with the same answers', async () => {
    await expect(insertEntry(insert({ code: '500', message: 'away', details: null }), 'a')).rejects.toThrow('away')
    const token = entryToken('a')
    expect(token).toBeDefined()
    await insertEntry(insert(repeated), 'a')
    await insertEntry(insert(), 'a')
    expect(sent.map(({ entry }) => entry)).toEqual([token, token, token])
    expect(entryToken('a')).toBe(token)
  })

  it('has no link in a tab whose first attempt finds that another tab has sent it', async () => {
    await insertEntry(insert(repeated), 'b')
    expect(entryToken('b')).toBeUndefined()
    const token = makeEntryToken('b')
    await insertEntry(insert(repeated), 'b')
    expect(entryToken('b')).toBe(token)
  })
})
