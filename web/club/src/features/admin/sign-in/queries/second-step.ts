import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { appOf, callRecoveryCodes, listFactors } from '@/lib/second-step'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

export interface SecondStep {
  /** The id of the authenticator app's factor; undefined if none is set up. */
  factorId: string | undefined
  /** Number of unused recovery codes; undefined if none were created. */
  codesLeft: number | undefined
  /** Whether the second factor was confirmed in this session. Only then can it be changed. */
  isTaken: boolean
}

async function readSecondStep(): Promise<SecondStep> {
  const supabase = await connect()
  const [factors, level] = await Promise.all([listFactors(), supabase.auth.mfa.getAuthenticatorAssuranceLevel()])
  if (level.error) throw level.error
  const factorId = appOf(factors)?.id
  const codes = factorId === undefined ? undefined : ((await callRecoveryCodes('GET')) as { remaining: number } | undefined)
  return { factorId, codesLeft: codes?.remaining, isTaken: level.data.currentLevel === 'aal2' }
}

/** The second factor of the signed-in administrator. */
export const secondStepQuery = queryOptions({ queryKey: ['own-second-step'], queryFn: readSecondStep })

export interface NewApp {
  factorId: string
  /** The QR code as a data URL. */
  picture: string
  /** The secret as a text, which the user can type into the app if the QR code cannot be scanned. */
  secret: string
}

/** Begins to set up an authenticator app. If an earlier setup was not completed, it is deleted. */
export async function beginApp(): Promise<NewApp> {
  const supabase = await connect()
  for (const { id, status } of await listFactors()) {
    if (status === 'unverified') await supabase.auth.mfa.unenroll({ factorId: id })
  }
  const { data, error } = await supabase.auth.mfa.enroll({
    factorType: 'totp',
    friendlyName: 'App',
    issuer: window.location.hostname,
  })
  if (error) throw error
  return { factorId: data.id, picture: data.totp.qr_code, secret: data.totp.secret }
}

/** Enables the second factor. This needs the first code of the app. @returns the recovery codes, which are shown only once */
async function switchOn({ factorId, code }: { factorId: string; code: string }): Promise<string[]> {
  const supabase = await connect()
  const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code: code.replace(/\s/g, '') })
  if (error) throw error
  return makeCodes(false)
}

async function makeCodes(replaces: boolean): Promise<string[]> {
  const { codes } = (await callRecoveryCodes('POST', replaces ? '/regenerate' : '')) as { codes: string[] }
  return codes
}

async function switchOff(factorId: string) {
  const supabase = await connect()
  const { error } = await supabase.auth.mfa.unenroll({ factorId })
  if (error) throw error
}

const told = (error: unknown) => notifyError({ title: 'Error', description: messageOf(error) })

function useReread() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: secondStepQuery.queryKey })
}

export function useSwitchOn() {
  return useMutation({ mutationFn: switchOn, onError: told, onSettled: useReread() })
}

/** Creates new recovery codes. The existing codes become invalid. */
export function useMakeCodes() {
  return useMutation({ mutationFn: makeCodes, onError: told, onSettled: useReread() })
}

export function useSwitchOff() {
  return useMutation({
    mutationFn: switchOff,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'Your password alone signs you in from now on' }),
    onError: told,
    onSettled: useReread(),
  })
}
