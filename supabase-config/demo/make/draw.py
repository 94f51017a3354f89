#!/usr/bin/env python3
"""Draws the demonstration's entries as SVG: one page each, invented for this project."""
import math, random, sys, os
W, H = 960, 720
out = sys.argv[1]; os.makedirs(out, exist_ok=True)

def svg(body, defs='', bg='#fff'):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{W}" height="{H}" viewBox="0 0 {W} {H}"><defs>{defs}</defs><rect width="{W}" height="{H}" fill="{bg}"/>{body}</svg>'
def grad(i, stops, x2=0, y2=1):
    return f'<linearGradient id="{i}" x1="0" y1="0" x2="{x2}" y2="{y2}">' + ''.join(f'<stop offset="{o}" stop-color="{c}"/>' for o, c in stops) + '</linearGradient>'
def radial(i, stops, cx=.5, cy=.5, r=.6):
    return f'<radialGradient id="{i}" cx="{cx}" cy="{cy}" r="{r}">' + ''.join(f'<stop offset="{o}" stop-color="{c}" stop-opacity="{a}"/>' for o, c, a in stops) + '</radialGradient>'
def rough(i, scale=14, freq=.02, seed=1):
    return f'<filter id="{i}" x="-10%" y="-10%" width="120%" height="120%"><feTurbulence type="fractalNoise" baseFrequency="{freq}" numOctaves="4" seed="{seed}" result="n"/><feDisplacementMap in="SourceGraphic" in2="n" scale="{scale}" xChannelSelector="R" yChannelSelector="G"/></filter>'
def blur(i, s): return f'<filter id="{i}" x="-30%" y="-30%" width="160%" height="160%"><feGaussianBlur stdDeviation="{s}"/></filter>'
def grain(i, freq=.8, alpha=.16, seed=3, dark='0'):
    return f'<filter id="{i}" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency="{freq}" numOctaves="3" seed="{seed}"/><feColorMatrix values="0 0 0 0 {dark}  0 0 0 0 {dark}  0 0 0 0 {dark}  0 0 0 {alpha*3} -{alpha*.9}"/></filter>'
def noise(i): return f'<rect width="{W}" height="{H}" filter="url(#{i})"/>'
def hills(rng, y, amp, color, extra='', n=14):
    p = [(x * W / n, y - amp * abs(math.sin(x * .9 + rng.random() * 1.4)) * (0.4 + rng.random() * .6)) for x in range(n + 1)]
    d = f'M0 {H} L' + ' '.join(f'{x:.0f} {v:.0f}' for x, v in p) + f' L{W} {H}Z'
    return f'<path d="{d}" fill="{color}" {extra}/>'
def smooth_hills(rng, y, amp, color, extra='', n=7):
    xs = [i * W / n for i in range(n + 1)]; ys = [y - amp * rng.random() for _ in xs]
    d = f'M0 {H} L0 {ys[0]:.0f}'
    for i in range(n):
        mx = (xs[i] + xs[i + 1]) / 2
        d += f' C{mx:.0f} {ys[i]:.0f} {mx:.0f} {ys[i+1]:.0f} {xs[i+1]:.0f} {ys[i+1]:.0f}'
    return f'<path d="{d} L{W} {H}Z" fill="{color}" {extra}/>'
def strokes(rng, y0, y1, n, color, w=(2, 6), l=(20, 120), op=.5):
    s = ''
    for _ in range(n):
        y = rng.uniform(y0, y1); k = (y - y0) / max(1, y1 - y0) + .25; x = rng.uniform(-40, W); ln = rng.uniform(*l) * k
        s += f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{x+ln:.0f}" y2="{y:.0f}" stroke="{color}" stroke-width="{rng.uniform(*w)*k:.1f}" stroke-linecap="round" opacity="{op}"/>'
    return s
def lighthouse(x, y, s, body='#f6f3ea', band='#16212c', lamp='#ffd75e'):
    return f'<g transform="translate({x} {y}) scale({s})"><path d="M-22 0L-14 -150H14L22 0Z" fill="{body}"/><path d="M-18.2 -70L-16 -112H16L18.2 -70Z" fill="{band}"/><rect x="-18" y="-158" width="36" height="8" fill="{band}"/><rect x="-10" y="-180" width="20" height="22" fill="{lamp}"/><path d="M-14 -180L0 -198L14 -180Z" fill="{band}"/></g>'
