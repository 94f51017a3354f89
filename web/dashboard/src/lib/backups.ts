import { useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'

interface Failure {
  since: string
  reason: string
}

export interface Drill {
  ended: string
  failure?: string | null
}

export interface BackupStatus {
  target: string
  restorable_from?: string | null
  restorable_until?: string | null
  last_base?: string | null
  base_running: boolean
  base_failure?: Failure | null
  failure?: Failure | null
  last_drill?: Drill | null
  last_good_drill?: string | null
  drill_running: boolean
  waiting_files: number
  waiting_log_bytes: number
  written?: string | null
}

export interface Backups {
  enabled: boolean
  status?: BackupStatus | null
  restore_command: string
}

export const backupsKey = ['backups'] as const

/** @param every interval in milliseconds between two requests; without it, the data is read once */
export const useBackups = (every?: number) =>
  useQuery({
    queryKey: backupsKey,
    queryFn: ({ signal }) => get<Backups>('/backups', {}, signal),
    ...(every === undefined ? {} : { refetchInterval: every }),
  })

/** The problems of the backup that the server has reported. */
export const problemsOf = ({ failure, base_failure, last_drill }: BackupStatus) =>
  [failure?.reason, base_failure?.reason, last_drill?.failure].filter((text) => typeof text === 'string')
