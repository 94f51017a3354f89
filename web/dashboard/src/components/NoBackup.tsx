import { Code } from './Copy'
import { Empty } from './states'

const settings = `[backup]
to = "/mnt/backup/club"
encrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"
`

/** Instructions for configuring a backup. Shown if no backup is configured. */
export function NoBackup() {
  return (
    <Empty title="No backup is configured.">
      <div className="grid gap-2">
        <p>
          Name a folder on another disk, or <code>s3://bucket/prefix</code>, in <code>cloch.toml</code> beside{' '}
          <code>config.toml</code>:
        </p>
        <Code text={settings} label="cloch.toml" />
        <p>
          Set the variable <code>CLOCH_BACKUP_PASSPHRASE</code> for the server and start it again. Keep the passphrase elsewhere
          too: without it a backup cannot be read.
        </p>
      </div>
    </Empty>
  )
}
