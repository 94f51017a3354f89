import { TextField } from '@/components/fields'
import { useOperator } from '@/lib/session'

/** Asks for the password before a change of the account. If the operator has no password, a passkey is requested when the form is submitted. */
export function ProofField({ value, onChange }: { value: string; onChange: (password: string) => void }) {
  if (!useOperator().password) return <p className="text-muted-foreground">You are asked for a passkey of yours.</p>
  return (
    <TextField
      label="Your password"
      type="password"
      required
      autoComplete="current-password"
      value={value}
      onChange={onChange}
    />
  )
}
