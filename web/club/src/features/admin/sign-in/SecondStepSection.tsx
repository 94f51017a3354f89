import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeForm } from '@/components/CodeForm'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { Button } from '@cloch/ui/components/button'
import { ListState } from '../shared/ListState'
import { AppDialog } from './AppDialog'
import { secondStepQuery, useMakeCodes, useSwitchOff, type SecondStep } from './queries/second-step'
import { RecoveryCodesDialog } from './RecoveryCodesDialog'

/**
 * The second factor: after the password, the user enters a code of an authenticator app. If the phone is lost, a printed recovery code can be used
 * instead.
 */
export function SecondStepSection() {
  const step = useQuery(secondStepQuery)
  const [settingUp, setSettingUp] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  return (
    <section aria-labelledby="second-step" className="mt-12 grid max-w-[36em] justify-items-start gap-3">
      <h2 id="second-step" className="text-[1.375rem] leading-tight">
        A code after your password
      </h2>
      <p>
        An app on your phone shows a new code each half minute. With it, somebody who has learned your password still cannot
        read the entries.
      </p>
      <ListState query={step} failed="Failed to load your sign-in">
        {(known) =>
          known.factorId === undefined ? (
            <Button size="sm" onClick={() => setSettingUp(true)}>
              Set up the code
            </Button>
          ) : (
            <SwitchedOn step={known} factorId={known.factorId} onCodes={setCodes} onTaken={() => void step.refetch()} />
          )
        }
      </ListState>
      {settingUp ? (
        <AppDialog
          onClose={() => setSettingUp(false)}
          onDone={(made) => {
            setSettingUp(false)
            setCodes(made)
          }}
        />
      ) : null}
      {codes ? <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} /> : null}
    </section>
  )
}

interface SwitchedOnProps {
  step: SecondStep
  factorId: string
  onCodes: (codes: string[]) => void
  onTaken: () => void
}

function SwitchedOn({ step: { codesLeft, isTaken }, factorId, onCodes, onTaken }: SwitchedOnProps) {
  const [leaving, setLeaving] = useState(false)
  const make = useMakeCodes()
  const switchOff = useSwitchOff()
  const left = codesLeft === undefined ? 'You have no recovery codes.' : `${codesLeft} of your recovery codes are left.`
  return (
    <>
      <p>
        <strong>It is on.</strong> {left}
      </p>
      {isTaken ? (
        <div className="flex flex-wrap gap-2.5">
          <Button
            size="sm"
            disabled={make.isPending}
            aria-busy={make.isPending}
            onClick={() => make.mutate(codesLeft !== undefined, { onSuccess: onCodes })}
          >
            Make new recovery codes
          </Button>
          <Button size="sm" variant="outline" onClick={() => setLeaving(true)}>
            Switch it off
          </Button>
        </div>
      ) : (
        <>
          <p>You have signed in with a passkey. To change anything here, type a code first.</p>
          <CodeForm onDone={onTaken} />
        </>
      )}
      <ConfirmDialog
        open={leaving}
        title="Switch the code off?"
        confirm="Switch it off"
        onConfirm={() => {
          switchOff.mutate(factorId)
          setLeaving(false)
        }}
        onCancel={() => setLeaving(false)}
      >
        Whoever learns your password can then read all entries. Your recovery codes stop working.
      </ConfirmDialog>
    </>
  )
}
