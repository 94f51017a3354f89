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
  writable_migrations: boolean
  is_local: boolean
  counts: Record<'users' | 'tables' | 'buckets' | 'functions' | 'operators', number>
}

export const useProject = () =>
  useQuery({ queryKey: ['project'], queryFn: ({ signal }) => get<Project>('/project', {}, signal) })
