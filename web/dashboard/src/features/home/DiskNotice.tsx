import { TriangleAlert } from 'lucide-react'
import { cn } from '@cloch/ui/lib/cn'
import { formatBytes } from '@/lib/format'
import type { Project } from '@/lib/project'

/** Warning at the top of the page if the database's disk is full or nearly full. */
export function DiskNotice({ disk }: { disk: Project['disk'] }) {
  if (!disk?.is_low) return null
  const space = `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.size_bytes)} are free.`
  return (
    <p
      role="alert"
      className={cn(
        'flex items-start gap-2 rounded border-l-6 p-3',
        disk.is_full
          ? 'border-destructive bg-destructive-wash text-destructive'
          : 'border-warning bg-warning-wash text-warning',
      )}
    >
      <TriangleAlert aria-hidden className="mt-0.5 shrink-0" />
      <span>
        {disk.is_full
          ? `The disk of the database is full: ${space} Nothing can be stored, and requests that write get status 503. Free some space on the server.`
          : `The disk of the database is nearly full: ${space} Without space, nothing can be stored.`}
      </span>
    </p>
  )
}
