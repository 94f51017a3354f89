/** The built-in inbox, as a test reads it. */
import { serviceKeys, sleep } from './program.mjs'

/** Messages to an address, the newest first. */
export async function messagesTo(url, address) {
  // Where a project's people are elsewhere, being at the machine is not enough.
  const key = serviceKeys.get(url)
  const headers = key ? { apikey: key, authorization: `Bearer ${key}` } : {}
  const answer = await fetch(`${url}/_/inbox/api/messages?to=${encodeURIComponent(address)}&limit=50`, { headers })
  if (!answer.ok) throw new Error(`inbox: ${answer.status} ${await answer.text()}`)
  return (await answer.json()).messages
}

/** The newest message to an address whose subject fits, waited for. */
export async function messageTo(url, address, subject = /./) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = (await messagesTo(url, address)).find((message) => subject.test(message.subject))
    if (found) return found
    await sleep(50)
  }
  throw new Error(`no message to ${address} with a subject like ${subject}`)
}

/** The first link of a message that leads to the auth API. */
export function authLink(message) {
  const link = /href="([^"]*\/auth\/v1\/verify[^"]*)"/.exec(message.html)?.[1]
  if (!link) throw new Error(`no link in: ${message.html}`)
  return link.replaceAll('&amp;', '&')
}
