import { useId } from 'react'

/** A young artist paints the shore, in brighter colours than the shore itself. For wide views, the shore continues to the left of x = 0. */
export function ArtistScene() {
  const canvas = useId()
  return (
    <g>
      <rect x="-4200" y="-400" width="4600" height="900" className="p-sky" />
      <rect x="-4200" y="236" width="4600" height="68" className="p-low" />
      <circle cx="318" cy="120" r="46" className="p-sun" />
      <path
        d="M0 70h120M40 92h150M230 176h150M190 198h120"
        strokeWidth="9"
        strokeLinecap="round"
        fill="none"
        className="p-streak"
      />
      <path
        d="M-4200 252C-3800 232-3500 266-3100 250-2700 234-2400 266-2000 248-1800 240-1520 281-1400 262C-1240 236-1120 270-960 250-820 232-700 262-560 246-430 232-340 258-230 254-130 250-70 254 0 252C50 250 100 220 150 224 210 230 240 258 300 248 350 240 370 246 400 252L400 252V304H-4200Z"
        className="p-far"
      />
      <path
        d="M-4200 280C-3600 292-3000 270-2400 282-1900 290-1600 288-1400 284C-1100 270-900 290-600 280-400 274-200 286 0 280C80 272 150 288 220 280 290 272 340 274 400 280L400 280V304H-4200Z"
        className="p-mid"
      />
      <rect x="-4200" y="298" width="4600" height="202" className="p-sea" />
      <path
        d="M10 326h70M320 340h70M30 350h40"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".6"
      />
      <path d="M-4200 414H0Q120 396 240 408T400 398V500H-4200Z" className="p-shore" />
      <path d="M-4200 462H0Q140 446 260 456T400 448V500H-4200Z" className="p-shore2" />
      <path
        d="M128 372 92 486M256 372 292 486M192 372V470M192 118V152"
        fill="none"
        stroke="var(--ink)"
        strokeWidth="8"
        strokeLinecap="round"
      />
      <g>
        <rect x="88" y="148" width="208" height="228" fill="var(--ink)" />
        <clipPath id={canvas}>
          <rect x="94" y="154" width="196" height="216" />
        </clipPath>
        <g clipPath={`url(#${canvas})`}>
          <rect x="94" y="154" width="196" height="216" fill="#ffd75e" />
          <circle cx="240" cy="206" r="34" fill="#df4a2e" />
          <path
            d="M240 158v-10M284 180l10-8M196 180l-10-8M288 210h12M180 214h12"
            stroke="#df4a2e"
            strokeWidth="7"
            strokeLinecap="round"
          />
          <path d="M90 240C110 232 130 222 150 224 210 230 240 258 300 248V310H90Z" fill="#3f9c5a" />
          <path d="M90 277C150 288 190 284 220 280 250 276 280 273 300 273V310H90Z" fill="#1b6b43" />
          <rect x="90" y="298" width="210" height="80" fill="#1aa7b0" />
          <path
            d="M104 320q12-8 24 0t24 0 24 0 24 0 24 0 24 0 24 0M100 342q12-8 24 0t24 0 24 0 24 0"
            fill="none"
            stroke="#fff"
            strokeWidth="4.5"
            strokeLinecap="round"
          />
          <g transform="translate(140 330)">
            <path d="M0 0V60" stroke="#1b6b43" strokeWidth="6" />
            <g fill="#d79acb">
              <circle cx="0" cy="-20" r="12" />
              <circle cx="18" cy="-6" r="12" />
              <circle cx="11" cy="14" r="12" />
              <circle cx="-11" cy="14" r="12" />
              <circle cx="-18" cy="-6" r="12" />
            </g>
            <circle r="10" fill="#fff" />
          </g>
        </g>
      </g>
      <rect x="80" y="372" width="224" height="11" fill="var(--ink)" />
      <path d="M316 470V500M362 470V500M306 468H374" fill="none" stroke="var(--ink)" strokeWidth="8" strokeLinecap="round" />
      <path d="M304 468Q300 392 316 380 340 368 362 382 378 400 374 468Z" fill="var(--pool-500)" />
      <path d="M316 398Q284 394 262 352" stroke="var(--pool-500)" strokeWidth="15" strokeLinecap="round" fill="none" />
      <circle cx="259" cy="347" r="8.5" fill="#e2a878" />
      <path d="M262 352 244 318" stroke="#5a3a20" strokeWidth="5" strokeLinecap="round" />
      <path d="M246 322l-9-18 4 2 8 12Z" fill="#d79acb" stroke="#d79acb" strokeWidth="5" />
      <circle cx="338" cy="352" r="23" fill="#e2a878" />
      <path d="M313 360Q308 326 340 326 368 330 363 368 352 372 336 370 318 370 313 360Z" fill="#3a2115" />
      <circle cx="352" cy="322" r="12" fill="#3a2115" />
    </g>
  )
}
