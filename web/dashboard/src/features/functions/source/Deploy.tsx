import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { Diff } from '@/components/Diff'
import { Refused } from '@/components/states'
import { path, put } from '@/lib/api'
import { functionsKey, type EdgeFunction, type FunctionSource } from '@/lib/functions'
import { notifyError, notifySuccess } from '@/lib/notify'
import { useAction } from '@/lib/use-action'
import { diffsOf, type Edits } from './edits'

interface DeployProps {
  shown: EdgeFunction
  source: FunctionSource
  edits: Edits
  onClose: () => void
  onDeployed: () => void
  /** Called with an error of the server. If the page shows the position of the error, it returns true, and this dialog closes. */
  onFailed: (error: unknown) => boolean
}

/** Dialog that shows the changes as a diff, then deploys them as a new version. */
export function Deploy({ shown, source, edits, onClose, onDeployed, onFailed }: DeployProps) {
  const { name } = shown
  const deploy = useAction(
    () =>
      put<EdgeFunction & { deployed: number }>(path`/functions/${name}/source`, {
        revision: source.revision,
        files: edits,
      }).catch((error: unknown) => {
        if (onFailed(error)) onClose()
        throw error
      }),
    {
      refresh: [functionsKey],
      onDone: ({ deployed, boots }) => {
        if (boots === false)
          notifyError(
            `Version ${deployed} does not start`,
            new Error(
              'The version before it serves calls until the server restarts. Its output says why; “Versions” has the way back.',
            ),
          )
        else notifySuccess(`Version ${deployed} is served`)
        onDeployed()
      },
    },
  )
  const footer = (
    <>
      <Button size="compact" disabled={deploy.isPending} aria-busy={deploy.isPending} onClick={() => deploy.mutate()}>
        {deploy.isPending ? 'Deploying…' : 'Deploy'}
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        Cancel
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Deploy ${name}`}
      description="A new version is served once its imports are resolved and it starts. Earlier versions stay, under “Versions”."
      onClose={onClose}
      footer={footer}
    >
      {diffsOf(source, edits).map(({ path: file, lines, isRemoved }) => (
        <Diff key={file} file={isRemoved ? `${file} (removed)` : file} lines={lines} />
      ))}
      <Consequences shown={shown} envFiles={source.env_files} />
      {deploy.isError && <Refused error={deploy.error} />}
    </Dialog>
  )
}

function Consequences({ shown: { name, is_in_folder: isInFolder }, envFiles }: { shown: EdgeFunction; envFiles: string[] }) {
  return (
    <>
      {isInFolder && (
        <p className="rounded border-l-6 border-input bg-muted p-3">
          The version is stored on the server, not in the project’s folder. While a version is deployed, the folder’s code is
          not served: make the same change in your repository, and deploy later changes of the folder with{' '}
          <code>cloch functions deploy {name}</code>.
        </p>
      )}
      {envFiles.length > 0 && (
        <p className="rounded border-l-6 border-destructive bg-destructive-wash p-3">
          Variables in <code>{envFiles.join(', ')}</code> are not part of the new version. Set those that it needs as secrets
          first.
        </p>
      )}
    </>
  )
}
