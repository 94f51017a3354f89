import { EditorView } from '@codemirror/view'

/**
 * Replaces the selected text when the user types. By default, CodeMirror leaves this to the browser. Chromium then keeps the style of the replaced
 * text for a moment in a style attribute, which the page's Content-Security-Policy blocks and reports.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false
    const typed = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    // The input handlers run first, as for other input. For example, the handler for closing brackets puts brackets around the selection.
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, typed))
    if (!isHandled) view.dispatch(typed())
    return true
  },
})
