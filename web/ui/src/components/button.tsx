import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

export const buttonVariants = cva(
  'no-print inline-flex items-center justify-center gap-2.5 rounded border-2 font-strong leading-tight text-center no-underline transition-[background-color,box-shadow,color] duration-150 ease-out disabled:opacity-65 aria-disabled:opacity-65',
  {
    variants: {
      variant: {
        default:
          'border-primary bg-primary text-primary-foreground enabled:hover:shadow-[inset_0_-5px_0_rgb(255_255_255/.28)] [a]:hover:shadow-[inset_0_-5px_0_rgb(255_255_255/.28)] dark:enabled:hover:shadow-[inset_0_-5px_0_rgb(0_0_0/.3)] dark:[a]:hover:shadow-[inset_0_-5px_0_rgb(0_0_0/.3)]',
        outline:
          'border-foreground bg-transparent text-foreground enabled:hover:shadow-[inset_0_-5px_0_currentColor] [a]:hover:shadow-[inset_0_-5px_0_currentColor]',
        ghost: 'border-transparent bg-transparent text-foreground hover:bg-accent',
        destructive:
          'border-destructive bg-destructive text-destructive-foreground enabled:hover:shadow-[inset_0_-5px_0_rgb(0_0_0/.3)]',
      },
      size: {
        default: 'min-h-12 px-5 py-2.5 text-[1.0625rem]',
        sm: 'min-h-11 px-4 py-1.5 text-base',
        icon: 'size-11 p-0',
        /** For pages on a computer that show many controls. On touch screens it has the full height. */
        compact: 'min-h-9 gap-2 px-3 py-1 text-small pointer-coarse:min-h-11',
        'compact-icon': 'size-9 p-0 pointer-coarse:size-11',
      },
    },
    defaultVariants: { variant: 'default', size: 'default' },
  },
)

export interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonVariants> {
  /** Gives the button's style to the child element and renders no button. Used for a link that looks like a button. */
  asChild?: boolean
}

export function Button({ className, variant, size, asChild = false, type = 'button', ...props }: ButtonProps) {
  const classes = cn(buttonVariants({ variant, size }), className)
  if (asChild) return <Slot.Root className={classes} {...props} />
  return <button type={type} className={classes} {...props} />
}
