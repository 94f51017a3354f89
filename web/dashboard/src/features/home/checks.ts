import { formatAgo, formatBytes, formatCount, formatTime } from '@/lib/format'
import type { Project } from '@/lib/project'
import { problemsOf, type Backups } from '@/lib/backups'
import type { EdgeFunction } from '@/lib/functions'
import type { Job, Queue } from '@/lib/jobs'
import type { Health } from './contract'
import { plural, worst, type Level, type Verdict } from './verdict'

const [minute, day] = [60_000, 86_400_000]

/** If the backup, or the last restore drill, is older than this number of milliseconds, a warning is shown. */
const [oldBackup, oldDrill] = [5 * minute, 31 * day]
/** If the oldest message of a queue is older than this number of seconds, a warning is shown. */
const longWait = 3600
/** Limits above which a warning is shown: the delay of a standby in seconds, and the size in bytes of the log that a replication slot retains. */
const [longLag, muchLog] = [60, 1e9]

export function backupVerdict({ enabled, status }: Backups, isLocal: boolean, now = Date.now()): Verdict {
  if (!enabled)
    return {
      // A developer can create a local project again, so there a missing backup is not a problem.
      level: isLocal ? 'off' : 'problem',
      figure: 'None',
      says: ['No backup is configured. If the disk fails, the data is lost.'],
    }
  if (!status) return { level: 'warning', figure: 'None yet', says: ['The backup has not started yet.'] }
  const problems = problemsOf(status)
  const until = status.restorable_until
  const age = until ? now - new Date(until).getTime() : undefined
  const { last_drill: drill } = status
  const isDrillOld = !drill || now - new Date(drill.ended).getTime() > oldDrill
  const level: Level = problems.length > 0 || age === undefined ? 'problem' : age > oldBackup || isDrillOld ? 'warning' : 'ok'
  return {
    level: status.base_running && age === undefined && problems.length === 0 ? 'warning' : level,
    figure: age === undefined ? 'None yet' : age < minute ? 'Just now' : formatAgo(until, now),
    says: [
      ...problems,
      age === undefined
        ? status.base_running
          ? 'The first base backup is being made.'
          : 'There is no complete backup yet.'
        : `Everything until ${formatTime(until)} can be restored.`,
      ...(age !== undefined && age > oldBackup ? ['New changes do not reach the backup.'] : []),
      drill
        ? `Last restore drill: ${formatAgo(drill.ended, now)}${drill.failure ? ', failed' : ''}${isDrillOld ? '. Try a restore.' : '.'}`
        : 'No restore has been tried yet. Try one.',
    ],
  }
}

export function diskVerdict(disk: Project['disk'], freeOfData: number | null | undefined): Verdict {
  if (!disk) {
    if (freeOfData === null || freeOfData === undefined)
      return { level: 'off', figure: '–', says: ['This server cannot read the disk of the database.'] }
    return {
      level: freeOfData < 1e9 ? 'warning' : 'ok',
      figure: `${formatBytes(freeOfData)} free`,
      says: ['Where the data folder is. This server cannot read the disk of the database.'],
    }
  }
  const part = Math.round((disk.free_bytes / disk.size_bytes) * 100)
  return {
    level: disk.is_full ? 'problem' : disk.is_low ? 'warning' : 'ok',
    figure: `${formatBytes(disk.free_bytes)} free`,
    says: [
      `${part} % of ${formatBytes(disk.size_bytes)}, where the database is.`,
      ...(disk.is_full
        ? ['The disk is full: nothing can be stored.']
        : disk.is_low
          ? ['The disk is nearly full. Without space, nothing can be stored.']
          : []),
    ],
  }
}

export function advisorsVerdict(lints: readonly { level: 'ERROR' | 'WARN' | 'INFO' }[]): Verdict {
  const count = (level: string) => lints.filter((lint) => lint.level === level).length
  const [errors, warnings, notes] = [count('ERROR'), count('WARN'), count('INFO')]
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(notes > 0 ? [plural(notes, 'note')] : []),
  ]
  return {
    level: errors > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok',
    figure: parts.length === 0 ? 'None' : formatCount(lints.length),
    says: [
      parts.length === 0 ? 'The advisors find nothing wrong with the schema.' : `${parts.join(', ')} about the schema.`,
      ...(errors > 0 ? ['Errors mean that data may be open to strangers.'] : []),
    ],
  }
}

