import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from './support/canvas-page.ts'
import { type ConsoleWorld, describeConsole, flow, messageShown, untilTrue } from './support/console-world.ts'
import { editorText } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const node = (id: string, data: object) => ({ id, type: 'base', data })
const edge = (from: string, to: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})
const graphOf = (prompt: string, answer = '{{#llm_1.text#}}') => ({
  nodes: [
    node('input', { type: 'input', title: 'Question', desc: '' }),
    node('llm_1', { type: 'llm', title: 'Ask', desc: '', prompt_template: prompt, '数据源/API工具': [] }),
    node('say', { type: 'output', title: 'Say', desc: '', answer }),
    node('end', { type: 'end', title: 'End', desc: '' }),
  ],
  edges: [edge('input', 'llm_1'), edge('llm_1', 'say'), edge('say', 'end')],
})

const store = async (world: ConsoleWorld, id: string, workflow: object): Promise<void> => {
  const { status, text } = await world.server.api.post('workflow/update', { id, name: id, workflow })
  assert.equal(status, 200, text)
}
const open = async (world: ConsoleWorld, page: Page, id: string): Promise<void> => {
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  await page.getByRole('application').waitFor()
  // On a small screen not all cards are visible at first.
  await page.getByRole('button', { name: /^(Fit to screen|适应画布)/ }).click()
}
const select = async (page: Page, id: string) => {
  await page.locator(`.canvas [data-node="${id}"]`).click()
  const panel = page.locator(`[data-panel-of="${id}"]`)
  await panel.waitFor()
  return panel
}
const saved = (page: Page) => page.locator('[data-status="saved"]').waitFor()

type Stored = { nodes: { id: string; data: Record<string, unknown> }[] }
const textsOf = ({ nodes }: Stored): unknown[] => [
  nodes.find(({ id }) => id === 'llm_1')?.data['prompt_template'],
  nodes.find(({ id }) => id === 'say')?.data['answer'],
]
const current = async (world: ConsoleWorld, id: string) => {
  const { json } = await world.server.api.get(`workflow?id=${id}`)
  return { version: json.data.workflow.version as number, texts: textsOf(json.data.workflow.config) }
}
/** The texts of every version, oldest first. */
const history = async (world: ConsoleWorld, id: string): Promise<unknown[][]> => {
  const { version } = await current(world, id)
  const graphs = Array.from({ length: version }, async (_, index) => {
    const { json } = await world.server.api.get(`workflow/version?id=${id}&version=${index + 1}`)
    return textsOf(json.data.config)
  })
  return Promise.all(graphs)
}

