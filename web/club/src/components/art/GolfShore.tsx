/** The golf course above the bay: a flag, a clubhouse, and the Firth beyond. */
export function GolfShore() {
  return (
    <svg viewBox="0 0 400 220" aria-hidden className="block h-auto w-full rounded">
      <rect width="400" height="220" fill="var(--sky)" />
      <circle cx="312" cy="52" r="24" fill="var(--lit)" />
      <path d="M36 62h92a14 14 0 0 0 0-28q-5-22-28-22-20 0-26 17-18-6-26 8-20 2-12 25Z" fill="var(--cloud)" />
      <path d="M0 112Q70 88 140 104T280 100 400 92V130H0Z" fill="var(--hill-1)" />
      <path d="M0 120Q100 104 210 116T400 110V132H0Z" fill="var(--hill-2)" />
      <rect y="126" width="400" height="40" fill="var(--sea)" />
      <path
        d="M30 138h60M150 146h80M280 136h70"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="3.5"
        strokeLinecap="round"
        opacity=".6"
      />
      <path d="M0 168Q90 140 190 158T400 150V220H0Z" fill="var(--grass)" />
      <path d="M0 194Q120 168 240 186T400 182V220H0Z" fill="var(--hill-4)" />
      <ellipse cx="118" cy="178" rx="44" ry="8" fill="var(--grass)" />
      <path d="M118 178V106" fill="none" stroke="var(--ink)" strokeWidth="3.5" />
      <path d="M119 106 152 117 119 129Z" fill="var(--funnel-500)" />
      <circle cx="138" cy="177" r="3.500" fill="var(--wall)" />
      <path d="M270 166V134h84v30Z" fill="var(--wall)" />
      <path d="M260 136 284 112h56l24 24Z" fill="var(--shore-2)" />
      <path d="M282 144h12v12h-12ZM304 144h12v20h-12ZM328 144h12v12h-12Z" fill="var(--pane)" />
    </svg>
  )
}
