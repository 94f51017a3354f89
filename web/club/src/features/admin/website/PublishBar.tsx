import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, Globe } from 'lucide-react'
import { formatMoment } from '@/lib/dates'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { publishSite, siteChangesQuery, siteStatusQuery } from './queries'
import type { SiteChange } from './site-changes'

interface PublishBarProps {
  /** Path of the page that shows the edited content. */
  page: string
}

/** Shows whether there are unpublished changes. Contains the link to the preview and the button that publishes the changes. */
export function PublishBar({ page }: PublishBarProps) {
  const queries = useQueryClient()
  const { data: status } = useQuery(siteStatusQuery)
  const publish = useMutation({
    mutationFn: publishSite,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The website is published' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['site'] }),
  })
  const hasChanges = status?.has_changes === true
  return (
    <div
      data-above-notices
      className="mb-7 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded bg-secondary p-4 max-md:mb-2 max-md:gap-y-1 max-md:py-2"
    >
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
      <Changes />
    </div>
  )
}

/**
 * The changes that will be published, page by page: added, changed, removed. The heading is always visible, and the list is opened only by the user.
 * If the list opened by itself, it would move the buttons below it while somebody clicks them.
 */
function Changes() {
  const { data: changes } = useQuery(siteChangesQuery)
  if (!changes || changes.length === 0)
    return <p className="min-h-11 w-full content-center">{changes ? 'Publishing changes nothing on the pages.' : null}</p>
  const pages = [...new Set(changes.map(({ page }) => page))]
  return (
    <details className="w-full">
      <summary className="min-h-11 cursor-pointer content-center font-strong">
        What publishing will do ({countsOf(changes)})
      </summary>
      <div tabIndex={0} role="group" aria-label="What publishing will do" className="max-h-64 overflow-y-auto">
        <dl>
          {pages.map((page) => (
            <div key={page} className="border-t border-input py-2">
              <dt className="font-strong">{page}</dt>
              {changes
                .filter((change) => change.page === page)
                .map((change) => (
                  <dd key={`${change.kind} ${change.what}`} className="[overflow-wrap:anywhere]">
                    {sentence(change)}
                  </dd>
                ))}
            </div>
          ))}
        </dl>
      </div>
    </details>
  )
}

/** The number of changes. If some of them remove something, their number is added, because the user should read these before publishing. */
function countsOf(changes: SiteChange[]): string {
  const total = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  const gone = changes.filter(({ kind }) => kind === 'disappears').length
  return gone === 0 ? total : `${total}, ${gone} ${gone === 1 ? 'disappears' : 'disappear'}`
}

const verbs = { appears: 'Appears', changes: 'Changes', disappears: 'Disappears' }

function sentence({ kind, what }: SiteChange): string {
  return `${verbs[kind]}: ${what}`
}
