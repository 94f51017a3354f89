import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Button } from '@cloch/ui/components/button'

/** Shown in place of a page that could not be rendered. */
export function ErrorPage() {
  const error = useRouteError()
  useEffect(() => console.error(error), [error])
  return (
    <div className="wrap section">
      <div className="band grid justify-items-start gap-5 pt-6">
        <h1 className="text-h1">Unexpected Application Error!</h1>
        <p className="max-w-[34em] text-lede">{explain(error)}</p>
        <p className="text-muted-foreground">What you typed into a form is kept on this device.</p>
        <div className="flex flex-wrap gap-3">
          <Button onClick={() => window.location.reload()}>Try again</Button>
          <Button asChild variant="outline">
            <a href="/">Return to Home</a>
          </Button>
        </div>
      </div>
    </div>
  )
}

function explain(error: unknown): string {
  if (isRouteErrorResponse(error)) return `The page answered ${error.status}. Please try again.`
  if (error instanceof TypeError && /import|fetch|module/i.test(error.message)) {
    return 'Part of the page could not be fetched. The network may be away, or the site has just been renewed: please try again.'
  }
  return 'Something in this page went wrong. Please try again.'
}
