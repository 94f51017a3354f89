import { describe, expect, it } from 'vitest'
import { layout, type Box, type Link } from './layout'

const box = (id: string, height = 100): Box => ({ id, width: 240, height })

/** A pseudo-random generator that returns the same sequence in every run. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state % below
  }
}

function overlaps(boxes: readonly Box[], links: readonly Link[]): string[] {
  const { places, width, height } = layout(boxes, links)
  const rectangles = boxes.map(({ id, ...size }) => ({ id, ...size, ...(places.get(id) ?? { x: NaN, y: NaN }) }))
  const outside = rectangles.filter(
    (one) => !(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height),
  )
  const pairs = rectangles.flatMap((a, index) =>
    rectangles
      .slice(index + 1)
      .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
      .map((b) => `${a.id} over ${b.id}`),
  )
  return [...outside.map(({ id }) => `${id} outside`), ...pairs]
}

describe('layout', () => {
  it('places nothing', () => expect(layout([], [])).toMatchObject({ width: 0, height: 0 }))

  it('places a table to the right of those that it references', () => {
    const { places } = layout(
      [box('lines'), box('orders'), box('customers')],
      [
        { from: 'lines', to: 'orders' },
        { from: 'orders', to: 'customers' },
        { from: 'lines', to: 'customers' },
      ],
    )
    const x = (id: string) => places.get(id)?.x ?? NaN
    expect(x('customers')).toBeLessThan(x('orders'))
    expect(x('orders')).toBeLessThan(x('lines'))
  })

  it('terminates with cycles, self-references and missing tables', () => {
    const boxes = [box('a'), box('b'), box('c')]
    const links = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'a' },
      { from: 'a', to: 'a' },
      { from: 'a', to: 'missing' },
    ]
    expect(overlaps(boxes, links)).toEqual([])
  })

  it('places tables near the tables that they reference', () => {
    const boxes = ['a', 'b', 'c', 'of c', 'of b', 'of a'].map((id) => box(id))
    const links = ['a', 'b', 'c']
      .map((id) => ({ from: `of ${id}`, to: id }))
      .concat([
        { from: 'a', to: 'root' },
        { from: 'b', to: 'root' },
        { from: 'c', to: 'root' },
      ])
    const { places } = layout([...boxes, box('root')], links)
    const order = (ids: string[]) => ids.toSorted((one, other) => (places.get(one)?.y ?? 0) - (places.get(other)?.y ?? 0))
    expect(order(['of a', 'of b', 'of c'])).toEqual(order(['a', 'b', 'c']).map((id) => `of ${id}`))
  })

  it.each([1, 2, 3])('places 300 tables without overlaps, in a drawing that is no strip (%i)', (seed) => {
    const next = numbers(seed)
    const boxes = Array.from({ length: 300 }, (_, index) => box(`t${index}`, 40 + next(30) * 22))
    const links = Array.from({ length: 350 }, () => ({ from: `t${next(300)}`, to: `t${next(next(2) === 0 ? 10 : 300)}` }))
    expect(overlaps(boxes, links)).toEqual([])
    const { width, height } = layout(boxes, links)
    expect(width / height).toBeGreaterThan(0.4)
    expect(width / height).toBeLessThan(5)
  })
})
