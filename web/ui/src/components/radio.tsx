import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

const circleClass = cn(
  'size-5 shrink-0 appearance-none rounded-full border-[1.5px] border-input bg-card accent-primary',
  'checked:border-6 checked:border-primary disabled:opacity-65 print:appearance-auto forced-colors:appearance-auto',
)

/** The browser's own control with the colours of the design, for the reasons given for `Checkbox`. */
export function Radio({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="radio" className={cn(circleClass, className)} {...props} />
}
