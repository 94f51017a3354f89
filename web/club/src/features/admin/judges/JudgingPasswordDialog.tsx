import { OneFieldDialog } from '../shared/OneFieldDialog'
import { useSetJudgingPassword } from './queries/set-judging-password'

/** Dialog that changes the password of the judging portal, which is the same for all judges. */
export function JudgingPasswordDialog({ onClose }: { onClose: () => void }) {
  const { mutate, isPending } = useSetJudgingPassword()
  return (
    <OneFieldDialog
      title="Judging password"
      description="Opens the judging portal. Judges who are inside have to enter the new one."
      name="judging-password"
      label="New password"
      hint="At least 12 characters"
      input={{ minLength: 12 }}
      submit="Set password"
      submitting="Saving..."
      isPending={isPending}
      onSubmit={(password) => mutate(password, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
