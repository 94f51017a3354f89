import { Ferry } from './Ferry'
import { Gull } from './Gull'

/** The ferry leaves the Firth. */
export function FerryPorthole() {
  return (
    <svg viewBox="0 0 200 200">
      <rect width="200" height="200" fill="var(--sky)" />
      <path d="M0 116Q46 88 96 106T200 96V128H0Z" fill="var(--hill-1)" />
      <path d="M0 122Q70 106 130 118T200 112V130H0Z" fill="var(--hill-2)" />
      <rect y="122" width="200" height="80" fill="var(--sea)" />
      <Ferry transform="translate(34 82) scale(.66)" />
      <Gull transform="translate(40 52) scale(1.3)" />
      <path
        d="M20 156h44M110 168h60M50 184h30"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".6"
      />
    </svg>
  )
}
