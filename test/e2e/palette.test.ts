import assert from 'node:assert/strict'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('Finding and switching', world => {
  flow(world, 'the command palette finds pages, agents and actions by keyboard', async ({ page }) => {
    const id = await makeAgent(world.server.api, {}, { name: 'Tea sommelier' })
    await page.goto(`${world.server.base}/#/`)
    await page.getByRole('button', { name: 'Search (Ctrl+K)' }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox')
    await field.fill('sommel')
    await page.getByRole('option', { name: /Tea sommelier/ }).waitFor()
    await expectAccessible(page, 'the command palette')
    await field.press('Enter')
    await page.waitForURL(new RegExp(`agents/${id}/chat`))
    await page.keyboard.press('Control+k')
    await field.fill('knowl')
    await field.press('Enter')
    await page.waitForURL(/#\/knowledge$/)
    await page.keyboard.press('Control+k')
    await field.fill('dark')
    await field.press('Enter')
    await page.locator(':root[data-theme="dark"]').waitFor()
  })

  flow(world, 'a second workspace is added, and the user switches back without a token', async ({ page }) => {
    const { token } = await dataOf(world.server.api.post('workspace/create', { name: 'Second house' }))
    await page.goto(`${world.server.base}/#/`)
    const open = () => page.getByRole('button', { name: 'Switch workspace' }).click()
    await open()
    await page.getByRole('menuitem', { name: 'Sign in to another workspace…' }).click()
    await page.getByLabel('Access token', { exact: true }).fill(token)
    await expectAccessible(page, 'signing in to another workspace')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(/^Second house ·/).waitFor()
    // Another token of the same workspace closes the dialog, too.
    const create = { name: 'Other', role: 'admin' }
    const other = await dataOf(world.server.api.as(token).post('token/create', create))
    await open()
    await page.getByRole('menuitem', { name: 'Sign in to another workspace…' }).click()
    await page.getByLabel('Access token', { exact: true }).fill(other.token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(/^Second house · Other/).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goto(`${world.server.base}/#/knowledge/${await makeBase(world.server.api.as(token))}/settings`)
    const name = page.getByRole('region', { name: 'Name and description' }).getByLabel('Name')
    await name.fill('Not saved')
    await open()
    await page.getByRole('menuitem', { name: /^default ·/ }).click()
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await name.inputValue(), 'Not saved')
    await open()
    await page.getByRole('menuitem', { name: /^default ·/ }).click()
    await question.getByRole('button', { name: 'Discard and switch' }).click()
    await page
      .getByText(/^default ·/)
      .first()
      .waitFor()
    // A sign-in that was revoked is not switched to.
    await world.server.api.as(token).post('token/delete', { id: other.id })
    await open()
    await page.getByRole('menuitem', { name: /^Second house · Other/ }).click()
    await messageShown(page, 'Invalid token')
    await page
      .getByText(/^default ·/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Access token', { exact: true }).waitFor()
    assert.equal(await page.evaluate("localStorage.getItem('banyan.sign-ins')"), null)
  })

  flow(world, 'conversations are filtered by feedback', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api)
    const disliked = await openTalk(api, id)
    const { feedback } = await say(api, disliked, 'What is wrong here?')
    await say(api, await openTalk(api, id), 'What is right here?')
    const { message_id } = feedback[0]
    await api.post('conversation/feedback', { ...disliked, message_id, rating: 'dislike' })
    await page.goto(`${world.server.base}/#/agents/${id}/conversations`)
    await page.getByRole('link', { name: 'What is right here?' }).waitFor()
    await page.getByLabel('Feedback').click()
    await page.getByTitle('With bad ratings').click()
    await page.getByRole('link', { name: 'What is right here?' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'What is wrong here?' }).waitFor()
    await expectAccessible(page, 'conversations by feedback')
  })
})
