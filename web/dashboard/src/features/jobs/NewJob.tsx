import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { AreaField, TextField } from '@/components/fields'
import { FormButtons, useFormChange, WhatWillRun } from '@/components/FormChange'
import type { Job } from '@/lib/jobs'
import { changeJob, scheduleJob } from './job-sql'

/** Form that creates or changes a cron job. The form generates a call of pg_cron's functions. */
export function NewJob({ job, onClose }: { job?: Job; onClose: () => void }) {
  const [name, setName] = useState(job?.name ?? '')
  const [schedule, setSchedule] = useState(job?.schedule ?? '0 3 * * *')
  const [command, setCommand] = useState(job?.command ?? '')
  const isSame = schedule.trim() === job?.schedule && command.trim() === job.command?.trim()
  const isWhole = (job !== undefined || name.trim() !== '') && schedule.trim() !== '' && command.trim() !== '' && !isSame
  const change = { name: name.trim(), schedule: schedule.trim(), command: command.trim() }
  const made = job ? changeJob(job, change) : scheduleJob(change)
  const form = useFormChange(isWhole ? { ...made, onDone: onClose } : undefined)
  return (
    <Dialog
      title={job ? `Change ${job.name ?? `job ${job.id}`}` : 'Schedule a statement'}
      onClose={onClose}
      isDirty={job ? !isSame : command !== ''}
      footer={
        <>
          <FormButtons form={form} />
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      {!job && <TextField label="Name" value={name} onChange={setName} maxLength={63} />}
      <TextField
        label="When"
        hint="minute hour day month weekday, in UTC; or “30 seconds”"
        value={schedule}
        onChange={setSchedule}
        controlClassName="font-mono"
      />
      <AreaField label="Statement" value={command} onChange={setCommand} controlClassName="font-mono" spellCheck={false} />
      <WhatWillRun form={form} />
    </Dialog>
  )
}
