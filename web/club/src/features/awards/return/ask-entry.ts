import type { SentEntry } from '../page/correction'

/**
 * The entry that a token opens; undefined if it opens none.
 *
 * @throws when the server does not answer, or has answered too often
 */
export async function askEntry(token: string): Promise<SentEntry | undefined> {
  const { connectAsVisitor } = await import('@/lib/supabase')
  const supabase = await connectAsVisitor()
  const { data, error } = await supabase.rpc('entry_by_link', { token })
  if (error) throw new Error(error.message)
  return (data as unknown as SentEntry | null) ?? undefined
}
