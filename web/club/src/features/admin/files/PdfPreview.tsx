import { FileText } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { PdfViewer } from './PdfViewer'

/** The button that shows a PDF. If the browser has no PDF viewer, as on most phones, the PDF can only be downloaded. */
export function PdfPreview({ path, title }: { path: string; title: string }) {
  const [open, setOpen] = useState(false)
  if (!navigator.pdfViewerEnabled) return null
  return (
    <>
      <Button size="sm" variant="outline" aria-label={`Preview ${title}`} onClick={() => setOpen(true)}>
        <FileText aria-hidden />
        Preview
      </Button>
      {open ? <PdfViewer path={path} title={title} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