def ferry(x, y, s, hull='#16212c', top='#f6f3ea', funnel='#cd3e24', windows='#7fd3d5'):
    w = ''.join(f'<rect x="{-80+i*20}" y="-38" width="11" height="9" fill="{windows}"/>' for i in range(8))
    return f'<g transform="translate({x} {y}) scale({s})"><path d="M-130 0L-112 30H112L130 0Z" fill="{hull}"/><rect x="-100" y="-26" width="200" height="26" fill="{top}"/><rect x="-86" y="-48" width="172" height="24" fill="{top}"/>{w}<rect x="10" y="-78" width="26" height="32" fill="{funnel}"/><rect x="10" y="-78" width="26" height="8" fill="{hull}"/></g>'
def person(x, y, s, coat='#cd3e24', skin='#c98e6a', hair='#3b2a20', legs='#27323c'):
    return f'<g transform="translate({x} {y}) scale({s})"><rect x="-10" y="-40" width="8" height="40" fill="{legs}"/><rect x="3" y="-40" width="8" height="40" fill="{legs}"/><path d="M-18 -36Q-16 -92 0 -92Q17 -92 18 -36Z" fill="{coat}"/><circle cx="0" cy="-106" r="15" fill="{skin}"/><path d="M-15 -108A15 15 0 0 1 15 -108Q0 -116 -15 -108Z" fill="{hair}"/></g>'
def leaf(x, y, s, a, color):
    return f'<g transform="translate({x:.0f} {y:.0f}) rotate({a:.0f}) scale({s:.2f})"><path d="M0 60C-46 20-34-40 0-64C34-40 46 20 0 60Z" fill="{color}"/><path d="M0 78V-50M0 20L18 0M0 20L-18 0M0-8L14-24M0-8L-14-24" stroke="#fff" stroke-opacity=".55" stroke-width="3" fill="none"/></g>'

def puddle(r):
    b = '<rect width="960" height="400" fill="#bfe3f2"/><rect y="400" width="960" height="320" fill="#9cc66b"/><circle cx="800" cy="110" r="70" fill="#ffd21f"/>'
    b += '<ellipse cx="470" cy="560" rx="360" ry="110" fill="#4f9fd0"/><ellipse cx="470" cy="560" rx="250" ry="66" fill="#7cc0e6"/>'
    b += person(400, 600, 2.2, '#e4382b', '#f0c39c', '#7a3e12', '#2a52a3')
    b += '<g fill="#7b4a1e"><ellipse cx="620" cy="560" rx="70" ry="38"/><circle cx="690" cy="522" r="34"/><rect x="570" y="575" width="16" height="50"/><rect x="650" y="575" width="16" height="50"/><path d="M556 548Q520 500 540 480L566 530Z"/><path d="M706 500L730 540L700 536Z"/></g><circle cx="700" cy="516" r="5"/><path d="M700 536Q712 546 722 532" stroke="#000" fill="none" stroke-width="4"/>'
    b += ''.join(f'<path d="M{r.randint(140,800)} {r.randint(430,480)}q10 -40 20 0" stroke="#2f7fc1" stroke-width="8" fill="none"/>' for _ in range(14))
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', rough('r', 16, .05, 4) + grain('g', .5, .3, 5, '1'), '#fffdf5')
def whale(r):
    b = '<rect width="960" height="720" fill="url(#s)"/><rect y="230" width="960" height="490" fill="url(#w)"/>' + ferry(560, 215, 1.5)
    b += '<g transform="translate(440 500)"><path d="M-300 20C-280-120-60-150 110-90C220-50 300-40 350-110C372-60 372-20 330 20C372 40 380 80 356 120C300 60 200 70 110 96C-60 150-280 130-300 20Z" fill="#27506f"/><path d="M-296 40C-240 110-60 130 100 84C20 60-180 70-296 40Z" fill="#cfe2e8"/><circle cx="-190" cy="4" r="10" fill="#fff"/><circle cx="-190" cy="4" r="5"/></g>'
    b += ''.join(f'<circle cx="{r.randint(60,900)}" cy="{r.randint(260,700)}" r="{r.randint(4,14)}" fill="none" stroke="#fff" stroke-width="3" opacity=".6"/>' for _ in range(26))
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', grad('s', [(0, '#fbc77a'), (1, '#fbe6c2')]) + grad('w', [(0, '#4fb0c6'), (1, '#0b3d57')]) + rough('r', 18, .03, 9) + grain('g', .9, .35, 2, '.2'))
def leaves(r):
    c = ['#d9822b', '#b5431f', '#e8b83a', '#7b8f3a', '#5b6e2a', '#8a2f22', '#c9a35a']
    b = ''.join(leaf(r.uniform(0, W), r.uniform(0, H), r.uniform(.7, 1.7), r.uniform(0, 360), r.choice(c)) for _ in range(120))
    b += '<path d="M330 330h300v180h-300z" fill="#f3ead6"/><path d="M310 330L480 200L650 330Z" fill="#8a2f22"/><rect x="450" y="420" width="60" height="90" fill="#5b6e2a"/><rect x="360" y="380" width="56" height="50" fill="#e8b83a"/><rect x="545" y="380" width="56" height="50" fill="#e8b83a"/>'
    return svg(f'<g filter="url(#r)">{b}</g>', rough('r', 6, .06, 7), '#efe6d2')
