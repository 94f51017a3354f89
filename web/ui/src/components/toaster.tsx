import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { Toaster as Sonner } from 'sonner'
import { useFreePlace } from '../hooks/use-free-place'
import { useNoticesTop } from '../hooks/use-notices-top'
import { toastMs } from '../lib/notify'
import { toasterMounted } from '../lib/toaster-place'

interface ToasterProps {
  /** Position of the messages. In the back-office, they move to another place if they would cover buttons at the top. */
  place: 'bottom-right' | 'top-right'
}

const styles = {
  toast:
    'group pointer-events-auto flex w-full gap-3 rounded bg-popover p-4 text-popover-foreground shadow-float border-l-8 border-success data-[type=error]:border-destructive data-[type=warning]:border-citizen-ink md:w-100',
  content: 'grid flex-1 gap-0.5',
  title: 'font-bold',
  description: 'text-base text-muted-foreground',
  actionButton: 'order-last -my-1 min-h-11 self-center rounded px-3 font-strong underline underline-offset-4 hover:bg-accent',
  icon: 'mt-0.5 text-success group-data-[type=error]:text-destructive group-data-[type=warning]:text-citizen-ink',
  closeButton: 'order-last -my-2 -mr-2 grid size-11 shrink-0 place-items-center rounded hover:bg-accent',
}

/** Container for messages. It shows three messages at most. Success messages are shown for four seconds, errors until the user closes them. */
export default function Toaster({ place }: ToasterProps) {
  useEffect(toasterMounted, [])
  const isOffice = place === 'top-right'
  useNoticesTop(isOffice)
  const free = useFreePlace(isOffice)
  return (
    <Sonner
      className="font-sans"
      style={{ fontFamily: 'inherit' }}
      position={isOffice ? free : place}
      visibleToasts={3}
      duration={toastMs}
      closeButton
      offset={free === 'top-right' && isOffice ? { top: 'var(--notices-top, 5.75rem)', right: '1.25rem' } : '1.25rem'}
      mobileOffset={
        free === 'top-right' && isOffice ? { top: 'var(--notices-top, 5.25rem)', right: '1.25rem', left: '1.25rem' } : '1.25rem'
      }
      containerAriaLabel="Notifications"
      icons={{ success: <CircleCheck />, warning: <CircleAlert />, error: <TriangleAlert />, close: <X /> }}
      toastOptions={{ unstyled: true, classNames: styles, closeButtonAriaLabel: 'Close' }}
    />
  )
}
