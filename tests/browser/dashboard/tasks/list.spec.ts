/** docs/dashboard-tasks.md and the tests of its tasks belong together, and the tests use the app only as a user does. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { documented, taskNames } from '../../support/tasks-page.ts'

const sources = readdirSync(import.meta.dirname)
  .filter((file) => file !== 'list.spec.ts')
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  .join('\n')

test('each of the 40 tasks has a test that counts its clicks', () => {
  const tested = [...sources.matchAll(/^task\('([^']+)'/gm)].map(([, name]) => name)
  expect(tested).toHaveLength(40)
  expect(tested.sort()).toEqual(taskNames().sort())
  for (const name of tested) expect(documented(name ?? '').clicks.every((part) => part > 0), name).toBe(true)
})

test('no task opens an address, fills a field without a click, or clicks by script', () => {
  expect([...sources.matchAll(/\.goto\(|\bopen\(|\.fill\(|\.focus\(|force: true|dispatchEvent|\.tap\(|setInputFiles/g)].map(([text]) => text)).toEqual([])
})
