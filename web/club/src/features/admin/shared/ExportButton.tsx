import { FileSpreadsheet } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { saveCsv, type Sheet } from './csv'

interface ExportButtonProps {
  /** What the file is called. */
  name: string
  /** Made when the button is pressed. */
  sheet: () => Sheet
  children?: string
}

/** Saves what a list shows as a spreadsheet. */
export function ExportButton({ name, sheet, children = 'Export CSV' }: ExportButtonProps) {
  return (
    <Button size="sm" variant="outline" onClick={() => saveCsv(name, sheet())}>
      <FileSpreadsheet aria-hidden />
      {children}
    </Button>
  )
}
