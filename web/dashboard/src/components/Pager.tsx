import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { formatCount } from '@/lib/format'

interface PagerProps {
  page: number
  pages: number
  total: number
  /** Name of the counted things, such as “users”. */
  what: string
  onPage: (page: number) => void
}

/** Shows the total number of entries, and buttons for the other pages. */
export function Pager({ page, pages, total, what, onPage }: PagerProps) {
  return (
    <nav aria-label={`Pages of ${what}`} className="flex flex-wrap items-center gap-2 text-small">
      <span className="mr-auto text-muted-foreground">
        {formatCount(total)} {what}
      </span>
      {pages > 1 && (
        <>
          <Button
            variant="ghost"
            size="compact-icon"
            aria-label="Page before"
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          >
            <ChevronLeft aria-hidden />
          </Button>
          <span className="tabular-nums">
            {page} of {pages}
          </span>
          <Button
            variant="ghost"
            size="compact-icon"
            aria-label="Next page"
            disabled={page >= pages}
            onClick={() => onPage(page + 1)}
          >
            <ChevronRight aria-hidden />
          </Button>
        </>
      )}
    </nav>
  )
}
