import { queryOptions } from '@tanstack/react-query'
import { invoke } from '@/lib/functions'
import type { MailedEntry } from '../states'

interface Receipt {
  address: string
  subject: string
  body: string
}

/** The receipt of an entry, composed by the code that sends receipts. */
export function receiptPreviewQuery({ award, id }: MailedEntry) {
  return queryOptions({
    queryKey: ['mail-preview', 'receipt', award, id],
    queryFn: async () => (await invoke('preview-receipt', { award, entry: id })) as Receipt,
    staleTime: 0,
  })
}
