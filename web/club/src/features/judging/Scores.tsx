import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { notifyError } from '@cloch/ui/lib/notify'
import type { JudgedEntry } from './entry'
import { useJudgeClient } from './judge-client'
import type { Criterion } from './marking/marking'
import { saveMark } from './marking/own-marking'
import { MarkRefused } from './marking/refused'

interface ScoresProps {
  entry: JudgedEntry
  criteria: readonly Criterion[]
  isFinished: boolean
}

/** The judge's own scores of an entry, one for each criterion of its award. Scores are optional. */
export function Scores({ entry, criteria, isFinished }: ScoresProps) {
  if (criteria.length === 0) return null
  const given = criteria.flatMap(({ id }) => entry.scores?.[id] ?? [])
  const total = given.reduce((sum, score) => sum + score, 0)
  const most = criteria.reduce((sum, { maximum }) => sum + maximum, 0)
  return (
    <fieldset className="mt-2 grid gap-2">
      <legend className="mb-1 text-small font-strong">Scores (optional)</legend>
      {criteria.map((criterion) => (
        <Score key={criterion.id} entry={entry} criterion={criterion} isFinished={isFinished} />
      ))}
      {given.length > 0 ? (
        <p className="text-small text-muted-foreground">
          Total {total} of {most}
        </p>
      ) : null}
    </fieldset>
  )
}

function Score({ entry, criterion, isFinished }: { entry: JudgedEntry; criterion: Criterion; isFinished: boolean }) {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (score: number | null) => saveMark(supabase, entry.id, { scores: { [criterion.id]: score } }),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: error instanceof MarkRefused ? error.message : 'Failed to save the score',
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
  const id = `score-${entry.id}-${criterion.id}`
  // Until the saved score has been loaded, the selected score is shown.
  const shown = isPending ? variables : (entry.scores?.[criterion.id] ?? null)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_6.5rem] items-center gap-3">
      <label htmlFor={id} className="text-small">
        {criterion.name} <span className="text-muted-foreground">(0 to {criterion.maximum})</span>
      </label>
      <NativeSelect
        id={id}
        value={shown ?? ''}
        disabled={isFinished}
        onChange={(event) => mutate(event.target.value === '' ? null : Number(event.target.value))}
      >
        <option value="">–</option>
        {Array.from({ length: criterion.maximum + 1 }, (_, score) => (
          <option key={score} value={score}>
            {score}
          </option>
        ))}
      </NativeSelect>
    </div>
  )
}
