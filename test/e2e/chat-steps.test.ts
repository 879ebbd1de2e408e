import assert from 'node:assert/strict'
import { chain, output } from '../support/run-graphs.ts'
import { allText } from '../support/scripted-chat.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const answer = [
  'It is **warm**, and costs $5 or $6.',
  '$x^2 = 4$ and \\(y = 1\\)',
  '```js\nconst warm = true // yes\n```',
].join('\n\n')

describeConsole('How an answer came about', world => {
  /** A persona with a tool, which a model calls before it answers; then it proposes questions. */
  async function makeWeatherAgent(more: object = {}): Promise<string> {
    const { api } = world.server
    const id = await makeWorkflow(api, chain(output('say', '22 degrees in {{#sys.query#}}')))
    const tools = { get_weather: { running_config: { type: 'workflow', id } } }
    world.model.play(body => {
      if (allText(body).includes('most likely to ask next')) return { text: '1. And tomorrow?\n2. In Rome?' }
      const hasResult = body.messages.some(({ role }) => role === 'tool')
      const given = { query: 'Paris' }
      return hasResult
        ? { text: answer }
        : { reasoning: 'I should look.', toolCalls: [{ name: 'get_weather', arguments: given }] }
    })
    return makeAgent(api, { tools, suggest_questions: true }, more)
  }

  flow(
    world,
    'tools, reasoning, formulas and code are shown; a message is edited, and its first version is kept',
    async ({ page }) => {
      await page.goto(`${world.server.base}/#/agents/${await makeWeatherAgent()}/chat`)
      const log = page.getByRole('log')
      const input = page.getByLabel('Message', { exact: true })
      await input.fill('How is the weather?')
      await input.press('Enter')
      await log.getByText('Used get_weather').click()
      await log.getByText('22 degrees in Paris').waitFor()
      await log.getByText(/^Thought for \d+ s$/).click()
      await log.getByText('I should look.').waitFor()
      await log.getByText('costs $5 or $6').waitFor()
      await log.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
      const next = log.getByRole('group', { name: 'Suggested next questions' })
      await next.getByRole('button', { name: 'And tomorrow?' }).waitFor()
      // The formulas of the whole answer, which is complete now; what shows them is loaded with the first.
      await log.locator('math').nth(1).waitFor()
      assert.equal(await log.locator('math').count(), 2)
      await expectAccessible(page, 'an answer with tools')

      await log.getByRole('button', { name: 'Edit message' }).click()
      const edited = log.getByLabel('Edited message')
      await edited.press('Escape')
      const edit = log.getByRole('button', { name: 'Edit message' })
      await edit.and(page.locator(':focus')).press('Enter')
      await edited.fill('How is the weather today?')
      await edited.press('Enter')
      await log.getByText('2 / 2').waitFor()
      await log.getByRole('button', { name: 'Regenerate' }).click()
      await log.getByText('3 / 3').waitFor()
      await log.getByRole('button', { name: 'Earlier version' }).click()
      await log.getByRole('button', { name: 'Earlier version' }).click()
      await log.getByText('How is the weather?', { exact: true }).waitFor()
      await expectAccessible(page, 'an earlier version')
      await log.getByRole('button', { name: 'Later version' }).click()
      await log.getByRole('button', { name: 'Later version' }).click()
      await page.reload()
      await log.getByText('3 / 3').waitFor()
      await log.getByText('Used get_weather').waitFor()
      await next.getByRole('button', { name: 'And tomorrow?' }).click()
      await log.getByText('Used get_weather').nth(1).waitFor()
      await next.getByRole('button', { name: 'In Rome?' }).waitFor()
      await page.reload()
      await log.getByText('Used get_weather').nth(1).waitFor()
      assert.equal(await next.count(), 1, 'only after the newest answer')
      await log
        .getByText(/^Thought for \d+ s$/)
        .first()
        .click()
      await log.getByText('I should look.').first().waitFor()
      await log.getByText('Used get_weather').first().click()
      await log.getByText('22 degrees in Paris').first().waitFor()
      await expectAccessible(page, 'a chat after a reload')
      await picture(page, 'chat-after-reload')
    },
  )

  flow(
    world,
    'a visitor sees which tools were used, but not what they returned, and proposed questions',
    async ({ page }) => {
      await page.goto(`${world.server.base}/chat/${await makeWeatherAgent({ access: 'public' })}`)
      const log = page.getByRole('log')
      const input = page.getByRole('textbox')
      await input.fill('How is the weather?')
      await input.press('Enter')
      await log.getByText('Used get_weather').waitFor()
      await log.locator('math').first().waitFor()
      assert.equal(await log.getByText('22 degrees').count(), 0)
      await log.getByRole('button', { name: 'And tomorrow?' }).waitFor()
      await page.reload()
      await log.getByText('Used get_weather').waitFor()
      assert.equal(await log.getByText('I should look.').count(), 0)
      await picture(page, 'chat-page-after-reload')
      await log.getByRole('button', { name: 'And tomorrow?' }).click()
      await log.getByText('Used get_weather').nth(1).waitFor()
      await expectAccessible(page, 'a visitor’s answer with tools')
    },
    { signedIn: false },
  )
})
