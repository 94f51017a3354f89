import type { ReactNode } from 'react'

/** Open water with one buoy and a text in the sky, for pages without content. */
export function OpenWater({ children }: { children: ReactNode }) {
  return (
    <div className="relative min-h-[38rem] overflow-hidden bg-sky sm:min-h-[34rem]">
      <svg viewBox="0 0 1440 480" preserveAspectRatio="xMidYMax slice" aria-hidden className="absolute inset-0 size-full">
        <rect y="-600" width="1440" height="1200" fill="var(--sky)" />
        <path d="M0 300Q240 262 470 290T900 286 1440 276V320H0Z" fill="var(--hill-1)" />
        <path d="M0 312Q320 286 640 304T1440 298V326H0Z" fill="var(--hill-2)" />
        <rect y="318" width="1440" height="180" fill="var(--sea)" />
        <path d="M0 392Q360 380 720 394T1440 388V480H0Z" fill="var(--sea-2)" />
        <path
          d="M80 346h120M320 362h80M560 342h150M980 356h90M1180 344h150M220 424h140M640 440h180M1060 420h120"
          fill="none"
          stroke="var(--glint)"
          strokeWidth="4"
          strokeLinecap="round"
          opacity=".6"
        />
        <g transform="translate(720 300)">
          <path d="M-26 82 -16 6H16L26 82Z" fill="var(--funnel-500)" />
          <path d="M-21 42H21L23.500 60H-23.500Z" fill="var(--wall)" />
          <path d="M-11 6V-14H11V6Z" fill="var(--ink)" />
          <circle cy="-22" r="9" fill="var(--lit)" />
          <path d="M-52 84q13-8 26 0t26 0 26 0 26 0" fill="none" stroke="var(--glint)" strokeWidth="5" strokeLinecap="round" />
        </g>
      </svg>
      <div className="wrap relative py-[clamp(1.5rem,4vw,3.5rem)]">{children}</div>
    </div>
  )
}
