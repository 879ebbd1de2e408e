import assert from 'node:assert/strict'
import { chain } from '../support/run-graphs.ts'
import { node } from '../workflow/graphs.ts'
import { eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('A loop and an aggregator', world => {
  flow(world, 'are added from the palette, filled in, checked and run', async ({ page }) => {
    const next = node('next', 'aggregator', {
      title: 'Next word',
      groups: [{ name: 'draft', values: ['{{#sys.inputs.draft#}}!'] }],
    })
    const inner = { id: 'grow', name: 'Grow a word', workflow: chain(next) }
    for (const body of [inner, { id: 'looping', workflow: { nodes: [], edges: [] } }])
      assert.equal((await world.server.api.post('workflow/update', body)).status, 200)
    const { card } = await openCanvas(page, world, 'looping')
    const palette = page.getByRole('complementary', { name: 'Nodes' })
    const add = async (title: string) => {
      await palette.getByRole('button', { name: title, exact: true }).click()
      await card(title).waitFor()
    }
    const panelOf = (id: string) => page.locator(`[data-panel-of="${id}"]`)

    await add('Input')
    await add('Loop')
    const loop = panelOf('loop_1')
    await choose(loop.getByLabel('Workflow', { exact: true }).and(page.getByRole('combobox')), 'Grow a word')
    const condition = loop.getByRole('region', { name: 'Condition 1' })
    await condition.getByLabel('Value', { exact: true }).fill('{{#loop.draft#}}')
    await choose(
      condition.getByLabel('Comparison', { exact: true }).and(page.getByRole('combobox')),
      'ends with',
    )
    await condition.getByLabel('Compared with', { exact: true }).fill('!!!')
    await expectAccessible(page, 'the panel of a loop', '.node-panel')

    await add('Aggregator')
    await panelOf('aggregator_1').getByLabel('Value 1', { exact: true }).fill('{{#loop_1.draft#}}')
    await add('Output')
    const answer = panelOf('output_1').getByLabel('Answer', { exact: true })
    await answer.fill('{{#aggregator_1.text#}} after {{#loop_1.rounds#}} rounds')
    await add('End')
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByText('The workflow is ready to run.').waitFor()
    await eventually(async () => {
      const { json } = await world.server.api.get('workflow?id=looping')
      const [, stored] = json.data.workflow.config.nodes
      assert.deepEqual(stored.data.until.when, [{ left: '{{#loop.draft#}}', op: 'ends_with', right: '!!!' }])
    })

    await page.getByRole('tab', { name: 'Run', exact: true }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Hello')
    await page.getByRole('textbox', { name: 'Question' }).press('Control+Enter')
    await page.getByRole('article', { name: 'Answer' }).getByText('Hello!!! after 3 rounds').waitFor()
    const steps = page.getByRole('list', { name: 'Steps', exact: true })
    const rounds = steps.getByRole('button', { name: /Next word.*#\d/ })
    await rounds.nth(2).waitFor()
    assert.equal(await rounds.count(), 3)
    await expectAccessible(page, 'the trace of a loop')
  })
})
