import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { Button } from '@cloch/ui/components/button'
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@cloch/ui/components/dialog'
import { Input } from '@cloch/ui/components/input'
import { awardNames, type Award } from '../../shared/award'
import { ListState } from '../../shared/ListState'
import { tooLong } from '../../shared/rules'
import { criteriaQuery, useAddCriterion, useDeleteCriterion } from './queries/criteria'

/** Dialog with the criteria by which the entries of an award are scored. */
export function CriteriaDialog({ award, onClose }: { award: Award; onClose: () => void }) {
  const criteria = useQuery(criteriaQuery(award))
  const { mutate: remove } = useDeleteCriterion(award)
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Criteria: {awardNames[award].label}</DialogTitle>
          <DialogDescription>
            Judges with a link can give a score for each criterion. Without criteria they give places only. Scores decide where
            entries have equal points.
          </DialogDescription>
        </DialogHeader>
        <DialogBody>
          <ListState query={criteria} failed="Failed to load the criteria">
            {(all) =>
              all.length === 0 ? (
                <p className="text-muted-foreground">No criteria.</p>
              ) : (
                <ul>
                  {all.map((criterion) => (
                    <li key={criterion.id} className="flex items-center justify-between gap-3 border-b py-1">
                      <span className="[overflow-wrap:anywhere]">
                        {criterion.name} <span className="text-muted-foreground">(0 to {criterion.maximum})</span>
                      </span>
                      <Button
                        size="icon"
                        variant="ghost"
                        aria-label={`Remove ${criterion.name}`}
                        onClick={() => remove(criterion)}
                      >
                        <X aria-hidden />
                      </Button>
                    </li>
                  ))}
                </ul>
              )
            }
          </ListState>
          <NewCriterion award={award} />
        </DialogBody>
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Done
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

const mostCharacters = 100

function NewCriterion({ award }: { award: Award }) {
  const [name, setName] = useState('')
  const [maximum, setMaximum] = useState('10')
  const { mutate: add, isPending } = useAddCriterion(award)
  const isTooLong = name.trim().length > mostCharacters
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isTooLong) return
    add({ name: name.trim(), maximum: Number(maximum) }, { onSuccess: () => setName('') })
  }
  return (
    <form onSubmit={submit} className="mt-5 grid items-end gap-4 sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
      <Field name="criterion-name" label="Criterion" error={isTooLong ? tooLong(mostCharacters) : undefined}>
        {(control) => (
          <Input
            {...control}
            required
            pattern=".*\S.*"
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field name="criterion-maximum" label="Best score" error={undefined}>
        {(control) => (
          <Input
            {...control}
            required
            type="number"
            min={1}
            max={20}
            step={1}
            value={maximum}
            onChange={(event) => setMaximum(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="outline" disabled={isPending} aria-busy={isPending}>
        Add
      </Button>
    </form>
  )
}
