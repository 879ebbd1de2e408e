import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Graph } from '../../src/workflow/graph.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent } from '../support/talk.ts'
import { eventually } from './support/canvas-page.ts'
import { type ConsoleWorld, describeConsole, flow, messageShown } from './support/console-world.ts'
import { closeWithEscape } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const saying = (text: string): Graph => chain(output('say', text))

const store = (world: ConsoleWorld, id: string, workflow: Graph) =>
  dataOf(world.server.api.post('workflow/update', { id, name: id, workflow }))
const published = async (world: ConsoleWorld, id: string): Promise<number | null> =>
  (await dataOf(world.server.api.get(`workflow?id=${id}`))).workflow.published_version
const versions = async (world: ConsoleWorld, id: string) =>
  (await dataOf(world.server.api.get(`workflow/versions?id=${id}`))).items

const open = async (world: ConsoleWorld, page: Page, id: string): Promise<void> => {
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  await page.getByRole('application').waitFor()
  await page.getByRole('button', { name: /^Fit to screen/ }).click()
}
const write = async (page: Page, text: string): Promise<void> => {
  await page.locator('.canvas [data-node="say"]').click()
  const panel = page.locator('[data-panel-of="say"]')
  await panel.getByLabel('Answer', { exact: true }).fill(text)
}
const openDialog = async (page: Page) => {
  await page.locator('.editor-tools').getByRole('button', { name: 'Publish' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish' })
  await dialog.waitFor()
  return dialog
}

describeConsole('Publishing a workflow', world => {
  flow(world, 'keeps later edits a draft, and shows what uses it', async ({ page }) => {
    await store(world, 'shop', saying('Version one'))
    const agent = await makeAgent(world.server.api, { workflow_id: 'shop' }, { name: 'Shop assistant' })
    await open(world, page, 'shop')
    await page.getByRole('button', { name: 'Not published' }).waitFor()
    const dialog = await openDialog(page)
    const users = dialog.getByRole('region', { name: 'Used by' })
    assert.match(
      (await users.getByRole('link', { name: 'Shop assistant' }).getAttribute('href')) ?? '',
      new RegExp(agent),
    )
    await expectAccessible(page, 'the dialog that publishes')
    await dialog.getByLabel('What is new (optional)').fill('First release')
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await messageShown(page, 'Version 1 is published.')
    await page.getByRole('button', { name: 'Published: version 1' }).waitFor()
    assert.equal(await published(world, 'shop'), 1)

    await write(page, 'Version two')
    await page.getByRole('button', { name: 'Draft · published: version 1' }).waitFor()
    await page.locator('[data-status="saved"]').waitFor()
    await eventually(async () => assert.equal((await versions(world, 'shop'))[0].author, 'operator'))
    const run = await dataOf(world.server.api.post('workflow/run', { id: 'shop' }))
    assert.equal(run.answer, 'Version one')
    await page.locator('.editor-tools').getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByRole('form', { name: 'Ask the workflow' })
      .getByRole('button', { name: 'Run', exact: true })
      .click()
    await page.getByRole('region', { name: 'This run' }).getByText('Version two').first().waitFor()

    await page.goto(`${world.server.base}/#/workflows`)
    const row = page.getByRole('row').filter({ hasText: 'shop' })
    await row.getByText('Version 1', { exact: true }).waitFor()
  })

  flow(world, 'is refused while the draft cannot run', async ({ page }) => {
    await store(world, 'broken', saying('Good'))
    await open(world, page, 'broken')
    await write(page, '{{#ghost.text#}}')
    await page.locator('[data-status="saved"]').waitFor()
    const dialog = await openDialog(page)
    await dialog.getByText('Fix the problems in Checks before you publish.').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Publish' }).isEnabled(), false)
    await dialog.getByText('Nothing uses this workflow yet.').waitFor()
  })

  flow(world, 'shows authors and notes in the history, and publishes an old version', async ({ page }) => {
    await store(world, 'old', saying('One'))
    const { token } = await dataOf(
      world.server.api.post('token/create', { name: 'Ada Lovelace', role: 'editor' }),
    )
    const ada = world.server.api.as(token)
    await dataOf(ada.post('workflow/update', { id: 'old', workflow: saying('Two') }))
    await dataOf(world.server.api.post('workflow/publish', { id: 'old', note: 'Release two' }))
    await open(world, page, 'old')
    for (const text of ['Three', 'Three and a half', 'Four']) {
      await write(page, text)
      await page.locator('[data-status="saved"]').waitFor()
    }
    await page.getByRole('button', { name: 'History' }).click()
    const drawer = page.getByRole('dialog', { name: 'History' })
    const list = drawer.getByRole('navigation', { name: 'Versions' })
    const second = list.getByRole('button', { name: /Version 2.*published.*Release two.*Ada Lovelace/ })
    await second.waitFor()
    await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 3))
    await list.getByRole('button', { name: 'Version 1' }).click()
    await drawer.getByRole('button', { name: 'Edit note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Note of version 1' })
    await dialog.getByRole('textbox').fill('The beginning')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await list.getByRole('button', { name: /Version 1.*The beginning/ }).waitFor()
    await expectAccessible(page, 'the history with notes')
    await drawer.getByRole('region', { name: 'Difference' }).getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Publish' }).click()
    await messageShown(page, 'Version 1 is published.')
    assert.equal(await published(world, 'old'), 1)
    await second.filter({ hasText: 'was published' }).waitFor()
  })

  flow(world, 'is reverted by unpublishing', async ({ page }) => {
    await store(world, 'back', saying('One'))
    await dataOf(world.server.api.post('workflow/publish', { id: 'back' }))
    await open(world, page, 'back')
    await page.getByRole('button', { name: 'Published: version 1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByRole('button', { name: 'Unpublish' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Unpublish' }).click()
    await page.getByRole('button', { name: 'Not published' }).waitFor()
    assert.equal(await published(world, 'back'), null)
  })

  flow(
    world,
    'its dialogs close with Escape, also on a narrow screen',
    async ({ page }) => {
      await store(world, 'narrow', saying('One'))
      await open(world, page, 'narrow')
      await closeWithEscape(await openDialog(page))
      const dialog = page.getByRole('dialog', { name: 'Publish' })
      await page.getByRole('button', { name: 'Not published' }).click()
      await closeWithEscape(dialog)
      await page.getByRole('button', { name: 'Not published' }).press('Enter')
      await closeWithEscape(dialog)
      await page.getByRole('button', { name: 'History' }).press('Enter')
      await closeWithEscape(page.getByRole('dialog', { name: 'History' }))
    },
    { viewport: { width: 768, height: 1024 } },
  )
})
