import { getSettings } from '@/lib/config'

/** Shown instead of a form in browsers without JavaScript. */
export function NoScriptNote() {
  const { clubEmail } = getSettings()
  return (
    <noscript>
      <p>
        The form needs JavaScript, which is switched off in this browser. You can also write to{' '}
        <a href={`mailto:${clubEmail}`}>{clubEmail}</a>, or come along on a Thursday at 7pm.
      </p>
    </noscript>
  )
}
