import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

describeConsole('Presence', world => {
  /** Another user, whose window is a request. */
  const opens = async (kind: 'workflow' | 'agent', id: string, leaving = false): Promise<void> => {
    const { api } = world.server
    const { token } = await dataOf(api.post('token/create', { name: 'Grace', role: 'editor' }))
    await dataOf(api.as(token).post('presence/report', { kind, id, window: 'window_grace', leaving }))
  }

  flow(world, 'an editor and an agent page show which other users have them open', async ({ page }) => {
    const { api } = world.server
    const id = await makeWorkflow(api, chain(output('say', 'Hello')))
    await opens('workflow', id)
    await page.goto(`${world.server.base}/#/workflows/${id}`)
    await page.getByText('Also open by Grace').waitFor()
    await expectAccessible(page, 'a workflow that is also open elsewhere')
    await picture(page, 'presence-workflow')
    const agent = await makeAgent(api, {}, { name: 'Leave desk' })
    await opens('agent', agent)
    await page.goto(`${world.server.base}/#/agents/${agent}`)
    await page.getByText('Also open by Grace').waitFor()
    await expectAccessible(page, 'an agent that is also open elsewhere')
    await picture(page, 'presence-agent')
  })

  flow(
    world,
    'a second window of the same user is named as such, and leaves when it is closed, in Chinese',
    async ({ page }) => {
      const agent = await makeAgent(world.server.api)
      const address = `${world.server.base}/#/agents/${agent}`
      await page.goto(address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      const second = await page.context().newPage()
      await second.goto(address)
      await second.getByText('同时打开者：你的另一个窗口').waitFor()
      await picture(second, 'presence-dark')
      await second.close()
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
