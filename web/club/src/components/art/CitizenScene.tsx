import { Gull } from './Gull'

/** Five young people carry a skiff up the beach at sunrise. For wide views, the shore continues to the left of x = 0. */
export function CitizenScene() {
  return (
    <g>
      <rect x="-4200" y="-400" width="4600" height="900" className="p-sky" />
      <rect x="-4200" y="236" width="4600" height="68" className="p-low" />
      <circle cx="204" cy="166" r="96" className="p-sun" />
      <Gull transform="translate(60 120)" />
      <Gull transform="translate(318 92) scale(.8)" />
      <path
        d="M-4200 252C-3800 232-3500 266-3100 250-2700 234-2400 266-2000 248-1800 240-1520 281-1400 262C-1240 236-1120 270-960 250-820 232-700 262-560 246-430 232-340 258-230 254-130 250-70 254 0 252C60 246 90 222 140 224 200 228 220 256 280 250 330 244 360 246 400 252L400 252V304H-4200Z"
        className="p-far"
      />
      <path
        d="M-4200 280C-3600 292-3000 270-2400 282-1900 290-1600 288-1400 284C-1100 270-900 290-600 280-400 274-200 286 0 280C70 276 120 288 200 284 270 280 330 270 400 280L400 280V304H-4200Z"
        className="p-mid"
      />
      <rect x="-4200" y="298" width="4600" height="202" className="p-sea" />
      <path
        d="M20 330h70M300 322h80M130 344h60"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".6"
      />
      <path d="M-4200 404H0Q120 384 240 396T400 388V500H-4200Z" className="p-shore" />
      <path d="M-4200 452H0Q140 434 260 446T400 436V500H-4200Z" className="p-shore2" />
      <g>
        <path d="M67.2 389.0L64.3 462M84.8 389.0L87.7 462" stroke="#0f2436" strokeWidth="15.0" fill="none" />
        <path d="M59.4 462h13.5M83.7 462h13.5" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M63 351.5L56 298M89 351.5L96 298" strokeWidth="10" strokeLinecap="round" fill="none" stroke="#0a6f83" />
        <circle cx="56" cy="297" r="6.5" fill="#f3c9a5" />
        <circle cx="96" cy="297" r="6.5" fill="#f3c9a5" />
        <path d="M56.5 351.5Q56.5 343.5 64.5 343.5H87.5Q95.5 343.5 95.5 351.5L92.6 397.0H59.4Z" fill="#0a6f83" />
        <circle cx="76" cy="332.0" r="12.8" fill="#f3c9a5" />
        <path d="M62.2 331.0A13.8 13.8 0 0 1 89.8 331.0Z" fill="#b3261e" />
        <circle cx="76" cy="318.3" r="3.5" fill="#b3261e" />
      </g>
      <g>
        <path d="M136.8 393.3L133.7 470M155.2 393.3L158.3 470" stroke="#28485a" strokeWidth="15.8" fill="none" />
        <path d="M128.6 470h14.2M154.3 470h14.2" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M133 353.2L126 298M159 353.2L166 298" strokeWidth="10" strokeLinecap="round" fill="none" stroke="#ffffff" />
        <circle cx="126" cy="297" r="6.5" fill="#8d5a3b" />
        <circle cx="166" cy="297" r="6.5" fill="#8d5a3b" />
        <path d="M125.5 353.2Q125.5 345.2 133.5 345.2H158.5Q166.5 345.2 166.5 353.2L163.5 401.3H128.5Z" fill="#ffffff" />
        <circle cx="146" cy="333.1" r="13.4" fill="#8d5a3b" />
        <path d="M131.6 333.1A14.4 14.4 0 0 1 160.4 333.1Q146.0 325.0 131.6 333.1Z" fill="#1b120d" />
      </g>
      <g>
        <path d="M206.5 393.5L203.4 472M225.5 393.5L228.6 472" stroke="#0f2436" strokeWidth="16.2" fill="none" />
        <path d="M198.3 472h14.6M224.6 472h14.6" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M203 352L196 298M229 352L236 298" strokeWidth="10" strokeLinecap="round" fill="none" stroke="#cd3e24" />
        <circle cx="196" cy="297" r="6.5" fill="#e2a878" />
        <circle cx="236" cy="297" r="6.5" fill="#e2a878" />
        <path d="M194.9 352Q194.9 344 202.9 344H229.1Q237.1 344 237.1 352L233.9 401.5H198.1Z" fill="#cd3e24" />
        <circle cx="216" cy="331.6" r="13.8" fill="#e2a878" />
        <path d="M200.2 341.3V330.6A15.8 15.8 0 0 1 231.8 330.6V341.3Q216.0 324.7 200.2 341.3Z" fill="#4a2b17" />
      </g>
      <g>
        <path d="M275 393.2L272 468M293 393.2L296 468" stroke="#28485a" strokeWidth="15.4" fill="none" />
        <path d="M267 468h13.9M292 468h13.9" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M271 354.3L264 298M297 354.3L304 298" strokeWidth="10" strokeLinecap="round" fill="none" stroke="#8b3f82" />
        <circle cx="264" cy="297" r="6.5" fill="#5d3a28" />
        <circle cx="304" cy="297" r="6.5" fill="#5d3a28" />
        <path d="M264 354.3Q264 346.3 272 346.3H296Q304 346.3 304 354.3L301 401.2H267Z" fill="#8b3f82" />
        <circle cx="284" cy="334.6" r="13.1" fill="#5d3a28" />
        <path d="M268.9 343.7V333.6A15.1 15.1 0 0 1 299.1 333.6V343.7Q284.0 328.0 268.9 343.7Z" fill="#140d0a" />
      </g>
      <g>
        <path d="M335.5 388.8L332.6 460M352.5 388.8L355.4 460" stroke="#0f2436" strokeWidth="14.6" fill="none" />
        <path d="M327.7 460h13.1M351.4 460h13.1" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M331 352.7L324 298M357 352.7L364 298" strokeWidth="10" strokeLinecap="round" fill="none" stroke="#cfeaea" />
        <circle cx="324" cy="297" r="6.5" fill="#f0bd97" />
        <circle cx="364" cy="297" r="6.5" fill="#f0bd97" />
        <path d="M325 352.7Q325 344.7 333 344.7H355Q363 344.7 363 352.7L360.1 396.8H327.9Z" fill="#cfeaea" />
        <circle cx="344" cy="333.5" r="12.4" fill="#f0bd97" />
        <path d="M330.6 333.5A13.4 13.4 0 0 1 357.4 333.5Q344.0 326.0 330.6 333.5Z" fill="#a5531b" />
      </g>
      <path d="M14 296Q60 210 210 204 350 206 392 292L384 304Q200 288 22 306Z" fill="var(--wall)" />
      <path d="M14 296Q60 210 210 204 350 206 392 292L389 296Q340 222 208 220 76 224 20 301Z" fill="var(--funnel-500)" />
      <path
        d="M34 292Q90 250 206 246 322 248 374 288M26 298Q110 272 204 270 300 272 382 296"
        fill="none"
        stroke="var(--ink)"
        strokeWidth="2.5"
        opacity=".55"
      />
      <path d="M186 205Q208 196 232 205L228 214H190Z" fill="var(--ink)" />
    </g>
  )
}
