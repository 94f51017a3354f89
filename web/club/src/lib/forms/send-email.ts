import type { Supabase } from '@/lib/supabase'

/** What the function send-email takes. */
export interface Email {
  to: string | string[]
  subject: string
  /** HTML. */
  message: string
  /** Who wrote. */
  name: string
  /** Where the club's answer goes: the visitor's own address, of minors their parent's or guardian's. */
  replyTo?: string
  /** Paths in the bucket of award files. */
  attachments?: string[]
}

/** @throws when the function refuses or cannot be reached */
export async function sendEmail(supabase: Supabase, email: Email): Promise<undefined> {
  const answer = await supabase.functions.invoke<unknown>('send-email', { body: email })
  if (answer.error instanceof Error) throw answer.error
  if (answer.error) throw new Error(String(answer.error))
}
