import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { dataOf } from '../support/knowledge.ts'
import { ProtectedToolServer } from '../support/protected-tool-server.ts'
import { chain, output } from '../support/run-graphs.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { makeAgent } from '../support/talk.ts'
import { node } from '../workflow/graphs.ts'
import { eventually } from './support/canvas-page.ts'
import { copiedBy, describeConsole, flow } from './support/console-world.ts'
import { choose, closeWithEscape } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

describeConsole('MCP', world => {
  let tools: ScriptedToolServer
  let guarded: ProtectedToolServer
  before(async () => {
    const inputSchema = {
      type: 'object',
      properties: { days: { type: 'integer' }, city: { type: 'string', description: 'Where' } },
      required: ['city'],
    }
    const served = ['forecast', 'history'].map(name => ({ name, description: `The ${name}`, inputSchema }))
    tools = await new ScriptedToolServer({ tools: served }).start()
    guarded = await new ProtectedToolServer(tools).start()
  })
  after(async () => {
    await guarded.close()
    await tools.close()
  })

  flow(world, 'the setup for an assistant is copied', async ({ page }) => {
    const id = await makeAgent(world.server.api, {}, { name: 'Butler' })
    await page.goto(`${world.server.base}/#/agents/${id}/use`)
    const section = page.getByRole('region', { name: 'Use it in an assistant (MCP)' })
    await section.getByText('claude mcp add').waitFor()
    const address = `${world.server.base}/mcp`
    assert.match(
      await copiedBy(page, 'Copy Claude Code example'),
      new RegExp(`--transport http banyan ${address}`),
    )
    await section.getByText('.vscode/mcp.json', { exact: true }).click()
    assert.match(await copiedBy(page, 'Copy .vscode/mcp.json example'), /"servers"/)
    await expectAccessible(page, 'the setup for MCP clients')
  })

  flow(world, 'a server is connected, and one of its tools chosen', async ({ page }) => {
    const id = await makeAgent(world.server.api, {}, { name: 'Weather' })
    await page.goto(`${world.server.base}/#/agents/${id}`)
    const form = page.getByRole('form', { name: 'Agent settings' })
    await form.getByRole('button', { name: 'Add a tool' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a tool' })
    await dialog.getByLabel('Name', { exact: true }).fill('outside')
    await choose(dialog.getByRole('combobox', { name: 'Type' }), 'MCP')
    await dialog.getByLabel('URL').fill('http://127.0.0.1:9/mcp')
    await dialog.getByRole('button', { name: 'Connect and list tools' }).click()
    await dialog.getByText('could not be reached').waitFor()
    await dialog.getByLabel('URL').fill(tools.url)
    await dialog.getByRole('button', { name: 'Connect and list tools' }).click()
    await dialog.getByText('Connected to scripted: 2 tools').waitFor()
    await picture(page, 'mcp-connect')
    const chosen = dialog.getByRole('combobox', { name: 'Tools to use' })
    await choose(chosen, 'forecast')
    await chosen.press('Escape')
    await expectAccessible(page, 'the tools of a server')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('All changes saved').waitFor()
    const { agents } = await dataOf(world.server.api.post('agent/gets', { id: [id] }))
    assert.deepEqual(agents[id].data.config.tools.outside.running_config, {
      type: 'mcp',
      url: tools.url,
      tools: ['forecast'],
    })
  })

  flow(world, 'a server behind OAuth is connected with client credentials', async ({ page }) => {
    const id = await makeAgent(world.server.api, {}, { name: 'Guarded' })
    await page.goto(`${world.server.base}/#/agents/${id}`)
    const form = page.getByRole('form', { name: 'Agent settings' })
    await form.getByRole('button', { name: 'Add a tool' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a tool' })
    await dialog.getByLabel('Name', { exact: true }).fill('guarded')
    await choose(dialog.getByRole('combobox', { name: 'Type' }), 'MCP')
    await dialog.getByLabel('URL').fill(`${guarded.origin}/mcp`)
    await dialog.getByRole('button', { name: 'Connect and list tools' }).click()
    await dialog.getByText('check the headers or "oauth" of the tool server').waitFor()
    await dialog.getByText('OAuth client credentials').click()
    await dialog.getByLabel('Client ID').fill(guarded.client.id)
    await dialog.getByLabel('Client secret', { exact: true }).fill(guarded.client.secret)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.getByText('OAuth needs the client ID, the client secret and the issuer.').waitFor()
    await dialog.getByLabel('Issuer').fill(guarded.origin)
    await dialog.getByRole('button', { name: 'Connect and list tools' }).click()
    await dialog.getByText('Connected to scripted: 2 tools').waitFor()
    await expectAccessible(page, 'the OAuth fields of a tool')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('All changes saved').waitFor()
    const { agents } = await dataOf(world.server.api.post('agent/gets', { id: [id] }))
    assert.deepEqual(agents[id].data.config.tools.guarded.running_config.oauth, {
      client_id: guarded.client.id,
      client_secret: guarded.client.secret,
      issuer: guarded.origin,
    })
  })

  flow(world, 'a node lists the tools of its server, and their arguments', async ({ page }) => {
    const { api, base } = world.server
    const call = node('call', 'mcp', { title: 'Call', url: tools.url, tool: '', arguments: {} })
    await dataOf(api.post('workflow/update', { id: 'weather', workflow: chain(call) }))
    await page.goto(`${base}/#/workflows/weather`)
    await page.getByRole('button', { name: /^Fit to screen/ }).click()
    await page.locator('.canvas [data-node="call"]').click()
    const panel = page.locator('[data-panel-of="call"]')
    await panel.getByRole('button', { name: 'Connect and list tools' }).click()
    await panel.getByText('Connected to scripted: 2 tools').waitFor()
    await choose(panel.getByRole('combobox', { name: 'Tool', exact: true }), 'forecast')
    const missing = panel.getByRole('list', { name: 'Arguments of the tool' })
    await missing.getByText('required Where').waitFor()
    await expectAccessible(page, 'the tools of a node')
    await missing.getByRole('button', { name: 'Add city' }).click()
    await missing.getByRole('button', { name: 'Add city' }).waitFor({ state: 'hidden' })
    await missing.getByRole('button', { name: 'Add days' }).click()
    await eventually(async () => {
      const { workflow } = await dataOf(api.get('workflow?id=weather'))
      const { data } = workflow.config.nodes.find((each: { id: string }) => each.id === 'call')
      assert.deepEqual([data.tool, data.arguments], ['forecast', { city: '', days: 0 }])
    })
  })

  flow(world, 'nodes call shared tools, without an address of their own', async ({ page }) => {
    const { api, base } = world.server
    const make = async (tool: object): Promise<string> => (await dataOf(api.post('tool/create', tool))).id
    const server = await make({ name: 'weather_server', type: 'mcp', url: tools.url })
    const order = await make({
      ...{ name: 'order_status', type: 'http', url: 'https://shop.example.com/orders/{id}' },
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    })
    const nodes = [
      node('ask', 'http_request', { title: 'Ask' }),
      node('call', 'mcp', { title: 'Call', tool: '', arguments: {} }),
    ]
    await dataOf(api.post('workflow/update', { id: 'shared', workflow: chain(...nodes) }))
    await page.goto(`${base}/#/workflows/shared`)
    await page.getByRole('button', { name: /^Fit to screen/ }).click()
    await page.locator('.canvas [data-node="ask"]').click()
    const ask = page.locator('[data-panel-of="ask"]')
    const own = ask.getByText('Query parameters', { exact: true })
    await own.waitFor()
    assert.equal(await ask.getByRole('link', { name: 'Create shared tools' }).getAttribute('href'), '#/tools')
    await choose(ask.getByRole('combobox', { name: 'Shared tool' }), 'order_status')
    await own.waitFor({ state: 'hidden' })
    await ask.getByRole('button', { name: 'Add id' }).click()
    await expectAccessible(page, 'a node that calls a shared tool')
    await page.getByRole('button', { name: /^Fit to screen/ }).click()
    await page.locator('.canvas [data-node="call"]').click()
    const call = page.locator('[data-panel-of="call"]')
    await choose(call.getByRole('combobox', { name: 'Shared tool' }), 'weather_server')
    await call.getByRole('button', { name: 'Connect and list tools' }).click()
    await call.getByText('Connected to scripted: 2 tools').waitFor()
    await picture(page, 'mcp-node')
    await choose(call.getByRole('combobox', { name: 'Tool', exact: true }), 'forecast')
    await eventually(async () => {
      const { workflow } = await dataOf(api.get('workflow?id=shared'))
      const found = workflow.config.nodes.slice(1, 3).map((each: { data: object }) => each.data)
      assert.deepEqual(
        [found[0].tool_id, found[0].arguments, found[1].tool_id, found[1].tool],
        [order, { id: '' }, server, 'forecast'],
      )
    })
  })

  flow(world, 'a workflow is shared as a model and as a tool', async ({ page }) => {
    const { api, base } = world.server
    await dataOf(api.post('workflow/update', { id: 'greet', workflow: chain(output('say', 'Good day')) }))
    await page.goto(`${base}/#/workflows/greet`)
    await page.getByRole('button', { name: 'Share / API' }).click()
    const drawer = page.getByRole('dialog', { name: 'Share / API' })
    await drawer.getByText('This workflow is not published').waitFor()
    await drawer.getByText('claude mcp add').waitFor()
    await expectAccessible(page, 'the ways to use a workflow')
    const model = await copiedBy(page, 'Copy model')
    const url = `${await copiedBy(page, 'Copy base URL')}/chat/completions`
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
    const { json } = await api.post(new URL(url).pathname, body)
    assert.equal(json.choices[0].message.content, 'Good day')
    const call = drawer.getByRole('region', { name: 'Call it from your app' }).first()
    await call.getByText('"id": "greet"').waitFor()
    await closeWithEscape(drawer)
  })
})
