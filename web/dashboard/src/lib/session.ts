import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { ApiError, get, keepCsrf, onSignedOut, remove } from './api'
import { viewAs } from './as'

export type OperatorRole = 'viewer' | 'developer' | 'owner'

export interface Operator {
  id: string
  email: string
  name: string | null
  role: OperatorRole
  totp: boolean
  /** Whether a password signs in; without one a passkey does. */
  password: boolean
}

export interface Session {
  operator: Operator
  csrf: string
  expires_at: string
  idle_seconds: number
}

/** What is known about who sits here: signed in, or not, and then whether there is any operator at all. */
export interface Standing {
  session: Session | null
  /** Nobody can sign in yet: the start printed a link. */
  firstOperator: boolean
  /** The session ended while the page was open: what is typed on it stays until the operator is back. */
  hasEnded?: boolean
}

export const sessionKey = ['session'] as const

const isRead = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== sessionKey[0]

/** Keeps a session that the server gave, and reads again what another one could not. What was read for another operator goes. */
export function keepSession(client: QueryClient, session: Session) {
  const before = client.getQueryData<Standing>(sessionKey)?.session?.operator.id
  keepCsrf(session.csrf)
  if (before !== undefined && before !== session.operator.id) client.removeQueries({ predicate: isRead })
  client.setQueryData<Standing>(sessionKey, { session, firstOperator: false })
  void client.invalidateQueries({ predicate: isRead })
}

/** Forgets the session and all that was read with it. */
export function dropSession(client: QueryClient) {
  keepCsrf(undefined)
  client.setQueryData<Standing>(sessionKey, { session: null, firstOperator: false })
  client.removeQueries({ predicate: isRead })
  viewAs(null)
}

async function standing(): Promise<Standing> {
  try {
    const session = await get<Session>('/session')
    keepCsrf(session.csrf)
    return { session, firstOperator: false }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'signed_out') throw error
    const details = error.details as { first_operator?: boolean } | undefined
    return { session: null, firstOperator: details?.first_operator === true }
  }
}

export function useStanding() {
  return useQuery({ queryKey: sessionKey, queryFn: standing, staleTime: Infinity })
}

/** Who is signed in. Only for pages inside the shell, which draws them for a session alone. */
export function useOperator(): Operator {
  const { data } = useStanding()
  if (!data?.session) throw new Error('nobody is signed in')
  return data.session.operator
}

const ranks: Record<OperatorRole, number> = { viewer: 0, developer: 1, owner: 2 }

/** Whether who is signed in may do what a role may. The server decides; this spares a person a refusal. */
export function useMay(role: OperatorRole): boolean {
  return ranks[useOperator().role] >= ranks[role]
}

export function followSession(client: QueryClient) {
  onSignedOut(() => {
    const known = client.getQueryData<Standing>(sessionKey)
    if (known?.session) client.setQueryData<Standing>(sessionKey, { ...known, hasEnded: true })
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return async () => {
    await remove('/session')
    dropSession(client)
  }
}
