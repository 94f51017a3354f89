import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { AreaField, TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import { literal } from '@/lib/sql-text'

/** Schedules a statement: what is written here becomes a call of cron.schedule. */
export function NewJob({ onClose }: { onClose: () => void }) {
  const review = useReviewSql()
  const [name, setName] = useState('')
  const [schedule, setSchedule] = useState('0 3 * * *')
  const [command, setCommand] = useState('')
  const isWhole = [name, schedule, command].every((text) => text.trim() !== '')
  const submit = () =>
    review({
      title: `Schedule ${name}`,
      sql: `select cron.schedule(\n  ${literal(name.trim())},\n  ${literal(schedule.trim())},\n  ${literal(command.trim())}\n);`,
      migration: `schedule_${name}`.toLowerCase().replace(/[^a-z0-9]+/g, '_'),
      done: 'The job is scheduled',
      onDone: onClose,
    })
  return (
    <Dialog
      title="Schedule a statement"
      onClose={onClose}
      isDirty={command !== ''}
      footer={
        <>
          <Button size="compact" disabled={!isWhole} onClick={submit}>
            Review SQL
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={63} />
      <TextField
        label="When"
        hint="minute hour day month weekday, in UTC; or “30 seconds”"
        value={schedule}
        onChange={setSchedule}
        controlClassName="font-mono"
      />
      <AreaField label="Statement" value={command} onChange={setCommand} controlClassName="font-mono" spellCheck={false} />
    </Dialog>
  )
}
