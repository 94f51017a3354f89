import { describe, expect, it } from 'vitest'
import { centred, firstView, fit, shows, zoomAt } from './view'

const frame = { width: 800, height: 600 }

describe('view', () => {
  it('zooms around a point, which keeps its position', () => {
    const before = { x: 10, y: 20, scale: 0.5 }
    const after = zoomAt(before, { x: 110, y: 70 }, 2)
    const inDrawing = (view: typeof before) => [(110 - view.x) / view.scale, (70 - view.y) / view.scale]
    expect(after.scale).toBe(1)
    expect(inDrawing(after)).toEqual(inDrawing(before))
    expect(zoomAt(before, { x: 0, y: 0 }, 1000).scale).toBe(2)
  })

  it('fits a drawing into the frame, and does not enlarge it', () => {
    const { scale, x, y } = fit({ width: 1504, height: 500 }, frame)
    expect([scale, x]).toEqual([0.5, 24])
    expect(y).toBe((600 - 250) / 2)
    expect(fit({ width: 10, height: 10 }, frame).scale).toBe(1)
  })

  it('starts with readable names', () => {
    expect(firstView({ width: 20_000, height: 9000 }, frame)).toEqual({ scale: 0.5, x: 24, y: 24 })
    expect(firstView({ width: 100, height: 100 }, frame)).toEqual(fit({ width: 100, height: 100 }, frame))
  })

  it('determines the tables inside the frame', () => {
    const rectangle = { x: 5000, y: 5000, width: 240, height: 100 }
    const view = { x: 0, y: 0, scale: 1 }
    expect(shows(view, rectangle, frame)).toBe(false)
    expect(shows(centred(view, rectangle, frame), rectangle, frame)).toBe(true)
  })
})
