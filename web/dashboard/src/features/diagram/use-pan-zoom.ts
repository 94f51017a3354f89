import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type MouseEvent, type PointerEvent } from 'react'
import type { Point, Size } from './layout'
import { firstView, fit, moved, zoomAt, type View } from './view'

/** If the pointer moves at least this number of pixels while the button is pressed, this is a drag. */
const DRAG = 4
/** Pixels by which an arrow key moves the drawing. */
const STEP = 80
const ZOOM_STEP = 1.25

/** Moves and enlarges a drawing in a frame. Dragging and the arrow keys move it; the wheel, two fingers, + and - change its scale. */
export function usePanZoom(drawing: Size) {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>()
  const [view, setView] = useState<View>()
  const pointers = useRef(new Map<number, Point>())
  const isDragging = useRef(false)

  const measure = useEffectEvent(({ clientWidth: width, clientHeight: height }: HTMLElement) => {
    setSize({ width, height })
    setView((known) => known ?? firstView(drawing, { width, height }))
  })
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => measure(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const change = (next: (view: View) => View) => setView((known) => known && next(known))
  const zoom = (factor: number, at?: Point) => {
    const point = at ?? { x: (size?.width ?? 0) / 2, y: (size?.height ?? 0) / 2 }
    change((known) => zoomAt(known, point, factor))
  }
  const turnWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    zoom(Math.exp(-event.deltaY / 400), within(frame.current, event))
  })
  useEffect(() => {
    const element = frame.current
    // React's own listener is not used, because it is passive: it could not prevent that the page scrolls too.
    const turn = (event: WheelEvent) => turnWheel(event)
    element?.addEventListener('wheel', turn, { passive: false })
    return () => element?.removeEventListener('wheel', turn)
  }, [])

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    if (pointers.current.size === 0) isDragging.current = false
    pointers.current.set(event.pointerId, within(frame.current, event))
  }
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId)
    if (!before) return
    // The user has released the button outside the frame.
    if (event.buttons === 0) {
      pointers.current.delete(event.pointerId)
      return
    }
    const now = within(frame.current, event)
    if (!isDragging.current && Math.hypot(now.x - before.x, now.y - before.y) < DRAG) return
    if (!isDragging.current) frame.current?.setPointerCapture(event.pointerId)
    isDragging.current = true
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    pointers.current.set(event.pointerId, now)
    if (!other) change((known) => moved(known, now.x - before.x, now.y - before.y))
    else {
      const factor =
        Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y))
      change((known) => zoomAt(known, other, factor))
    }
  }
  const onPointerUp = (event: PointerEvent) => pointers.current.delete(event.pointerId)
  /** Ignores the click event after a drag. Otherwise the drag would open a link. */
  const onClickCapture = (event: MouseEvent) => {
    // For a click with the keyboard, `detail` is 0.
    if (!isDragging.current || event.detail === 0) return
    isDragging.current = false
    event.preventDefault()
    event.stopPropagation()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [STEP, 0],
      ArrowRight: [-STEP, 0],
      ArrowUp: [0, STEP],
      ArrowDown: [0, -STEP],
    }
    const step = steps[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (step) change((known) => moved(known, ...step))
    else if (event.key === '+' || event.key === '=') zoom(ZOOM_STEP)
    else if (event.key === '-') zoom(1 / ZOOM_STEP)
    else if (event.key === '0') showAll()
    else return
    event.preventDefault()
  }
  const showAll = () => {
    if (size) setView(fit(drawing, size))
  }
  return {
    frame,
    size,
    view,
    setView,
    showAll,
    zoomIn: () => zoom(ZOOM_STEP),
    zoomOut: () => zoom(1 / ZOOM_STEP),
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onClickCapture, onKeyDown },
  }
}

/** Position of an event relative to the frame. */
function within(frame: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { left, top } = frame?.getBoundingClientRect() ?? { left: 0, top: 0 }
  return { x: clientX - left, y: clientY - top }
}
