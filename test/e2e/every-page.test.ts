import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { Gates } from '../support/gates.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { makeAgent } from '../support/talk.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { choose, closeWithEscape } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const pages = [
  '',
  'agents',
  'workflows',
  'knowledge',
  'triggers',
  'runs',
  'files',
  'models',
  'secrets',
  'tools',
  'usage',
  'tokens',
  'audit',
  'settings',
  'nothing-here',
]

const firstLoadBytes = 500_000

/** A page is ready when its heading is shown and nothing is loading. */
async function open(page: Page, base: string, path: string): Promise<void> {
  await page.goto(`${base}/#/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
}

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(
    "document.documentElement.scrollWidth > innerWidth || document.getElementById('main').scrollWidth > document.getElementById('main').clientWidth",
  )

describeConsole('Every page', world => {
  before(async () => {
    const { api } = world.server
    await api.post('/api/v1/agent/create', { name: 'Butler', intro: 'Knows the house.' })
    await api.post('/api/v1/knowledge/create', { name: 'Handbook' })
    await api.post('/api/v1/files/upload', { name: 'hello.txt', content_base64: 'SGVsbG8=' })
  })

  for (const colorScheme of ['light', 'dark'] as const)
    flow(
      world,
      `is accessible, in ${colorScheme}`,
      async ({ page }) => {
        for (const path of pages) {
          await open(page, world.server.base, path)
          await expectAccessible(page, `#/${path} in ${colorScheme}`)
        }
      },
      { colorScheme },
    )

  flow(
    world,
    'fits an upright tablet, in Chinese',
    async ({ page }) => {
      for (const path of pages) {
        await open(page, world.server.base, path)
        assert.equal(await isTooWide(page), false, `#/${path} is wider than the screen`)
        const heading = await page.getByRole('heading', { level: 1 }).innerText()
        assert.match(heading, /\p{Script=Han}|Banyan/u, `#/${path} is in Chinese`)
      }
    },
    { viewport: { width: 768, height: 1024 }, language: 'zh' },
  )

  flow(world, 'is reachable by keyboard', async ({ page }) => {
    await open(page, world.server.base, '')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Skip to content' }).waitFor()
    const reached: string[] = []
    for (let step = 0; step < 15; step++) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate<string>("document.activeElement.getAttribute('href') ?? ''"))
    }
    for (const path of ['agents', 'workflows', 'knowledge', 'settings'])
      assert.ok(reached.includes(`#/${path}`), `${path} among ${reached.join(' ')}`)
  })

  for (const reducedMotion of ['reduce', 'no-preference'] as const)
    flow(
      world,
      `returns the focus to the button that opened a dialog, with motion ${reducedMotion}`,
      async ({ page }) => {
        const dialogs = [
          ['agents', 'New agent'],
          ['workflows', 'New workflow'],
          ['knowledge', 'New knowledge base'],
          ['tools', 'Import'],
          ['secrets', 'Add a secret'],
          ['files', 'Preview hello.txt'],
        ] as const
        for (const [path, name] of dialogs) {
          await open(page, world.server.base, path)
          const button = page.getByRole('button', { name }).first()
          await button.press('Enter')
          await closeWithEscape(page.getByRole('dialog'))
          await button.and(page.locator(':focus')).waitFor()
        }
      },
      { reducedMotion },
    )

  flow(world, 'animates no dialog or list if the system is set to reduce motion', async ({ page }) => {
    await page.addInitScript({
      content: `globalThis.animated = []
        addEventListener('animationstart', ({ animationName }) => animated.push(animationName), true)`,
    })
    await open(page, world.server.base, 'workflows')
    await page.getByRole('button', { name: 'New workflow' }).click()
    await closeWithEscape(page.getByRole('dialog', { name: 'New workflow' }))
    await open(page, world.server.base, 'runs?status=failed')
    await choose(page.getByRole('combobox', { name: 'Status' }), 'Stopped')
    await page.waitForURL(/status=stopped/)
    assert.deepEqual(await page.evaluate('animated.filter(name => /ant(Zoom|Fade|Slide)/.test(name))'), [])
  })

  flow(world, 'loads little code at first, and the rest on demand', async ({ page }) => {
    const loaded = new Map<string, number>()
    page.on('response', async response => {
      if (/\.js$/.test(new URL(response.url()).pathname))
        loaded.set(response.url(), Number(response.headers()['content-length'] ?? Number.NaN))
    })
    await open(page, world.server.base, '')
    const bytes = [...loaded.values()].reduce((sum, each) => sum + each, 0)
    assert.ok(loaded.size > 0)
    assert.ok(bytes <= firstLoadBytes, `${bytes} bytes of script`)
  })

  flow(world, 'shows that it is loading while its scripts are on their way', async ({ page }) => {
    const gates = new Gates()
    gates.hold('scripts')
    await page.route(/\.js$/, async route => {
      await gates.pass('scripts')
      await route.continue()
    })
    await page.goto(`${world.server.base}/#/`, { waitUntil: 'commit' })
    await page.getByRole('status', { name: 'Loading…' }).waitFor()
    gates.open()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading… 加载中…' }).waitFor({ state: 'detached' })
  })

  flow(
    world,
    'loads what is missing when the server answers again, and says what is old',
    async ({ page }) => {
      let isDown = true
      const cut = () => page.route('**/api/v1/files', route => (isDown ? route.abort() : route.continue()))
      await cut()
      await page.goto(`${world.server.base}/#/files`)
      await page.getByText('Cannot reach the server. Try again in a moment.').waitFor()
      assert.equal(await page.getByText('out of date').count(), 0, 'no data is shown')
      isDown = false
      await page.getByText('hello.txt').waitFor()
      isDown = true
      // As when the user returns to the window; by then, the data is old enough to be loaded again.
      await page.clock.install()
      await page.clock.fastForward(60_000)
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
      await page.getByText('The data shown may be out of date').waitFor()
      await page.getByText('hello.txt').waitFor()
      isDown = false
      await page.getByText('The data shown may be out of date').waitFor({ state: 'detached' })
    },
  )

  flow(world, 'says what could not be loaded, instead of showing nothing there', async ({ page }) => {
    const { api } = world.server
    const agentId = await makeAgent(api)
    const set = await dataOf(api.post('test/create', { name: 'Set', agent_id: agentId }))
    const base = await makeBase(api, { embedding: null })
    const [file] = await addTexts(api, base, { 'leave.md': 'Twenty days.' })
    const data = { reason: 'internal', errors: [] }
    const json = { code: 50001, message: 'The disk is on fire.', data }
    const failure = page.getByRole('main').getByText('The disk is on fire.')
    const openFailing = async (path: string, operation: string): Promise<void> => {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.route(`**/api/v1/${operation}`, route => route.fulfill({ status: 500, json }))
      await page.goto(`${world.server.base}/#/${path}`)
      // Otherwise what was loaded a moment ago is shown.
      await page.reload()
    }
    await openFailing('settings', 'server')
    await failure.nth(1).waitFor()
    assert.equal(await page.getByRole('status', { name: 'Loading…' }).count(), 0)
    await openFailing('', 'files')
    await failure.waitFor()
    assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0)
    await openFailing(`agents/${agentId}/tests/${set.id}`, 'test/cases')
    await failure.waitFor()
    assert.equal(await page.getByText('No cases yet').count(), 0)
    await openFailing(`knowledge/${base}/documents/${file}`, 'files')
    await page.getByText('Twenty days.').waitFor()
    await failure.waitFor()
    for (const [path, operation] of [
      ['workflows/any', 'workflow?*'],
      [`agents/${agentId}`, 'agent/gets'],
      ['triggers/any', 'trigger/list'],
    ] as const) {
      await openFailing(path, operation)
      await failure.waitFor()
      await page.getByRole('heading', { level: 1, name: path.split('/')[1]! }).waitFor()
    }
    await openFailing(`agents/${agentId}`, 'workflow/list')
    await page.getByRole('combobox', { name: 'Workflow' }).press('ArrowDown')
    await page.locator('.ant-select-dropdown').getByText('The disk is on fire.').waitFor()
  })

  flow(world, 'reports when the server is unreachable, and recovers', async visit => {
    const { page, context, problems } = visit
    await open(page, world.server.base, '')
    await context.setOffline(true)
    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click()
    await page.getByText('Cannot reach the server').first().waitFor()
    await context.setOffline(false)
    await page.getByText('hello.txt').waitFor()
    // A page that could not be loaded is loaded when it is visited again.
    const go = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click()
    await context.setOffline(true)
    await go('Secrets')
    await page.getByText('Cannot reach the server').first().waitFor()
    await context.setOffline(false)
    await go('Files')
    await page.getByText('hello.txt').waitFor()
    await go('Secrets')
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor()
    // Parts of a page could not be loaded in the meantime; the browser logs that.
    for (const problem of problems.splice(0)) assert.match(problem, /Unable to preload CSS|Failed to fetch/)
  })
})
