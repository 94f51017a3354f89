import { ZoomIn, ZoomOut } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import type { Zoom } from './use-zoom'

export function ZoomButtons({ zoom }: { zoom: Zoom }) {
  return (
    <div className="flex gap-1">
      <Button size="icon" variant="ghost" aria-label="Zoom out" disabled={!zoom.canGoFurther} onClick={zoom.further}>
        <ZoomOut aria-hidden />
      </Button>
      <Button size="icon" variant="ghost" aria-label="Zoom in" disabled={!zoom.canGoCloser} onClick={zoom.closer}>
        <ZoomIn aria-hidden />
      </Button>
    </div>
  )
}
