import { hasLetterSince } from '../queries/letters-since'
import type { Guest } from '../queries/list-guests'
import { sendLetter } from '../queries/send-letter'
import { canBeMailed } from '../rules'
import { settled, type Mailing } from './mailing'

/** Milliseconds between two letters. */
export const pauseMs = 500

interface Course {
  guests: readonly Guest[]
  /** Called before each letter. */
  isStopped: () => boolean
  onProgress: (mailing: Mailing) => void
}

/** Sends the letters one after the other, until all are sent or the user stops the mailing. Skips guests who already have this letter. */
export async function runMailing(start: Mailing, { guests, isStopped, onProgress }: Course): Promise<Mailing> {
  const byId = new Map(guests.map((guest) => [guest.id, guest]))
  let mailing = start
  while (mailing.waiting.length > 0 && !isStopped()) {
    const guest = byId.get(mailing.waiting[0] ?? '')
    mailing = settled(mailing, await deliver(guest, mailing))
    onProgress(mailing)
    if (mailing.waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return mailing
}

async function deliver(guest: Guest | undefined, { message, since }: Mailing): Promise<'sent' | 'failed'> {
  if (!guest || !canBeMailed(guest)) return 'failed'
  const { name, email, status } = guest
  try {
    // An earlier attempt may have succeeded although its response was lost. Then the guest already has the letter.
    if (!(await hasLetterSince(guest, since))) await sendLetter({ name, email, status, message })
    return 'sent'
  } catch {
    return (await hasLetterSince(guest, since).catch(() => false)) ? 'sent' : 'failed'
  }
}
