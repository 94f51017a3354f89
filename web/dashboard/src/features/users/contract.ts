import { firstText } from '@/lib/format'

export interface User {
  id: string
  email?: string | null
  phone?: string | null
  role: string | null
  created_at: string
  updated_at: string
  last_sign_in_at?: string | null
  email_confirmed_at?: string | null
  phone_confirmed_at?: string | null
  invited_at?: string | null
  banned_until?: string | null
  is_anonymous: boolean
  user_metadata: Record<string, unknown>
  app_metadata: Record<string, unknown>
  providers: string[]
  deleted_at?: string | null
}

export interface Identity {
  id: string
  provider: string
  email?: string | null
  created_at: string
  last_sign_in_at?: string | null
}

export interface UserSession {
  id: string
  created_at: string
  refreshed_at?: string | null
  aal: string | null
  ip?: string | null
  user_agent?: string | null
}

export interface Factor {
  id: string
  type: string
  status: string
  friendly_name?: string | null
  created_at: string
}

export interface UserDetail {
  user: User
  identities: Identity[]
  sessions: UserSession[]
  factors: Factor[]
}

export const usersKey = ['users'] as const

/** Name under which a user is shown: the e-mail address, if there is one. */
export const nameOf = ({ email, phone, id, is_anonymous }: User) =>
  firstText(email, phone) ?? (is_anonymous ? `anonymous ${id.slice(0, 8)}` : id)

export const isBanned = ({ banned_until }: User) => Boolean(banned_until && new Date(banned_until) > new Date())
