import { expect, it } from 'vitest'
import type { JudgeLinkRow } from './judge-links'
import { linkState, linkStory } from './link-state'

const link: JudgeLinkRow = {
  judge: 'j',
  works: true,
  created_at: '2026-10-01T10:00:00Z',
  created_by: 'secretary@example.org',
  used_at: null,
  revoked_at: null,
  revoked_by: null,
  sections: 2,
  finished: 1,
}
const used = { ...link, used_at: '2026-10-02T10:00:00Z' }
const revoked = { ...used, works: false, revoked_at: '2026-10-03T10:00:00Z', revoked_by: 'chair@example.org' }

it('describes a judge’s progress in a few words', () => {
  const states = [undefined, link, used, { ...used, sections: 0, finished: 0 }, revoked, { ...used, works: false }]
  expect(states.map(linkState)).toEqual(['No link', 'Not opened', 'Finished 1 of 2', 'Opened', 'Link revoked', 'Link ended'])
})

it('describes the history of the link', () => {
  expect(linkStory(link)).toMatch(/^Made on .* by secretary@example\.org\. Not opened yet\.$/)
  expect(linkStory(revoked)).toMatch(/Revoked on .* by chair@example\.org\.$/)
  expect(linkStory({ ...used, works: false })).toMatch(/It ended with its season\.$/)
})
