import type { Query } from '@/lib/api'

export const apis = [
  'rest',
  'auth',
  'storage',
  'functions',
  'realtime',
  'dashboard',
  'management',
  'web',
  'postgres',
  'mail',
  'cron',
  'server',
] as const

export interface Line {
  seq: number
  /** React key for a line that has no number. */
  key?: string
  at: string
  level: string
  api: string
  request_id?: string | null
  message: string
  method?: string | null
  route?: string | null
  role?: string | null
  status?: number | null
  duration_ms?: number | null
  fields: Record<string, unknown>
}

/**
 * What a request was about: its method, and the table, function or bucket. A line contains such a name only if it exists in the project. Otherwise, this
 * is the route.
 */
export function whatOf({ method, route, fields }: Pick<Line, 'method' | 'route' | 'fields'>): string {
  const { resource, function: called, bucket } = fields
  const name = [resource, called, bucket].find((one) => typeof one === 'string' && one !== '')
  // A route of one API only, such as /auth/v1/user, already says what was asked.
  const isPrefix = /^\/[a-z]+\/v1\/?$/.test(route ?? '')
  return [method, typeof name === 'string' ? (isPrefix ? `${route ?? ''}/${name}` : `${route ?? ''} ${name}`) : route]
    .filter(Boolean)
    .join(' ')
}

/** Filters of the log page. They are also the parameters of its URL. */
export interface Filters {
  api: string
  level: string
  status: string
  request_id: string
  search: string
}

export const names = ['api', 'level', 'status', 'request_id', 'search'] as const

export const filtersOf = (search: URLSearchParams): Filters => ({
  api: search.get('api') ?? '',
  level: search.get('level') ?? '',
  status: search.get('status') ?? '',
  request_id: search.get('request_id') ?? '',
  search: search.get('search') ?? '',
})

export const queryOf = (filters: Filters): Query => ({ ...filters })
