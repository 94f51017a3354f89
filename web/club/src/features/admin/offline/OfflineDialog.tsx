import { Dialog, DialogBody, DialogContent, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { useShownSeason } from '../seasons/season-view'
import { OfflineForm } from './OfflineForm'
import { OfflineList } from './OfflineList'

/** Dialog that sets and lists the numbers of entries on paper. */
export function OfflineDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const shown = useShownSeason()
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>Offline Submissions</DialogTitle>
        </DialogHeader>
        <DialogBody>
          {shown.isPast ? <p>The season {shown.name} is over: its counts cannot be changed.</p> : <OfflineForm />}
          <OfflineList />
        </DialogBody>
      </DialogContent>
    </Dialog>
  )
}
