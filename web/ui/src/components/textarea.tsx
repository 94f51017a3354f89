import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'
import { controlClass } from '../lib/control'

export function Textarea({ className, rows = 4, ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={cn(controlClass, 'resize-y', className)} {...props} />
}
