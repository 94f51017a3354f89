import { Ellipsis } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'

/** Actions for a list. On phones, one button opens them, so that the first row of the list is visible without scrolling. */
export function FoldedActions({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        className="md:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen((before) => !before)}
      >
        <Ellipsis aria-hidden />
        Actions
      </Button>
      <div id={id} className={cn('flex flex-wrap items-center gap-2.5', open ? 'max-md:w-full' : 'max-md:hidden')}>
        {children}
      </div>
    </>
  )
}
