import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { makeAgent } from '../support/talk.ts'
import { edge, graph, node } from '../workflow/graphs.ts'
import { eventually } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const variables = [
  { name: 'city', type: 'select', label: 'City', options: ['Paris', 'Rome'], required: true },
  { name: 'days', type: 'number', label: 'Days', default: 2, description: 'How long you stay.' },
  { name: 'late', type: 'checkbox', label: 'Late arrival' },
  { name: 'plan', type: 'file', label: 'Plan' },
  { name: 'more', type: 'json', label: 'Preferences' },
  { name: 'wish', type: 'paragraph', label: 'Wishes', max_length: 12 },
  { name: 'photos', type: 'files', label: 'Photos' },
]
const answer =
  '{{#input.days#}} days in {{#input.city#}}, late: {{#input.late#}}, {{#input.plan.name#}} {{#input.more.food#}} {{#input.wish#}} {{#input.photos.1.name#}}'
const trip = (declared: readonly object[] = variables) =>
  graph(
    [node('input', 'input', { variables: declared }), node('say', 'output', { answer }), node('end', 'end')],
    [edge('input', 'say'), edge('say', 'end')],
  )
const plan = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Walk a lot.') }

const photos = ['sea.txt', 'sky.txt'].map(name => ({ ...plan, name }))

const field = (page: Page, name: string) => page.getByLabel(name)

