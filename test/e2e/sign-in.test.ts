import assert from 'node:assert/strict'
import { operatorToken } from '../support/test-server.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('Signing in', world => {
  flow(
    world,
    'takes a token, refuses a wrong one with a reason, and signs out',
    async ({ page }) => {
      await page.goto(world.server.base)
      await expectAccessible(page, 'the sign-in page')
      await page.getByLabel('Token').fill('banyan_wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('not known here').waitFor()
      await page.getByLabel('Token').fill(operatorToken)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.reload()
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Token').waitFor()
    },
    { signedIn: false },
  )

  flow(
    world,
    'the link of the first start signs in, and the token goes nowhere but into a header',
    async ({ page }) => {
      const addresses: string[] = []
      const referrers: (string | undefined)[] = []
      page.on('request', request => {
        addresses.push(request.url())
        referrers.push(request.headers()['referer'])
      })
      await page.goto(`${world.server.base}/#token=${operatorToken}`)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      assert.ok(!page.url().includes(operatorToken), page.url())
      // What the browser itself calls the address keeps the fragment; what it sends does not.
      for (const address of addresses.slice(1)) assert.ok(!address.includes(operatorToken), address)
      for (const referrer of referrers) assert.ok(!referrer?.includes(operatorToken), referrer)
    },
    { signedIn: false },
  )
})
