import type { SentEntry } from '../page/correction'

/**
 * Reads the entry for a token. Returns undefined if the token is not valid.
 * @throws if the server does not respond, or refuses because of the rate limit
 */
export async function askEntry(token: string): Promise<SentEntry | undefined> {
  const { connectAsVisitor } = await import('@/lib/supabase')
  const supabase = await connectAsVisitor()
  const { data, error } = await supabase.rpc('entry_by_link', { token })
  if (error) throw new Error(error.message)
  return (data as unknown as SentEntry | null) ?? undefined
}
