import { Button } from '@cloch/ui/components/button'
import type { Column } from '@/components/DataTable'
import { useMay } from '@/lib/session'

export interface RowAction {
  /** A verb. */
  name: string
  run: () => void
}

/**
 * Returns the column with the buttons of each row. Viewers do not see this column.
 * @param nameOf returns the row's name, for the labels of the buttons
 */
export function useActionsColumn<Row>(
  nameOf: (row: Row) => string,
  actions: (row: Row) => readonly RowAction[],
): Column<Row>[] {
  const mayChange = useMay('developer')
  if (!mayChange) return []
  const cell = (row: Row) =>
    actions(row).map(({ name, run }) => (
      <Button key={name} variant="ghost" size="compact" aria-label={`${name} ${nameOf(row)}`} onClick={run}>
        {name}
      </Button>
    ))
  return [{ name: 'Change', isHeadHidden: true, hasButtons: true, cell }]
}
