import { useEffect, useEffectEvent, type RefObject } from 'react'
import { notifyError, notifySuccess } from '@/lib/notify'
import { blockWords, copied, nulled, pasted, type Block, type Sheet } from './block'
import { fromText, toText } from './clipboard-text'
import type { Edit } from './edits'

/**
 * Copies the selected cells, and pastes from the first selected cell on, while the grid has the focus. It uses the browser's copy and paste events,
 * because these need neither https nor a permission. The listeners are on the document: browsers send the events to the element of the last text
 * selection, which may be outside the grid.
 */
export function useClipboard(
  frame: RefObject<HTMLElement | null>,
  sheet: Sheet,
  { block, isMany }: { block: Block; isMany: boolean },
  onEdit: ((edits: readonly Edit[]) => void) | undefined,
) {
  const isHere = () => frame.current !== null && document.activeElement === frame.current && sheet.total > 0
  const copy = useEffectEvent((event: ClipboardEvent) => {
    // If the user has selected a part of the text in one cell, the browser copies this part.
    if (!isHere() || (!isMany && document.getSelection()?.isCollapsed === false)) return
    event.preventDefault()
    const found = copied(sheet, block)
    if ('refused' in found) notifyError('Nothing was copied', new Error(found.refused))
    else {
      event.clipboardData?.setData('text/plain', toText(found.values))
      if (isMany) notifySuccess(`Copied ${blockWords(block)}`)
    }
  })
  const paste = useEffectEvent((event: ClipboardEvent) => {
    if (!isHere()) return
    event.preventDefault()
    if (!onEdit) {
      notifyError('These rows are read-only')
      return
    }
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const made = pasted(sheet, { row: block.rows[0], column: block.columns[0] }, fromText(text))
    if ('refused' in made) notifyError('Nothing was pasted', new Error(made.refused))
    else onEdit(made.edits)
  })
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => copy(event)
    const onPaste = (event: ClipboardEvent) => paste(event)
    document.addEventListener('copy', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [])
  /** Sets the selected cells to null. If this is not possible, shows the reason. */
  const empty = () => {
    if (!onEdit) return
    const made = nulled(sheet, block)
    if ('refused' in made) notifyError('Nothing was changed', new Error(made.refused))
    else onEdit(made.edits)
  }
  return { empty }
}
