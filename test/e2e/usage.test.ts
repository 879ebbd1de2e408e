import assert from 'node:assert/strict'
import { dataOf } from '../support/knowledge.ts'
import { echoGraph } from '../support/run-graphs.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole(
  'Usage',
  world => {
    flow(world, 'counts the runs of every workflow, as a chart and as a table', async ({ page }) => {
      const { api } = world.server
      const [hello, other] = [await makeWorkflow(api, echoGraph()), await makeWorkflow(api, echoGraph())]
      await api.post('workflow/update', { id: hello, name: 'Hello', workflow: echoGraph() })
      await api.post('workflow/update', { id: other, name: 'Other', workflow: echoGraph() })
      await page.goto(`${world.server.base}/#/usage`)
      await page.getByRole('heading', { name: 'No runs in this period' }).waitFor()
      const quotas = page.getByRole('region', { name: 'Quotas' })
      await quotas.getByText('Limit: 2 MB').waitFor()
      await quotas.getByText('Limit: none').first().waitFor()
      for (const query of ['one', 'two']) await runWorkflow(api, hello, query)
      world.model.play(() => ({ status: 401, message: 'the key is wrong' }))
      await runWorkflow(api, other, 'three')
      world.model.reset()

      await page.reload()
      const chart = page.getByRole('slider', { name: 'Runs and tokens by day' })
      await chart.focus()
      assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /Runs without failure 2, Failures 1/)
      await chart.press('ArrowLeft')
      assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /Runs without failure 0, Failures 0/)
      const share = page.getByRole('region', { name: 'By workflow' })
      await share.getByRole('row', { name: /Hello 2 0/ }).waitFor()
      await share.getByRole('row', { name: /Other 1 1/ }).waitFor()
      await share.getByRole('columnheader', { name: 'Failures' }).click()
      assert.match((await share.getByRole('row').nth(1).textContent()) ?? '', /Hello/)
      await share.getByRole('columnheader', { name: 'Failures' }).click()
      assert.match((await share.getByRole('row').nth(1).textContent()) ?? '', /Other/)
      await page.getByRole('region', { name: 'By agent' }).getByText('No agent').waitFor()
      await expectAccessible(page, 'the usage')

      await page.getByText('Table', { exact: true }).click()
      const days = page.getByRole('region', { name: 'By day' })
      await days.getByRole('row', { name: / 3 1 / }).waitFor()
      await page.getByText('7 days', { exact: true }).click()
      await page.waitForURL(/days=7/)
      await choose(page.getByRole('combobox', { name: 'Workflow' }), 'Other')
      await page.getByText('100% of the runs').waitFor()
      await page.reload()
      await page.getByText('100% of the runs').waitFor()
    })

    flow(world, 'adds up the cost of models with prices', async ({ page }) => {
      const { api } = world.server
      const prices = { input_price: 2, output_price: 8 }
      const address = { base_url: `${world.model.origin}/v1`, model: 'writer-1' }
      await dataOf(api.post('model/create', { name: 'priced', ...address, ...prices }))
      const workflow = await makeWorkflow(api, echoGraph({ model: 'priced' }))
      world.model.play(() => ({ text: 'x', usage: { prompt_tokens: 1000, completion_tokens: 500 } }))
      for (const query of ['one', 'two', 'three']) await runWorkflow(api, workflow, query)
      world.model.reset()
      await page.goto(`${world.server.base}/#/usage`)
      await page.getByText('Based on the prices of the models').waitFor()
      const share = page.getByRole('region', { name: 'By workflow' })
      await share.getByRole('columnheader', { name: 'Cost' }).waitFor()
      await share.getByRole('cell', { name: '0.018', exact: true }).waitFor()
    })

    flow(
      world,
      'supports a custom range',
      async ({ page }) => {
        await page.goto(`${world.server.base}/#/usage?from=2026-01-01&to=2026-01-31`)
        await page.getByRole('heading', { name: 'No runs in this period' }).waitFor()
        await page.getByLabel('From').fill('2020-01-01')
        await page.getByText('Choose a range of at most 366 days').waitFor()
        await page.getByText('90 days', { exact: true }).click()
        await page.getByText('Choose a range of at most 366 days').waitFor({ state: 'hidden' })
        await page.getByRole('slider').hover()
        await page.getByText('Runs without failure').nth(1).waitFor()
        await expectAccessible(page, 'the usage in the dark')
      },
      { colorScheme: 'dark' },
    )
  },
  { environment: { WORKSPACE_STORAGE_BYTES: '2097152' } },
)
