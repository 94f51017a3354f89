import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { bucket } from '../bucket'

async function readPdf(path: string): Promise<Blob> {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(bucket).download(path)
  if (error) throw error
  // The media type is always that of a PDF, regardless of the type that the visitor declared. Therefore no content of the file can run as a script on
  // this page.
  return new Blob([data], { type: 'application/pdf' })
}

/** The bytes of a PDF. They are removed from memory soon after it is closed. */
export function pdfQuery(path: string) {
  return queryOptions({ queryKey: ['pdf', path], queryFn: () => readPdf(path), gcTime: 60_000, retry: 1 })
}
