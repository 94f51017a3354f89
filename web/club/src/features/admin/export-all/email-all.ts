import { useMutation } from '@tanstack/react-query'
import { getSettings } from '@/lib/config'
import { sendEmail } from '@/lib/forms/send-email'
import { connect } from '@/lib/supabase'
import { maxBytes } from '@/lib/upload/rules'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Entry } from '../entries/entry'
import { entrySheet } from '../entries/entry-sheet'
import { bucket } from '../files/bucket'
import { toCsv } from '../shared/csv'
import { exportMail } from './export-mail'

/**
 * Lifetime of the link in the mail: one hour, in seconds. It is short, because the spreadsheets contain the data of all entrants, and everybody who
 * gets the mail can open the link without signing in.
 */
const linkSeconds = 3600

/**
 * Stores the spreadsheets in a place that only admins can read. Then sends a mail with the list of entries and with signed links to the spreadsheets.
 */
async function emailAll(entries: readonly Entry[]): Promise<string> {
  const supabase = await connect()
  const time = new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-')
  const store = supabase.storage.from(bucket)
  const links: string[] = []
  for (const [index, sheet] of sheets(entries).entries()) {
    const name = `submissions-${time}${index === 0 ? '' : `-part-${index + 1}`}.csv`
    const path = `exports/${name}`
    // The bucket does not accept spreadsheets, so the file is uploaded as plain text.
    const stored = await store.upload(path, sheet, { contentType: 'text/plain' })
    if (stored.error) throw stored.error
    const signed = await store.createSignedUrl(path, linkSeconds, { download: name })
    if (signed.error) throw signed.error
    links.push(signed.data.signedUrl)
  }
  const to = getSettings().exportEmail
  await sendEmail(supabase, {
    to: [to],
    subject: `Youth Awards: all ${entries.length} submissions`,
    message: exportMail(entries, links),
    name: 'Youth Awards',
    attachments: [],
  })
  return to
}

/** Creates spreadsheets of the entries. There are several if one would exceed the bucket's maximum file size. */
export function sheets(entries: readonly Entry[]): Blob[] {
  const sheet = new Blob([toCsv(entrySheet(entries))], { type: 'text/plain' })
  if (sheet.size <= maxBytes || entries.length < 2) return [sheet]
  const half = Math.ceil(entries.length / 2)
  return [...sheets(entries.slice(0, half)), ...sheets(entries.slice(half))]
}

export function useEmailAll() {
  return useMutation({
    mutationFn: emailAll,
    onSuccess: (to) => notifySuccess({ title: 'Success', description: `All submissions were sent to ${to}` }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to send email' }),
  })
}
