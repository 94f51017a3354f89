import { BackupCopy } from '@/components/BackupCopy'
import type { TableDetail } from '@/lib/schema'
import { RestoreFound } from './RestoreFound'

/** Restores deleted and changed rows of a table from the backup. */
export function RestoreRows({ table, onClose }: { table: TableDetail; onClose: () => void }) {
  return (
    <BackupCopy title={`Restore rows of ${table.name}`} what="rows" how="changed" onClose={onClose}>
      {(copy) => <RestoreFound table={table} {...copy} />}
    </BackupCopy>
  )
}
