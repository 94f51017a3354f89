/**
 * The Cloch lighthouse with its cottages. The drawing is 400 units wide and 424 high, and its ground is at y = 424. In the dark theme the beam is
 * lit.
 */
export function Cloch({ transform }: { transform: string }) {
  return (
    <g transform={transform}>
      <g className="beam">
        <path d="M100 88-8400-1317-8400 326Z" fill="var(--beam)" opacity=".14" />
        <path d="M100 88 900 20 900 150Z" fill="var(--beam)" opacity=".1" />
      </g>
      <path d="M128 420V318h16v-14h16v-14h16v-14h16v-14h24v14h16v14h16v14h16v14h16v102Z" fill="var(--wall)" />
      <path d="M264 420V318h100v102Z" fill="var(--wall-2)" />
      <path d="M252 322 268 286H372L384 322Z" fill="var(--shore-2)" />
      <path d="M196 262v-22h18v22ZM330 286v-24h18v24Z" fill="var(--wall-2)" />
      <path d="M194 236h22v6H194ZM328 258h22v6H328Z" fill="var(--ink)" />
      <path d="M166 338h16v24h-16ZM214 338h16v24h-16ZM290 344h16v22h-16ZM330 344h16v22h-16Z" fill="var(--pane)" />
      <path d="M190 376h18v44h-18Z" fill="var(--shore-2)" />
      <path d="M50 384 64 128h72l14 256Z" fill="var(--wall)" />
      <path d="M112 384 112 128h24l14 256Z" fill="var(--wall-2)" />
      <path d="M61.3 178H138.7L141.5 230H58.5Z" fill="var(--ink)" />
      <path d="M42 380h116l8 44H34Z" fill="var(--ink)" />
      <path d="M50 112h100l-8 18H58Z" fill="var(--ink)" />
      <path
        d="M54 112V92M66 112V92M78 112V92M122 112V92M134 112V92M146 112V92M50 92H80M120 92h30"
        fill="none"
        stroke="var(--ink)"
        strokeWidth="3"
      />
      <path d="M78 64h44v48H78Z" fill="var(--lit)" />
      <path d="M92 64v48M108 64v48M78 88h44" fill="none" stroke="var(--ink)" strokeWidth="2.5" />
      <path d="M72 66Q76 38 100 32 124 38 128 66Z" fill="var(--ink)" />
      <circle cx="100" cy="28" r="5.5" fill="var(--ink)" />
      <path d="M100 26V6M89 11h22" fill="none" stroke="var(--ink)" strokeWidth="3" />
      <path d="M84 262h13v22H84ZM84 316h13v22H84Z" fill="var(--pane)" />
    </g>
  )
}
