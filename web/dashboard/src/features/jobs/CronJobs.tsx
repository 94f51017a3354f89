import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Dialog } from '@/components/Dialog'
import { Section } from '@/components/Page'
import { RowButton } from '@/components/RowButton'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { formatAgo, formatExactTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { literal } from '@/lib/sql-text'
import type { Job, Run } from '@/lib/jobs'
import { NewJob } from './NewJob'

export function CronJobs() {
  const [isAdding, setAdding] = useState(false)
  const [open, setOpen] = useState<Job>()
  const [changed, setChanged] = useState<Job>()
  const mayChange = useMay('developer')
  const cron = useQuery({
    queryKey: ['cron'],
    queryFn: ({ signal }) => get<{ available: boolean; jobs: Job[] }>('/cron', {}, signal),
  })
  const add = cron.data?.available && mayChange && (
    <Button variant="outline" size="compact" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      Schedule a statement
    </Button>
  )
  return (
    <Section title="Cron" actions={add}>
      <Result query={cron} what="the jobs">
        {({ available, jobs }) => (
          <>
            {!available && <Empty title="This database has no cron." />}
            {available && jobs.length === 0 && (
              <Empty title="Nothing is scheduled.">A statement can run every night, or every 30 seconds.</Empty>
            )}
            {jobs.length > 0 && <JobTable jobs={jobs} mayChange={mayChange} onOpen={setOpen} onChange={setChanged} />}
            {isAdding && <NewJob onClose={() => setAdding(false)} />}
            {changed && <NewJob job={changed} onClose={() => setChanged(undefined)} />}
            {open && <Runs job={open} onClose={() => setOpen(undefined)} />}
          </>
        )}
      </Result>
    </Section>
  )
}

const nameOf = ({ name, id }: Job) => name ?? `Job ${id}`

interface JobTableProps {
  jobs: Job[]
  mayChange: boolean
  onOpen: (job: Job) => void
  onChange: (job: Job) => void
}

function JobTable({ jobs, mayChange, onOpen, onChange }: JobTableProps) {
  const review = useReviewSql()
  const setActive = (job: Job) =>
    review({
      title: `${job.active ? 'Pause' : 'Resume'} ${nameOf(job)}`,
      sql: `select cron.alter_job(${job.id}, active => ${!job.active});`,
      done: job.active ? 'The job is paused' : 'The job runs again',
    })
  const drop = (job: Job) =>
    review({
      title: `Remove ${nameOf(job)}`,
      sql: job.name ? `select cron.unschedule(${literal(job.name)});` : `select cron.unschedule(${job.id});`,
      // A job without a name could be identified only by its number. In another database, this number may be that of another job, so there is no
      // migration.
      ...(job.name ? { migration: `unschedule_${job.name}` } : {}),
      done: 'The job is gone',
    })
  return (
    <DataTable
      label="Jobs"
      rows={jobs}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Job',
          className: 'xl:whitespace-nowrap',
          cell: (job) => <RowButton onClick={() => onOpen(job)}>{nameOf(job)}</RowButton>,
        },
        { name: 'When', className: 'whitespace-nowrap', cell: ({ schedule }) => <code>{schedule}</code> },
        { name: 'Statement', className: 'min-w-28 max-xl:min-w-24', cell: ({ command }) => <Command text={command} /> },
        { name: 'Last run', className: 'xl:whitespace-nowrap', cell: ({ last_run }) => <LastRun run={last_run} /> },
        {
          name: 'Next',
          className: 'xl:whitespace-nowrap',
          cell: ({ active, next_run_at }) => (active ? formatAgo(next_run_at) : 'paused'),
        },
        {
          name: 'Change',
          isHeadHidden: true,
          hasButtons: true,
          cell: (job) =>
            mayChange && (
              <>
                <Button variant="ghost" size="compact" aria-label={`Change ${nameOf(job)}`} onClick={() => onChange(job)}>
                  Change
                </Button>
                <Button
                  variant="ghost"
                  size="compact"
                  aria-label={`${job.active ? 'Pause' : 'Resume'} ${nameOf(job)}`}
                  onClick={() => setActive(job)}
                >
                  {job.active ? 'Pause' : 'Resume'}
                </Button>
                <Button variant="ghost" size="compact" aria-label={`Remove ${nameOf(job)}`} onClick={() => drop(job)}>
                  Remove
                </Button>
              </>
            ),
        },
      ]}
    />
  )
}

function Command({ text }: { text: string | null }) {
  if (text === null) return <span className="text-muted-foreground">Developers see it</span>
  return <code className="line-clamp-2 wrap-anywhere">{text}</code>
}

function LastRun({ run }: { run: Run | null | undefined }) {
  if (!run) return 'never'
  return (
    <span className="inline-flex items-center gap-1.5 max-xl:flex-wrap">
      <Badge tone={run.status === 'failed' ? 'destructive' : 'success'}>{run.status}</Badge>
      {formatAgo(run.started_at)}
    </span>
  )
}

function Runs({ job, onClose }: { job: Job; onClose: () => void }) {
  const runs = useQuery({
    queryKey: ['cron', job.id, 'runs'],
    queryFn: ({ signal }) => get<{ runs: Run[] }>(path`/cron/${job.id}/runs`, { limit: 50 }, signal),
  })
  return (
    <Dialog title={nameOf(job)} description={<Command text={job.command} />} place="side" onClose={onClose}>
      <Result query={runs} what="the runs">
        {(data) =>
          data.runs.length === 0 ? (
            <Empty title="It has not run yet." />
          ) : (
            <DataTable
              label={`Runs of ${nameOf(job)}`}
              rows={data.runs.map((run, at) => ({ ...run, at }))}
              rowKey={({ at }) => at}
              columns={[
                { name: 'Started', className: 'whitespace-nowrap', cell: ({ started_at }) => formatExactTime(started_at) },
                {
                  name: 'Ended',
                  cell: ({ status }) => <Badge tone={status === 'failed' ? 'destructive' : 'success'}>{status}</Badge>,
                },
                { name: 'Message', className: 'min-w-40', cell: ({ message }) => message ?? '' },
              ]}
            />
          )
        }
      </Result>
    </Dialog>
  )
}
