import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'
import { KeepAsMigration, KeptNote, useKeeping } from '@/components/KeepAsMigration'
import { useReviewSql, useRunSql } from '@/components/ReviewSql'
import { Refused } from '@/components/states'
import { commands, type Policy, type PolicyTable } from './contract'
import { draftOf, emptyDraft, hasCheck, hasUsing, savePolicy, templates, type Draft } from './policy-sql'
import { TryPolicy } from './TryPolicy'

interface PolicyEditorProps {
  table: PolicyTable
  policy: Policy | undefined
  roles: readonly string[]
  onClose: () => void
}

/** Editor of a policy. The user can test the policy on existing rows, then review its SQL. */
export function PolicyEditor({ table, policy, roles, onClose }: PolicyEditorProps) {
  const [draft, setDraft] = useState<Draft>(() => (policy ? draftOf(policy) : emptyDraft))
  const review = useReviewSql()
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const isWhole =
    draft.name.trim() !== '' &&
    draft.roles.length > 0 &&
    ((hasUsing(draft.command) && draft.using.trim() !== '') || (hasCheck(draft.command) && draft.check.trim() !== ''))
  const saved = savePolicy(table, draft, policy)
  const keeping = useKeeping(saved.migration)
  const run = useRunSql(keeping.migration)
  const made = () => ({ ...saved, migration: keeping.name, isKept: keeping.isKept, onDone: onClose })
  const before = policy ? draftOf(policy) : emptyDraft
  const footer = (
    <>
      {run.isError && <Refused error={run.error} className="basis-full" />}
      <Button
        size="compact"
        disabled={!isWhole || !keeping.isReady || run.isPending}
        aria-busy={run.isPending}
        onClick={() => run.mutate(made)}
      >
        {policy ? 'Save the policy' : 'Add the policy'}
      </Button>
      <Button variant="outline" size="compact" disabled={!isWhole} onClick={() => review(made())}>
        Show the SQL
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        Cancel
      </Button>
      {!isWhole && <span className="text-floor text-muted-foreground">A policy needs a name, a role and a condition.</span>}
      {isWhole && <KeptNote keeping={keeping} />}
    </>
  )
  const isDirty = JSON.stringify(draft) !== JSON.stringify(before)
  return (
    <Dialog
      title={policy ? `Policy of ${table.name}` : `New policy of ${table.name}`}
      place="side"
      onClose={onClose}
      footer={footer}
      isDirty={isDirty}
      className="w-[min(44rem,100vw)]"
    >
      {!policy && <Templates onChoose={setDraft} />}
      <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} maxLength={63} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="For" value={draft.command} onChange={(command) => change({ command: command as Draft['command'] })}>
          {['ALL', ...commands].map((command) => (
            <option key={command}>{command}</option>
          ))}
        </SelectField>
        <SelectField
          label="Kind"
          value={draft.permissive ? 'permissive' : 'restrictive'}
          onChange={(kind) => change({ permissive: kind === 'permissive' })}
        >
          <option value="permissive">Permissive: one that holds is enough</option>
          <option value="restrictive">Restrictive: it must hold besides</option>
        </SelectField>
      </div>
      <Roles chosen={draft.roles} roles={roles} onChange={(next) => change({ roles: next })} />
      {hasUsing(draft.command) && (
        <AreaField
          label="Rows that are there (using)"
          hint="Which rows this action may see. SQL over the table’s columns."
          value={draft.using}
          onChange={(using) => change({ using })}
          rows={3}
          controlClassName="font-mono"
          spellCheck={false}
        />
      )}
      {hasCheck(draft.command) && (
        <AreaField
          label="Rows as they would be (with check)"
          hint={draft.command === 'INSERT' ? 'Which new rows are accepted.' : 'Left empty, the condition above is used.'}
          value={draft.check}
          onChange={(check) => change({ check })}
          rows={3}
          controlClassName="font-mono"
          spellCheck={false}
        />
      )}
      {isWhole && <Code label="What will run" text={saved.sql} />}
      {isWhole && <KeepAsMigration keeping={keeping} />}
      <TryPolicy table={table} draft={draft} />
    </Dialog>
  )
}

function Templates({ onChoose }: { onChoose: (draft: Draft) => void }) {
  return (
    <SelectField
      label="Begin with"
      value=""
      onChange={(label) => {
        const template = templates.find((one) => one.label === label)
        if (template) onChoose(template.draft)
      }}
    >
      <option value="">An empty policy, or a template…</option>
      {templates.map(({ label }) => (
        <option key={label}>{label}</option>
      ))}
    </SelectField>
  )
}

function Roles({
  chosen,
  roles,
  onChange,
}: {
  chosen: string[]
  roles: readonly string[]
  onChange: (roles: string[]) => void
}) {
  const offered = [...new Set(['public', ...roles, ...chosen])].filter((role) => role !== 'service_role')
  return (
    <fieldset className="grid gap-1">
      <legend className="text-small font-strong">To whom</legend>
      <div className="flex flex-wrap gap-x-5">
        {offered.map((role) => (
          <CheckField
            key={role}
            label={role === 'public' ? 'public (everybody)' : role}
            checked={chosen.includes(role)}
            onChange={(isChosen) => onChange(isChosen ? [...chosen, role] : chosen.filter((one) => one !== role))}
          />
        ))}
      </div>
    </fieldset>
  )
}
