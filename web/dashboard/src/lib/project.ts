import { useQuery } from '@tanstack/react-query'
import { get } from './api'

/** What /_/api/project says: where the project is and what is in it. */
export interface Project {
  name: string
  reference: string
  version: string
  url: string
  api: Record<string, string>
  services: string[]
  publishable_key: string
  anon_key: string
  database: { version: string; host: string | null }
  inbox_url: string | null
  schemas: string[]
  is_local: boolean
  /** The disk of the database, where this server runs it. */
  disk: { free_bytes: number; size_bytes: number; is_full: boolean; is_low: boolean } | null
  counts: Record<'users' | 'tables' | 'buckets' | 'functions' | 'operators', number>
  /** Whether a policy lets somebody read a table, and whether an operator has looked with the eyes of somebody else. */
  steps: Record<'policy' | 'tried', boolean>
}

/** @param isShownAnew whether a page that opens reads it again, although it was just read */
export const useProject = (isShownAnew = false) =>
  useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => get<Project>('/project', {}, signal),
    refetchOnMount: isShownAnew ? 'always' : true,
  })
