import { describe, expect, it } from 'vitest'
import type { Job } from '@/lib/jobs'
import { changeJob, createQueue, dropQueue, isJson, purgeQueue, scheduleJob, sendMessage } from './job-sql'

const draft = { name: "it's late", schedule: '30 seconds', command: "select 'x'" }

describe('jobs', () => {
  it('are scheduled by name', () => {
    const { sql, migration } = scheduleJob(draft)
    expect(sql).toBe("select cron.schedule(\n  'it''s late',\n  '30 seconds',\n  'select ''x'''\n);")
    expect(migration).toBe('schedule_it_s_late')
  })

  it('are changed by name, so that a migration changes the same job in other databases', () => {
    const named = changeJob({ id: 7, name: "it's late" } as Job, draft)
    expect(named.sql).toContain("(select jobid from cron.job where jobname = 'it''s late' and username = current_user)")
    expect(named.sql).toContain("schedule => '30 seconds'")
    expect(named.migration).toBe('change_job_it_s_late')
  })

  it('without a name are changed by number, and in no migration', () => {
    const unnamed = changeJob({ id: 7, name: null } as Job, draft)
    expect(unnamed.sql).toContain('cron.alter_job(\n  7,')
    expect(unnamed.migration).toBeUndefined()
  })
})

describe('queues', () => {
  it('are created and dropped as migrations; their messages are data', () => {
    expect(createQueue("a'b", false)).toMatchObject({ sql: "select pgmq.create('a''b');", migration: 'create_queue_a_b' })
    expect(createQueue('a', true).sql).toBe("select pgmq.create_unlogged('a');")
    expect(dropQueue('a')).toMatchObject({ sql: "select pgmq.drop_queue('a');", migration: 'drop_queue_a' })
    expect(purgeQueue('a')).not.toHaveProperty('migration')
    const sent = sendMessage('a', '{"text": "it\'s"}')
    expect(sent.sql).toBe(`select pgmq.send('a', '{"text": "it''s"}'::jsonb);`)
    expect(sent).not.toHaveProperty('migration')
  })

  it('accept JSON', () => {
    expect(['1', '{"a": [null]}', '', '{a}'].map(isJson)).toEqual([true, true, false, false])
  })
})
