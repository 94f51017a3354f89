import { Printer } from 'lucide-react'
import { getSettings } from '@/lib/config'
import { formatDay } from '@/lib/dates'
import { inFours } from '@/lib/in-fours'
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

/** Dialog that shows new recovery codes, so that the user can print them. They cannot be shown again, because the server stores only hashes. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      {/* A click outside does not close the dialog, because the codes would be lost. */}
      <DialogContent className="printed-dialog" onInteractOutside={(event) => event.preventDefault()}>
        <DialogHeader>
          <DialogTitle>Your recovery codes</DialogTitle>
          <DialogDescription>
            For the day on which your phone is lost: each of them works once, in place of the app’s code. They are shown now and
            never again.
          </DialogDescription>
        </DialogHeader>
        <DialogBody>
          <ol className="grid gap-x-8 gap-y-2 font-mono text-[1.0625rem] sm:grid-cols-2">
            {codes.map((code) => (
              <li key={code}>{inFours(code, '-')}</li>
            ))}
          </ol>
          <p className="mt-5">
            {getSettings().clubName}, {window.location.host}, {formatDay(new Date().toISOString())}. Keep the sheet at home,
            away from your phone and from your password.
          </p>
        </DialogBody>
        <DialogFooter>
          <Button onClick={() => window.print()}>
            <Printer aria-hidden />
            Print
          </Button>
          <Button variant="outline" onClick={onClose}>
            I have them
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
