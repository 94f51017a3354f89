import { judgeAddress } from '@/lib/judge-link'
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
import { LinkShown } from '../../shared/LinkShown'
import type { Judge } from '../queries/list-judges'
import { useMakeJudgeLink, useRevokeJudgeLink, type JudgeLinkRow } from './judge-links'
import { linkStory } from './link-state'

interface JudgeLinkDialogProps {
  judge: Judge
  link: JudgeLinkRow | undefined
  onClose: () => void
}

/** Dialog that makes and revokes the link of a judge. */
export function JudgeLinkDialog({ judge, link, onClose }: JudgeLinkDialogProps) {
  const make = useMakeJudgeLink()
  const revoke = useRevokeJudgeLink()
  const isBusy = make.isPending || revoke.isPending
  if (make.data !== undefined) {
    return (
      <LinkShown
        name="judge-address"
        label="Link"
        title={`The link of ${judge.name}`}
        address={judgeAddress(make.data, window.location.origin)}
        onClose={onClose}
      >
        Send it to this judge and to nobody else. It is shown now and never again. If it is lost, make a new one: the old one
        ends.
      </LinkShown>
    )
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Link of {judge.name}</DialogTitle>
          <DialogDescription>
            With a link of their own, a judge needs no password. They see the entries of their categories and give places that
            no other judge sees. The link works until the end of the season.
          </DialogDescription>
        </DialogHeader>
        <DialogBody>
          <p>{link ? linkStory(link) : 'This judge has no link yet.'}</p>
        </DialogBody>
        <DialogFooter>
          <Button disabled={isBusy} aria-busy={make.isPending} onClick={() => make.mutate(judge)}>
            {link?.works ? 'Make a new link' : 'Make a link'}
          </Button>
          {link?.works ? (
            <Button
              variant="destructive"
              disabled={isBusy}
              aria-busy={revoke.isPending}
              onClick={() => revoke.mutate(judge, { onSuccess: onClose })}
            >
              Revoke
            </Button>
          ) : null}
          <Button variant="outline" onClick={onClose}>
            Close
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
