/** Says that the page is a preview. Links within it also show the preview, until the page is loaded again. */
export function PreviewNotice() {
  if (typeof document === 'undefined' || document.documentElement.dataset.preview === undefined) return null
  return (
    <p role="status" className="no-print sticky top-0 z-40 bg-lamp-300 px-4 py-2 text-center font-strong text-ink">
      Preview: visitors see this after you publish it.
    </p>
  )
}
