import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

const badgeVariants = cva(
  'inline-flex items-center whitespace-nowrap gap-1.5 rounded-badge px-2 py-0.5 text-[0.9rem] leading-normal font-strong',
  {
    variants: {
      tone: {
        muted: 'bg-secondary text-secondary-foreground',
        heather: 'bg-musician-wash text-musician-ink',
        firth: 'bg-firth-100 text-firth-700 dark:bg-[#173b52] dark:text-[#a9d3e6]',
        success: 'bg-success-wash text-success',
        destructive: 'bg-destructive-wash text-destructive',
        award: 'bg-award-wash text-award-ink',
      },
    },
    defaultVariants: { tone: 'muted' },
  },
)

/** A word on a tinted background. The word alone has the whole meaning; the colour only supports it. */
export function Badge({ className, tone, ...props }: ComponentProps<'span'> & VariantProps<typeof badgeVariants>) {
  return <span className={cn(badgeVariants({ tone }), className)} {...props} />
}
