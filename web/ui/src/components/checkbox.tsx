import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

const boxClass = cn(
  'inline-grid size-5 shrink-0 appearance-none place-content-center align-middle rounded-badge border-[1.5px] border-input bg-card accent-primary',
  'checked:border-primary checked:bg-primary disabled:opacity-65 print:appearance-auto forced-colors:appearance-auto',
  'checked:before:size-3.5 checked:before:bg-primary-foreground print:before:hidden forced-colors:before:hidden',
  'before:[clip-path:polygon(14%_44%,0_60%,38%_96%,100%_22%,85%_8%,37%_66%)]',
)

/**
 * The browser's own control with the colours of the design. Without `appearance-none`, an empty box has a grey of the browser's by night. On paper and
 * in the system's high-contrast mode, the browser draws the control.
 */
export function Checkbox({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="checkbox" className={cn(boxClass, className)} {...props} />
}
