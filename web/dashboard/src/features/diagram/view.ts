/** The part of a drawing that a frame shows. A point of the drawing is at the position `point * scale + (x, y)` of the frame. */
import type { Point, Size } from './layout'

export interface View extends Point {
  scale: number
}

const LEAST = 0.05
const MOST = 2
/** Margin in pixels around the drawing. */
const MARGIN = 24
/** Minimum scale at which the whole drawing is shown at first. At a smaller scale, names could not be read. */
const READABLE = 0.5

const clamp = (scale: number) => Math.min(MOST, Math.max(LEAST, scale))

/** Changes the scale. The given point of the frame does not move. */
export function zoomAt(view: View, point: Point, factor: number): View {
  const scale = clamp(view.scale * factor)
  const ratio = scale / view.scale
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio }
}

export const moved = (view: View, x: number, y: number): View => ({ ...view, x: view.x + x, y: view.y + y })

/** Shows the whole drawing in the middle of the frame. A small drawing is not enlarged. */
export function fit(drawing: Size, frame: Size): View {
  const scale = clamp(Math.min(1, (frame.width - 2 * MARGIN) / drawing.width, (frame.height - 2 * MARGIN) / drawing.height))
  return { scale, x: (frame.width - drawing.width * scale) / 2, y: (frame.height - drawing.height * scale) / 2 }
}

/** The view that is shown at first: the whole drawing if its names can be read, otherwise its upper left part. */
export function firstView(drawing: Size, frame: Size): View {
  const whole = fit(drawing, frame)
  return whole.scale >= READABLE ? whole : { scale: READABLE, x: MARGIN, y: MARGIN }
}

/** Centres a rectangle of the drawing in the frame. */
export function centred({ scale }: View, rectangle: Point & Size, frame: Size): View {
  const kept = Math.max(scale, READABLE)
  return {
    scale: kept,
    x: frame.width / 2 - (rectangle.x + rectangle.width / 2) * kept,
    y: frame.height / 2 - (rectangle.y + Math.min(rectangle.height / 2, frame.height / 3)) * kept,
  }
}

/** Whether a part of a rectangle of the drawing is visible in the frame. */
export function shows({ scale, x, y }: View, rectangle: Point & Size, frame: Size): boolean {
  const [left, top] = [rectangle.x * scale + x, rectangle.y * scale + y]
  return left < frame.width && top < frame.height && left + rectangle.width * scale > 0 && top + rectangle.height * scale > 0
}
