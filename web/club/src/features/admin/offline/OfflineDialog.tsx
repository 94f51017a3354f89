import { Dialog, DialogBody, DialogContent, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { OfflineForm } from './OfflineForm'
import { OfflineList } from './OfflineList'

/** Entries that came on paper: set a count, see the counts. */
export function OfflineDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>Offline Submissions</DialogTitle>
        </DialogHeader>
        <DialogBody>
          <OfflineForm />
          <OfflineList />
        </DialogBody>
      </DialogContent>
    </Dialog>
  )
}
