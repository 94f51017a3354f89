import { Button } from '@cloch/ui/components/button'
import { Code } from './Copy'
import { Dialog } from './Dialog'

/** Shows the text of a migration file. The server has recorded the migration as applied, but could not write the file into the folder. */
export function RecordedMigration({ file, sql, onClose }: { file: string; sql: string; onClose: () => void }) {
  return (
    <Dialog
      title="Add this file to your repository"
      description="The change is made and recorded as applied. The server could not write its file."
      onClose={onClose}
      footer={
        <Button size="compact" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Code label="path of the file" text={file} />
      <Code label="text of the file" text={sql} />
      <p className="text-muted-foreground">Keep the name: a start skips a file whose version is recorded.</p>
    </Dialog>
  )
}