describeConsole('Several users of one workflow', world => {
  flow(world, 'unsaved edits wait in the browser, and are merged later', async ({ page, context }) => {
    await store(world, 'waits', graphOf('Hello'))
    await open(world, page, 'waits')
    await context.route('**/api/v1/workflow/update', route => route.abort())
    await (await select(page, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('Hello from the train')
    await page.locator('[data-status="failed"]').waitFor()
    await page.evaluate("location.hash = '#/workflows'")
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor()
    await store(world, 'waits', graphOf('Hello', 'Meanwhile: {{#llm_1.text#}}'))
    await context.unroute('**/api/v1/workflow/update')
    await open(world, page, 'waits')
    await messageShown(page, 'have been restored')
    const merged = ['Hello from the train', 'Meanwhile: {{#llm_1.text#}}']
    await eventually(async () => assert.deepEqual((await current(world, 'waits')).texts, merged))
    await saved(page)
    await page.reload()
    await page.getByRole('application').waitFor()
    await saved(page)
    assert.deepEqual(await page.evaluate('shownMessages'), [])
  })

  flow(world, 'edits in different places are merged without a conflict', async ({ page, context }) => {
    await store(world, 'together', graphOf('Hello'))
    await open(world, page, 'together')
    const other = await context.newPage()
    await open(world, other, 'together')
    await (await select(page, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('Hello from one')
    await saved(page)
    const theirs = await select(other, 'say')
    await theirs.getByLabel('Answer', { exact: true }).fill('So: {{#llm_1.text#}}')
    await saved(other)
    const merged = ['Hello from one', 'So: {{#llm_1.text#}}']
    assert.deepEqual((await current(world, 'together')).texts, merged)
    const panel = await select(other, 'llm_1')
    assert.equal(await editorText(panel.getByLabel('Prompt', { exact: true })), 'Hello from one')
    assert.equal(await other.getByRole('dialog').count(), 0)
  })

  flow(
    world,
    'edits of the same field are resolved by the user, and both stay in the history',
    async ({ page, context }) => {
      await store(world, 'clash', graphOf('Hello'))
      await open(world, page, 'clash')
      const other = await context.newPage()
      await open(world, other, 'clash')
      await (await select(page, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('Theirs')
      await saved(page)
      // Nothing reaches the server before all of it is written.
      const written = Promise.withResolvers<void>()
      await other.route('**/workflow/update', route => written.promise.then(() => route.continue()))
      await (await select(other, 'say')).getByLabel('Answer', { exact: true }).fill('Mine: {{#llm_1.text#}}')
      await (await select(other, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('Mine')
      written.resolve()
      const dialog = other.getByRole('dialog', { name: 'Another user saved this workflow in the meantime' })
      const ask = dialog.getByRole('region', { name: 'Ask' })
      await ask.getByText('Theirs', { exact: true }).first().waitFor()
      await expectAccessible(other, 'the dialog that merges')
      await ask.getByRole('radiogroup', { name: 'Which version of Ask to keep' }).getByText('Theirs').click()
      await dialog.getByRole('button', { name: 'Save merged version' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await saved(other)
      const mine = ['Mine', 'Mine: {{#llm_1.text#}}']
      const merged = ['Theirs', 'Mine: {{#llm_1.text#}}']
      assert.deepEqual((await current(world, 'clash')).texts, merged)
      const kept = await history(world, 'clash')
      assert.deepEqual(kept[1], ['Theirs', '{{#llm_1.text#}}'])
      assert.deepEqual(kept.slice(2), [mine, merged])
      const panel = await select(other, 'llm_1')
      assert.equal(await editorText(panel.getByLabel('Prompt', { exact: true })), 'Theirs')
    },
  )
})

describeConsole('The history of a workflow', world => {
  flow(world, 'shows changes and rolls back, which can be undone', async ({ page }) => {
    await store(world, 'old', graphOf('First'))
    const { nodes, edges } = graphOf('Second')
    const note = node('note', { type: 'template', title: 'Note', template: 'Noted' })
    await store(world, 'old', { nodes: [...nodes, note], edges: [...edges, edge('input', 'note')] })
    await open(world, page, 'old')
    await page.getByRole('button', { name: 'History' }).click()
    const drawer = page.getByRole('dialog', { name: 'History' })
    const difference = drawer.getByRole('region', { name: 'Difference' })
    await difference.getByText('First').waitFor()
    await difference.getByText('Second').waitFor()
    await difference
      .getByRole('listitem')
      .filter({ hasText: 'Note' })
      .filter({ hasText: 'added' })
      .first()
      .waitFor()
    await difference.getByRole('img', { name: /1 nodes added, 1 changed, 0 removed/ }).waitFor()
    await expectAccessible(page, 'the history')
    await drawer.getByRole('button', { name: 'Version 2' }).click()
    await difference.getByText('No differences.').waitFor()
    await drawer.getByRole('button', { name: 'Version 1' }).click()
    await drawer.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Roll back' }).click()
    await drawer.waitFor({ state: 'hidden' })
    const panel = await select(page, 'llm_1')
    await panel.getByText('First').first().waitFor()
    await saved(page)
    assert.deepEqual(await current(world, 'old'), { version: 3, texts: ['First', '{{#llm_1.text#}}'] })
    await page.getByRole('button', { name: 'Undo' }).click()
    await panel.getByText('Second').first().waitFor()
    await saved(page)
    assert.deepEqual((await current(world, 'old')).texts, ['Second', '{{#llm_1.text#}}'])
  })

  flow(world, 'a newer version of another user is shown before a roll back', async ({ page }) => {
    await store(world, 'race', graphOf('First'))
    await store(world, 'race', graphOf('Second'))
    await open(world, page, 'race')
    await page.getByRole('button', { name: 'History' }).click()
    const drawer = page.getByRole('dialog', { name: 'History' })
    await drawer.getByRole('button', { name: 'Version 1' }).click()
    await store(world, 'race', graphOf('Theirs'))
    const question = page.getByRole('tooltip').filter({ hasText: 'Roll back to version 1?' })
    const rollBack = async (): Promise<void> => {
      await drawer.getByRole('button', { name: 'Roll back' }).click()
      await question.getByRole('button', { name: 'Roll back' }).click()
    }
    await rollBack()
    await messageShown(page, 'it has been loaded')
    await question.waitFor({ state: 'hidden' })
    await drawer.getByRole('button', { name: 'Version 3' }).waitFor()
    await rollBack()
    await drawer.waitFor({ state: 'hidden' })
    await saved(page)
    assert.deepEqual(await current(world, 'race'), { version: 4, texts: ['First', '{{#llm_1.text#}}'] })
  })
})

describeConsole('A broken workflow', world => {
  flow(world, 'that was deleted in the meantime can be saved as a new one', async ({ page }) => {
    await store(world, 'gone', graphOf('Hello'))
    await open(world, page, 'gone')
    const panel = await select(page, 'llm_1')
    await world.server.api.post('workflow/delete', { id: 'gone' })
    await panel.getByLabel('Prompt', { exact: true }).fill('Kept')
    const saveAsNew = page.getByRole('button', { name: 'Save as a new workflow' })
    await saveAsNew.waitFor()
    await page.getByRole('button', { name: 'Download my version' }).waitFor()
    await expectAccessible(page, 'a workflow that was deleted')
    await page.evaluate("location.hash = '#/workflows'")
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor()
    await page.evaluate("location.hash = '#/workflows/gone'")
    await page.getByText('This browser still has').waitFor()
    await saveAsNew.click()
    await page.getByRole('application').waitFor()
    await untilTrue(page, "!location.hash.includes('gone')")
    const id = page.url().split('/').at(-1)!
    assert.equal((await current(world, id)).texts[0], 'Kept')
    await untilTrue(page, "!Object.keys(localStorage).some(key => key.startsWith('banyan.draft.'))")
  })

  flow(world, 'whose layout cannot be loaded keeps its layout', async ({ page, context }) => {
    await store(world, 'layout', graphOf('Hello'))
    const positions = { llm_1: { x: 777, y: 333 } }
    await world.server.api.post('workflow/layout', { id: 'layout', positions })
    await context.route('**/workflow/layout?id=layout', route =>
      route.fulfill({ status: 500, json: { code: 50000, message: 'Broken', data: { reason: 'internal' } } }),
    )
    await page.goto(`${world.server.base}/#/workflows/layout`)
    await page.getByRole('alert').getByText('Broken').waitFor()
    assert.equal(await page.getByRole('application').count(), 0)
    await context.unroute('**/workflow/layout?id=layout')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('application').waitFor()
    const { json } = await world.server.api.get('workflow/layout?id=layout')
    assert.deepEqual(json.data.positions, positions)
  })

  flow(world, 'leaves nothing behind for the next user after signing out', async ({ page, context }) => {
    await store(world, 'private', graphOf('Hello'))
    await open(world, page, 'private')
    await context.route('**/api/v1/workflow/update', route => route.abort())
    await (await select(page, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('For my eyes only')
    await page.locator('[data-status="failed"]').waitFor()
    await untilTrue(page, "Object.keys(localStorage).some(key => key.startsWith('banyan.draft.'))")
    const refused = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    // The last attempt to save has ended; after it the browser would store what could not be saved.
    await refused
    await untilTrue(page, "!Object.keys(localStorage).some(key => key.startsWith('banyan.draft.'))")
  })
})
