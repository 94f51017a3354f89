/** Reads the server's built-in inbox. */
import { serviceKeys, sleep } from './program.mjs'

/** Returns the messages to an address, the newest first. */
export async function messagesTo(url, address) {
  // If a project is public, its inbox requires the service key, even for requests from the same machine.
  const key = serviceKeys.get(url)
  const headers = key ? { apikey: key, authorization: `Bearer ${key}` } : {}
  const answer = await fetch(`${url}/_/inbox/api/messages?to=${encodeURIComponent(address)}&limit=50`, { headers })
  if (!answer.ok) throw new Error(`inbox: ${answer.status} ${await answer.text()}`)
  return (await answer.json()).messages
}

/** Waits for a message to an address with a matching subject. Returns the newest one. */
export async function messageTo(url, address, subject = /./) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = (await messagesTo(url, address)).find((message) => subject.test(message.subject))
    if (found) return found
    await sleep(50)
  }
  throw new Error(`no message to ${address} with a subject like ${subject}`)
}

/** Returns the first link to the auth API in a message. */
export function authLink(message) {
  const link = /href="([^"]*\/auth\/v1\/verify[^"]*)"/.exec(message.html)?.[1]
  if (!link) throw new Error(`no link in: ${message.html}`)
  return link.replaceAll('&amp;', '&')
}
