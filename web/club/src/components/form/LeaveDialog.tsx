import { Button } from '@cloch/ui/components/button'
import { Dialog, DialogContent, DialogDescription, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'

interface LeaveDialogProps {
  onStay: () => void
  onLeave: () => void
}

export default function LeaveDialog({ onStay, onLeave }: LeaveDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onStay())}>
      <DialogContent className="sm:w-[min(32rem,calc(100vw-3rem))]">
        <DialogHeader>
          <DialogTitle>Leave this form?</DialogTitle>
          <DialogDescription>
            It has not been sent. What you typed stays on this device as a draft; a file that is still on its way is lost.
          </DialogDescription>
        </DialogHeader>
        <DialogFooter className="border-t-0">
          <Button onClick={onStay}>Stay on this page</Button>
          <Button variant="outline" onClick={onLeave}>
            Leave
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
