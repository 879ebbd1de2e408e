/**
 * Takes the screenshots of the documentation: a new server with a scripted model, some runs through the API, and a
 * browser.
 *
 *   npm run screenshots
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { ApiClient } from '../test/support/api-client.ts'
import { freshDatabase } from '../test/support/fresh-database.ts'
import { startScriptedModel } from '../test/support/scripted-model.ts'
import { spawnServer } from '../test/support/server-process.ts'
import { launchBrowser } from './launch-browser.ts'
import { teaShop } from './tea-shop.ts'

const folder = join(import.meta.dirname, '../docs/images')
const token = 'token-of-the-screenshots'

const answer =
  'A run **survives a crash** of the server: it is in the database before its first node starts [1].\n\n- Finished nodes do not run again.\n- A node that was running is tried again, with the same idempotency key [2].\n- Messages that the user has seen are kept.'

async function waitForDemo(api: ApiClient): Promise<string> {
  for (;;) {
    const { json } = await api.post('knowledge', {})
    const [base] = json.data.items
    if (base?.status === 'ready' && base.chunk_count > 0) return base.knowledge_id
    await sleep(500)
  }
}

/** Runs of today; runs of earlier days cannot be created. */
async function work(api: ApiClient): Promise<void> {
  await api.post('workflow/update', { id: 'tea_shop', name: 'Tea shop', workflow: teaShop })
  for (const query of ['A green tea, please', 'When do you open?', 'Something warm for two'])
    await api.post('workflow/run', { id: 'tea_shop', inputs: { query } })
}

interface Look {
  language?: 'en' | 'zh'
  colorScheme?: 'light' | 'dark'
}

async function open(browser: Browser, base: string, { language = 'en', colorScheme = 'light' }: Look = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    colorScheme,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(value => localStorage.setItem('banyan.token', value), token)
  const page = await context.newPage()
  await page.goto(base)
  return page
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  // The pointer would highlight the element below it.
  await page.mouse.move(720, 899)
  await sleep(400)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  console.log(`docs/images/${name}.png`)
}

async function goTo(page: Page, base: string, path: string): Promise<void> {
  await page.goto(`${base}/#/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function takeWorkflow(browser: Browser, base: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(browser, base, { colorScheme })
    await page.goto(`${base}/#/workflows/tea_shop`)
    await page.locator('.x6-node').first().waitFor()
    // More room for the graph, so that its texts can be read.
    await page.getByRole('button', { name: 'Nodes', exact: true }).click()
    await page.getByRole('tab', { name: 'Run' }).click()
    await page.getByPlaceholder('Ask something').fill('A green tea, please')
    await page
      .getByRole('tabpanel', { name: 'Run' })
      .getByRole('button', { name: 'Run', exact: true })
      .click()
    await page.getByText('Succeeded').first().waitFor()
    await page.getByRole('button', { name: /^Fit to screen/ }).click()
    await take(page, `workflow-${colorScheme}`)
    await page.context().close()
  }
}

async function takeChat(browser: Browser, base: string): Promise<void> {
  const page = await open(browser, base)
  await goTo(page, base, 'agents/agent_demo/chat')
  const box = page.getByRole('textbox', { name: /^Message/ })
  await box.fill('What happens after a crash?')
  await box.press('Enter')
  await page.getByText('the user has seen').waitFor()
  await take(page, 'chat')
  await page.context().close()
}

async function takeRest(browser: Browser, base: string, knowledgeId: string): Promise<void> {
  const page = await open(browser, base)
  await goTo(page, base, '')
  await take(page, 'overview')
  await page.context().close()
  const chinese = await open(browser, base, { language: 'zh' })
  await goTo(chinese, base, `knowledge/${knowledgeId}/search?q=${encodeURIComponent('怎么备份和恢复数据')}`)
  await chinese.locator('mark').first().waitFor()
  await take(chinese, 'search')
  await chinese.context().close()
}

const browser = await launchBrowser()
if (!browser) throw new Error('There is no Chromium here: install one or set CHROME_PATH')
mkdirSync(folder, { recursive: true })
const model = await startScriptedModel()
model.play(({ messages }) => {
  const text = JSON.stringify(messages.at(-1))
  if (/crash/.test(text)) return { text: answer }
  return { text: /open/.test(text) ? 'We open at eight.' : 'With pleasure: a green tea, brewed at 80 °C.' }
})
const database = await freshDatabase()
const server = await spawnServer(database, { ...model.environment, BOOTSTRAP_TOKEN: token, DEMO: 'on' })
try {
  const knowledgeId = await waitForDemo(server.api)
  await work(server.api)
  await takeWorkflow(browser, server.base)
  await takeChat(browser, server.base)
  await takeRest(browser, server.base, knowledgeId)
} finally {
  await browser.close()
  await server.kill('SIGTERM')
  await model.stop()
  await database.drop()
}
