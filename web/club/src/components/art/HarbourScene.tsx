import { Cloch } from './Cloch'
import { Ferry } from './Ferry'
import { Gull } from './Gull'

/** The view from Gourock, 1440 by 720 units with the horizon at 502: pool, lighthouse, ferry, and the hills of Argyll. */
export function HarbourScene() {
  return (
    <g>
      <rect x="-400" y="-400" width="2240" height="1200" fill="var(--sky)" />
      <rect x="-400" y="372" width="2240" height="140" fill="var(--sky-low)" />
      <g fill="var(--star)">
        <circle cx="90" cy="60" r="2" />
        <circle cx="210" cy="130" r="1.5" />
        <circle cx="340" cy="40" r="2" />
        <circle cx="520" cy="90" r="1.5" />
        <circle cx="640" cy="180" r="2" />
        <circle cx="760" cy="70" r="2.2" />
        <circle cx="880" cy="150" r="1.5" />
        <circle cx="980" cy="60" r="2" />
        <circle cx="1330" cy="90" r="2" />
        <circle cx="1400" cy="220" r="1.6" />
        <circle cx="700" cy="290" r="1.5" />
        <circle cx="60" cy="250" r="1.6" />
        <circle cx="1080" cy="40" r="1.6" />
      </g>
      <g className="harbour-weather">
        <circle cx="936" cy="330" r="46" fill="var(--lit)" />
        <path
          transform="translate(770 352) scale(0.9)"
          d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
          fill="var(--cloud)"
        />
        <path
          d="M782 412l-32 70M810 412l-32 70M838 412l-32 70M866 412l-32 70M894 412l-32 70M922 412l-32 70M950 412l-32 70"
          fill="none"
          stroke="var(--rain)"
          strokeWidth="3"
          strokeDasharray="24 13"
          opacity=".85"
        />
      </g>
      <path
        transform="translate(1200 120) scale(1.0)"
        d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
        fill="var(--cloud)"
      />
      <path
        transform="translate(1120 250) scale(1.1)"
        d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
        fill="var(--cloud-2)"
      />
      <path
        transform="translate(-260 330) scale(1.1)"
        d="M0 60H236a27 27 0 0 0 0-54q-7 0-13 3a46 46 0 0 0-85-20 37 37 0 0 0-60 12 30 30 0 0 0-44 12q-10-6-34-6a26.5 26.5 0 0 0 0 53Z"
        fill="var(--cloud)"
      />
      <path
        d="M-400 470C-250 452-150 424-40 430 40 434 70 456 150 450 240 442 280 408 360 412 430 416 470 446 540 442 610 438 640 410 720 414 800 418 850 450 940 446 1040 440 1080 416 1180 420 1280 426 1320 446 1440 440L1840 450V520H-400Z"
        fill="var(--hill-1)"
      />
      <path
        d="M-400 480C-260 470-160 446-60 450 60 456 120 484 220 480 300 476 350 448 440 452 540 458 580 484 680 482 760 480 800 464 880 468 980 474 1020 486 1120 482L1840 476V520H-400Z"
        fill="var(--hill-2)"
      />
      <path
        d="M-400 492C-200 470-60 468 60 480 160 490 220 500 330 500 420 500 470 490 560 496L640 503V520H-400Z"
        fill="var(--hill-3)"
      />
      <path
        d="M70 494h10v-7h7v7h9v-11h8v11h14v-6h9v6h20v6H70ZM210 499h12v-8h8v8h16v-6h8v6h18v5h-62Z"
        fill="var(--wall)"
        opacity=".9"
      />
      <rect x="-400" y="502" width="2240" height="330" fill="var(--sea)" />
      <path d="M-400 560Q-100 548 200 562T720 560L720 740H-400Z" fill="var(--sea-2)" />
      <path
        d="M-60 528H180M240 536H420M40 548h90M470 524h120M300 582h150M90 610h190M-20 650h130M420 630h140M210 668h160M1060 520h70M980 530h60"
        fill="none"
        stroke="var(--glint)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity=".55"
      />
      <Ferry transform="translate(556 450) scale(1)" />
      <g transform="translate(300 560) scale(1.1)">
        <path d="M0 22h46l-8 11H8Z" fill="var(--funnel-500)" />
        <path d="M22 20V-34L46 18ZM19 20V-22L2 18Z" fill="var(--wall)" />
      </g>
      <g transform="translate(150 534) scale(.62)">
        <path d="M0 22h46l-8 11H8Z" fill="var(--ink)" />
        <path d="M22 20V-34L46 18ZM19 20V-22L2 18Z" fill="var(--lamp-300)" />
      </g>
      <path d="M1840 530H1130L1096 556 1060 590V740H1840Z" fill="var(--grass)" />
      <path d="M1840 612H1040L980 740H1840Z" fill="var(--shore-2)" />
      <path
        d="M1028 612 1052 574 1078 582 1096 556 1128 566 1150 552 1176 580 1206 576 1226 596 1262 592 1290 612Z"
        fill="var(--shore)"
      />
      <path d="M1052 574 1078 582 1068 612H1028ZM1128 566 1150 552 1160 612H1120Z" fill="var(--shore-2)" />
      <g fill="var(--lamp-500)">
        <circle cx="1306" cy="600" r="12" />
        <circle cx="1324" cy="592" r="15" />
        <circle cx="1344" cy="602" r="12" />
        <circle cx="1416" cy="600" r="13" />
        <circle cx="1436" cy="592" r="15" />
      </g>
      <Cloch transform="translate(1012 88) scale(1.1)" />
      <path d="M1840 606H1052V616H1840Z" fill="var(--wall)" />
      <path
        d="M1090 646H1840M1090 664H1840M1110 634v54M1170 634v54M1230 634v54M1290 634v54M1350 634v54M1410 634v54M1470 634v54"
        fill="none"
        stroke="var(--wall-2)"
        strokeWidth="4"
      />
      <path d="M1066 684H1840V740H1090Z" fill="var(--deck)" />
      <g>
        <path d="M1208.6 665.7L1206.8 712M1219.4 665.7L1221.2 712" stroke="var(--ink)" strokeWidth="9.2" fill="none" />
        <path d="M1202.6 712h8.3M1217.2 712h8.3" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path d="M1202 647.3Q1202 639.3 1210 639.3H1218Q1226 639.3 1226 647.3L1224.2 673.7H1203.8Z" fill="var(--funnel-500)" />
        <circle cx="1214" cy="632.3" r="7.8" fill="#f3c9a5" />
        <path d="M1204.2 637.8V631.3A9.8 9.8 0 0 1 1223.8 631.3V637.8Q1214.0 628.4 1204.2 637.8Z" fill="#4a2b17" />
      </g>
      <g>
        <path d="M1247.9 677.8L1246.5 714M1256.1 677.8L1257.5 714" stroke="var(--ink)" strokeWidth="7.0" fill="none" />
        <path d="M1242.6 714h6.3M1253.5 714h6.3" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path
          d="M1242.9 666.7Q1242.9 658.7 1250.9 658.7H1253.1Q1261.1 658.7 1261.1 666.7L1259.7 685.8H1244.3Z"
          fill="var(--lamp-300)"
        />
        <circle cx="1252" cy="653.3" r="6.0" fill="#f0bd97" />
        <path d="M1245.0 653.3A7.0 7.0 0 0 1 1259.0 653.3Q1252.0 649.8 1245.0 653.3Z" fill="#a5531b" />
      </g>
      <g>
        <path d="M1376.4 663.8L1374.5 712M1387.6 663.8L1389.5 712" stroke="var(--ink)" strokeWidth="9.6" fill="none" />
        <path d="M1370.3 712h8.6M1385.5 712h8.6" stroke="var(--ink)" strokeWidth="7" strokeLinecap="round" />
        <path
          d="M1369.5 644.2Q1369.5 636.2 1377.5 636.2H1386.5Q1394.5 636.2 1394.5 644.2L1392.6 671.8H1371.4Z"
          fill="var(--heather-500)"
        />
        <circle cx="1382" cy="628.8" r="8.2" fill="#8d5a3b" />
        <path d="M1372.8 627.8A9.2 9.2 0 0 1 1391.2 627.8Z" fill="var(--pool-500)" />
        <circle cx="1382" cy="619.7" r="3.5" fill="var(--pool-500)" />
      </g>
      <path d="M600 584H1086L1150 740H520Z" fill="var(--deck)" />
      <path d="M628 606H1058L1108 740H566Z" fill="var(--poolwater)" />
      <path d="M628 606H1058l4 10H624Z" fill="var(--pool-900)" opacity=".35" />
      <path
        d="M714 616 676 740M800 616 786 740M886 616 896 740M972 616 1004 740"
        fill="none"
        stroke="var(--wall)"
        strokeWidth="3"
        strokeDasharray="12 9"
        opacity=".9"
      />
      <g transform="translate(760 650)">
        <path d="M-26 8q14-7 26 0t30-2" fill="none" stroke="var(--wall)" strokeWidth="3" strokeLinecap="round" opacity=".85" />
        <path d="M2 2 Q12-12 20 0" fill="none" stroke="var(--deck)" strokeWidth="4.5" strokeLinecap="round" />
        <circle r="7.5" fill="var(--funnel-500)" />
      </g>
      <g transform="translate(858 628)">
        <path d="M-26 8q14-7 26 0t30-2" fill="none" stroke="var(--wall)" strokeWidth="3" strokeLinecap="round" opacity=".85" />
        <path d="M2 2 Q12-12 20 0" fill="none" stroke="var(--deck)" strokeWidth="4.5" strokeLinecap="round" />
        <circle r="7.5" fill="var(--lamp-300)" />
      </g>
      <g transform="translate(930 668)">
        <path d="M-26 8q14-7 26 0t30-2" fill="none" stroke="var(--wall)" strokeWidth="3" strokeLinecap="round" opacity=".85" />
        <path d="M2 2 Q12-12 20 0" fill="none" stroke="var(--deck)" strokeWidth="4.5" strokeLinecap="round" />
        <circle r="7.5" fill="var(--wall)" />
      </g>
      <g transform="translate(820 690)">
        <path d="M-26 8q14-7 26 0t30-2" fill="none" stroke="var(--wall)" strokeWidth="3" strokeLinecap="round" opacity=".85" />
        <path d="M2 2 Q12-12 20 0" fill="none" stroke="var(--deck)" strokeWidth="4.5" strokeLinecap="round" />
        <circle r="7.5" fill="var(--ink)" />
      </g>
      <path d="M596 574H1090v14H596Z" fill="var(--wall)" />
      <path d="M596 584H1090v6H596Z" fill="var(--wall-2)" />
      <path d="M620 574v-14M680 574v-20M880 574v-26M1056 574v-26" fill="none" stroke="var(--shore-2)" strokeWidth="4" />
      <path d="M680 553Q790 580 880 549 960 580 1056 549" fill="none" stroke="var(--shore-2)" strokeWidth="2.5" />
      <path d="M712 556l7 13 7-13Z" fill="var(--funnel-500)" />
      <path d="M736 561l7 13 7-13Z" fill="var(--lamp-300)" />
      <path d="M760 564l7 13 7-13Z" fill="var(--pool-500)" />
      <path d="M784 565l7 13 7-13Z" fill="var(--wall)" />
      <path d="M808 564l7 13 7-13Z" fill="var(--funnel-500)" />
      <path d="M832 560l7 13 7-13Z" fill="var(--lamp-300)" />
      <path d="M856 555l7 13 7-13Z" fill="var(--wall)" />
      <path d="M904 555l7 13 7-13Z" fill="var(--pool-500)" />
      <path d="M928 560l7 13 7-13Z" fill="var(--funnel-500)" />
      <path d="M952 563l7 13 7-13Z" fill="var(--lamp-300)" />
      <path d="M976 564l7 13 7-13Z" fill="var(--wall)" />
      <path d="M1000 562l7 13 7-13Z" fill="var(--pool-500)" />
      <path d="M1024 558l7 13 7-13Z" fill="var(--funnel-500)" />
      <path d="M612 560h34v-10q-17-12-34 0Z" fill="var(--funnel-500)" />
      <Gull transform="translate(610 372) scale(1.3)" />
      <Gull transform="translate(652 392)" />
      <Gull transform="translate(1330 300) scale(1.1)" />
    </g>
  )
}
