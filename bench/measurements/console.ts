import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../scripts/launch-browser.ts'
import type { Row } from '../measurement.ts'
import { median } from '../median.ts'
import { type ServerProcess, startServer, token } from '../server-process.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'console'

const loads = 5
const nodes = 500
const kilobytes = 500
const usableMilliseconds = 2000
/** Thirty frames per second are seen as one movement. */
const frameMilliseconds = 34

/** The index of the step that precedes the step after `at`. */
type Before = (at: number) => number

/** A tree, as long workflows are. */
const tree: Before = at => Math.floor(at / 3)
/** As high as it is wide, so that all cards are visible at once and none is only a dot. */
const rows: Before = at => Math.max(0, at - 24)

function largeGraph(before: Before) {
  const ids = Array.from({ length: nodes - 2 }, (_, at) => `step_${at}`)
  const edge = (from: string, to: string) => ({
    source: { cell: from, port: `out.${from}` },
    target: { cell: to, port: `in.${to}` },
  })
  return {
    nodes: [
      { id: 'input', type: 'base', data: { type: 'input', title: 'Question' } },
      ...ids.map(id => ({
        id,
        type: 'base',
        data: { type: 'template', title: id, template: '{{#sys.query#}}' },
      })),
      { id: 'end', type: 'base', data: { type: 'end', title: 'End' } },
    ],
    edges: [
      edge('input', ids[0]!),
      ...ids.slice(1).map((id, at) => edge(ids[before(at)]!, id)),
      edge(ids.at(-1)!, 'end'),
    ],
  }
}

async function visit(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
  await context.addInitScript(kept => localStorage.setItem('banyan.token', kept), token)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return page
}

/** Loads with an empty browser cache; bytes are counted as transferred. */
async function firstLoad(browser: Browser, base: string): Promise<{ time: number; bytes: number }> {
  const page = await visit(browser)
  const begun = performance.now()
  await page.goto(base)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const time = performance.now() - begun
  const bytes = await page.evaluate<number>(
    "performance.getEntriesByType('resource').filter(({ name }) => /\\.js$/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)",
  )
  await page.context().close()
  return { time, bytes }
}

const watchFrames = `
  globalThis.frames = []
  let last = performance.now()
  const tick = now => { frames.push(now - last); last = now; requestAnimationFrame(tick) }
  requestAnimationFrame(tick)`

/** The time between frames while the canvas is dragged, as it opens or with everything in view. */
async function panFrames(
  browser: Browser,
  base: string,
  id: string,
  showsAll: boolean,
): Promise<{ opened: number; frames: number[] }> {
  const page = await visit(browser)
  const begun = performance.now()
  await page.goto(`${base}/#/workflows/${id}`)
  await page.locator('.x6-node').first().waitFor()
  const opened = performance.now() - begun
  // A user looks at the graph first; by then the server's checks have arrived.
  await page.waitForLoadState('networkidle')
  if (showsAll) await page.getByRole('button', { name: 'Fit to screen' }).click()
  const box = (await page.locator('.x6-graph').first().boundingBox())!
  const blank = { x: box.x + box.width / 2, y: box.y + box.height - 20 }
  await page.evaluate(watchFrames)
  await page.mouse.move(blank.x, blank.y)
  await page.mouse.down()
  for (let step = 0; step < 120; step++)
    await page.mouse.move(blank.x + Math.sin(step / 10) * 300, blank.y - Math.abs(Math.sin(step / 15)) * 300)
  await page.mouse.up()
  const frames = await page.evaluate<number[]>('frames.slice(2)')
  await page.context().close()
  return { opened, frames }
}

/** Not Playwright's own function, which evaluates a string in the page, and so violates the content security policy. */
const until = (page: Page, condition: string): Promise<void> =>
  page.evaluate(`new Promise(done => {
    const look = () => (${condition} ? done() : requestAnimationFrame(look))
    look()
  })`)

const clicks = 20
/** The limit for what feels immediate. */
const clickMilliseconds = 100

/** Measures the time from pressing on a node until a frame shows its settings. */
const watchClicks = `
  globalThis.shown = []
  addEventListener('pointerdown', event => {
    const begun = performance.now()
    const title = event.target.closest('.x6-node').querySelector('[data-node]').getAttribute('data-node')
    const isShown = () => [...document.querySelectorAll('.editor-side input')].some(({ value }) => value === title)
    const look = () => {
      if (!isShown()) return requestAnimationFrame(look)
      const { port1, port2 } = new MessageChannel()
      // A message that is sent before a frame is drawn arrives after it.
      port1.onmessage = () => shown.push(performance.now() - begun)
      port2.postMessage(0)
    }
    requestAnimationFrame(look)
  }, true)`

/** The processor time of the page's main thread, which depends less on other programs than elapsed time. */
async function watchProcessor(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
  }
}

