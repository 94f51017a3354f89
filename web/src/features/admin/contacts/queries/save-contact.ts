import { connect, type Supabase } from '@/lib/supabase'
import { changedRow } from '../../shared/stale'
import type { ContactInput } from '../rules'
import { contactColumns, type Contact } from './list-contacts'

/**
 * Saves a contact and its departments. The links are a second step, which the database does as one; if it fails, a new contact is
 * taken back, and a changed one is noted with `advance`, so that another try is not mistaken for somebody else's change.
 *
 * @throws StaleError when somebody else has changed the contact since `base` was read
 */
export async function saveContact(
  { departments, ...columns }: ContactInput,
  base: Contact | undefined,
  advance: (row: Contact) => void,
) {
  const supabase = await connect()
  const record = { ...columns, department_id: departments[0] ?? null }
  if (!base) {
    const { data, error } = await supabase.from('contacts').insert(record).select('id').single()
    if (error) throw error
    try {
      await replaceDepartments(supabase, data.id, departments)
    } catch (failure) {
      await supabase.from('contacts').delete().eq('id', data.id)
      throw failure
    }
    return
  }
  const updated = await supabase
    .from('contacts')
    .update(record)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select(contactColumns)
  const row = await changedRow(updated, () => supabase.from('contacts').select(contactColumns).eq('id', base.id).maybeSingle())
  advance(row as Contact)
  await replaceDepartments(supabase, base.id, departments)
}

async function replaceDepartments(supabase: Supabase, contact: string, departments: string[]) {
  const { error } = await supabase.rpc('replace_contact_departments', { contact, departments })
  if (error) throw error
}
