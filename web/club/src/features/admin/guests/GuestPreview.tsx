import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import type { GuestLine } from './csv/parse-guests'
import { statusLabels } from './status'

interface GuestPreviewProps {
  lines: readonly GuestLine[]
  /** Whether a guest in the list already has this address. */
  isKnown: (email: string) => boolean
}

/** Shows the content of an import file, with the errors of each line. */
export function GuestPreview({ lines, isKnown }: GuestPreviewProps) {
  const wrong = lines.filter(({ result }) => 'errors' in result).length
  if (lines.length === 0) return <p role="status">The file holds no guests.</p>
  return (
    <>
      <p role="status" className="font-strong">
        {lines.length - wrong} of {lines.length} lines can be imported
        {wrong > 0 ? `; ${wrong} will be left out` : ''}
      </p>
      <Table aria-label="Preview">
        <TableHead>
          <tr>
            <TableHeader>Line</TableHeader>
            <TableHeader>Name</TableHeader>
            <TableHeader>What will be saved</TableHeader>
          </tr>
        </TableHead>
        <TableBody>
          {lines.map(({ line, name, result }) => (
            <TableRow key={line}>
              <TableCell className="tabular-nums">{line}</TableCell>
              <TableCell className="[overflow-wrap:anywhere]">{name === '' ? '-' : name}</TableCell>
              <TableCell className="[overflow-wrap:anywhere]">
                {'errors' in result ? (
                  <span className="font-strong text-destructive">Error: {result.errors.join('; ')}</span>
                ) : (
                  <>
                    {[result.guest.email, result.guest.phone, result.guest.organization, statusLabels[result.guest.status]]
                      .filter(Boolean)
                      .join(' · ')}
                    {result.guest.email && isKnown(result.guest.email) ? (
                      <span className="block font-strong">A guest with this address is on the list already.</span>
                    ) : null}
                  </>
                )}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </>
  )
}
