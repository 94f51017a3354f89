import { CopyButton } from '@/components/Copy'
import type { Editable } from './contract'

/** Lists the saved settings that take effect only after a restart, with the command for the restart. */
export function Restart({ restart: { settings, command } }: { restart: Editable['restart'] }) {
  if (settings.length === 0) return null
  return (
    <div role="status" className="grid gap-2 rounded border-l-6 border-foreground bg-secondary p-3">
      <p>
        <strong>
          {settings.length === 1 ? 'One setting waits' : `${settings.length} settings wait`} for a restart of the server.
        </strong>{' '}
        Until then their values of the last start are in effect.
      </p>
      <ul className="flex flex-wrap gap-x-4 text-small">
        {settings.map((key) => (
          <li key={key}>
            <code className="break-all">{key}</code>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-1">
        <code className="break-all">{command}</code>
        <CopyButton text={command} label="Copy the command" />
      </p>
    </div>
  )
}
