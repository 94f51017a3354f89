import { useQuery } from '@tanstack/react-query'
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
import { LoadFailed } from '../shared/LoadFailed'
import { Loading } from '../shared/Loading'
import { useDeleteSeason } from './queries/delete-season'
import type { Season } from './queries/list-seasons'
import { seasonPlanQuery } from './queries/season-plan'
import { SeasonPlan } from './SeasonPlan'

/** Shows what will be deleted together with a season. Deletes the season when the user has typed its name. */
export function SeasonDeletion({ season, onClose }: { season: Season; onClose: () => void }) {
  const plan = useQuery(seasonPlanQuery(season))
  const [typed, setTyped] = useState('')
  const { mutate, isPending, progress } = useDeleteSeason(season)
  const isConfirmed = typed.trim() === season.name
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isConfirmed && plan.data) mutate(undefined, { onSuccess: onClose })
  }
  return (
    <Dialog open onOpenChange={(open) => (open || isPending ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Delete the data of {season.name}</DialogTitle>
          <DialogDescription>
            This is what would go. Nothing has been deleted yet. Of the entries only their numbers remain, by award and
            category.
          </DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody className="flex-1">
            {plan.isError ? (
              <LoadFailed onRetry={() => void plan.refetch()}>What would go could not be read</LoadFailed>
            ) : plan.data ? (
              <SeasonPlan plan={plan.data} />
            ) : (
              <Loading />
            )}
            <Field
              name="season-confirmation"
              label={`Type ${season.name} to confirm`}
              hint="It cannot be undone."
              error={undefined}
            >
              {(control) => (
                <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
              )}
            </Field>
            {isPending ? <p role="status">{progress}</p> : null}
          </DialogBody>
          <DialogFooter>
            <Button
              type="submit"
              variant="destructive"
              disabled={!isConfirmed || !plan.data || isPending}
              aria-busy={isPending}
            >
              {isPending ? 'Deleting...' : 'Delete for good'}
            </Button>
            <Button variant="outline" disabled={isPending} onClick={onClose}>
              Cancel
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  )
}
