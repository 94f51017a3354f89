import { useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'
import { firstText } from '@/lib/format'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import type { Job, Queue } from '@/lib/jobs'

/** Response of /_/api/health. */
export interface Health {
  replication: {
    standbys: { name: string | null; state: string | null; lag_seconds: number | null }[]
    slots: { name: string; active: boolean; retained_bytes: number | null }[]
  }
  /** Outgoing HTTP requests of pg_net in the last hour. Null if pg_net is not enabled. */
  requests: { waiting: number; done: number; failed: number; last_failed_at: string | null } | null
}

/** The query keys of the cards are those of the linked pages, so that cards and pages share the data. */
export const useHealth = () => useQuery({ queryKey: ['health'], queryFn: ({ signal }) => get<Health>('/health', {}, signal) })

export const useFunctionList = () =>
  useQuery({ queryKey: functionsKey, queryFn: ({ signal }) => get<EdgeFunction[]>('/functions', {}, signal) })

export const useFindings = () =>
  useQuery({
    queryKey: ['advisors'],
    queryFn: ({ signal }) => get<{ lints: { level: 'ERROR' | 'WARN' | 'INFO' }[] }>('/advisors', {}, signal),
  })

export const useCron = () =>
  useQuery({ queryKey: ['cron'], queryFn: ({ signal }) => get<{ jobs: Job[] }>('/cron', {}, signal) })

export const useQueues = () =>
  useQuery({ queryKey: ['queues'], queryFn: ({ signal }) => get<{ queues: Queue[] }>('/queues', {}, signal) })

export const apiKeysKey = ['api-keys'] as const

/** An API key, without its secret value. The project’s own keys have no times, and their ID is their kind. */
export interface ApiKey {
  id: string
  kind: 'publishable' | 'secret'
  name: string
  created_at: string | null
  is_revoked: boolean
}

export const nameOf = ({ name, id }: ApiKey) => firstText(name) ?? id
