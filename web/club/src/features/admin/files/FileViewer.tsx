import { useZoom } from '@/components/viewer/use-zoom'
import { ViewerFrame } from '@/components/viewer/ViewerFrame'
import { ZoomButtons } from '@/components/viewer/ZoomButtons'
import { ZoomImage } from '@/components/viewer/ZoomImage'

interface FileViewerProps {
  url: string
  title: string
  onClose: () => void
}

/** A full-window viewer for one picture. */
export function FileViewer({ url, title, onClose }: FileViewerProps) {
  const zoom = useZoom()
  return (
    <ViewerFrame title={title} tools={<ZoomButtons zoom={zoom} />} onClose={onClose}>
      <ZoomImage url={url} alt={title} scale={zoom.scale} />
    </ViewerFrame>
  )
}
