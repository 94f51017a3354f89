import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import type { ContactStatus } from '../status'

type Row = Database['public']['Tables']['contacts']['Row']

/** A department, as contained in the data of a contact. */
export interface ContactDepartment {
  id: string
  name: string
  school_id: string
  schools: { id: string; name: string } | null
}

export type Contact = Omit<Row, 'status'> & {
  status: ContactStatus
  /** The main department. `contact_departments` contains it too. */
  department: ContactDepartment | null
  contact_departments: { departments: ContactDepartment | null }[]
}

const departmentColumns = 'id, name, school_id, schools(id, name)'
export const contactColumns =
  `*, department:departments!contacts_department_id_fkey(${departmentColumns}), contact_departments(departments(${departmentColumns}))` as const

async function listContacts(): Promise<Contact[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase.from('contacts').select(contactColumns, { count: 'exact' }).order('name').order('id').range(from, to),
  )
  // The table's check constraint allows only the seven statuses.
  return rows as Contact[]
}

/** All contacts by name, with their departments and schools. */
export const contactsQuery = queryOptions({ queryKey: ['contacts'], queryFn: listContacts })
