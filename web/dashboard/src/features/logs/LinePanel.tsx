import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Json } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { formatDuration, formatExactTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { whatOf, type Line } from './contract'

interface LinePanelProps {
  line: Line
  onClose: () => void
  onRequest: (id: string) => void
}

/** All fields of a log line. Links lead to all lines of the same request, and to the explanation if the request was refused. */
export function LinePanel({ line, onClose, onRequest }: LinePanelProps) {
  const { request_id: id, duration_ms: duration } = line
  const isDeveloper = useMay('developer')
  const mayAskWhy = isDeveloper && id && ['rest', 'storage'].includes(line.api)
  return (
    <Dialog title={line.method ? whatOf(line) : line.message} place="side" onClose={onClose}>
      <Facts
        facts={[
          ['Time', formatExactTime(line.at)],
          ['API', line.api],
          ['Level', line.level],
          ['Message', line.message],
          ...(line.status ? [['Status', line.status] as const] : []),
          ...(line.role ? [['Role', line.role] as const] : []),
          ...(duration === null || duration === undefined ? [] : [['Took', formatDuration(duration)] as const]),
          ...(id ? [['Request', <code key="id">{id}</code>] as const] : []),
        ]}
      />
      {id && (
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" size="compact" onClick={() => onRequest(id)}>
            All lines of this request
          </Button>
          {mayAskWhy && (
            <Button asChild variant="outline" size="compact">
              <Link to={`/why?request=${encodeURIComponent(id)}`}>Why this answer?</Link>
            </Button>
          )}
        </div>
      )}
      {Object.keys(line.fields).length > 0 && <Json value={line.fields} label="Fields" />}
    </Dialog>
  )
}
