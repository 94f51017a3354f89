/** Chooses where a message is shown, so that it does not cover what people press. */

export type FreePlace = 'top-right' | 'bottom-right' | 'bottom-center' | 'bottom-left'

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

interface Room {
  /** Size of the messages, in pixels. */
  width: number
  height: number
  /** Pixels between the messages and the edges of the window. */
  margin: number
  /** Pixels above a message at the top of the window. */
  above: number
}

const pressed = 'a[href], button, input, select, textarea, summary, [role=tab], [role=menuitem], [role=gridcell][tabindex]'
/** The buttons of headings, of dialogs and of the first row. People look there first. */
const important =
  'header, footer, thead, nav, [data-above-notices], tr:first-child, li:first-child, [role=row]:first-child, article:first-child'
/** How many other controls one of these is worth. */
const importance = 100

/** Returns the rectangle that messages occupy at a place. */
export function boxAt(place: FreePlace, { width, height, margin, above }: Room): Box {
  const top = place === 'top-right' ? above : innerHeight - margin - height
  const left =
    { 'bottom-left': margin, 'bottom-center': (innerWidth - width) / 2 }[place as string] ?? innerWidth - margin - width
  return { left, top, right: left + width, bottom: top + height }
}

/** Where people can press: in the dialog that was opened last, or on the page. */
function reachable(): ParentNode {
  return [...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')].at(-1) ?? document
}

/** Returns the sum of the controls that a rectangle covers. @param own the messages, whose buttons are not counted */
export function covered(box: Box, own?: Element | null): number {
  let sum = 0
  for (const control of reachable().querySelectorAll(pressed)) {
    if (own?.contains(control)) continue
    const { left, top, right, bottom } = control.getBoundingClientRect()
    const isApart = right <= box.left || left >= box.right || bottom <= box.top || top >= box.bottom
    if (isApart || left === right) continue
    // In jsdom, the method does not exist.
    if ((control as { checkVisibility?: () => boolean }).checkVisibility?.() === false) continue
    sum += control.closest(important) ? importance : 1
  }
  return sum
}

/**
 * Calls `choose` in the next frame, and again in the frame after each change of the window's size or of the page: of the children of the body, or of all
 * elements. Many changes in one frame, such as those of a dialog that opens, are one change.
 * @returns a function that ends this
 */
export function onPageChanges(choose: () => void, of: 'body' | 'all elements'): () => void {
  let waiting = requestAnimationFrame(choose)
  const again = () => {
    cancelAnimationFrame(waiting)
    waiting = requestAnimationFrame(choose)
  }
  const changes = new MutationObserver(again)
  changes.observe(document.body, { childList: true, subtree: of === 'all elements' })
  addEventListener('resize', again)
  return () => {
    cancelAnimationFrame(waiting)
    changes.disconnect()
    removeEventListener('resize', again)
  }
}

/**
 * Returns the first of these places where messages cover no control, or the place where they cover the fewest.
 * @param now the place where they are. They stay there unless they cover something
 */
export function freePlace(places: readonly FreePlace[], room: Room, own?: Element | null, now?: FreePlace): FreePlace {
  let best: { place: FreePlace; sum: number } | undefined
  for (const place of now ? [now, ...places] : places) {
    const sum = covered(boxAt(place, room), own)
    if (sum === 0) return place
    if (!best || sum < best.sum) best = { place, sum }
  }
  return best?.place ?? 'bottom-right'
}
