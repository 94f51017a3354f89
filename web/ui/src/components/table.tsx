import { useEffect, useRef, useState, type ComponentProps } from 'react'
import { cn } from '../lib/cn'

/** A table. If it is too wide, it scrolls sideways and can be focused with the keyboard. */
export function Table({ className, ...props }: ComponentProps<'table'>) {
  const frame = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () => setScrolls(element.scrollWidth > element.clientWidth + 1)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      className="relative w-full overflow-x-auto"
      {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': props['aria-label'], 'data-wide': '' } : {})}
    >
      <table className={cn('w-full border-collapse text-left', className)} {...props} />
    </div>
  )
}

export function TableHead({ className, ...props }: ComponentProps<'thead'>) {
  return <thead className={cn('border-b-3 border-foreground', className)} {...props} />
}

export function TableHeader({ className, scope = 'col', ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope={scope}
      className={cn('px-4 py-3 font-normal text-muted-foreground first:pl-0 last:pr-0', className)}
      {...props}
    />
  )
}

export function TableBody(props: ComponentProps<'tbody'>) {
  return <tbody {...props} />
}

export function TableRow({ className, ...props }: ComponentProps<'tr'>) {
  return <tr className={cn('border-b', className)} {...props} />
}

export function TableCell({ className, ...props }: ComponentProps<'td'>) {
  return <td className={cn('px-4 py-3.5 align-top first:pl-0 last:pr-0', className)} {...props} />
}
