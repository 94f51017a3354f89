import { Ferry } from './Ferry'

/** Waves form a musical stave, on which dinghies are the notes, under a new moon. For wide views, the shore continues to the left of x = 0. */
export function MusicianScene() {
  return (
    <g>
      <rect x="-4200" y="-400" width="4600" height="900" className="p-sky" />
      <rect x="-4200" y="236" width="4600" height="68" className="p-low" />
      <g transform="translate(180 0)">
        <circle cx="118" cy="120" r="54" className="p-sun" />
        <circle cx="140" cy="108" r="50" className="p-sky" />
      </g>
      <g fill="#fff" opacity=".85">
        <circle cx="250" cy="60" r="2.5" />
        <circle cx="310" cy="110" r="2" />
        <circle cx="352" cy="44" r="2.5" />
        <circle cx="42" cy="52" r="2" />
        <circle cx="212" cy="140" r="2" />
        <circle cx="360" cy="180" r="2" />
        <circle cx="30" cy="190" r="2" />
      </g>
      <path
        d="M-4200 252C-3800 232-3500 266-3100 250-2700 234-2400 266-2000 248-1800 240-1520 281-1400 262C-1240 236-1120 270-960 250-820 232-700 262-560 246-430 232-340 258-230 254-130 250-70 254 0 252C50 250 80 232 130 236 190 240 210 214 270 218 320 224 350 248 400 252L400 252V304H-4200Z"
        className="p-far"
      />
      <path
        d="M-4200 280C-3600 292-3000 270-2400 282-1900 290-1600 288-1400 284C-1100 270-900 290-600 280-400 274-200 286 0 280C80 290 140 270 210 274 280 278 330 288 400 280L400 280V304H-4200Z"
        className="p-mid"
      />
      <rect x="-4200" y="298" width="4600" height="202" className="p-sea" />
      <g className="p-lights">
        <circle cx="70" cy="292" r="2.5" />
        <circle cx="90" cy="290" r="2.5" />
        <circle cx="104" cy="293" r="2.5" />
        <circle cx="318" cy="290" r="2.5" />
        <circle cx="336" cy="292" r="2.5" />
      </g>
      <Ferry transform="translate(-300 322) scale(-.86 .86)" />
      <g fill="none" stroke="#fff" strokeWidth="3.2" opacity=".72">
        <path d="M-207 334C-190 324 -130 346 -10 334C60 322 120 346 200 334 280 322 340 346 410 334" />
        <path d="M-228 358C-190 348 -130 370 -10 358C60 346 120 370 200 358 280 346 340 370 410 358" />
        <path d="M-250 382C-190 372 -130 394 -10 382C60 370 120 394 200 382 280 370 340 394 410 382" />
        <path d="M-228 406C-190 396 -130 418 -10 406C60 394 120 418 200 406 280 394 340 418 410 406" />
        <path d="M-207 430C-190 420 -130 442 -10 430C60 418 120 442 200 430 280 418 340 442 410 430" />
      </g>
      <g transform="translate(46 413)">
        <ellipse rx="17" ry="11.5" transform="rotate(-18)" fill="var(--wall)" />
        <path d="M15-4V-84" fill="none" stroke="var(--wall)" strokeWidth="4.5" />
        <path d="M18-84V-22Q44-30 52-26 44-62 18-84Z" fill="var(--lamp-300)" />
      </g>
      <g transform="translate(122 387)">
        <ellipse rx="17" ry="11.5" transform="rotate(-18)" fill="var(--wall)" />
        <path d="M15-4V-84" fill="none" stroke="var(--wall)" strokeWidth="4.5" />
        <path d="M18-84V-22Q44-30 52-26 44-62 18-84Z" fill="var(--funnel-500)" />
      </g>
      <g transform="translate(202 394)">
        <ellipse rx="17" ry="11.5" transform="rotate(-18)" fill="var(--wall)" />
        <path d="M15-4V-84" fill="none" stroke="var(--wall)" strokeWidth="4.5" />
        <path d="M18-84V-22Q44-30 52-26 44-62 18-84Z" fill="var(--pool-300)" />
      </g>
      <g transform="translate(276 353)">
        <ellipse rx="17" ry="11.5" transform="rotate(-18)" fill="var(--wall)" />
        <path d="M15-4V-84" fill="none" stroke="var(--wall)" strokeWidth="4.5" />
        <path d="M18-84V-22Q44-30 52-26 44-62 18-84Z" fill="var(--lamp-300)" />
      </g>
      <g transform="translate(338 339)">
        <ellipse rx="17" ry="11.5" transform="rotate(-18)" fill="var(--wall)" />
        <path d="M15-4V-84" fill="none" stroke="var(--wall)" strokeWidth="4.5" />
        <path d="M18-84V-22Q44-30 52-26 44-62 18-84Z" fill="var(--wall)" />
      </g>
      <path d="M-4200 468Q90 452 180 464T400 456V500H-4200Z" className="p-shore" />
    </g>
  )
}
