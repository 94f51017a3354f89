import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ViewerFrame } from '@/components/viewer/ViewerFrame'
import { LoadFailed } from '../shared/LoadFailed'
import { pdfQuery } from './queries/pdf'

interface PdfViewerProps {
  path: string
  title: string
  onClose: () => void
}

/** A full-window viewer for a PDF, which uses the browser's own PDF viewer. */
export function PdfViewer({ path, title, onClose }: PdfViewerProps) {
  const { data: pdf, isError, refetch } = useQuery(pdfQuery(path))
  return (
    <ViewerFrame title={title} onClose={onClose}>
      {isError ? (
        <div className="m-auto p-4">
          <LoadFailed onRetry={() => void refetch()}>The file could not be read</LoadFailed>
        </div>
      ) : pdf ? (
        <PdfFrame pdf={pdf} title={title} />
      ) : (
        <p role="status" className="m-auto">
          Loading...
        </p>
      )}
    </ViewerFrame>
  )
}

/** Shows the PDF at a temporary blob: URL, which only this page can open. */
function PdfFrame({ pdf, title }: { pdf: Blob; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const address = URL.createObjectURL(pdf)
    if (frame.current) frame.current.src = address
    return () => URL.revokeObjectURL(address)
  }, [pdf])
  return <iframe ref={frame} title={title} className="flex-1 border-0 bg-card" />
}