def tide(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + smooth_hills(r, 250, 90, '#7fae9a', 'opacity=".6"') + smooth_hills(r, 300, 60, '#4f8f7f', 'opacity=".6"')
    b += '<rect y="290" width="960" height="430" fill="#3f6f60" opacity=".75"/>'
    for _ in range(26):
        x, y = r.uniform(0, W), r.uniform(320, 710); k = (y - 280) / 430
        b += f'<ellipse cx="{x:.0f}" cy="{y:.0f}" rx="{r.uniform(50,150)*k:.0f}" ry="{r.uniform(16,46)*k:.0f}" fill="{r.choice(["#8fe0b4","#5cc79b","#b9f0cf","#2f9c84"])}" opacity=".55"/>'
    b += strokes(r, 320, 710, 60, '#dffbe8', (1, 4), (10, 70), .5)
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', grad('s', [(0, '#dff3d8'), (1, '#9fdcb8')]) + rough('r', 46, .012, 11) + grain('g', .6, .3, 8, '1'), '#f7f5ec')
def seal(r):
    b = ''
    body = 'M180 520C200 400 320 330 470 340C600 350 700 420 760 500C800 540 830 520 850 500C860 560 830 600 780 600C600 620 300 620 180 520Z'
    b += f'<path d="{body}" fill="#c9c6c0"/>'
    for i in range(420):
        x, y = r.uniform(190, 820), r.uniform(350, 600); b += f'<path d="M{x:.0f} {y:.0f}l{r.uniform(10,30):.0f} {r.uniform(-8,8):.0f}" stroke="#444" stroke-width="1.4" opacity=".35" clip-path="url(#c)"/>'
    b += '<circle cx="270" cy="430" r="13" fill="#222"/><path d="M214 470q16 14 34 4" stroke="#222" stroke-width="4" fill="none"/><path d="M206 456l-60 -10M206 462l-64 6M208 468l-58 22" stroke="#444" stroke-width="2"/>'
    b += '<path d="M90 640C180 560 780 560 900 650L930 720H60Z" fill="#8e8a83"/>' + strokes(r, 610, 715, 140, '#3c3a37', (1, 3), (20, 90), .5)
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', f'<clipPath id="c"><path d="{body}"/></clipPath>' + rough('r', 5, .08, 2) + grain('g', .7, .28, 1, '.3'), '#f4f1ea')
def gorse(r):
    b = '<rect width="960" height="720" fill="#f7e7a8"/><path d="M0 420C240 300 520 300 960 200V720H0Z" fill="#2a2a24"/>'
    for _ in range(900):
        x = r.uniform(0, W); top = 420 - x * .23; y = r.uniform(top, H); k = .4 + (y - top) / 500
        b += f'<path d="M{x:.0f} {y:.0f}l{6*k:.0f} {-16*k:.0f}l{8*k:.0f} {14*k:.0f}z" fill="{r.choice(["#f2b705","#ffd75e","#c98f00"])}"/>'
    b += '<rect x="560" y="196" width="190" height="110" fill="#2a2a24"/><path d="M545 196L655 136L765 196Z" fill="#2a2a24"/>' + ''.join(f'<rect x="{580+i*44}" y="216" width="22" height="30" fill="#f7e7a8"/>' for i in range(4))
    return svg(f'<g filter="url(#r)">{b}</g>', rough('r', 5, .05, 6), '#f7e7a8')
def picnic(r):
    b = '<rect width="960" height="720" fill="#8fa9b8"/>' + smooth_hills(r, 330, 120, '#6d8b86') + smooth_hills(r, 420, 60, '#55795c') + '<path d="M0 480Q480 420 960 500V720H0Z" fill="#4a8b4f"/><path d="M330 580L650 560L720 680L280 690Z" fill="#d64533"/>'
    b += ''.join(f'<path d="M{330+i*54} {578-i*3}L{290+i*72} {688-i}" stroke="#f5e9d8" stroke-width="7"/>' for i in range(7))
    b += person(300, 610, 1.5, '#f2b705', '#8a5a3c', '#1d1410') + person(690, 600, 1.6, '#2fb3bc', '#8a5a3c', '#1d1410') + person(500, 585, 1.1, '#8b3f82', '#8a5a3c', '#1d1410')
    b += '<path d="M200 440Q300 320 400 440Z" fill="#0b3d57"/><path d="M300 440V520" stroke="#222" stroke-width="5"/>'
    b += ''.join(f'<line x1="{(x:=r.uniform(0,W)):.0f}" y1="{(y:=r.uniform(0,H)):.0f}" x2="{x-10:.0f}" y2="{y+34:.0f}" stroke="#e6f0f5" stroke-width="3" opacity=".6"/>' for _ in range(170))
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', rough('r', 10, .03, 12) + grain('g', .4, .3, 6, '.2'))
def felt(r):
    c = ['#35506b', '#4f7792', '#7ba3b5', '#b7cdd3', '#e3e0d0', '#9aa789', '#6b7f63', '#3d5a55', '#274a63']
    b = ''
    for i, col in enumerate(c * 2):
        y = i * 44 - 20; b += f'<path d="M-20 {y}C240 {y+r.uniform(-40,40):.0f} 520 {y+r.uniform(-40,40):.0f} 980 {y+r.uniform(-20,20):.0f}V{y+74}H-20Z" fill="{col}"/>'
    for y in range(10, 720, 30): b += f'<path d="M0 {y}H960" stroke="#f4efe0" stroke-width="3" stroke-dasharray="16 14" opacity=".45"/>'
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', rough('r', 34, .04, 14) + grain('g', .35, .45, 4, '.9'))
def allotment(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + smooth_hills(r, 330, 90, '#6f8f84') + '<rect y="340" width="960" height="380" fill="#5a4127"/><rect x="660" y="230" width="200" height="170" fill="#6f5b45"/><path d="M640 230L760 160L880 230Z" fill="#3d322a"/><rect x="735" y="300" width="50" height="100" fill="#2b2521"/>'
    b += person(400, 560, 2.7, '#39557a', '#d9a987', '#d8d4cc', '#4a4038')
    for row in range(5):
        for i in range(13):
            x = 30 + i * 78 + row * 12; y = 420 + row * 66
            if abs(x - 400) < 70 and row < 3: continue
            b += f'<g transform="translate({x} {y}) scale({.6+row*.16})"><path d="M-5 40V0H5V40Z" fill="#e9efd5"/><path d="M0 4C-26-20-30-50-26-70C-10-50-4-30 0 0C4-30 10-50 26-70C30-50 26-20 0 4Z" fill="{r.choice(["#3f7f46","#4f9553","#2f6a3c"])}"/></g>'
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', grad('s', [(0, '#f1d9a6'), (1, '#d8c9a9')]) + rough('r', 20, .025, 17) + grain('g', .5, .35, 9, '.1'))
def starlings(r):
    b = '<rect width="960" height="720" fill="#e9e6df"/>'
    for _ in range(2600):
        t = r.uniform(0, 2 * math.pi); rad = r.gauss(1, .34); x = 480 + 330 * rad * math.cos(t) + 60 * math.sin(3 * t); y = 270 + 150 * rad * math.sin(t) + 40 * math.cos(2 * t)
        s = r.uniform(2, 7); b += f'<path d="M{x-s:.0f} {y:.0f}q{s:.1f} {-s*.9:.1f} {s:.1f} 0q0 {-s*.9:.1f} {s:.1f} 0" stroke="#222" stroke-width="1.7" fill="none" opacity="{r.uniform(.35,.95):.2f}"/>'
    for i, (x, w, h) in enumerate([(40, 220, 150), (270, 180, 190), (460, 240, 140), (710, 220, 180)]): b += f'<path d="M{x} 720V{720-h}L{x+w/2} {650-h}L{x+w} {720-h}V720Z" fill="#2b2a28" opacity="{.75+.05*i}"/>'
    b += strokes(r, 600, 718, 160, '#111', (1, 4), (20, 130), .35)
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', rough('r', 7, .09, 21) + grain('g', .65, .45, 3, '.15'))
def floating(r):
    b = '<rect width="960" height="720" fill="url(#s)"/><circle cx="640" cy="130" r="54" fill="#fff4c9"/>' + smooth_hills(r, 330, 130, '#5f86a6') + smooth_hills(r, 350, 60, '#3c6b7d') + lighthouse(190, 350, .8) + '<rect y="340" width="960" height="380" fill="url(#w)"/>' + strokes(r, 345, 715, 200, '#bff0ee', (3, 9), (40, 190), .5) + strokes(r, 345, 715, 90, '#0a4a63', (3, 8), (40, 160), .5)
    b += '<path d="M330 720C360 610 420 600 440 720ZM520 720C545 606 610 604 640 720Z" fill="#d9a480"/>'
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', grad('s', [(0, '#4ba3d9'), (1, '#d8f0f2')]) + grad('w', [(0, '#3fb6bd'), (1, '#0a5a74')]) + rough('r', 16, .02, 23) + grain('g', .3, .28, 2, '.9'))
def inkmap(r):
    b = '<path d="M0 120C200 60 260 240 380 220C520 190 560 60 720 120C860 170 900 80 960 110V0H0Z" fill="#cdb58a" opacity=".6"/><path d="M0 560C160 500 300 620 470 560C640 500 760 600 960 540V720H0Z" fill="#cdb58a" opacity=".7"/>'
    b += ''.join(f'<path d="M{r.randint(60,880)} {r.randint(250,520)}q14 -12 28 0t28 0" stroke="#4d3c23" stroke-width="2" fill="none" opacity=".6"/>' for _ in range(60))
    pts = [(110, 170), (250, 250), (330, 150), (520, 160), (700, 190), (850, 130), (180, 600), (390, 590), (560, 560), (760, 610)]
    b += '<path d="M' + ' L'.join(f'{x} {y}' for x, y in pts) + '" stroke="#7a2318" stroke-width="3" stroke-dasharray="4 12" fill="none"/>'
    b += ''.join(f'<g transform="translate({x} {y})"><circle r="14" fill="none" stroke="#3a2c18" stroke-width="3"/><path d="M-7 2Q0 12 7 2" stroke="#3a2c18" stroke-width="3" fill="none"/><circle cx="-5" cy="-4" r="2"/><circle cx="5" cy="-4" r="2"/></g>' for x, y in pts)
    b += '<g transform="translate(850 410)" stroke="#3a2c18" stroke-width="3" fill="none"><path d="M0 -60V60M-60 0H60M0 -60l-10 24h20z"/><circle r="40"/></g>' + lighthouse(620, 545, .5, '#f3e7c8', '#3a2c18', '#c9872b')
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', rough('r', 7, .05, 30) + grain('g', .02, .34, 12, '.45'), '#efe0bb')
def moss(r):
    b = ''.join(f'<circle cx="{r.uniform(0,W):.0f}" cy="{r.uniform(0,H):.0f}" r="{(q:=r.uniform(4,46)):.0f}" fill="{r.choice(["#2f5d1e","#4f8a2a","#7fb53c","#a9d65a","#1d3f18","#c9ec86"])}" opacity="{.9-q/70:.2f}"/>' for _ in range(900))
    b += ''.join(f'<path d="M{(x:=r.uniform(60,900)):.0f} {(y:=r.uniform(200,700)):.0f}q6 -60 {r.uniform(-14,14):.0f} -{r.uniform(70,140):.0f}" stroke="#c98f4a" stroke-width="3" fill="none"/>' for _ in range(40))
    return svg(b, bg='#16300f')
def pier(r):
    b = '<rect width="960" height="720" fill="url(#s)"/><circle cx="300" cy="330" r="80" fill="#fff0a8"/>' + smooth_hills(r, 380, 90, '#a8648a') + '<rect y="380" width="960" height="200" fill="url(#w)"/>' + strokes(r, 385, 575, 90, '#ffe1a0', (3, 8), (40, 150), .6)
    b += '<path d="M0 580H960V720H0Z" fill="#5b4a52"/><path d="M0 560H960V590H0Z" fill="#8a7078"/>' + ''.join(person(x, 562, s, c, k, h) for x, s, c, k, h in [(380, 1.1, '#0b3d57', '#e6b48f', '#241a14'), (440, 1, '#f2b705', '#9a6a4c', '#100c0a'), (505, 1.15, '#cd3e24', '#e6b48f', '#8a4a1c'), (650, .9, '#7fd3d5', '#c98e6a', '#241a14')])
    return svg(f'<g filter="url(#r)">{b}</g>{noise("g")}', grad('s', [(0, '#f06d5a'), (.6, '#fba86a'), (1, '#ffe0a0')]) + grad('w', [(0, '#f6b27a'), (1, '#7a4f78')]) + rough('r', 24, .05, 33) + grain('g', .55, .5, 2, '1'))

def photo(body, defs='', bg='#000', g=.2):
    v = radial('v', [(0, '#000', 0), (.7, '#000', 0), (1, '#000', .55)], .5, .5, .75)
    return svg(f'{body}<rect width="{W}" height="{H}" fill="url(#v)"/>{noise("g")}', defs + v + grain('g', .9, g, 5, '.5'), bg)
def night_ferry(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + smooth_hills(r, 400, 130, '#0a1420') + '<rect y="400" width="960" height="320" fill="url(#w)"/>'
    b += ''.join(f'<circle cx="{r.randint(0,960)}" cy="{r.randint(350,398)}" r="2" fill="#ffd9a0" opacity=".8"/>' for _ in range(50))
    b += ferry(520, 400, 1.7, '#05080c', '#39424a', '#7a2318', '#ffe9a6') + '<g filter="url(#b)">' + ''.join(f'<rect x="{384+i*34}" y="450" width="16" height="{r.randint(90,210)}" fill="#ffcf70" opacity=".55"/>' for i in range(8)) + '</g>' + strokes(r, 410, 715, 120, '#000', (2, 5), (40, 160), .35)
    b += ''.join(f'<rect x="{x}" y="{520-x*.05:.0f}" width="26" height="220" fill="#04070a"/>' for x in range(20, 300, 90)) + '<path d="M0 540L330 510V535L0 575Z" fill="#04070a"/>'
    return photo(b, grad('s', [(0, '#050b16'), (1, '#24405c')]) + grad('w', [(0, '#1c3347'), (1, '#04080d')]) + blur('b', 5))
def wind(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + f'<g filter="url(#b)">{smooth_hills(r, 430, 120, "#8aa0ac")}<rect y="430" width="960" height="130" fill="#6f8b99"/></g><rect y="560" width="960" height="160" fill="#9a948a"/><rect y="520" width="960" height="14" fill="#e9eef0"/>' + ''.join(f'<rect x="{x}" y="520" width="10" height="60" fill="#e9eef0"/>' for x in range(0, 960, 90))
    b += '<g transform="translate(470 720)"><path d="M-190 0C-180-250-90-330 10-330C120-330 190-240 200 0Z" fill="#7a3472"/><path d="M-70-320C-60-280 70-280 84-320L60-360H-50Z" fill="#f2b705"/><path d="M70-330C180-360 300-330 400-390C330-300 220-270 80-290Z" fill="#f2b705"/><ellipse cx="4" cy="-420" rx="78" ry="92" fill="#d8a582"/><path d="M-80-430C-90-540 70-560 90-450C150-500 200-490 240-520C200-440 140-420 92-410C60-470-20-480-80-430Z" fill="#dcdad6"/><path d="M-40-430q16-16 32 0M20-430q16-16 32 0" stroke="#4a2f22" stroke-width="6" fill="none"/><path d="M-38-386Q6-330 50-386Q6-366-38-386Z" fill="#fff" stroke="#7a2a22" stroke-width="6"/></g>'
    return photo(b, grad('s', [(0, '#b9c9d1'), (1, '#e6edf0')]) + blur('b', 6), g=.14)
def crab(r):
    b = '<rect width="960" height="720" fill="#8c7a5e"/>' + f'<g filter="url(#b)">' + ''.join(f'<ellipse cx="{r.uniform(0,W):.0f}" cy="{r.uniform(0,H):.0f}" rx="{r.uniform(20,90):.0f}" ry="{r.uniform(16,60):.0f}" fill="{r.choice(["#6f6048","#a08c6c","#b7a684","#5a4f3e","#7e8a86"])}"/>' for _ in range(110)) + '</g>'
    legs = ''.join(f'<path d="M{sx*110} {y}C{sx*210} {y-50} {sx*230} {y+10} {sx*(250-i*14)} {y+90}" stroke="#7a2f1a" stroke-width="22" fill="none" stroke-linecap="round"/>' for sx in (-1, 1) for i, y in enumerate((-10, 30, 66)))
    claw = lambda sx: f'<g transform="scale({sx} 1)"><path d="M110-40C200-90 230-120 220-170" stroke="#8f3a20" stroke-width="34" fill="none" stroke-linecap="round"/><path d="M196-160C180-240 240-280 300-260C270-240 262-220 268-196C290-200 300-214 306-236C330-190 290-130 230-136Z" fill="#a34526"/></g>'
    b += f'<g transform="translate(480 400) rotate(-8)">{legs}{claw(1)}{claw(-1)}<ellipse rx="180" ry="118" fill="url(#c)"/><circle cx="-46" cy="-112" r="15" fill="#111"/><circle cx="46" cy="-112" r="15" fill="#111"/><circle cx="-42" cy="-117" r="5" fill="#fff"/><circle cx="50" cy="-117" r="5" fill="#fff"/><path d="M-36-70q36 20 72 0" stroke="#5a1f10" stroke-width="6" fill="none"/></g>'
    return photo(b, radial('c', [(0, '#d8764a', 1), (.7, '#a34526', 1), (1, '#6f2a16', 1)], .45, .35, .75) + blur('b', 9), g=.16)
def rain(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + smooth_hills(r, 440, 170, '#4b5c66') + f'<g filter="url(#b)"><path d="M260 60C420 0 900 20 960 120V440H420C360 300 200 140 260 60Z" fill="#2c3840" opacity=".85"/></g>' + ''.join(f'<line x1="{(x:=r.uniform(330,960)):.0f}" y1="130" x2="{x-70:.0f}" y2="450" stroke="#aab8bf" stroke-width="1.4" opacity=".35"/>' for _ in range(140)) + '<rect y="430" width="960" height="290" fill="url(#w)"/>' + strokes(r, 435, 715, 170, '#dfe9ec', (1, 4), (30, 150), .3) + '<path d="M150 470l44 0l-8 18h-30z" fill="#111"/><path d="M170 470v-70l34 60z" fill="#e8e4da"/>'
    return photo(b, grad('s', [(0, '#98a7ae'), (1, '#f3dcae')], 1, .4) + grad('w', [(0, '#7d8d94'), (1, '#27353c')]) + blur('b', 26))
def from_kayak(r):
    b = '<rect width="960" height="720" fill="url(#s)"/>' + smooth_hills(r, 400, 80, '#5d7d6a') + '<path d="M380 430L520 380L760 392L900 430Z" fill="#4a463f"/>' + lighthouse(600, 396, 1.75) + '<rect x="640" y="350" width="120" height="46" fill="#f0ece0"/><path d="M632 350L700 318L768 350Z" fill="#39424a"/><rect y="424" width="960" height="296" fill="url(#w)"/>' + strokes(r, 430, 640, 150, '#e2f3f5', (2, 5), (30, 150), .4) + '<path d="M200 720C300 560 420 520 480 520C540 520 660 560 760 720Z" fill="#df4a2e"/><path d="M430 720C440 600 460 540 480 528C500 540 520 600 530 720Z" fill="#a5331b"/>'
    b += '<g filter="url(#b)"><circle cx="120" cy="640" r="50" fill="#fff" opacity=".25"/><circle cx="860" cy="560" r="30" fill="#fff" opacity=".25"/></g>'
    return photo(b, grad('s', [(0, '#5aa7d6'), (1, '#e4f2f4')]) + grad('w', [(0, '#3d8fa3'), (1, '#0c3f56')]) + blur('b', 10), g=.14)
def crane(r):
    b = '<rect width="960" height="720" fill="url(#s)"/><g stroke="#141414" fill="none"><path d="M300 720L360 220M460 720L400 220M330 480H430M318 580H444M345 360H416" stroke-width="16"/><path d="M120 220H860L400 120Z" stroke-width="12"/><path d="M180 220L400 120M300 220V160M520 220V146M640 220V172M760 220V196" stroke-width="6"/><path d="M800 220V420" stroke-width="4"/></g><path d="M782 420h36v30h-36z" fill="#141414"/><rect y="690" width="960" height="30" fill="#141414"/><path d="M560 380q40 -40 70 -6q30 -40 78 -10q-46 0 -70 40q-26 -30 -78 -24z" fill="#fff"/>'
    return photo(f'<g>{b}</g>', grad('s', [(0, '#7d7d7d'), (1, '#e8e8e8')]), g=.4)
def swimmers(r):
    b = '<rect width="960" height="720" fill="#03080f"/><path d="M60 260L900 260L1040 720H-80Z" fill="url(#w)"/>'
    b += ''.join(f'<path d="M{160+i*160} 260L{-20+i*250} 720" stroke="#cfeaea" stroke-width="3" opacity=".25"/>' for i in range(5))
    for x, y, s in [(250, 360, .8), (430, 460, 1.1), (640, 380, .9), (700, 560, 1.5), (300, 600, 1.5)]:
        b += f'<g transform="translate({x} {y}) scale({s})"><g filter="url(#b)"><circle r="70" fill="#ffe9a6" opacity=".55"/></g><circle cx="0" cy="-6" r="16" fill="#2a1a14"/><path d="M-44 12Q0 -16 44 12Q0 26 -44 12Z" fill="#d9a480"/><circle cx="34" cy="-18" r="7" fill="#fff6d0"/></g>'
    b += strokes(r, 300, 715, 120, '#8fe8e4', (1, 4), (30, 120), .35) + '<path d="M0 260H960V200H0Z" fill="#0b1924"/>' + ''.join(f'<circle cx="{x}" cy="206" r="5" fill="#ffd75e"/>' for x in range(30, 960, 84))
    return photo(b, grad('w', [(0, '#0a4552'), (1, '#0fa0a6')]) + blur('b', 18), g=.3)
def frost(r):
    b = '<rect width="960" height="720" fill="url(#s)"/><g filter="url(#b)"><circle cx="250" cy="250" r="120" fill="#ffcf8a" opacity=".7"/><circle cx="720" cy="420" r="150" fill="#ff9e82" opacity=".5"/><circle cx="520" cy="180" r="80" fill="#7fd3d5" opacity=".5"/></g>'
    def fern(x, y, a, l, d):
        if d == 0 or l < 6: return ''
        x2, y2 = x + l * math.cos(a), y + l * math.sin(a)
        s = f'M{x:.0f} {y:.0f}L{x2:.0f} {y2:.0f}'
        for k in (.3, .5, .7, .9):
            for t in (-.8, .8): s += fern(x + (x2 - x) * k, y + (y2 - y) * k, a + t, l * .36 * (1.2 - k * .5), d - 1)
        return s
    for _ in range(22):
        side = r.choice((0, 1, 2)); x, y, a = [(r.uniform(0, W), 720, -1.57), (0, r.uniform(0, H), 0), (W, r.uniform(0, H), 3.14)][side]
        b += f'<path d="{fern(x, y, a + r.uniform(-.6,.6), r.uniform(160,380), 4)}" stroke="#fff" stroke-width="1.5" opacity=".75" fill="none"/>'
    return photo(b, grad('s', [(0, '#274a63'), (1, '#86afbe')]) + blur('b', 50), g=.2)
def chips(r):
    b = '<rect width="960" height="720" fill="#0b1924"/><rect x="40" y="90" width="880" height="470" fill="url(#s)"/>' + ''.join(person(x, 560, s, c, k, h) for x, s, c, k, h in [(130, 3, '#27323c', '#e6b48f', '#241a14'), (270, 2.5, '#cd3e24', '#9a6a4c', '#100c0a'), (400, 3.1, '#0b3d57', '#e6b48f', '#8a4a1c'), (540, 2.2, '#f2b705', '#e6b48f', '#5a3a1c'), (660, 3, '#55795c', '#c98e6a', '#241a14'), (810, 2.8, '#8b3f82', '#e6b48f', '#dcdad6')])
    b += '<g stroke="#0b1924" stroke-width="16"><path d="M40 90H920V560H40ZM480 90V560" fill="none"/></g><text x="480" y="200" font-size="120" font-family="Georgia" font-weight="700" text-anchor="middle" fill="#fff" opacity=".75" transform="translate(960 0) scale(-1 1)">CHIPS</text><rect y="560" width="960" height="160" fill="#c9d3d6"/><rect y="560" width="960" height="14" fill="#8fa0a8"/><g filter="url(#b)"><ellipse cx="300" cy="560" rx="200" ry="90" fill="#fff" opacity=".3"/></g>'
    return photo(b, grad('s', [(0, '#1d3446'), (1, '#5d7d8c')]) + blur('b', 30), g=.3)

ART = {'poppy-mciver': puddle, 'theo-rankin': whale, 'anya-kowalska': leaves, 'gilly-ferrier': tide, 'duncan-esslemont': seal, 'maisie-thorburn': gorse, 'yusuf-rahman': picnic, 'seonaid-gray': felt, 'catherine-imrie': allotment, 'dexter-vance': starlings, 'ruaridh-nairn': floating, 'esme-whitelaw': inkmap, 'innes-loudon': moss, 'bonnie-strachan': pier,
  'niamh-sinclair': night_ferry, 'angus-tulloch': wind, 'ivy-carmichael': crab, 'leon-okafor': rain, 'freya-lamont': from_kayak, 'jude-pollock': crane, 'cameron-sharp': swimmers, 'hana-petrov': frost, 'blair-hendry': chips}
for name, draw in ART.items():
    open(f'{out}/{name}.svg', 'w').write(draw(random.Random(name)))
