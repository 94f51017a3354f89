import '@/lib/strict-zod'
import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod'
import { invoke } from '@/lib/functions'
import type { GuestStatus } from '../status'

export interface Addressee {
  name: string
  email: string | null
  status: GuestStatus
}

export interface Draft {
  text: string
  /** The subject that the server uses for the letter. */
  subject: string
  /** Whether a language model wrote the draft. If not, the draft is the club's template. */
  isByModel: boolean
}

const answerSchema = z.object({ generatedContent: z.string(), source: z.string().optional(), subject: z.string() })

/** Requests a draft. @throws if the server returns none */
async function draftLetter({ name, email, status }: Addressee): Promise<Draft> {
  const answer = await invoke('send-guest-email', {
    guestName: name,
    guestEmail: email,
    guestStatus: status,
    customMessage: null,
    generateOnly: true,
  })
  const { generatedContent: text, source, subject } = answerSchema.parse(answer)
  return { text, subject, isByModel: source === 'ai' }
}

/** A draft of a letter. It is requested only once per dialog, because each request costs money and the user edits the draft afterwards. */
export function draftQuery(addressee: Addressee, dialog: string) {
  return queryOptions({
    queryKey: ['guest-draft', dialog],
    queryFn: () => draftLetter(addressee),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  })
}
