import { connect } from '@/lib/supabase'
import { staleError } from '../../shared/stale'
import type { ContactInput } from '../rules'
import { contactColumns, type Contact } from './list-contacts'

/**
 * Saves a contact and its departments, in one transaction.
 *
 * @throws StaleError when somebody else has changed the contact since `base` was read
 */
export async function saveContact({ departments, ...record }: ContactInput, base: Contact | undefined) {
  const supabase = await connect()
  const read = base && { contact: base.id, read_at: base.updated_at }
  const { data: saved, error } = await supabase.rpc('save_contact', { record, departments, ...read })
  if (error) throw error
  if (base && !saved) throw await staleError(supabase.from('contacts').select(contactColumns).eq('id', base.id).maybeSingle())
}
