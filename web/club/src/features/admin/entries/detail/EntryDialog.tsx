import { Printer } from 'lucide-react'
import { formatMoment } from '@/lib/dates'
import { Button } from '@cloch/ui/components/button'
import { Dialog, DialogBody, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { AuditTrail } from '../../audit/AuditTrail'
import { EntryExtraFiles } from '../../extra-files/EntryExtraFiles'
import { Attachments } from '../../files/Attachments'
import { UploadStatus } from '../../files/UploadStatus'
import { awardNames } from '../../shared/award'
import { EntryMails } from '../../state-mails/EntryMails'
import type { Entry } from '../entry'
import { referenceOf } from '../reference'
import type { Submissions } from '../submissions'
import { DownloadAll } from './DownloadAll'
import { DuplicateHint } from './DuplicateHint'
import { EntryDetail } from './EntryDetail'
import { EntryLife } from './EntryLife'
import { EntryLinks } from './EntryLinks'
import { Section } from './Section'

interface EntryDialogProps {
  /** The dialog is open while an entry is set. */
  entry: Entry | undefined
  submissions: Submissions
  onClose: () => void
}

/** Complete class names, because Tailwind only finds those in the source. */
const awardClass = {
  citizen: 'award-citizen',
  musician: 'award-musician',
  photographer: 'award-photographer',
  artist: 'award-artist',
}

/** Dialog with all data of an entry. */
export function EntryDialog({ entry, submissions, onClose }: EntryDialogProps) {
  return (
    <Dialog open={entry !== undefined} onOpenChange={(open) => (open ? undefined : onClose())}>
      {entry ? (
        <DialogContent aria-describedby={undefined} className={`${awardClass[entry.award]} printed-dialog border-award`}>
          <DialogHeader>
            <DialogTitle>
              {awardNames[entry.award].label} {awardNames[entry.award].record}: {entry.name}
            </DialogTitle>
          </DialogHeader>
          <DialogBody tabIndex={0} role="group" aria-label="Details" className="flex-1">
            {entry.withdrawnAt === null ? null : (
              <p role="note" className="bg-secondary p-4 font-strong">
                Withdrawn on {formatMoment(entry.withdrawnAt)}: not judged and not counted.
              </p>
            )}
            <DuplicateHint entry={entry} submissions={submissions} />
            <Section title="Attachments">
              <UploadStatus files={entry.files} />
              <Attachments entryName={entry.name} files={entry.files} />
              <EntryExtraFiles entry={entry} />
            </Section>
            <EntryDetail entry={entry} />
            <Section title="History">
              <p>
                Reference <strong>{referenceOf(entry)}</strong>, which the receipt names.
              </p>
              <EntryLinks entry={entry} />
              <EntryMails entry={entry} />
              <AuditTrail table={awardNames[entry.award].table} record={entry.id} updatedAt={entry.updatedAt} />
            </Section>
            <div className="no-print">
              <Section title="Change this entry">
                <EntryLife entry={entry} submissions={submissions} onGone={onClose} />
              </Section>
            </div>
          </DialogBody>
          <DialogFooter className="no-print">
            <DownloadAll entry={entry} />
            <Button size="sm" variant="outline" onClick={() => window.print()}>
              <Printer aria-hidden />
              Print
            </Button>
          </DialogFooter>
        </DialogContent>
      ) : null}
    </Dialog>
  )
}
