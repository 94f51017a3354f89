import { connect } from '@/lib/supabase'

/** Time of the last letter, by the server's clock; null if there was none. */
export async function lastLetterAt(): Promise<string | null> {
  const supabase = await connect()
  const { data, error } = await supabase
    .from('guest_letters')
    .select('sent_at')
    .order('sent_at', { ascending: false })
    .limit(1)
    .maybeSingle()
  if (error) throw error
  return data?.sent_at ?? null
}

/** Whether a letter was sent to this guest after the given time. */
export async function hasLetterSince({ name, email }: { name: string; email: string }, since: string | null): Promise<boolean> {
  const supabase = await connect()
  const letters = supabase
    .from('guest_letters')
    .select('id', { count: 'exact', head: true })
    .eq('guest_name', name)
    .eq('email', email)
  const { count, error } = await (since === null ? letters : letters.gt('sent_at', since))
  if (error) throw error
  return (count ?? 0) > 0
}
