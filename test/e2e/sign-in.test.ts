import assert from 'node:assert/strict'
import { makeBase } from '../support/knowledge.ts'
import { operatorToken } from '../support/test-server.ts'
import { eventually } from './support/canvas-page.ts'
import { describeConsole, flow, untilTrue } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('Signing in', world => {
  flow(
    world,
    'accepts a token, rejects an invalid one with a reason, and signs out',
    async ({ page }) => {
      await page.goto(world.server.base)
      await expectAccessible(page, 'the sign-in page')
      await page.getByLabel('Access token').fill('banyan_wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('Invalid token').waitFor()
      await page.getByLabel('Access token').fill(operatorToken)
      // By keyboard: the button moves up when the message disappears.
      await page.getByLabel('Access token').press('Enter')
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.reload()
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Access token').waitFor()
    },
    { signedIn: false },
  )

  flow(
    world,
    'the link of the first start signs in, and the token is only sent in a header',
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
      // The browser's own name of the address keeps the fragment; its requests do not.
      for (const address of addresses.slice(1)) assert.ok(!address.includes(operatorToken), address)
      for (const referrer of referrers) assert.ok(!referrer?.includes(operatorToken), referrer)
    },
    { signedIn: false },
  )

  const makeToken = async (role: string): Promise<{ id: string; token: string }> =>
    (await world.server.api.post('token/create', { name: `A ${role}`, role })).json.data

  flow(world, 'a link pasted while signed in asks which token to use', async ({ page }) => {
    const { token } = await makeToken('viewer')
    await page.goto(`${world.server.base}/#/files`)
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    await page.evaluate(`location.hash = '#token=${token}'`)
    const question = page.getByRole('dialog', { name: 'Sign in with this link?' })
    await question.getByText('You are signed in as').waitFor()
    assert.ok(page.url().endsWith('#/files'), page.url())
    await expectAccessible(page, 'the question whose token is meant')
    await question.getByRole('button', { name: 'Stay signed in' }).click()
    await question.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Access tokens' }).waitFor()
    await page.evaluate("location.hash = '#token=damaged%E0%A4'")
    await question.getByRole('button', { name: 'Use the link' }).click()
    await question.getByText('Invalid token').waitFor()
    await question.getByRole('button', { name: 'Stay signed in' }).click()
    await page.evaluate(`location.hash = '#token=${token}'`)
    await question.getByRole('button', { name: 'Use the link' }).click()
    await page.getByRole('link', { name: 'Access tokens' }).waitFor({ state: 'detached' })
    assert.equal(await page.evaluate("localStorage.getItem('banyan.token')"), token)
  })

  flow(
    world,
    'after its token was revoked, a user signs in again and finds all input, also what was being saved',
    async ({ page }) => {
      const [first, second] = [await makeToken('editor'), await makeToken('editor')]
      const base = await makeBase(world.server.api, { name: 'Handbook' })
      await page.goto(`${world.server.base}/#token=${first.token}`)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${world.server.base}/#/knowledge/${base}/settings`)
      const general = page.getByRole('region', { name: 'Name and description' })
      await general.getByLabel('Name').fill('Rules of the house')
      await page.getByRole('button', { name: 'Add a value' }).click()
      await page.getByRole('textbox', { name: 'Key 1' }).fill('half typed')
      await world.server.api.post('token/delete', { id: first.id })
      await general.getByRole('button', { name: 'Save' }).click()
      const again = page.getByRole('dialog', { name: 'Sign in again' })
      await again.getByText('no longer valid').waitFor()
      await expectAccessible(page, 'signing in again', '.ant-modal')
      await again.getByLabel('Access token').fill(second.token)
      await again.getByRole('button', { name: 'Sign in' }).click()
      await again.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Rules of the house', level: 1 }).waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Key 1' }).inputValue(), 'half typed')
    },
    { signedIn: false },
  )

  flow(world, 'another token of the workspace leaves the workflow editor as it is', async ({ page }) => {
    const { token } = await makeToken('editor')
    const nodes = [{ id: 'say', type: 'base', data: { type: 'output', title: 'Say', answer: 'Hello' } }]
    await world.server.api.post('workflow/update', {
      id: 'open',
      name: 'open',
      workflow: { nodes, edges: [] },
    })
    await page.goto(`${world.server.base}/#/workflows/open`)
    await page.locator('.canvas [data-node="say"]').click()
    const panel = page.locator('[data-panel-of="say"]')
    await panel.waitFor()
    const loaded: string[] = []
    page.on('request', request => loaded.push(request.url()))
    await page.evaluate(`location.hash = '#token=${token}'`)
    await page.getByRole('button', { name: 'Use the link' }).click()
    await page.getByRole('link', { name: 'Access tokens' }).waitFor({ state: 'detached' })
    await eventually(async () => assert.ok(loaded.some(url => url.includes('/workflow/kinds'))))
    // Everything is asked for at once, so what is not among it is not loaded.
    assert.ok(!loaded.some(url => url.includes('/workflow/layout')), 'the editor is not loaded again')
    await panel.waitFor()
  })

  flow(world, 'another page starts at its top, with the focus there', async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 400 })
    await page.goto(`${world.server.base}/#/`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), '', 'nothing is taken at the first load')
    await page.evaluate("document.getElementById('main').scrollTop = 200")
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await untilTrue(page, "document.activeElement.id === 'main'")
    assert.equal(await page.evaluate("document.getElementById('main').scrollTop"), 0)
  })

  flow(world, 'signing out in the settings leaves no draft of a workflow behind', async ({ page }) => {
    await page.goto(`${world.server.base}/#/settings`)
    await page.evaluate("localStorage.setItem('banyan.draft.ws.wf', '{}')")
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Access token').waitFor()
    assert.equal(await page.evaluate("localStorage.getItem('banyan.draft.ws.wf')"), null)
  })
})
