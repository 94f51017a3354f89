import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'
import { controlClass } from '../lib/control'

/** The browser's own select element with the site's style. On a phone, it opens the phone's own list. */
export function NativeSelect({ className, ...props }: ComponentProps<'select'>) {
  return (
    <div className="relative">
      <select className={cn(controlClass, 'appearance-none pr-11 max-sm:pr-9 max-sm:pl-3', className)} {...props} />
      <ChevronDown aria-hidden className="pointer-events-none absolute top-1/2 right-3.5 max-sm:right-2.5 -translate-y-1/2" />
    </div>
  )
}
