/** Says that the page is not what visitors see. Links within it show the preview as long as the page is not loaded anew. */
export function PreviewNotice() {
  if (typeof document === 'undefined' || document.documentElement.dataset.preview === undefined) return null
  return (
    <p role="status" className="no-print sticky top-0 z-40 bg-lamp-300 px-4 py-2 text-center font-strong text-ink">
      Preview: visitors see this after you publish it.
    </p>
  )
}
