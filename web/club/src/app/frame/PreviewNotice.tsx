/**
 * A bar which announces that the page is a preview. Pages that are opened by links within the site show the preview too. The preview ends when a URL
 * without `preview` is loaded.
 */
export function PreviewNotice() {
  if (typeof document === 'undefined' || document.documentElement.dataset.preview === undefined) return null
  return (
    <p role="status" className="no-print sticky top-0 z-40 bg-lamp-300 px-4 py-2 text-center font-strong text-ink">
      Preview: visitors see this after you publish it.
    </p>
  )
}
