import { Mail } from 'lucide-react'
import { ExternalLink } from '@/components/ExternalLink'
import { SitePicture } from '@/components/SitePicture'
import type { ClubEvent } from '@/lib/site-content'
import { getSettings } from '@/lib/config'
import { mailto } from '@/lib/mailto'
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

interface EventDialogProps {
  event: ClubEvent
  onClose: () => void
}

/** Dialog with all data of an event. */
export default function EventDialog({ event, onClose }: EventDialogProps) {
  const { clubEmail, ticketsUrl } = getSettings()
  const facts = [
    { term: 'Date', value: event.date },
    { term: 'Time', value: event.time },
    { term: 'Location', value: event.location },
    { term: 'Kind', value: event.type },
  ]
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{event.title}</DialogTitle>
          <DialogDescription>{event.isPast ? `Past: ${event.date}` : event.date}</DialogDescription>
        </DialogHeader>
        <DialogBody>
          {event.picture === null ? null : <SitePicture path={event.picture} alt={event.pictureAlt ?? ''} />}
          <p>{event.longDescription ?? event.description}</p>
          <dl className="border-t">
            {facts.map(({ term, value }) => (
              <div key={term} className="grid grid-cols-[7rem_1fr] gap-4 border-b py-2.5">
                <dt className="text-muted-foreground">{term}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </DialogBody>
        <DialogFooter>
          {event.rsvpSubject === null ? null : (
            <Button asChild>
              <a href={mailto(clubEmail, event.rsvpSubject)}>
                RSVP by e-mail <Mail aria-hidden />
              </a>
            </Button>
          )}
          {event.isFeatured && !event.isPast ? (
            <Button asChild>
              <ExternalLink href={ticketsUrl}>Get Tickets</ExternalLink>
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
