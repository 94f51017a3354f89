import { useMutation } from '@tanstack/react-query'
import { getSettings } from '@/lib/config'
import { sendEmail } from '@/lib/forms/send-email'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Entry } from '../entries/entry'
import { entrySheet } from '../entries/entry-sheet'
import { bucket } from '../files/bucket'
import { toCsv } from '../shared/csv'
import { exportMail } from './export-mail'

/** Seconds for which the link in the mail works: an hour. It opens without a sign-in, to everybody's data, wherever the mail ends up. */
const linkSeconds = 3600

/** Stores the spreadsheet where only admins get at it, and mails the list with a link that carries its own key. */
async function emailAll(entries: readonly Entry[]): Promise<string> {
  const supabase = await connect()
  const name = `submissions-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-')}.csv`
  const path = `exports/${name}`
  const store = supabase.storage.from(bucket)
  // The bucket takes no spreadsheets from visitors, so this one goes in as the plain text it is.
  const sheet = new Blob([toCsv(entrySheet(entries))], { type: 'text/plain' })
  const stored = await store.upload(path, sheet, { contentType: 'text/plain' })
  if (stored.error) throw stored.error
  const signed = await store.createSignedUrl(path, linkSeconds, { download: name })
  if (signed.error) throw signed.error
  const to = getSettings().exportEmail
  await sendEmail(supabase, {
    to: [to],
    subject: `Youth Awards: all ${entries.length} submissions`,
    message: exportMail(entries, signed.data.signedUrl),
    name: 'Youth Awards',
    attachments: [],
  })
  return to
}

export function useEmailAll() {
  return useMutation({
    mutationFn: emailAll,
    onSuccess: (to) => notifySuccess({ title: 'Success', description: `All submissions were sent to ${to}` }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to send email' }),
  })
}