/** The times of clicks on nodes; the first click opens the panel. */
async function clickTimes(browser: Browser, base: string): Promise<{ times: number[]; busy: number }> {
  const page = await visit(browser)
  await page.goto(`${base}/#/workflows/wf_rows`)
  await page.locator('.x6-node').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Fit to screen' }).click()
  await page.evaluate(watchClicks)
  const processor = await watchProcessor(page)
  const busy: number[] = []
  for (let click = 0; click < clicks; click++) {
    // Nodes on the left, which the panel neither covers nor moves.
    const { x, y, width, height } = (await page.locator(`[data-node="step_${24 + click}"]`).boundingBox())!
    const before = await processor()
    await page.mouse.click(x + width / 2, y + height / 2)
    await until(page, `shown.length > ${click}`)
    busy.push((await processor()) - before)
  }
  const times = await page.evaluate<number[]>('shown')
  await page.context().close()
  return { times, busy: median(busy) }
}

/** A wheel gesture with all nodes in view: the time between frames, and the redrawing at its end. */
async function zoomGesture(
  browser: Browser,
  base: string,
): Promise<{ frames: number[]; redrawn: number; busy: number }> {
  const page = await visit(browser)
  await page.goto(`${base}/#/workflows/wf_rows`)
  await page.locator('.x6-node').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Fit to screen' }).click()
  const box = (await page.locator('.x6-graph').first().boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const processor = await watchProcessor(page)
  const before = await processor()
  await page.evaluate(watchFrames)
  await page.keyboard.down('Control')
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, step % 30 < 15 ? -8 : 8)
  await page.keyboard.up('Control')
  const frames = await page.evaluate<number[]>('frames.splice(0).slice(2)')
  await until(page, `document.querySelector('.canvas-layer').style.transform === ''`)
  await until(page, 'frames.length > 2')
  const last = await page.evaluate<number[]>('frames')
  const busy = (await processor()) - before
  await page.context().close()
  return { frames, redrawn: Math.max(...last), busy }
}

async function storeLargeGraph({ base }: ServerProcess, id: string, before: Before): Promise<void> {
  const answer = await fetch(`${base}/api/v1/workflow/update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id, name: id, workflow: largeGraph(before) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) * share)]!

async function gestureRows(browser: Browser, base: string): Promise<Row[]> {
  const { times, busy } = await clickTimes(browser, base)
  const [first, ...others] = times as [number, ...number[]]
  const usual = median(others)
  const zoom = await zoomGesture(browser, base)
  return [
    {
      label: `A click on one of ${nodes} nodes in view until its settings are shown, median of ${others.length}`,
      ours: milliseconds(usual),
      target: `≤ ${milliseconds(clickMilliseconds)}`,
      met: usual <= clickMilliseconds,
    },
    { label: 'The same, p95', ours: milliseconds(percentile(others, 0.95)) },
    { label: 'The same, the first, which opens the panel', ours: milliseconds(first) },
    { label: 'The same, processor time of the page', ours: milliseconds(busy) },
    ...frameRows('while it is zoomed with all of them in view', zoom.frames),
    { label: 'The longest after the gesture, when all is drawn again', ours: milliseconds(zoom.redrawn) },
    { label: 'The whole gesture, processor time of the page', ours: milliseconds(zoom.busy) },
  ]
}

function frameRows(when: string, frames: readonly number[]): Row[] {
  const slow = percentile(frames, 0.95)
  return [
    {
      label: `Between two pictures ${when}, p95 of ${frames.length}`,
      ours: milliseconds(slow),
      target: `≤ ${milliseconds(frameMilliseconds)}`,
      met: slow <= frameMilliseconds,
    },
    { label: 'The same, median', ours: milliseconds(median([...frames])) },
  ]
}

async function measure(browser: Browser, server: ServerProcess): Promise<Row[]> {
  await storeLargeGraph(server, 'wf_large', tree)
  await storeLargeGraph(server, 'wf_rows', rows)
  const first: { time: number; bytes: number }[] = []
  for (let load = 0; load < loads; load++) first.push(await firstLoad(browser, server.base))
  const time = median(first.map(load => load.time))
  const kilobytesLoaded = Math.max(...first.map(load => load.bytes)) / 1000
  const { opened, frames } = await panFrames(browser, server.base, 'wf_large', false)
  const all = await panFrames(browser, server.base, 'wf_rows', true)
  return [
    {
      label: 'Script of the first page, compressed',
      ours: `${kilobytesLoaded.toFixed(0)} kB`,
      target: `≤ ${kilobytes} kB`,
      met: kilobytesLoaded <= kilobytes,
    },
    {
      label: 'First page until it can be used, nothing cached',
      ours: milliseconds(time),
      target: `≤ ${milliseconds(usableMilliseconds)}`,
      met: time <= usableMilliseconds,
    },
    { label: `A workflow of ${nodes} nodes until it is drawn`, ours: milliseconds(opened) },
    ...frameRows('while it is dragged', frames),
    ...frameRows('while it is dragged with all of them in view', all.frames),
    ...(await gestureRows(browser, server.base)),
  ]
}

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const browser = await launchBrowser()
    if (!browser) return [{ label: 'The console', ours: 'no Chromium here' }]
    const server = await startServer(folder, { BOOTSTRAP_TOKEN: token })
    try {
      return await measure(browser, server)
    } finally {
      await browser.close()
      await server.stop()
    }
  })
