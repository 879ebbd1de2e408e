import assert from 'node:assert/strict'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('The audit log', world => {
  flow(world, 'shows who changed what, and loads more', async ({ page }) => {
    const { api, base } = world.server
    await page.goto(`${base}/#/audit`)
    await page.getByText('No changes yet.').waitFor()
    for (let at = 0; at < 60; at++)
      await api.post('workflow/update', { id: `flow_${at}`, workflow: { nodes: [], edges: [] } })
    // Long values neither widen the table nor squeeze the other columns.
    const ids = Array.from({ length: 40 }, (_, at) => `kb_${'x'.repeat(20)}${at}`)
    const learn = Object.fromEntries(ids.map(id => [id, {}]))
    await api.post('agent/create', { name: 'n'.repeat(100), learn })
    await page.reload()
    for (const width of [1440, 1024, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await page.locator('td time').first().waitFor()
      assert.ok((await page.locator('td time').first().boundingBox())!.height < 50)
      assert.equal(
        await page.evaluate(
          "document.getElementById('main').scrollWidth > document.getElementById('main').clientWidth",
        ),
        false,
      )
      await page.getByText('flow_59', { exact: true }).waitFor()
      const details = page.getByText('name: nnn')
      assert.ok((await details.boundingBox())!.height < 100)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    const rows = page.getByRole('row', { name: /Workflow updated flow_/ })
    await rows.first().getByText('flow_59').waitFor()
    await expectAccessible(page, 'the audit log')
    assert.ok((await rows.count()) <= 50)
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('flow_0', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Object ID' }).fill('flow_7')
    await page.getByText('flow_59').waitFor({ state: 'detached' })
    await rows.getByText('flow_7', { exact: true }).waitFor()
    assert.equal(await rows.count(), 1)
  })
})
