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
  /** Whether the account has a password. If not, the operator signs in with a passkey. */
  password: boolean
}

export interface Session {
  operator: Operator
  csrf: string
  expires_at: string
  idle_seconds: number
}

/** State of the sign-in: the session, if there is one. If there is none, whether any operator exists. */
export interface Standing {
  session: Session | null
  /** True if no operator exists yet. Then the server has printed a link for the first operator when it started. */
  firstOperator: boolean
  /** True if the session ended while the page was open. The input on the page is kept until the operator signs in again. */
  hasEnded?: boolean
}

export const sessionKey = ['session'] as const

const isRead = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== sessionKey[0]

/** Stores a new session and reads all data again. If the earlier session was that of another operator, its data is removed. */
export function keepSession(client: QueryClient, session: Session) {
  const before = client.getQueryData<Standing>(sessionKey)?.session?.operator.id
  keepCsrf(session.csrf)
  if (before !== undefined && before !== session.operator.id) client.removeQueries({ predicate: isRead })
  client.setQueryData<Standing>(sessionKey, { session, firstOperator: false })
  void client.invalidateQueries({ predicate: isRead })
}

/** Removes the session, and all data that was read during the session. */
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

/** The signed-in operator. Use it only in pages inside the shell, because the shell renders them only if there is a session. */
export function useOperator(): Operator {
  const { data } = useStanding()
  if (!data?.session) throw new Error('nobody is signed in')
  return data.session.operator
}

const ranks: Record<OperatorRole, number> = { viewer: 0, developer: 1, owner: 2 }

/**
 * Whether the signed-in operator has the rights of a role. The server checks the rights; the page only hides actions that the server would refuse.
 */
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
