import { CircleCheck, CircleHelp, CircleX, EyeOff, type LucideIcon } from 'lucide-react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Code, Json } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { useMay } from '@/lib/session'
import { useReviewSql } from '@/components/ReviewSql'
import type { Answer, Explanation, Judged, Outcome, RowOutcome } from './contract'
import { grantOf } from './grant'

const outcomes: Record<Outcome, { icon: LucideIcon; word: string; className: string }> = {
  allowed: { icon: CircleCheck, word: 'Allowed', className: 'border-success bg-success-wash text-success' },
  partly: { icon: EyeOff, word: 'Allowed for some rows', className: 'border-warning bg-warning-wash text-warning' },
  refused: { icon: CircleX, word: 'Refused', className: 'border-destructive bg-destructive-wash text-destructive' },
  hidden: {
    icon: EyeOff,
    word: 'The rows are there, and the caller does not see them',
    className: 'border-warning bg-warning-wash text-warning',
  },
  no_rows: { icon: CircleHelp, word: 'No row fits, whoever asks', className: 'border-ring bg-muted text-foreground' },
  unknown: { icon: CircleHelp, word: 'It cannot be told', className: 'border-ring bg-muted text-foreground' },
}

/** The answer: the outcome, the reason in words, and for each row the result of each policy. */
export function Explained({ answer: { explanation, text }, onFixed }: { answer: Answer; onFixed: () => void }) {
  const { icon: Icon, word, className } = outcomes[explanation.outcome]
  return (
    <div className="grid gap-4">
      <p role="status" className={`flex items-center gap-2.5 rounded border-l-8 p-3 font-bold ${className}`}>
        <Icon aria-hidden />
        {word}
      </p>
      <Code text={text} label="The answer in words" />
      {['hidden', 'refused', 'partly'].includes(explanation.outcome) && <Fix explanation={explanation} onFixed={onFixed} />}
      {explanation.rows.map((row, index) => (
        <RowVerdicts key={index} row={row} index={index} />
      ))}
      {explanation.notes.map((note) => (
        <p key={note} className="text-muted-foreground">
          {note}
        </p>
      ))}
      <details>
        <summary className="cursor-pointer py-1 font-strong">The claims that policies see</summary>
        <Json value={explanation.claims} label="Claims" />
      </details>
    </div>
  )
}

/** The schemas of the server's own tables. For these tables, no fix is offered. */
const ofServer = ['storage', 'realtime', 'auth']

/** A button that fixes the cause. If a privilege is missing, it grants this privilege; otherwise it opens the policies of the table. */
function Fix({ explanation, onFixed }: { explanation: Explanation; onFixed: () => void }) {
  const mayChange = useMay('developer')
  const review = useReviewSql()
  const [schema, ...rest] = explanation.relation.split('.')
  const name = rest.join('.')
  if (!mayChange || schema === undefined || ofServer.includes(schema)) return null
  const grant = grantOf(explanation, { schema, name })
  if (grant)
    return (
      <Button size="compact" className="justify-self-start" onClick={() => review({ ...grant, onDone: onFixed })}>
        {grant.title} to {explanation.role}
      </Button>
    )
  return (
    <Button size="compact" className="justify-self-start" asChild>
      <Link to={`/policies?${new URLSearchParams({ schema, find: name, edit: encodeURIComponent(name) })}`}>Add a policy</Link>
    </Button>
  )
}

function RowVerdicts({ row, index }: { row: RowOutcome; index: number }) {
  return (
    <section className="grid gap-2">
      <h3>
        Row {index + 1}: {outcomes[row.outcome].word.toLowerCase()}
      </h3>
      <code className="line-clamp-3">{JSON.stringify(row.row)}</code>
      {row.policies.length > 0 && (
        <DataTable
          label={`What each policy says of row ${index + 1}`}
          rows={row.policies.map((policy, at) => ({ ...policy, at }))}
          rowKey={({ at }) => at}
          columns={[
            { name: 'Says', cell: (judged) => <Verdict judged={judged} /> },
            {
              name: 'Policy',
              className: 'font-strong',
              cell: ({ policy, is_permissive }) => `${policy}${is_permissive ? '' : ' (restrictive)'}`,
            },
            { name: 'Clause', cell: ({ command, clause }) => `${command} ${clause}` },
            { name: 'Condition', className: 'min-w-56', cell: ({ condition }) => <code>{condition}</code> },
          ]}
        />
      )}
      {row.would_be_enough.length > 0 && <p>Each of these alone would have been enough: {row.would_be_enough.join(', ')}.</p>}
    </section>
  )
}

function Verdict({ judged: { value, error } }: { judged: Judged }) {
  if (value === 'true') return <Badge tone="success">holds</Badge>
  if (value === 'error') return <Badge tone="destructive">{error ?? 'fails'}</Badge>
  return <Badge tone="destructive">{value === 'null' ? 'unknown' : 'does not hold'}</Badge>
}
