/** A copy of an example in a temporary folder, started with the commands of its README on free ports. */
import { expect, type Page } from '@playwright/test'
import { Place } from '../../docs/place.mjs'

export interface Account {
  email: string
  password: string
}

/** Starts Cloch with a copy of the example, and installs the packages of the app. The caller starts the app (`startApp`) and removes the copy. */
export async function startExample(name: string): Promise<Place> {
  const place = await Place.make({ hasProject: false })
  try {
    const built = ['node_modules', 'dist', '.next', '.cloch'].map((folder) => `~/notes/${folder}`)
    place.shell(`cp -r ~/cloch/examples/${name} ~/notes\nrm -rf ${built.join(' ')}\ncd ~/notes`)
    await place.prepareData()
    await place.start('cloch start')
    place.shell('npm install')
    return place
  } catch (error) {
    await place.remove()
    throw error
  }
}

async function send(page: Page, { email, password }: Account, button: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: button }).click()
}

/** Signs the user in with the form of the app. */
export const signIn = (page: Page, account: Account) => send(page, account, 'Sign in')

/** Creates an account with the form of the app. A development server compiles the next page only now, so this can take some time. */
export async function signUp(page: Page, account: Account) {
  await send(page, account, 'Create an account')
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible({ timeout: 120_000 })
}
