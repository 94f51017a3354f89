import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { memo, useCallback, useMemo, useState, type KeyboardEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { TextField } from '@/components/fields'
import type { DiagramTable } from '@/lib/catalog'
import { formatCount } from '@/lib/format'
import { draw, type Drawing, type TableBox } from './drawing'
import { TableCard } from './TableCard'
import { usePanZoom } from './use-pan-zoom'
import { centred, shows } from './view'

/** Minimum scale at which columns are shown. At a smaller scale, they could not be read. */
const COLUMNS_SCALE = 0.4
/** Font sizes of a table's name in pixels: in the header of its box; the minimum on the screen; the maximum in the drawing. */
const [NAME_SIZE, LEAST_NAME_SIZE, MOST_NAME_SIZE] = [15, 11, 64]

/**
 * Diagram of a schema's tables and foreign keys. Only visible tables are rendered, so that a diagram with hundreds of tables is as fast as one with
 * ten.
 */
export function Diagram({ schema, tables }: { schema: string; tables: readonly DiagramTable[] }) {
  const drawing = useMemo(() => draw(schema, tables), [schema, tables])
  const [active, setActive] = useState<string>()
  const [text, setText] = useState('')
  const [found, setFound] = useState(0)
  const { frame, size, view, setView, showAll, zoomIn, zoomOut, handlers } = usePanZoom(drawing)
  const wanted = text.trim().toLowerCase()
  const matches = wanted === '' ? [] : drawing.boxes.filter(({ name }) => name.toLowerCase().includes(wanted))
  const near = useMemo(() => neighbours(drawing, active), [drawing, active])
  const reveal = useCallback(
    (box: TableBox) =>
      setView((known) => {
        if (!known || !size) return known
        const [left, top] = [box.x * known.scale + known.x, box.y * known.scale + known.y]
        const isWhole = left >= 0 && top >= 0 && left + box.width * known.scale <= size.width && top < size.height - 80
        return isWhole ? known : centred(known, box, size)
      }),
    [setView, size],
  )
  /** Enter moves to the first match, and each further Enter to the next one. */
  const press = (event: KeyboardEvent) => {
    const box = matches[found % matches.length]
    if (event.key !== 'Enter' || !box || !view || !size) return
    setView(centred(view, box, size))
    setFound(found + 1)
  }
  const marked = wanted === '' ? near : new Set(matches.map(({ id }) => id))
  return (
    <>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label="Find a table"
          type="search"
          className="w-48"
          value={text}
          onChange={(next) => {
            setText(next)
            setFound(0)
          }}
          onKeyDown={press}
          autoComplete="off"
        />
        <span role="status" className="pb-1.5 text-small text-muted-foreground">
          {wanted !== '' && (matches.length === 0 ? 'No match.' : `${formatCount(matches.length)} found. Enter shows one.`)}
        </span>
        <span className="ml-auto flex">
          <Button variant="ghost" size="compact-icon" aria-label="Zoom out" title="Zoom out (-)" onClick={zoomOut}>
            <ZoomOut aria-hidden />
          </Button>
          <Button variant="ghost" size="compact-icon" aria-label="Zoom in" title="Zoom in (+)" onClick={zoomIn}>
            <ZoomIn aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="compact-icon"
            aria-label="Show all tables"
            title="Show all tables (0)"
            onClick={showAll}
          >
            <Maximize aria-hidden />
          </Button>
        </span>
      </div>
      {/* overflow-clip, because the focus on a table at the edge must not scroll the frame. */}
      <div
        ref={frame}
        role="region"
        aria-label={`Diagram of ${schema}. The arrow keys move it, + and - zoom, 0 shows all tables.`}
        tabIndex={0}
        className="relative min-h-0 flex-1 cursor-grab touch-none overflow-clip rounded border border-input bg-background select-none active:cursor-grabbing"
        {...handlers}
      >
        {view && size && (
          <div
            className="absolute top-0 left-0 origin-top-left"
            style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
          >
            <Lines drawing={drawing} active={active} />
            <ul aria-label="Tables">
              {drawing.boxes
                .filter((box) => shows(view, box, size))
                .map((box) => (
                  <TableCard
                    key={box.id}
                    box={box}
                    hasColumns={view.scale >= COLUMNS_SCALE}
                    nameSize={view.scale >= COLUMNS_SCALE ? NAME_SIZE : Math.min(MOST_NAME_SIZE, LEAST_NAME_SIZE / view.scale)}
                    state={marked.has(box.id) ? 'active' : marked.size > 0 ? 'faded' : 'plain'}
                    onActive={setActive}
                    onFocus={reveal}
                  />
                ))}
            </ul>
          </div>
        )}
      </div>
    </>
  )
}

const Lines = memo(function Lines({ drawing, active }: { drawing: Drawing; active: string | undefined }) {
  return (
    <svg aria-hidden width={1} height={1} className="pointer-events-none absolute top-0 left-0 overflow-visible" fill="none">
      {drawing.lines.map(({ key, from, to, path }) => (
        <path
          key={key}
          d={path}
          vectorEffect="non-scaling-stroke"
          className={cn(from === active || to === active ? 'stroke-ring' : 'stroke-input')}
          strokeWidth={from === active || to === active ? 3 : 1.5}
        />
      ))}
    </svg>
  )
})

/** The active table and all tables that have a line to or from it. */
function neighbours({ lines }: Drawing, active: string | undefined): ReadonlySet<string> {
  if (active === undefined) return new Set()
  const all = lines.flatMap(({ from, to }) => (from === active ? [to] : to === active ? [from] : []))
  return new Set([active, ...all])
}
