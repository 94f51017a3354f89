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
  /** Submission key of a saved record: the server sends the mail that was queued with it. */
  submission?: string
}

/** @throws when the function refuses or cannot be reached */
export async function sendEmail(supabase: Supabase, email: Email): Promise<undefined> {
  const body = { ...email, subject: oneLine(email.subject), name: oneLine(email.name) }
  const answer = await supabase.functions.invoke<unknown>('send-email', { body })
  if (answer.error instanceof Error) throw answer.error
  if (answer.error) throw new Error(String(answer.error))
}

/** Text for the header of a mail: what breaks a line, such as in pasted text, is a space. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
