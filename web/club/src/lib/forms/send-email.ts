import type { Supabase } from '@/lib/supabase'

/** Parameters of the function send-email. */
export interface Email {
  to: string | string[]
  subject: string
  /** HTML. */
  message: string
  /** Name of the sender. */
  name: string
  /** E-mail address for the club's reply. It is that of the visitor or, for a minor, that of the parent or guardian. */
  replyTo?: string
  /** Paths in the bucket of award files. */
  attachments?: string[]
  /** Submission key of a saved record. The server then sends the mail that was queued with this record. */
  submission?: string
}

/** @throws if the function returns an error or is not reachable */
export async function sendEmail(supabase: Supabase, email: Email): Promise<undefined> {
  const body = { ...email, subject: oneLine(email.subject), name: oneLine(email.name) }
  const answer = await supabase.functions.invoke<unknown>('send-email', { body })
  if (answer.error instanceof Error) throw answer.error
  if (answer.error) throw new Error(String(answer.error))
}

/** Converts a text for a mail header: line breaks, for example from pasted text, become spaces. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
