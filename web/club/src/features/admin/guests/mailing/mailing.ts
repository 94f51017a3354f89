/** One message on its way to several guests. Guests are kept by id: this is written to the device, which needs no names. */
export interface Mailing {
  message: string
  /** When the last letter before this mailing went out, by the server's clock; null if there was none. */
  since: string | null
  waiting: string[]
  sent: string[]
  failed: string[]
}

export function newMailing(message: string, since: string | null, guests: string[]): Mailing {
  return { message, since, waiting: guests, sent: [], failed: [] }
}

/** The first guest that waits has been dealt with. */
export function settled(mailing: Mailing, outcome: 'sent' | 'failed'): Mailing {
  const [guest, ...waiting] = mailing.waiting
  if (guest === undefined) return mailing
  return { ...mailing, waiting, [outcome]: [...mailing[outcome], guest] }
}

const key = 'guests:mailing'

/** The mailing that was broken off, if there is one. */
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

/** Notes how far a mailing has come; forgets it when nobody waits any more. */
export function keepMailing(mailing: Mailing | undefined) {
  try {
    if (mailing && mailing.waiting.length > 0) localStorage.setItem(key, JSON.stringify(mailing))
    else localStorage.removeItem(key)
  } catch {
    // A device that keeps nothing: the server's list of letters still prevents a second one.
  }
}
