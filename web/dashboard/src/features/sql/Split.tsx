import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'

/** Key in localStorage. The value is the height of the upper part in percent. */
const key = 'cloch.sql.split'
/** Height of the upper part in percent: default, minimum, maximum, and the step of a key press. */
const [usual, least, most, step] = [40, 15, 85, 5]

const within = (part: number) => Math.round(Math.min(most, Math.max(least, part)))

function stored(): number {
  const part = Number(localStorage.getItem(key) ?? usual)
  return Number.isFinite(part) ? within(part) : usual
}

/** Two parts, one above the other. The separator between them can be moved with the pointer or the keyboard. */
export function Split({ label, upper, lower }: { label: string; upper: ReactNode; lower: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [part, setPart] = useState(stored)
  const move = (to: number) => {
    setPart(within(to))
    localStorage.setItem(key, String(within(to)))
  }
  const press = (event: KeyboardEvent) => {
    const to = { ArrowUp: part - step, ArrowDown: part + step, Home: least, End: most, Enter: usual }[event.key]
    if (to === undefined) return
    event.preventDefault()
    move(to)
  }
  const drag = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    move(((event.clientY - box.top) / box.height) * 100)
  }
  return (
    <div
      ref={frame}
      className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)]"
      style={{ gridTemplateRows: `minmax(0, ${part}fr) auto minmax(0, ${100 - part}fr)` }}
    >
      {upper}
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={least}
        aria-valuemax={most}
        aria-valuenow={part}
        title="Drag, or use the arrow keys"
        className="group grid cursor-row-resize touch-none place-items-center py-1.5 pointer-coarse:py-3"
        onKeyDown={press}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => move(usual)}
      >
        <span className="h-1 w-16 rounded bg-input group-hover:bg-foreground" />
      </div>
      {lower}
    </div>
  )
}
