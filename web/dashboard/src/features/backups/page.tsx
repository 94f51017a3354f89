import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Facts } from '@/components/Facts'
import { NoBackup } from '@/components/NoBackup'
import { Page, Section } from '@/components/Page'
import { Result } from '@/components/states'
import { post } from '@/lib/api'
import { formatAgo, formatBytes, formatCount, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { backupsKey, problemsOf, useBackups, type BackupStatus } from '@/lib/backups'

/** Page of the backup. It shows whether the data can be restored, and to which points in time. */
export function Component() {
  const isOwner = useMay('owner')
  const backups = useBackups(5000)
  const base = useAction(() => post('/backups/base'), {
    done: 'A base backup has begun',
    failed: 'No backup was begun',
    refresh: [backupsKey],
  })
  const drill = useAction(() => post('/backups/drill'), {
    done: 'A drill has begun',
    failed: 'No drill was begun',
    refresh: [backupsKey],
  })
  const status = backups.data?.status
  return (
    <Page
      title="Backups"
      actions={
        isOwner &&
        status && (
          <>
            <Button
              variant="outline"
              size="compact"
              disabled={status.drill_running || drill.isPending}
              onClick={() => drill.mutate()}
            >
              {status.drill_running ? 'A drill is running' : 'Try a restore'}
            </Button>
            <Button size="compact" disabled={status.base_running || base.isPending} onClick={() => base.mutate()}>
              {status.base_running ? 'A backup is running' : 'Back up now'}
            </Button>
          </>
        )
      }
    >
      <Result query={backups} what="the state of backups">
        {(data) => (data.status ? <StatusView status={data.status} restore={data.restore_command} /> : <NoBackup />)}
      </Result>
    </Page>
  )
}

/** Quotes a word for a shell command if necessary. */
const shellWord = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

function StatusView({ status, restore }: { status: BackupStatus; restore: string }) {
  const problems = problemsOf(status)
  return (
    <>
      {problems.length === 0 ? (
        <p>
          <Badge tone="success">healthy</Badge> The data can be brought back to any moment until{' '}
          {formatTime(status.restorable_until)}.
        </p>
      ) : (
        <div role="alert" className="border-l-6 border-destructive bg-destructive-wash p-3 text-destructive">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      <div className="grid gap-8 xl:grid-cols-2">
        <Section title="State">
          <Facts
            facts={[
              ['Target', <code key="target">{status.target}</code>],
              ['Restorable from', formatTime(status.restorable_from)],
              ['Restorable until', formatTime(status.restorable_until)],
              ['Last base backup', `${formatTime(status.last_base)} (${formatAgo(status.last_base)})`],
              [
                'Last drill',
                status.last_drill
                  ? `${formatTime(status.last_drill.ended)}${status.last_drill.failure ? ', failed' : ''}`
                  : 'never',
              ],
              ['Last good drill', formatTime(status.last_good_drill)],
              ['Waiting', `${formatCount(status.waiting_files)} files, ${formatBytes(status.waiting_log_bytes)} of the log`],
            ]}
          />
        </Section>
        <Section title="To bring the data back">
          <p className="text-muted-foreground">Into a new folder, on any machine that reaches the target:</p>
          <Code text={restore.replace('URL', () => shellWord(status.target))} label="The command" />
          <p className="text-muted-foreground">
            <code>DIR</code> is the new folder, <code>TIME</code> a moment such as{' '}
            <code className="whitespace-nowrap">2026-11-23T14:30:00Z</code>; without{' '}
            <code className="whitespace-nowrap">--to</code> it is the last one. The passphrase is read from the variable{' '}
            <code>CLOCH_BACKUP_PASSPHRASE</code>.
          </p>
        </Section>
      </div>
    </>
  )
}
