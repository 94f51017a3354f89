import type { OperatorRole } from '@/lib/session'

export interface OperatorRow {
  id: string
  email: string
  name?: string | null
  role: OperatorRole
  totp: boolean
  disabled: boolean
  created_at: string
  last_seen_at?: string | null
  sessions: number
}

export const operatorsKey = ['operators'] as const

export const roleWords: Record<OperatorRole, string> = {
  owner: 'Owner: everything, keys and operators too',
  developer: 'Developer: changes the project',
  viewer: 'Viewer: reads, changes nothing',
}
