import { Cloch } from './Cloch'

/** The Cloch lighthouse on its headland. */
export function LighthousePorthole() {
  return (
    <svg viewBox="0 0 200 200">
      <rect width="200" height="200" fill="var(--sky)" />
      <path d="M0 128Q50 108 110 120T200 112V140H0Z" fill="var(--hill-1)" />
      <rect y="134" width="200" height="70" fill="var(--sea)" />
      <path
        d="M24 150h34M140 146h40M16 172h26"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".6"
      />
      <path d="M40 204 66 176 130 168 204 176V204Z" fill="var(--grass)" />
      <Cloch transform="translate(58 12) scale(.39)" />
    </svg>
  )
}
