import { FileSpreadsheet } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { saveCsv, type Sheet } from './csv'

interface ExportButtonProps {
  /** File name of the download. */
  name: string
  /** Creates the spreadsheet when the button is clicked. */
  sheet: () => Sheet
  children?: string
}

/** Downloads a list as a spreadsheet. */
export function ExportButton({ name, sheet, children = 'Export CSV' }: ExportButtonProps) {
  return (
    <Button size="sm" variant="outline" onClick={() => saveCsv(name, sheet())}>
      <FileSpreadsheet aria-hidden />
      {children}
    </Button>
  )
}