describeConsole('Input variables', world => {
  const store = async (id: string, workflow: object): Promise<void> => {
    const { status, text } = await world.server.api.post('workflow/update', { id, name: id, workflow })
    assert.equal(status, 200, text)
  }
  const openEditor = async (page: Page, id: string): Promise<void> => {
    await page.goto(`${world.server.base}/#/workflows/${id}`)
    await page.getByRole('application').waitFor()
  }

  flow(
    world,
    'are declared in the panel of the input node, moved and used by a reference',
    async ({ page }) => {
      await store('declare', trip([]))
      await openEditor(page, 'declare')
      await page.getByRole('button', { name: /^(Fit to screen|适应画布)/ }).click()
      await page.locator('.canvas [data-node="input"]').click()
      const panel = page.locator('[data-panel-of="input"]')
      const add = panel.getByRole('button', { name: 'Add to Input variables' })
      for (const [at, name] of ['city', 'days'].entries()) {
        await add.click()
        await panel.getByLabel('Name', { exact: true }).nth(at).fill(name)
      }
      const [first, second] = [panel.locator('.card').nth(0), panel.locator('.card').nth(1)]
      await choose(first.getByRole('combobox', { name: 'Type' }), 'Select')
      await choose(second.getByRole('combobox', { name: 'Type' }), 'Number')
      await second.getByLabel('Default', { exact: true }).fill('2')
      await first.getByRole('button', { name: 'Add to Options' }).click()
      await first.getByLabel('Option 1', { exact: true }).fill('Paris')
      await first.getByLabel('Default', { exact: true }).fill('Paris')
      await expectAccessible(page, 'the declaration of variables')
      await panel.getByRole('button', { name: 'Move Input variable 2 up' }).click()
      await eventually(async () => {
        const { json } = await world.server.api.get('workflow?id=declare')
        assert.deepEqual(json.data.workflow.config.nodes[0].data.variables, [
          { name: 'days', type: 'number', default: '2' },
          { name: 'city', type: 'select', options: ['Paris'], default: 'Paris' },
        ])
      })
    },
  )

  flow(world, 'are filled in before a run of the editor', async ({ page }) => {
    await store('fill', trip())
    await openEditor(page, 'fill')
    await page.getByRole('tab', { name: 'Run' }).click()
    const run = page.getByRole('button', { name: 'Run', exact: true }).last()
    await page.getByText('Complete the fields above first.').waitFor()
    assert.equal(await run.isDisabled(), true)
    assert.equal(await field(page, 'Days').inputValue(), '2')
    await field(page, 'City').selectOption('Rome')
    await field(page, 'Days').fill('many')
    await page.getByText('Enter a number.').waitFor()
    await expectAccessible(page, 'the form of a run')
    await field(page, 'Days').fill('3')
    await field(page, 'Wishes').fill('Far more than that')
    await page.getByText('At most 12 characters.').waitFor()
    await field(page, 'Wishes').fill('sun')
    await field(page, 'Photos').setInputFiles(photos)
    await field(page, 'Late arrival').check()
    await field(page, 'Preferences').fill('{"food": "pasta"}')
    await field(page, 'Plan').setInputFiles(plan)
    await page.getByRole('button', { name: 'Remove plan.txt' }).waitFor()
    await run.click()
    await page.getByText('3 days in Rome, late: true, plan.txt pasta sun sky.txt').first().waitFor()
  })

  flow(world, 'are asked before the first message of a chat, and kept for the next', async ({ page }) => {
    await store('talk', trip())
    const agent = await makeAgent(world.server.api, { workflow_id: 'talk' }, { name: 'Guide' })
    await page.goto(`${world.server.base}/#/agents/${agent}/chat`)
    await page.getByText('Complete the form before you send a message.').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('Go')
    assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
    await field(page, 'City').selectOption('Paris')
    await expectAccessible(page, 'the form of a chat')
    await page.getByLabel('Message', { exact: true }).press('Enter')
    await page.getByText('2 days in Paris, late: false').first().waitFor()
    await field(page, 'City').waitFor({ state: 'detached' })
    await page.getByLabel('Message', { exact: true }).fill('Again')
    await page.getByLabel('Message', { exact: true }).press('Enter')
    await page.getByText('2 days in Paris, late: false').nth(1).waitFor()
  })

  flow(
    world,
    'are asked on the page for visitors, in their language and with a file',
    async ({ page }) => {
      await store('visit', trip())
      const more = { name: 'Guide', access: 'public' }
      const agent = await makeAgent(world.server.api, { workflow_id: 'visit' }, more)
      await page.goto(`${world.server.base}/chat/${agent}?lang=zh`)
      await page.getByText('发送消息之前，请先完成表单。').waitFor()
      // The first file begins a conversation. If that were loaded, the form would disappear meanwhile.
      await page.route('**/conversation/retrieve', () => {})
      await field(page, 'Wishes').focus()
      await field(page, 'Plan').setInputFiles(plan)
      await page.getByRole('button', { name: '移除 plan.txt' }).waitFor()
      await page.getByText('正在上传…').waitFor({ state: 'detached' })
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA')
      await page.unroute('**/conversation/retrieve')
      await field(page, 'Photos').setInputFiles(photos)
      await page.getByRole('button', { name: '移除 sky.txt' }).waitFor()
      await page.keyboard.type('雨天也去')
      await field(page, 'City').selectOption('Rome')
      await expectAccessible(page, 'the form of a visitor')
      const message = page.getByLabel('消息', { exact: true })
      await message.fill('出发')
      await message.press('Enter')
      await page.getByText('2 days in Rome, late: false, plan.txt 雨天也去 sky.txt').first().waitFor()
      await page.reload()
      await page.getByText('2 days in Rome, late: false, plan.txt 雨天也去 sky.txt').first().waitFor()
      assert.equal(await field(page, 'City').count(), 0)
      await page.getByRole('button', { name: '新对话' }).click()
      await field(page, 'City').waitFor()
    },
    { signedIn: false },
  )

  flow(world, 'of a trigger are written into its inputs', async ({ page }) => {
    await store('fire', trip())
    await page.goto(`${world.server.base}/#/triggers`)
    await page.getByRole('button', { name: 'New trigger' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New trigger' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly')
    await choose(dialog.getByRole('combobox', { name: 'Workflow' }), 'fire')
    await dialog.getByLabel('City (required)').waitFor()
    await expectAccessible(page, 'the form of a trigger with variables')
    await dialog.getByLabel('City (required)').fill('Oslo')
    // Closes the list of cities, which may cover the button.
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog
      .getByText(/inputs\.city must be one of/)
      .first()
      .waitFor()
    await dialog.getByLabel('City (required)').fill('Rome')
    await page.keyboard.press('Tab')
    const json = await dialog.getByRole('textbox', { name: 'Inputs (JSON)' }).inputValue()
    assert.deepEqual(JSON.parse(json), { city: 'Rome' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { items } = (await world.server.api.post('trigger/list', {})).json.data
    assert.deepEqual(items[0].inputs, { city: 'Rome' })
  })
})
