/** `cloch start --port N`: no link in the club's mails contains the port of config.toml, because no server listens on that port. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messagesTo, messageTo } from '../support/inbox.mjs'
import { freePort, makeProject, start } from '../support/program.mjs'

const nomination = {
  nomination_type: 'individual',
  nominee_name: 'Ailsa Sample',
  nominee_age: 14,
  parent_guardian_email: 'parent@example.org',
  nominator_name: 'Morag Sample',
  nominator_email: 'morag@example.org',
  key_achievement: 'Ran the beach clean',
  why_deserving: 'Nobody asked her to',
}

let cloch
before(async () => {
  const place = await makeProject()
  const port = await freePort()
  cloch = await start({ ...place, port, url: `http://127.0.0.1:${port}` }, { flags: ['--port', String(port)] })
})
after(() => cloch?.remove())

const options = { auth: { persistSession: false, autoRefreshToken: false } }

/** Returns all URLs in a mail that a reader may follow. */
const linksIn = ({ html, text }) => [...`${html ?? ''} ${text ?? ''}`.matchAll(/https?:[^\s"'<>)]+/g)].map(([link]) => new URL(link.replaceAll('&amp;', '&')))

test('every link in every mail leads to the server’s URL', async () => {
  const visitor = createClient(cloch.url, cloch.anonKey, options)
  const service = createClient(cloch.url, cloch.serviceKey, options)
  const invited = await visitor.functions.invoke('send-invite', { body: { email: 'admin@example.org' } })
  assert.equal(invited.error, null)
  await service.auth.admin.createUser({ email: 'member@example.org', password: 'a quiet harbour 27', email_confirm: true })
  assert.equal((await visitor.auth.resetPasswordForEmail('member@example.org')).error, null)
  const path = 'young-citizen/ailsa-sample/1760000000001-letter.txt'
  const stored = await visitor.storage.from('youth-awards-submissions').upload(path, new Blob(['a letter'], { type: 'text/plain' }))
  assert.equal(stored.error, null)
  const saved = await visitor.from('young_citizen_nominations').insert({ ...nomination, uploaded_files: [path] })
  assert.equal(saved.error, null)

  for (const address of ['admin@example.org', 'member@example.org', 'awards@example.org', 'morag@example.org']) {
    await messageTo(cloch.url, address)
    for (const message of await messagesTo(cloch.url, address)) {
      const here = linksIn(message).filter(({ hostname }) => ['127.0.0.1', 'localhost'].includes(hostname))
      assert.ok(here.length > 0, `${address}: a link to this server`)
      for (const link of here) assert.equal(link.port, String(cloch.port), link.href)
      // The links redirect to other URLs. These must not contain the port of config.toml either.
      for (const { searchParams } of here) {
        const next = searchParams.get('redirect_to')
        if (next) assert.equal(new URL(next).port, String(cloch.port), next)
      }
    }
  }
})