export function functionsVerdict(functions: readonly EdgeFunction[], now = Date.now()): Verdict {
  const failed = functions.filter(({ boots }) => boots === false)
  const newest = functions
    .filter(({ updated_at }) => updated_at !== null)
    .sort((a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? ''))[0]
  if (functions.length === 0) return { level: 'off', figure: 'None', says: ['The project has no functions.'] }
  return {
    level: failed.length > 0 ? 'problem' : 'ok',
    figure: newest ? formatAgo(newest.updated_at, now) : plural(functions.length, 'function'),
    says: [
      ...(failed.length > 0 ? [`${failed.map(({ name }) => name).join(', ')} failed to start.`] : []),
      newest
        ? `Last ${newest.source === 'deployed' ? 'deployed' : 'changed'}: ${newest.name}${newest.source === 'deployed' && newest.version !== null ? `, version ${newest.version}` : ''}.`
        : 'Nothing was deployed.',
    ],
  }
}

/** Assesses the cron jobs by their last runs. */
export function cronVerdict(jobs: readonly Job[]): { level: Level; says: string[] } {
  const name = (job: Job) => job.name ?? `Job ${job.id}`
  const failed = jobs.filter(({ active, last_run }) => active && last_run?.status === 'failed').map(name)
  const paused = jobs.filter(({ active }) => !active).map(name)
  return {
    level: failed.length > 0 ? 'problem' : paused.length > 0 ? 'warning' : jobs.length > 0 ? 'ok' : 'off',
    says: [
      ...(failed.length > 0 ? [`Last run failed: ${failed.join(', ')}.`] : []),
      ...(paused.length > 0 ? [`Paused: ${paused.join(', ')}.`] : []),
      ...(failed.length === 0 && jobs.length > paused.length
        ? [`${plural(jobs.length - paused.length, 'scheduled job')} in order.`]
        : []),
    ],
  }
}

export function queuesVerdict(queues: readonly Queue[]): { level: Level; says: string[] } {
  const late = queues.filter(({ visible, oldest_seconds }) => visible > 0 && (oldest_seconds ?? 0) > longWait)
  const waiting = queues.reduce((sum, { length }) => sum + length, 0)
  return {
    level: late.length > 0 ? 'warning' : queues.length > 0 ? 'ok' : 'off',
    says: [
      ...late.map(
        ({ name, oldest_seconds }) =>
          `Nobody takes messages from ${name}: the oldest waits for ${plural(Math.floor((oldest_seconds ?? 0) / 3600), 'hour')}.`,
      ),
      ...(late.length === 0 && queues.length > 0
        ? [`${plural(waiting, 'message')} in ${plural(queues.length, 'queue')}.`]
        : []),
    ],
  }
}

export function outgoingVerdict(requests: Health['requests'], now = Date.now()): { level: Level; says: string[] } {
  if (!requests || requests.done + requests.waiting === 0) return { level: 'off', says: [] }
  const { failed, done, last_failed_at } = requests
  return {
    level: failed > 0 ? (failed === done ? 'problem' : 'warning') : 'ok',
    says: [
      failed > 0
        ? `${formatCount(failed)} of ${plural(done, 'webhook request')} failed in the last hour, last ${formatAgo(last_failed_at, now)}.`
        : `${plural(done, 'webhook request')} answered in the last hour.`,
    ],
  }
}

/** Combines the assessments of cron jobs, queues and webhooks. */
export function jobsVerdict(parts: readonly { level: Level; says: string[] }[]): Verdict {
  const level = worst(parts.map((part) => part.level))
  const says = parts.flatMap((part) => part.says)
  const words: Record<Level, string> = { problem: 'Failing', warning: 'Waiting or paused', ok: 'Healthy', off: 'None' }
  return {
    level,
    figure: words[level],
    says: says.length === 0 ? ['Nothing is scheduled, and no message waits.'] : says,
  }
}

/** Assesses the standbys and the log that is retained for them; `undefined` if this server has neither. */
export function replicationVerdict({ standbys, slots }: Health['replication']): Verdict | undefined {
  const idle = slots.filter(({ active }) => !active)
  if (standbys.length === 0 && idle.length === 0) return undefined
  const late = standbys.filter(
    ({ state, lag_seconds }) => (state !== null && state !== 'streaming') || (lag_seconds ?? 0) > longLag,
  )
  const isHeavy = idle.some(({ retained_bytes }) => (retained_bytes ?? 0) > muchLog)
  return {
    level: isHeavy ? 'problem' : late.length > 0 || idle.length > 0 ? 'warning' : 'ok',
    figure: plural(standbys.length, 'standby', 'standbys'),
    says: [
      ...standbys.map(
        ({ name, state, lag_seconds }) =>
          `${name ?? 'A standby'}: ${state ?? 'connected'}, ${Math.round(lag_seconds ?? 0)} s behind.`,
      ),
      ...idle.map(
        ({ name, retained_bytes }) =>
          `Nobody reads the slot ${name}${retained_bytes === null ? '' : `, which keeps ${formatBytes(Math.max(0, retained_bytes))} of the log on the disk`}.`,
      ),
    ],
  }
}
