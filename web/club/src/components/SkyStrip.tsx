import type { ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { Cloch } from './art/Cloch'
import { Ferry } from './art/Ferry'
import { Gull } from './art/Gull'

interface SkyStripProps {
  title: string
  lede?: ReactNode
  /** The drawing at the right of the horizon. */
  motif?: 'ferry' | 'lighthouse' | 'yachts'
  children?: ReactNode
}

/** The header of a page: its title in the sky above the horizon. */
export function SkyStrip({ title, lede, motif = 'ferry', children }: SkyStripProps) {
  return (
    <section className="relative overflow-hidden bg-sky">
      <div
        className={cn(
          'wrap relative z-2 pt-[clamp(2rem,1.4rem+2.4vw,4rem)] desk:pb-36',
          motif === 'lighthouse' ? 'pb-48' : 'pb-28',
        )}
      >
        <h1 className="max-w-[14em] text-h1">{title}</h1>
        {lede ? <p className="mt-4 max-w-[26em] text-lede">{lede}</p> : null}
        {children ? <div className="mt-6 flex flex-wrap gap-3">{children}</div> : null}
      </div>
      {/* The height is in pixels: with rem, the scene would grow together with large text and cover the words. */}
      <svg
        aria-hidden
        viewBox="0 0 1440 260"
        preserveAspectRatio="xMaxYMax slice"
        className="no-print pointer-events-none absolute inset-x-0 bottom-0 h-[176px] w-full desk:h-[256px]"
      >
        <path
          d="M0 178C160 152 300 184 470 166 640 148 760 182 940 164 1110 148 1260 172 1440 156V220H0Z"
          fill="var(--hill-1)"
        />
        <path
          d="M0 190C220 174 380 200 600 188 800 178 980 198 1160 184 1280 176 1380 188 1440 184V220H0Z"
          fill="var(--hill-2)"
        />
        <rect y="204" width="1440" height="60" fill="var(--sea)" />
        <path
          d="M60 222h120M320 236h90M560 218h150M820 240h110M640 246h70M980 224h60"
          fill="none"
          stroke="var(--glint)"
          strokeWidth="4"
          strokeLinecap="round"
          opacity=".55"
        />
        <Motif name={motif} />
      </svg>
    </section>
  )
}

function Motif({ name }: { name: 'ferry' | 'lighthouse' | 'yachts' }) {
  switch (name) {
    case 'ferry':
      return (
        <>
          <Ferry transform="translate(1130 146) scale(.98)" />
          <Gull transform="translate(1052 104) scale(1.2)" />
          <Gull transform="translate(1090 122)" />
        </>
      )
    case 'lighthouse':
      return (
        <>
          <path d="M1010 262 1050 226 1120 214 1440 206V262Z" fill="var(--grass)" />
          <path d="M996 262 1040 232 1076 240 1110 222 1150 236 1190 262Z" fill="var(--shore)" />
          <Cloch transform="translate(1040 -6) scale(.54)" />
          <Gull transform="translate(980 96) scale(1.1)" />
        </>
      )
    case 'yachts':
      return (
        <>
          <Yacht transform="translate(1020 196) scale(1.25)" sail="var(--lamp-300)" />
          <Yacht transform="translate(1130 204) scale(1.7)" sail="var(--wall)" />
          <Yacht transform="translate(1270 190) scale(1.05)" sail="var(--pool-300)" />
          <Gull transform="translate(960 110)" />
        </>
      )
  }
}

function Yacht({ transform, sail }: { transform: string; sail: string }) {
  return (
    <g transform={transform}>
      <path d="M0 22h46l-8 11H8Z" fill="var(--funnel-500)" />
      <path d="M22 20V-34L46 18ZM19 20V-22L2 18Z" fill={sail} />
    </g>
  )
}
