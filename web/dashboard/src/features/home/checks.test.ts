import { describe, expect, it } from 'vitest'
import type { BackupStatus } from '@/lib/backups'
import type { EdgeFunction } from '@/lib/functions'
import type { Job, Queue } from '@/lib/jobs'
import {
  advisorsVerdict,
  backupVerdict,
  cronVerdict,
  diskVerdict,
  functionsVerdict,
  jobsVerdict,
  outgoingVerdict,
  queuesVerdict,
  replicationVerdict,
} from './checks'
import { summaryOf } from './verdict'

const now = Date.parse('2026-11-28T12:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()

describe('the backup', () => {
  const good: BackupStatus = {
    target: '/mnt',
    restorable_until: ago(20),
    base_running: false,
    drill_running: false,
    last_drill: { ended: ago(86_400) },
    waiting_files: 0,
    waiting_log_bytes: 0,
  }
  const of = (status: Partial<BackupStatus>) =>
    backupVerdict({ enabled: true, status: { ...good, ...status }, restore_command: '' }, false, now)

  it('is missing: a problem, except on a developer’s machine', () => {
    const none = { enabled: false, status: null, restore_command: '' }
    expect(backupVerdict(none, false).level).toBe('problem')
    expect(backupVerdict(none, true).level).toBe('off')
    expect(backupVerdict({ ...none, enabled: true }, false).level).toBe('warning')
  })

  it('is healthy while it is recent and a restore was tested', () => {
    expect(of({})).toMatchObject({ level: 'ok', figure: 'Just now' })
    expect(of({}).says.at(-1)).toBe('Last restore drill: yesterday.')
  })

  it('shows the problem', () => {
    expect(of({ restorable_until: ago(7200) })).toMatchObject({ level: 'warning', figure: '2 hours ago' })
    expect(of({ last_drill: null }).says).toContain('No restore has been tried yet. Try one.')
    expect(of({ last_drill: { ended: ago(40 * 86_400) } }).level).toBe('warning')
    expect(of({ last_drill: { ended: ago(60), failure: 'a file is missing' } }).says).toContain('a file is missing')
    expect(of({ failure: { since: ago(5), reason: 'the target is full' } })).toMatchObject({ level: 'problem' })
    expect(of({ restorable_until: null }).level).toBe('problem')
    expect(of({ restorable_until: null, base_running: true })).toMatchObject({ level: 'warning', figure: 'None yet' })
  })
})

describe('the disk', () => {
  it('is rated by the server', () => {
    const disk = { free_bytes: 25e9, size_bytes: 100e9, is_full: false, is_low: false }
    expect(diskVerdict(disk, undefined)).toMatchObject({ level: 'ok', figure: '25.0 GB free' })
    expect(diskVerdict({ ...disk, is_low: true }, undefined).level).toBe('warning')
    expect(diskVerdict({ ...disk, is_low: true, is_full: true }, undefined).level).toBe('problem')
  })

  it('is that of the data folder if the database is external', () => {
    expect(diskVerdict(null, 5e9)).toMatchObject({ level: 'ok', figure: '5.00 GB free' })
    expect(diskVerdict(null, 5e8).level).toBe('warning')
    expect(diskVerdict(null, null).level).toBe('off')
  })
})

it('the advisors have the level of their worst finding', () => {
  expect(advisorsVerdict([])).toMatchObject({ level: 'ok', figure: 'None' })
  expect(advisorsVerdict([{ level: 'INFO' }])).toMatchObject({ level: 'ok', figure: '1' })
  expect(advisorsVerdict([{ level: 'WARN' }, { level: 'INFO' }]).level).toBe('warning')
  expect(advisorsVerdict([{ level: 'ERROR' }, { level: 'WARN' }, { level: 'WARN' }])).toEqual({
    level: 'problem',
    figure: '3',
    says: ['1 error, 2 warnings about the schema.', 'Errors mean that data may be open to strangers.'],
  })
})

it('functions show the last deployment, and those that failed to boot', () => {
  const one = (name: string, more: Partial<EdgeFunction>): EdgeFunction => ({
    name,
    version: null,
    verify_jwt: true,
    source: 'folder',
    entrypoint: null,
    updated_at: null,
    figures: { calls: 0, refused: 0, failed: 0, latency: null },
    is_in_folder: true,
    ...more,
  })
  expect(functionsVerdict([]).level).toBe('off')
  const deployed = one('mail', { source: 'deployed', version: 3, updated_at: ago(3600) })
  const older = one('hello', { updated_at: ago(7200), boots: false })
  expect(functionsVerdict([one('a', {}), older, deployed], now)).toEqual({
    level: 'problem',
    figure: '1 hour ago',
    says: ['hello failed to start.', 'Last deployed: mail, version 3.'],
  })
})

describe('jobs', () => {
  const job = (more: Partial<Job>): Job => ({
    id: 1,
    name: 'tidy',
    schedule: '* * * * *',
    command: null,
    database: 'postgres',
    username: 'postgres',
    active: true,
    ...more,
  })
  const run = (status: string) => ({ status, started_at: ago(60) })
  const queue = (more: Partial<Queue>): Queue => ({
    name: 'errands',
    created_at: ago(9),
    length: 2,
    visible: 2,
    archived: 0,
    ...more,
  })

  it('of cron: failed, paused or running', () => {
    expect(cronVerdict([])).toEqual({ level: 'off', says: [] })
    expect(cronVerdict([job({ last_run: run('succeeded') })])).toEqual({ level: 'ok', says: ['1 scheduled job in order.'] })
    expect(cronVerdict([job({ name: null, last_run: run('failed') })]).says).toEqual(['Last run failed: Job 1.'])
    // The last run of this job failed. The job is paused, so it will not run again, and the failure is not reported.
    expect(cronVerdict([job({ active: false, last_run: run('failed') })])).toEqual({
      level: 'warning',
      says: ['Paused: tidy.'],
    })
  })

  it('of queues wait for too long', () => {
    expect(queuesVerdict([queue({ oldest_seconds: 60 })])).toEqual({ level: 'ok', says: ['2 messages in 1 queue.'] })
    expect(queuesVerdict([queue({ oldest_seconds: 7300 })]).level).toBe('warning')
    expect(queuesVerdict([queue({ visible: 0, oldest_seconds: 7300 })]).level, 'somebody has taken them').toBe('ok')
  })

  it('of webhooks fail', () => {
    const sent = { waiting: 0, done: 4, failed: 1, last_failed_at: ago(60) }
    expect(outgoingVerdict(null).level).toBe('off')
    expect(outgoingVerdict(sent, now)).toEqual({
      level: 'warning',
      says: ['1 of 4 webhook requests failed in the last hour, last 1 minute ago.'],
    })
    expect(outgoingVerdict({ ...sent, failed: 4 }).level).toBe('problem')
  })

  it('together have the worst level of them', () => {
    expect(jobsVerdict([])).toMatchObject({ level: 'off', figure: 'None' })
    expect(
      jobsVerdict([
        { level: 'ok', says: ['a'] },
        { level: 'warning', says: ['b'] },
      ]),
    ).toEqual({
      level: 'warning',
      figure: 'Waiting or paused',
      says: ['a', 'b'],
    })
  })
})

it('replication is shown if there is any', () => {
  const reader = { name: 'realtime', active: true, retained_bytes: 0 }
  expect(replicationVerdict({ standbys: [], slots: [reader] })).toBeUndefined()
  expect(replicationVerdict({ standbys: [{ name: 'b', state: 'streaming', lag_seconds: 0.2 }], slots: [] })).toMatchObject({
    level: 'ok',
    figure: '1 standby',
    says: ['b: streaming, 0 s behind.'],
  })
  expect(replicationVerdict({ standbys: [{ name: 'b', state: 'streaming', lag_seconds: 90 }], slots: [] })?.level).toBe(
    'warning',
  )
  const idle = { name: 'old', active: false, retained_bytes: 5e9 }
  expect(replicationVerdict({ standbys: [], slots: [idle] })).toMatchObject({
    level: 'problem',
    says: ['Nobody reads the slot old, which keeps 5.00 GB of the log on the disk.'],
  })
})

it('the summary counts problems, and reports no success before everything is known', () => {
  expect(summaryOf(['ok', 'off'])).toBe('Everything is healthy.')
  expect(summaryOf(['ok', undefined])).toBeUndefined()
  expect(summaryOf(['problem', 'warning', 'warning', undefined])).toBe('1 problem and 2 warnings: see the marked cards.')
})
