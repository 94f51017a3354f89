import { useState } from 'react'
import { forgetUnsaved } from '@/lib/unsaved-input'
import { LetterDialog } from './LetterDialog'
import type { Addressee } from './queries/draft-letter'
import type { Guest } from './queries/list-guests'

/** Placeholder in the letter. The server replaces it by the name of each guest. */
const anyGuest = '{guest}'

const keptAs = 'letter:several'

interface GuestMailingProps {
  guests: readonly Guest[]
  /** @returns whether the mailing has started */
  onStart: (message: string) => Promise<boolean>
  onClose: () => void
}

/** Dialog that sends one letter to several guests. */
export function GuestMailing({ guests, onStart, onClose }: GuestMailingProps) {
  const [starting, setStarting] = useState(false)
  const [addressee] = useState<Addressee>(() => ({ name: anyGuest, email: null, status: mostCommonStatus(guests) }))
  const start = async (message: string) => {
    setStarting(true)
    const begun = await onStart(message)
    setStarting(false)
    if (!begun) return
    forgetUnsaved(keptAs)
    onClose()
  }
  return (
    <LetterDialog
      addressee={addressee}
      recipients={guests.map(({ name }) => name).join(', ')}
      submit={`Send to ${guests.length} Guests`}
      sending={starting}
      keptAs={keptAs}
      onSend={(message) => void start(message)}
      onClose={onClose}
    />
  )
}

function mostCommonStatus(guests: readonly Guest[]): Guest['status'] {
  const counts = { accepted: 0, invited: 0, declined: 0 }
  for (const { status } of guests) counts[status] += 1
  if (counts.accepted > counts.invited && counts.accepted >= counts.declined) return 'accepted'
  return counts.declined > counts.invited ? 'declined' : 'invited'
}
