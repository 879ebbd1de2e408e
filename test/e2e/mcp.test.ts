import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { dataOf } from '../support/knowledge.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { makeAgent } from '../support/talk.ts'
import { copiedBy, describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole('MCP', world => {
  let tools: ScriptedToolServer
  before(async () => {
    const served = ['forecast', 'history'].map(name => ({ name, description: `The ${name}` }))
    tools = await new ScriptedToolServer({ tools: served }).start()
  })
  after(() => tools.close())

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
})
