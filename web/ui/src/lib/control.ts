import { cn } from './cn'

/** Style of all text controls: input, textarea and select. */
export const controlClass = cn(
  'w-full min-h-[3.125rem] rounded border-[1.5px] border-input bg-card px-3.5 py-2.5 text-[1.0625rem] text-foreground',
  'focus-visible:outline-offset-0 focus-visible:border-ring disabled:opacity-65',
  'aria-invalid:border-2 aria-invalid:border-destructive',
)
