import type { As } from '@/lib/as'

/** A question about a request to the REST API or to storage, or about a realtime channel. */
export type Question = RequestQuestion | ChannelQuestion

export interface RequestQuestion {
  as: As
  method: string
  path: string
  body?: unknown
  returning?: boolean
  /** Name of an exposed schema. Default: the first exposed schema. */
  schema?: string | null
}

interface ChannelQuestion {
  as: As
  channel: string
  action: 'join' | 'send'
  extension?: 'broadcast' | 'presence'
}

export interface Judged {
  policy: string
  command: string
  clause: string
  is_permissive: boolean
  condition: string
  value: 'true' | 'false' | 'null' | 'error'
  error?: string
}

export type Outcome = 'allowed' | 'partly' | 'refused' | 'hidden' | 'no_rows' | 'unknown'

export interface RowOutcome {
  row: unknown
  outcome: Outcome
  policies: Judged[]
  would_be_enough: string[]
}

/** A privilege that the role does not have. A grant fixes this, but a policy does not. */
export type Lacks =
  | { cause: 'schema'; schema: string }
  | { cause: 'privilege'; privilege: string }
  | { cause: 'columns'; privilege: string; columns: string[] }

export type Explanation = ExplanationParts & (Lacks | { cause?: string | null })

interface ExplanationParts {
  relation: string
  command: string
  role: string
  outcome: Outcome
  claims: Record<string, unknown>
  matching?: number | null
  rows: RowOutcome[]
  notes: string[]
}

export interface Answer {
  explanation: Explanation
  /** The explanation as a text. */
  text: string
}

/** A request that the server received, as it was logged. */
export interface Recorded {
  at: string
  method: string
  path: string
  body?: unknown
  as: As
  status: number
  returning: boolean
  schema?: string | null
}
