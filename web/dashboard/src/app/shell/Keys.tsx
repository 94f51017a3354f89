import { Dialog } from '@/components/Dialog'

/** Keyboard shortcuts, grouped by the part of the app in which they work. Each entry has the keys and their effect. */
const places: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['Ctrl K', 'Search pages, tables and actions'],
      ['?', 'Show these keys'],
      ['Escape', 'Close a dialog'],
    ],
  ],
  [
    'Rows of a table',
    [
      ['Arrow keys', 'Move'],
      ['Enter or F2', 'Edit the cell'],
      ['Tab', 'Keep the value and edit the next cell'],
      ['Shift Enter', 'New line in a cell'],
      ['Space', 'Open the row'],
      ['Ctrl Enter', 'Open the row that a value refers to'],
      ['Alt ↓', 'Choose the row that a foreign key refers to'],
      ['Shift with arrow keys', 'Choose a block of cells'],
      ['Ctrl C', 'Copy the chosen cells'],
      ['Ctrl V', 'Paste from the cell on'],
      ['Delete', 'Make the chosen cells null'],
      ['Ctrl Z', 'Undo the last change that is not saved'],
      ['Ctrl Shift Z', 'Do it again'],
    ],
  ],
  ['List of tables', [['Menu or Shift F10', 'Show what can be done with the table']]],
  [
    'Diagram',
    [
      ['Arrow keys', 'Move'],
      ['+ and -', 'Zoom'],
      ['0', 'Show all tables'],
    ],
  ],
  [
    'SQL',
    [
      ['Ctrl Enter', 'Run the selection, or the whole text'],
      ['Arrow keys', 'On the scripts: another script; on the line under the editor: its height'],
      ['Delete', 'On the scripts: close the script'],
    ],
  ],
  ['Metrics', [['Arrow keys', 'Show the values of another time']]],
]

export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} className="sm:w-[min(34rem,calc(100vw-2rem))]">
      {/* Focusable, so that the arrow keys can scroll the list if the window is too low for it. */}
      <div tabIndex={0} role="region" aria-label="List of keys" className="grid gap-4">
        {places.map(([place, keys]) => (
          <section key={place} className="grid gap-1">
            <h3 className="text-small">{place}</h3>
            <dl className="grid grid-cols-[9rem_minmax(0,1fr)] gap-x-3 gap-y-1 text-small">
              {keys.map(([key, meaning]) => (
                <div key={key} className="col-span-2 grid grid-cols-subgrid border-b py-1">
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
