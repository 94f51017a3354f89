import { queryOptions } from '@tanstack/react-query'
import { invoke } from '@/lib/functions'
import type { GuestStatus } from '../status'

export interface Addressee {
  name: string
  email: string | null
  status: GuestStatus
}

export interface Draft {
  text: string
  /** Whether a model wrote it; else it is the club's template. */
  isByModel: boolean
}

/** Asks for a draft. @throws when none comes */
async function draftLetter({ name, email, status }: Addressee): Promise<Draft> {
  const answer = await invoke('send-guest-email', {
    guestName: name,
    guestEmail: email,
    guestStatus: status,
    customMessage: null,
    generateOnly: true,
  })
  if (typeof answer === 'object' && answer !== null && 'generatedContent' in answer) {
    if (typeof answer.generatedContent === 'string') {
      return { text: answer.generatedContent, isByModel: 'source' in answer && answer.source === 'ai' }
    }
  }
  throw new Error('The draft is missing from the answer.')
}

/** A draft of a letter; asked for once, because it costs money and is edited afterwards. */
export function draftQuery(addressee: Addressee, dialog: string) {
  return queryOptions({
    queryKey: ['guest-draft', dialog],
    queryFn: () => draftLetter(addressee),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  })
}
