import { Cloch } from './Cloch'
import { Gull } from './Gull'

/** A young photographer takes a picture of the Cloch lighthouse. For wide views, the shore continues to the left of x = 0. */
export function PhotographerScene() {
  return (
    <g>
      <rect x="-4200" y="-400" width="4600" height="900" className="p-sky" />
      <rect x="-4200" y="236" width="4600" height="68" className="p-low" />
      <path
        transform="translate(-30 96) scale(0.6)"
        d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
        fill="var(--wall)"
      />
      <path
        transform="translate(270 60) scale(0.5)"
        d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
        fill="var(--wall)"
      />
      <Gull transform="translate(300 170)" />
      <path
        d="M-4200 252C-3800 232-3500 266-3100 250-2700 234-2400 266-2000 248-1800 240-1520 281-1400 262C-1240 236-1120 270-960 250-820 232-700 262-560 246-430 232-340 258-230 254-130 250-70 254 0 252C60 246 100 226 160 230 220 236 250 258 310 250 350 244 370 248 400 252L400 252V304H-4200Z"
        className="p-far"
      />
      <path
        d="M-4200 280C-3600 292-3000 270-2400 282-1900 290-1600 288-1400 284C-1100 270-900 290-600 280-400 274-200 286 0 280C60 274 130 268 200 276 270 284 340 286 400 280L400 280V304H-4200Z"
        className="p-mid"
      />
      <rect x="-4200" y="298" width="4600" height="202" className="p-sea" />
      <path
        d="M10 330h80M300 336h90M40 356h50M330 364h50"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".7"
      />
      <path d="M400 316H240Q150 310 110 330L60 346Q130 356 230 352H400Z" className="p-grass" />
      <path d="M400 344H220Q130 342 60 346 140 364 250 362H400Z" fill="var(--shore-2)" />
      <Cloch transform="translate(132 78) scale(.57)" />
      <path d="M-4200 -400H400V500H-4200ZM70 92V372H330V92Z" className="p-veil" fillRule="evenodd" />
      <g fill="none" stroke="#fff" strokeWidth="7">
        <path d="M70 138V92h46M284 92h46v46M330 326v46h-46M116 372H70v-46" />
      </g>
      <g fill="none" stroke="#fff" strokeWidth="3">
        <path d="M200 224v16M192 232h16M156 92h88" opacity=".0" />
        <path d="M156 372h88" strokeDasharray="2 9" />
      </g>
      <circle cx="308" cy="114" r="6" fill="var(--funnel-500)" />
      <path d="M-4200 430H0Q120 414 240 426T400 418V500H-4200Z" className="p-shore" />
      <g>
        <path
          d="M198 430 166 500M206 430 236 500M202 430V500"
          fill="none"
          stroke="var(--ink)"
          strokeWidth="7"
          strokeLinecap="round"
        />
        <rect x="168" y="394" width="68" height="42" rx="5" fill="var(--ink)" />
        <rect x="186" y="384" width="26" height="14" rx="3" fill="var(--ink)" />
        <circle cx="202" cy="416" r="15" fill="var(--wall)" />
        <circle cx="202" cy="416" r="10" fill="var(--ink)" />
        <rect x="176" y="401" width="9" height="6" fill="var(--funnel-500)" />
      </g>
      <path d="M236 500V452Q236 430 262 424L232 416 238 404 292 424Q312 432 314 452V500Z" fill="var(--lamp-500)" />
      <circle cx="280" cy="396" r="21" fill="#8d5a3b" />
      <path d="M256 398Q254 370 282 370 308 372 304 402 296 384 284 384 270 388 256 398Z" fill="var(--ink)" />
      <circle cx="237" cy="411" r="8" fill="#8d5a3b" />
    </g>
  )
}
