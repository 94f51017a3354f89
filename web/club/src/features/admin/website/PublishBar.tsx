import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, Globe } from 'lucide-react'
import { formatMoment } from '@/lib/dates'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { publishSite, siteStatusQuery } from './queries'

interface PublishBarProps {
  /** The page that shows what is being edited. */
  page: string
}

/** Whether visitors see what the tables say; the preview, and the button that publishes. */
export function PublishBar({ page }: PublishBarProps) {
  const queries = useQueryClient()
  const { data: status } = useQuery(siteStatusQuery)
  const publish = useMutation({
    mutationFn: publishSite,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The website is published' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['site', 'status'] }),
  })
  const hasChanges = status?.has_changes === true
  return (
    <div className="mb-7 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded bg-secondary p-4">
      <p role="status">
        {hasChanges
          ? 'You have changes that visitors do not see yet.'
          : status
            ? `Visitors see everything. Published on ${formatMoment(status.published_at)}.`
            : 'Loading...'}
      </p>
      <div className="flex flex-wrap gap-2.5">
        <Button asChild size="sm" variant="outline">
          <a href={page.replace(/(?=#|$)/, '?preview')} target="_blank" rel="noreferrer">
            <Eye aria-hidden />
            Preview
          </a>
        </Button>
        <Button
          size="sm"
          disabled={!hasChanges || publish.isPending}
          aria-busy={publish.isPending}
          onClick={() => publish.mutate()}
        >
          <Globe aria-hidden />
          {publish.isPending ? 'Publishing...' : 'Publish'}
        </Button>
      </div>
    </div>
  )
}
