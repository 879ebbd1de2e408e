import assert from 'node:assert/strict'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow } from '../support/talk.ts'
import { eventually } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

describeConsole('Triggers', world => {
  flow(world, 'a schedule is created, shows its next occurrences and is disabled', async ({ page }) => {
    const { api, base } = world.server
    const id = await makeWorkflow(api, chain(output('say', 'x')))
    await api.post('workflow/update', { id, name: 'Morning report', workflow: chain(output('say', 'x')) })
    await page.goto(`${base}/#/triggers`)
    await page.getByRole('heading', { name: 'Start workflows automatically' }).waitFor()
    await expectAccessible(page, 'the empty page of triggers')
    await page.getByRole('button', { name: 'New trigger' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New trigger' })
    const save = dialog.getByRole('button', { name: 'Save' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    const inputs = dialog.getByRole('textbox', { name: 'Inputs (JSON)' })
    await name.waitFor()
    await save.click()
    await name.and(page.locator(':focus')).waitFor()
    await name.fill('Every morning')
    await save.click()
    const workflow = dialog.getByRole('combobox', { name: 'Workflow' })
    await workflow.and(page.locator(':focus')).waitFor()
    await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('every morning')
    await choose(dialog.getByRole('combobox', { name: 'Workflow' }), 'Morning report')
    await expectAccessible(page, 'the form of a trigger')
    await page.setViewportSize({ width: 1280, height: 600 })
    await inputs.fill('[')
    await save.click()
    await inputs.and(page.locator(':focus')).waitFor()
    await eventually(async () => {
      const text = await dialog.getByText('Enter a JSON object').boundingBox()
      const buttons = await dialog.locator('.ant-modal-footer').boundingBox()
      assert.ok(text!.y + text!.height <= buttons!.y)
    })
    await picture(page, 'trigger-problem')
    await inputs.fill('{}')
    await save.click()
    // The field says what is wrong with it, and has the focus.
    const refusal = dialog.getByText(/^Is not a cron expression/)
    await refusal.waitFor()
    const cron = dialog.getByRole('textbox', { name: 'Cron expression' })
    await cron.and(page.locator(':focus')).and(page.locator('[aria-invalid=true]')).waitFor()
    assert.equal(await dialog.locator('.failure').count(), 0)
    await cron.fill('0 9 * * *')
    await refusal.waitFor({ state: 'detached' })
    await inputs.fill('{"query": "{{#trigger.time#}}"}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Every morning' }).click()
    await page.getByRole('heading', { name: 'Next occurrences' }).waitFor()
    assert.equal(await page.locator('.trigger-next time').count(), 5)
    await expectAccessible(page, 'the page of a schedule')
    await page.getByRole('switch', { name: 'Enable Every morning' }).click()
    await page.getByText('Disabled: it does not start runs.').waitFor()
  })

  flow(world, 'a webhook shows its secret once, and its runs', async ({ page }) => {
    const { api, base } = world.server
    const { id, name, secret, path } = (
      await api.post('trigger/create', {
        ...{
          kind: 'webhook',
          name: 'New order',
          workflow_id: await makeWorkflow(api, chain(output('say', 'Order {{#sys.query#}}'))),
        },
      })
    ).json.data
    await page.goto(`${base}/#/triggers/${id}`)
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByText('No runs yet.').waitFor()
    assert.ok(!(await page.content()).includes(secret))
    // The list is loaded again for a new secret; where that fails, the secret is shown all the same.
    const lists = '**/api/v1/trigger/list'
    await page.route(lists, route => route.fulfill({ status: 503, json: { code: 50301, msg: 'later' } }))
    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'New secret' }).click()
    const shown = page.getByRole('dialog', { name: 'New order is ready' })
    const newSecret = (await shown.locator('code').nth(1).textContent()) ?? ''
    await page.unroute(lists)
    await expectAccessible(page, 'the new secret of a webhook')
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(newSecret))
    const send = (sent: string): Promise<Response> =>
      fetch(`${base}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sent}`, 'content-type': 'text/plain' },
        body: '42',
      })
    assert.equal((await send(secret)).status, 401)
    assert.equal((await send(newSecret)).status, 202)
    await page.reload()
    await page.getByText('Order 42').waitFor()
    await expectAccessible(page, 'the page of a webhook')
  })
})
