import { after, before, describe, it, type SuiteContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { findBrowser } from '../../../scripts/find-browser.ts'
import { launchBrowser } from '../../../scripts/launch-browser.ts'
import { type ScriptedModel, startScriptedModel } from '../../support/scripted-model.ts'
import { operatorToken, startTestServer, type TestServer } from '../../support/test-server.ts'
import { describePages, recordRequests, resultPath } from './failed-flow.ts'

export interface ConsoleWorld {
  server: TestServer
  model: ScriptedModel
  browser: Browser
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** Problems that the page reported: console errors, failed requests, uncaught exceptions. */
  problems: string[]
  requests: readonly string[]
}

const found = await findBrowser()
const missing = 'no Chromium here: install one or set CHROME_PATH'
if (!found && process.env['REQUIRE_BROWSER'] === '1')
  throw new Error(`The browser tests cannot run: ${missing}`)

/** A suite in a real browser against the real server, with a scripted model. */
export function describeConsole(
  name: string,
  define: (world: ConsoleWorld) => void,
  { environment = {}, withModel = true }: { environment?: Record<string, string>; withModel?: boolean } = {},
): void {
  describe(name, { skip: !found && missing }, (_: SuiteContext) => {
    const world = {} as ConsoleWorld
    before(async () => {
      world.model = await startScriptedModel()
      const settings = withModel ? world.model.environment : {}
      world.server = await startTestServer({ ...settings, ...environment })
      world.browser = (await launchBrowser())!
    })
    after(async () => {
      await world.browser?.close()
      await world.server?.stop()
      await world.model?.stop()
    })
    define(world)
  })
}

/** Recording every step costs CPU time, so it is done only on request. */
const isTracing = process.env['TRACE'] === '1'

/**
 * With TEST_LATENCY=500 every API call of a page is delayed by a random time of up to 500 ms, which finds flows that
 * depend on a fast server.
 */
const maxLatency = Number(process.env['TEST_LATENCY'] ?? 0)

/** Only ends a flow that hangs: how long a step takes depends on the machine and on what else it does. */
export const stepMilliseconds = 60_000

/** Keeps the texts of messages, which close by themselves, maybe before a slow machine has looked at them. */
const recordMessages = `
  globalThis.shownMessages = []
  new MutationObserver(changes => {
    for (const added of changes.flatMap(change => [...change.addedNodes]))
      for (const notice of added.parentElement?.querySelectorAll('.ant-message-notice') ?? [])
        if (added.contains(notice)) shownMessages.push(notice.textContent)
  }).observe(document, { childList: true, subtree: true })
`

/**
 * Waits until an expression is true in the page, and returns its value. The page's policy blocks Playwright's own
 * waitForFunction from the second look on.
 */
export async function untilTrue<Value>(page: Page, expression: string): Promise<Value> {
  for (const giveUpAt = performance.now() + stepMilliseconds; ; await delay(50)) {
    const value = await page.evaluate<Value>(expression)
    if (value) return value
    if (performance.now() > giveUpAt) throw new Error(`Never true: ${expression}`)
  }
}

/** Waits until the page has shown a message with the text so many times since it was loaded. */
export const messageShown = async (page: Page, text: string, times = 1): Promise<void> => {
  const matching = `shownMessages.filter(shown => shown.includes(${JSON.stringify(text)}))`
  await untilTrue(page, `${matching}.length >= ${times}`)
}

/** The text that a button copies. The browser writes to the clipboard after the click has returned. */
export async function copiedBy(page: Page, name: string): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')")
  await page.getByRole('button', { name }).click()
  return untilTrue(page, 'navigator.clipboard.readText()')
}

/**
 * One flow. A failed one prints what its pages showed. With TRACE=1 it keeps its trace, too:
 * `npx playwright show-trace test-results/…zip`.
 */
export function flow(
  world: ConsoleWorld,
  name: string,
  run: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions & { signedIn?: boolean; token?: string; language?: 'en' | 'zh' } = {},
): void {
  it(name, { timeout: 6 * stepMilliseconds }, async () => {
    const visit = await openVisit(world, options)
    try {
      await Promise.race([run(visit), tooLong()])
    } catch (error) {
      await reportFailure(visit, name)
      throw error
    } finally {
      await visit.context.close()
    }
    if (visit.problems.length > 0)
      throw new Error(`The page reported problems:\n${visit.problems.join('\n')}`)
  })
}

/** Before the test runner ends the flow, so that the pages can still be described. */
async function tooLong(): Promise<never> {
  await delay(5 * stepMilliseconds, undefined, { ref: false })
  throw new Error('The flow took too long')
}

async function reportFailure(visit: Visit, name: string): Promise<void> {
  if (isTracing) await visit.context.tracing.stop({ path: resultPath(name, '.zip') })
  console.error(
    [
      `Failed: ${name}`,
      `Problems of the page: ${visit.problems.join('\n') || 'none'}`,
      'Last requests:',
      ...visit.requests,
      await describePages(visit.context, name),
    ].join('\n'),
  )
}

async function openVisit(
  world: ConsoleWorld,
  {
    signedIn = true,
    token = operatorToken,
    language = 'en',
    ...options
  }: BrowserContextOptions & { signedIn?: boolean; token?: string; language?: 'en' | 'zh' },
): Promise<Visit> {
  const context = await world.browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
    ...options,
  })
  // Without screenshots, which would take more CPU time than the flow itself.
  if (isTracing) await context.tracing.start({ snapshots: true })
  if (signedIn)
    await context.addInitScript(kept => {
      // Only for a new browser: a flow may sign out and reload.
      if (localStorage.getItem('banyan.visited') !== null) return
      localStorage.setItem('banyan.visited', 'yes')
      localStorage.setItem('banyan.token', kept)
    }, token)
  await context.addInitScript({ content: recordMessages })
  if (maxLatency > 0)
    await context.route('**/api/**', async route => {
      await delay(Math.random() * maxLatency)
      // The page may have been closed in the meantime.
      await route.continue().catch(() => {})
    })
  context.setDefaultTimeout(stepMilliseconds)
  const requests = recordRequests(context)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`uncaught: ${error.stack ?? error.message}`))
  page.on('console', entry => {
    // The browser logs every failed response; flows that provoke one check it on the page.
    if (entry.type() === 'error' && !/Failed to load resource/.test(entry.text())) problems.push(entry.text())
  })
  return { page, context, problems, requests }
}
