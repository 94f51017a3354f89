#!/usr/bin/env python3
"""Writes the demonstration's letters as one-page PDF."""
import sys
def pdf(path, lines):
    text = 'BT /F1 13 Tf 72 760 Td 19 TL\n' + '\n'.join(f'({l.replace(chr(92), chr(92)*2).replace("(", chr(92)+"(").replace(")", chr(92)+")")}) Tj T*' for l in lines) + '\nET'
    objs = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>', '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>', f'<</Length {len(text)}>>\nstream\n{text}\nendstream', '<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>']
    out, at = '%PDF-1.4\n', []
    for i, o in enumerate(objs, 1): at.append(len(out)); out += f'{i} 0 obj\n{o}\nendobj\n'
    x = len(out); out += f'xref\n0 {len(objs)+1}\n0000000000 65535 f \n' + ''.join(f'{a:010} 00000 n \n' for a in at) + f'trailer\n<</Size {len(objs)+1}/Root 1 0 R>>\nstartxref\n{x}\n%%EOF\n'
    open(path, 'w').write(out)
out = sys.argv[1]
pdf(f'{out}/eilidh-baird.pdf', ['To the judges of the Young Citizen Award', '', 'Every Tuesday and Thursday Eilidh unlocks room 14, puts out the board', 'games and waits by the door, so that nobody has to walk in alone.', 'She began with two friends. Last week there were forty-three pupils.', '', 'She has never asked to be thanked, which is why I am writing.', '', 'Shona Petrie', "St Columba's High School", '', '(An invented letter for demonstration.)'])
pdf(f'{out}/finlay-moir.pdf', ['To whom it may concern', '', 'This is to confirm that Finlay Moir, aged 11, swam sixty-four lengths', 'without stopping. The lifeboat fund received six hundred pounds.', '', 'Pool attendant, Gourock', '', '(An invented letter for demonstration.)'])
