import { beforeEach, describe, expect, it } from 'vitest'
import { closeTab, openTab, parseTabs, readTabs, setText, showScript, titleOf, writeTabs, type Tabs } from './tabs'

const three: Tabs = {
  tabs: [
    { id: '1', text: 'a' },
    { id: '2', text: 'b' },
    { id: '5', text: 'c' },
  ],
  active: '2',
  next: 6,
}

describe('tabs', () => {
  beforeEach(() => {
    sessionStorage.clear()
    localStorage.clear()
  })

  it('are restored after a reload, and in a new window', () => {
    expect(readTabs('me')).toEqual({ tabs: [{ id: '1', text: 'select now();' }], active: '1', next: 2 })
    writeTabs('me', three)
    expect(readTabs('me')).toEqual(three)
    sessionStorage.clear()
    expect(readTabs('me')).toEqual(three)
    expect(readTabs('somebody else').tabs).toHaveLength(1)
  })

  it('are replaced if the stored state is invalid', () => {
    const twice = JSON.stringify({ tabs: [three.tabs[0], three.tabs[0]], active: '1' })
    for (const stored of [null, '', '{', '[]', '{"tabs":[{"id":1}]}', twice])
      expect(parseTabs(stored).tabs, String(stored)).toHaveLength(1)
    expect(parseTabs(JSON.stringify({ ...three, active: '9' })).active).toBe('1')
  })

  it('open with a new id, and activate their neighbour when they close', () => {
    expect(openTab(three, 'd')).toEqual({ tabs: [...three.tabs, { id: '6', text: 'd' }], active: '6', next: 7 })
    expect(closeTab(three, '2').active).toBe('5')
    expect(closeTab({ ...three, active: '5' }, '5').active).toBe('2')
    expect(closeTab(three, '1').active).toBe('2')
    expect(closeTab(three, '9')).toEqual(three)
    expect(closeTab(parseTabs(null), '1')).toEqual({ tabs: [{ id: '2', text: '' }], active: '2', next: 3 })
    expect(openTab(closeTab(openTab(three), '6')).active, 'no number is used twice').toBe('7')
    expect(parseTabs(JSON.stringify({ ...three, next: 'x' })).next).toBe(6)
    let many = three
    for (let count = 0; count < 50; count += 1) many = openTab(many)
    expect(many.tabs).toHaveLength(30)
  })

  it('show a script of another page, in an existing tab if there is one', () => {
    expect(showScript(three, 'c')).toEqual({ ...three, active: '5' })
    expect(showScript(three, 'd').active).toBe('6')
  })

  it('change the text of the active tab', () => {
    expect(setText(three, 'x').tabs.map(({ text }) => text)).toEqual(['a', 'x', 'c'])
  })

  it('are named after their first statement', () => {
    const title = (text: string) => titleOf({ id: '3', text })
    expect(title('')).toBe('Query 3')
    expect(title('-- only a note')).toBe('Query 3')
    expect(title('-- a note\n\n/* b */ select 1;\nselect 2')).toBe('select 1;')
    expect(title(`select ${'x'.repeat(50)}`)).toBe(`select ${'x'.repeat(17)}…`)
  })
})
