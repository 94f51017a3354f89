import { describe, expect, it } from 'vitest'
import { toCsv } from './csv'

describe('a sheet as CSV', () => {
  it('contains the columns of all rows, and a byte order mark for UTF-8', () => {
    expect(toCsv([{ a: 1 }, { b: ['x', 'y'], c: true }])).toBe('\ufeffa,b,c\r\n1,,\r\n,"x\ny",yes')
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('makes no formula of %j', (text) => {
    const cell = toCsv([{ a: text }])
      .split('\r\n')
      .slice(1)
      .join('\r\n')
    expect(cell.replace(/^"/, '')).toMatch(/^'/)
  })
})
