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
  /** Whether the passkey is synchronised between its owner's devices. */
  backed_up: boolean
  created_at: string
  last_used_at: string | null
}

export interface PasskeyList {
  passkeys: Passkey[]
  /** Address at which passkeys work; null if the server has no host name. */
  address: string | null
}

export const passkeysKey = ['passkeys'] as const

export const operatorsKey = ['operators'] as const

export const roleWords: Record<OperatorRole, string> = {
  owner: 'Owner: everything, keys and operators too',
  developer: 'Developer: changes the project',
  viewer: 'Viewer: reads, changes nothing',
}
