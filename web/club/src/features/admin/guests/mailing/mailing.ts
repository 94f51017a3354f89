/** One message to several guests. It contains only the ids of the guests and not their data, because it is stored on the device. */
export interface Mailing {
  message: string
  /** Time of the last letter that was sent before this mailing, by the server's clock; null if there was none. */
  since: string | null
  waiting: string[]
  sent: string[]
  failed: string[]
}

export function newMailing(message: string, since: string | null, guests: string[]): Mailing {
  return { message, since, waiting: guests, sent: [], failed: [] }
}

/** Removes the first waiting guest and records whether the letter was sent. */
export function settled(mailing: Mailing, outcome: 'sent' | 'failed'): Mailing {
  const [guest, ...waiting] = mailing.waiting
  if (guest === undefined) return mailing
  return { ...mailing, waiting, [outcome]: [...mailing[outcome], guest] }
}

const key = 'guests:mailing'

/** The interrupted mailing that is stored on this device, if any. */
export function readMailing(): Mailing | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Mailing> | null
    if (!kept || typeof kept.message !== 'string' || !Array.isArray(kept.waiting)) return undefined
    return {
      message: kept.message,
      since: kept.since ?? null,
      waiting: kept.waiting,
      sent: kept.sent ?? [],
      failed: kept.failed ?? [],
    }
  } catch {
    return undefined
  }
}

/** Stores the progress of a mailing. Deletes the stored mailing when no guest is waiting. */
export function keepMailing(mailing: Mailing | undefined) {
  try {
    if (mailing && mailing.waiting.length > 0) localStorage.setItem(key, JSON.stringify(mailing))
    else localStorage.removeItem(key)
  } catch {
    // The browser allows no storage. This is safe: the server's list of letters still prevents that a letter is sent twice.
  }
}
