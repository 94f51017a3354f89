import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Colours of the editor. They use the CSS custom properties of the page, which the shadow tree inherits. */
export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--foreground)', backgroundColor: 'var(--card)', fontSize: '0.875rem' },
  '.cm-scroller': { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--foreground)' },
  '.cm-cursor': { borderLeftColor: 'var(--foreground)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--muted-foreground)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 3px 0 var(--ring)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--popover)', color: 'var(--popover-foreground)', border: '1px solid var(--border)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-foreground)' },
})

const style = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--primary)', fontWeight: '700' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--artist-ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--photographer-ink)' },
  { tag: tags.comment, color: 'var(--muted-foreground)' },
  { tag: tags.typeName, color: 'var(--musician-ink)' },
])

export const colours = syntaxHighlighting(style)

/** Returns the shadow tree for an editor, without content. In a shadow tree, the content security policy allows the styles that the editor adds. */
export function shadowIn(frame: HTMLElement): ShadowRoot {
  const root = frame.shadowRoot ?? frame.attachShadow({ mode: 'open' })
  root.replaceChildren()
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(':host { display: block; height: 100% } * { scrollbar-color: auto }')
  root.adoptedStyleSheets = [sheet]
  return root
}
