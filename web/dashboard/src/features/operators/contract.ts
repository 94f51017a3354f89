import type { OperatorRole } from '@/lib/session'

export interface OperatorRow {
  id: string
  email: string
  name?: string | null
  role: OperatorRole
  totp: boolean
  passkeys: number
  disabled: boolean
  created_at: string
  last_seen_at?: string | null
  sessions: number
}

export interface Passkey {
  id: string
  name: string
  /** Whether it is on other devices of its holder as well. */
  backed_up: boolean
  created_at: string
  last_used_at: string | null
}

export interface PasskeyList {
  passkeys: Passkey[]
  /** Where a page can use them; none where the server has no name. */
  address: string | null
}

export const passkeysKey = ['passkeys'] as const

export const operatorsKey = ['operators'] as const

export const roleWords: Record<OperatorRole, string> = {
  owner: 'Owner: everything, keys and operators too',
  developer: 'Developer: changes the project',
  viewer: 'Viewer: reads, changes nothing',
}
