import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Locator } from 'playwright-core'
import { dataOf } from '../support/knowledge.ts'
import { chain, llm } from '../support/run-graphs.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { eventually } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

/** Waits until a field has the focus and the problem. */
async function isFocused(field: Locator, problem: string | RegExp): Promise<void> {
  await eventually(async () => {
    assert.equal(await field.and(field.page().locator(':focus')).count(), 1)
    const id = await field.getAttribute('aria-describedby')
    const shown = await field.page().locator(`[id="${id}"]`).textContent()
    if (typeof problem === 'string') assert.equal(shown, problem)
    else assert.match(shown ?? '', problem)
  })
}

describeConsole('Tools', world => {
  let sink: SinkServer
  before(async () => {
    sink = await startSinkServer()
  })
  after(() => sink.stop())

  const idOf = async (name: string): Promise<string> =>
    (await dataOf(world.server.api.post('tool/list', { keyword: name }))).items[0].id

  flow(world, 'a tool is imported from curl, tried, used and deleted', async ({ page }) => {
    await page.goto(`${world.server.base}/#/tools`)
    await page.getByRole('heading', { name: 'Define a tool once, use it everywhere' }).waitFor()
    await expectAccessible(page, 'the empty list of tools')
    await picture(page, 'tools-empty')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import tools' })
    const content = dialog.getByLabel('curl command or OpenAPI document')
    await content.fill('wget x')
    await dialog.getByRole('button', { name: 'Read' }).click()
    await dialog.getByRole('alert').waitFor()
    await content.fill(
      `curl '${sink.origin}/orders/list?status=open' -H 'Authorization: Bearer top-secret-key'`,
    )
    await dialog.getByRole('button', { name: 'Read' }).click()
    await dialog.getByRole('heading', { name: 'Secrets' }).waitFor()
    await expectAccessible(page, 'the tools of an import')
    await picture(page, 'tools-import')
    await dialog.getByLabel('Name of get_orders_list').fill('orders')
    const secret = dialog.locator('input[type=password]')
    await secret.fill('short')
    await dialog.getByRole('button', { name: 'Create 1 tool' }).click()
    await isFocused(secret, 'Enter at least 8 characters.')
    await secret.fill('top-secret-key')
    await dialog.getByRole('button', { name: 'Create 1 tool' }).click()
    await page.getByRole('cell', { name: 'orders' }).first().waitFor()
    const { items } = await dataOf(world.server.api.post('tool/list', {}))
    assert.match(items[0].headers.authorization, /^Bearer \{\{#secret\./)

    sink.answer(({ headers }) => ({ json: { sent: headers['authorization'] } }))
    await page.getByRole('button', { name: 'Edit orders' }).click()
    const editor = page.getByRole('dialog', { name: 'Edit tool' })
    await editor.getByText('Try', { exact: true }).click()
    await editor.getByLabel('status', { exact: true }).fill('closed')
    await editor.getByRole('button', { name: 'Call the tool' }).click()
    const result = editor.getByRole('region', { name: 'Answer' })
    await result.getByText('HTTP 200').waitFor()
    await result.getByText('"Bearer •••"').waitFor()
    assert.equal(sink.received.at(-1)!.path, '/orders/list?status=closed')
    await expectAccessible(page, 'the trial of a tool')
    await picture(page, 'tools-try')
    await editor.getByLabel('Description').fill('All orders')
    await editor.getByRole('button', { name: 'Save' }).click()
    await page.getByText('All orders').waitFor()
    await picture(page, 'tools-list')

    const agent = await makeAgent(world.server.api, {}, { name: 'Clerk' })
    await page.goto(`${world.server.base}/#/agents/${agent}`)
    const form = page.getByRole('form', { name: 'Agent settings' })
    await form.getByRole('button', { name: 'Add a tool' }).click()
    const added = page.getByRole('dialog', { name: 'Add a tool' })
    await choose(added.getByRole('combobox', { name: 'Type' }), 'Shared')
    await choose(added.getByRole('combobox', { name: 'Shared tool' }), 'orders')
    await added.getByRole('button', { name: 'Done' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('All changes saved').waitFor()
    const { agents } = await dataOf(world.server.api.post('agent/gets', { id: [agent] }))
    assert.deepEqual(agents[agent].data.config.tools.orders.running_config, { type: 'tool', id: items[0].id })

    await page.goto(`${world.server.base}/#/tools`)
    await page.getByRole('button', { name: 'Delete orders' }).click()
    const question = page.getByRole('dialog', { name: 'Delete orders?' })
    await question.getByRole('link', { name: 'Clerk' }).waitFor()
    await expectAccessible(page, 'what uses a tool')
    await picture(page, 'tools-delete')
    await question.getByRole('button', { name: 'Delete anyway' }).click()
    await page.getByRole('heading', { name: 'Define a tool once, use it everywhere' }).waitFor()
  })

  flow(world, 'a tool that cannot be saved names the problem at its field', async ({ page }) => {
    await page.goto(`${world.server.base}/#/tools`)
    await page.getByRole('button', { name: 'Add a tool' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a tool' })
    const save = dialog.getByRole('button', { name: 'Save' })
    const name = dialog.getByLabel('Name', { exact: true })
    const url = dialog.getByLabel('URL', { exact: true })
    await save.click()
    await isFocused(name, 'Enter a name of letters, digits, _ and -.')
    await expectAccessible(page, 'the problem of a tool')
    await picture(page, 'tools-problem')
    await name.fill('no_address')
    await save.click()
    await isFocused(url, 'Enter a URL.')
    await url.fill('notaurl')
    await save.click()
    await isFocused(url, /^Must be a full URL/)
    assert.equal(await dialog.getByRole('alert').count(), 1)
    await picture(page, 'tools-refused')
    await dialog.getByRole('button', { name: 'Add a header' }).click()
    await url.fill('https://tools.test')
    await save.click()
    await isFocused(dialog.getByLabel('Name of header 1'), 'Each header needs a unique name.')
    await choose(dialog.getByRole('combobox', { name: 'Type' }), 'MCP')
    await dialog.getByLabel('Name of header 1').fill('x-team')
    await dialog.getByText('OAuth client credentials').click()
    await dialog.getByLabel('Client ID').fill('banyan')
    await dialog.getByText('OAuth client credentials').click()
    await save.click()
    await isFocused(
      dialog.getByLabel('Client secret', { exact: true }),
      'OAuth needs the client ID, the client secret and the issuer.',
    )

    const agent = await makeAgent(world.server.api, {}, { name: 'Clerk' })
    await page.goto(`${world.server.base}/#/agents/${agent}`)
    await page.getByRole('button', { name: 'Add a tool' }).click()
    const added = page.getByRole('dialog', { name: 'Add a tool' })
    await added.getByLabel('Name', { exact: true }).fill('abc')
    await added.getByRole('button', { name: 'Done' }).click()
    await isFocused(added.getByLabel('URL', { exact: true }), 'Enter a URL.')
    for (const type of ['Shared', 'Workflow', 'Knowledge']) {
      await choose(added.getByRole('combobox', { name: 'Type' }), type)
      await added.getByRole('button', { name: 'Done' }).click()
      await isFocused(added.getByRole('combobox', { name: type }), 'Make a selection.')
    }
  })

  flow(world, 'operations of an OpenAPI document are chosen, and a node refers to one', async ({ page }) => {
    const workflow = await makeWorkflow(world.server.api, chain(llm('think', '{{#sys.query#}}')))
    await page.goto(`${world.server.base}/#/tools`)
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import tools' })
    const document = {
      openapi: '3.0.0',
      servers: [{ url: sink.origin }],
      paths: { '/pets': { get: { operationId: 'list_pets' }, post: { operationId: 'add_pet' } } },
    }
    await dialog.getByLabel('curl command or OpenAPI document').fill(JSON.stringify(document))
    await dialog.getByRole('button', { name: 'Read' }).click()
    await dialog.getByRole('checkbox', { name: 'Import add_pet' }).click()
    await dialog.getByRole('button', { name: 'Create 1 tool' }).click()
    await page.getByRole('cell', { name: 'list_pets' }).first().waitFor()
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('nothing like it')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()

    await page.goto(`${world.server.base}/#/workflows/${workflow}`)
    await page.locator('.canvas [data-node="think"]').click()
    await page.getByRole('button', { name: 'Add a knowledge base or tool' }).click()
    await page.getByRole('menuitem', { name: 'Shared tool' }).click()
    await choose(page.getByRole('combobox', { name: 'Shared tool' }), 'list_pets')
    await eventually(async () => {
      const used = await dataOf(world.server.api.get(`tool/used_by?id=${await idOf('list_pets')}`))
      assert.deepEqual(
        used.items.map(({ id }: { id: string }) => id),
        [workflow],
      )
    })
  })
})
