import { expect, it } from 'vitest'
import { rewriter } from './csv-rewrite'
import type { Separator } from './csv'

const cases: [Separator, boolean[], string, string][] = [
  [';', [], 'a;b\n1;2\n', 'a,b\n1,2\n'],
  ['\t', [], 'a\tb\r\n\t""', 'a,b\n,""\n'],
  [';', [], '1,5;"x;y";a,"b""c"\n', '"1,5","x;y","a,b""c"\n'],
  [',', [true], 'a,b,c\r1,"2\r\n3",\r', 'b,c\n"2\r\n3",\n'],
  [',', [false, true, false], 'a,b,c\n1,2,3,4\n', 'a,c\n1,3,4\n'],
  [';', [], '\n', '\n'],
]

it.each(cases)('separated by %j, left out %j: %j', (separator, isLeftOut, text, wanted) => {
  const whole = rewriter(separator, isLeftOut)
  expect(whole.add(text) + whole.end()).toBe(wanted)
  // The file may be split into chunks at any character. Chunks of one character must give the same result.
  const byLetter = rewriter(separator, isLeftOut)
  expect(Array.from(text, byLetter.add).join('') + byLetter.end()).toBe(wanted)
})
