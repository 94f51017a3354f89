import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { bucket } from '../bucket'

async function readPdf(path: string): Promise<Blob> {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(bucket).download(path)
  if (error) throw error
  // Whatever type a visitor has given it: as a PDF it can run nothing on this page.
  return new Blob([data], { type: 'application/pdf' })
}

/** A PDF's bytes; forgotten soon after it is closed. */
export function pdfQuery(path: string) {
  return queryOptions({ queryKey: ['pdf', path], queryFn: () => readPdf(path), gcTime: 60_000, retry: 1 })
}
