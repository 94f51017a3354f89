/** SQL for cron jobs and queues: calls of the functions of pg_cron and pgmq. This module has no side effects. */
import type { SqlChange } from '@/components/ReviewSql'
import type { Job } from '@/lib/jobs'
import { literal, migrationName } from '@/lib/sql-text'

interface JobDraft {
  name: string
  schedule: string
  command: string
}

export const scheduleJob = ({ name, schedule, command }: JobDraft): SqlChange => ({
  title: `Schedule ${name}`,
  sql: `select cron.schedule(\n  ${literal(name)},\n  ${literal(schedule)},\n  ${literal(command)}\n);`,
  migration: migrationName('schedule', name),
  done: 'The job is scheduled',
})

/** Returns the change of a job. A migration identifies the job by its name, because its number is valid only in this database. */
export function changeJob({ id, name }: Job, { schedule, command }: JobDraft): SqlChange {
  const by = name ? `(select jobid from cron.job where jobname = ${literal(name)} and username = current_user)` : `${id}`
  const sql = `select cron.alter_job(\n  ${by},\n  schedule => ${literal(schedule)},\n  command => ${literal(command)}\n);`
  const title = `Change ${name ?? `job ${id}`}`
  return { title, sql, done: 'The job is changed', ...(name ? { migration: migrationName('change_job', name) } : {}) }
}

export const createQueue = (name: string, isUnlogged: boolean): SqlChange => ({
  title: `New queue ${name}`,
  sql: `select pgmq.${isUnlogged ? 'create_unlogged' : 'create'}(${literal(name)});`,
  migration: migrationName('create_queue', name),
  done: `Queue ${name} is created`,
})

export const dropQueue = (name: string): SqlChange => ({
  title: `Drop the queue ${name} with its messages and its archive`,
  sql: `select pgmq.drop_queue(${literal(name)});`,
  migration: migrationName('drop_queue', name),
  done: `Queue ${name} is dropped`,
})

export const purgeQueue = (name: string): SqlChange => ({
  title: `Delete all messages of ${name}`,
  sql: `select pgmq.purge_queue(${literal(name)});`,
  done: 'The messages are deleted',
})

export const sendMessage = (queue: string, message: string): SqlChange => ({
  title: `Send a message to ${queue}`,
  sql: `select pgmq.send(${literal(queue)}, ${literal(message)}::jsonb);`,
  done: 'The message is sent',
})

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
