import { useQuery } from '@tanstack/react-query'
import { get } from './api'

/** Response of /_/api/project: the project's addresses and contents. */
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
  /** The disk that contains the database. Null if the database is not on this server. */
  disk: { free_bytes: number; size_bytes: number; is_full: boolean; is_low: boolean } | null
  counts: Record<'users' | 'tables' | 'buckets' | 'functions' | 'operators', number>
  /** `policy`: whether a policy allows a role to read a table. `tried`: whether an operator has viewed rows as another caller. */
  steps: Record<'policy' | 'tried', boolean>
}

/** @param isShownAnew whether the data is read again each time a page opens, even if it has just been read */
export const useProject = (isShownAnew = false) =>
  useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => get<Project>('/project', {}, signal),
    refetchOnMount: isShownAnew ? 'always' : true,
  })
