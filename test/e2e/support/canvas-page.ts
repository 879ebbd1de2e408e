import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { type ConsoleWorld, stepMilliseconds } from './console-world.ts'

export interface CanvasPage {
  canvas: Locator
  /** A card by its node's title. */
  card(title: string): Locator
  cards(): Promise<number>
  edges(): Promise<number>
  middleOf(title: string): Promise<{ x: number; y: number; width: number; height: number }>
  /** Drags from the right port of one card to another card. */
  connect(from: string, to: string): Promise<void>
  /** The centre of a port of a card; without a branch, that of the node itself. */
  port(title: string, branch?: string): Promise<{ x: number; y: number }>
  drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void>
}

const twoFrames = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Opens a workflow in the editor and returns its canvas. */
export async function openCanvas(page: Page, world: ConsoleWorld, id: string): Promise<CanvasPage> {
  // Wide enough to show a small graph completely.
  await page.setViewportSize({ width: 1600, height: 900 })
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  return canvasOf(page)
}

export async function canvasOf(page: Page): Promise<CanvasPage> {
  const canvas = page.getByRole('application')
  await canvas.waitFor()
  const card = (title: string): Locator =>
    canvas.getByRole('button', { name: new RegExp(`^${escaped(title)}(,|，|$)`) })
  /** The drawing may still move: to the graph's beginning, or to a new node. */
  const restingBox = async (body: Locator) => {
    for (let before = await body.boundingBox(); ; ) {
      await page.evaluate(twoFrames)
      const box = await body.boundingBox()
      if (box && isDeepStrictEqual(box, before)) return box
      before = box
    }
  }
  const middleOf: CanvasPage['middleOf'] = async title => {
    const box = await restingBox(card(title).locator('.card-body'))
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height }
  }
  const drag: CanvasPage['drag'] = async (from, to) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 6 })
    await page.mouse.move(to.x, to.y, { steps: 6 })
    await page.mouse.up()
  }
  return {
    canvas,
    card,
    middleOf,
    drag,
    port: async (title, branch) => {
      await middleOf(title)
      const named = branch === undefined ? ':not([data-branch])' : `[data-branch="${branch}"]`
      const node = card(title).locator('xpath=..')
      const box = (await node.locator(`.card-port[data-port="out"]${named}`).boundingBox())!
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    },
    cards: () => canvas.locator('[data-node]').count(),
    edges: () => canvas.locator('.x6-edge').count(),
    connect: async (from, to) => {
      const [start, end] = [await middleOf(from), await middleOf(to)]
      await page.mouse.move(start.x + start.width / 2, start.y)
      await page.mouse.down()
      await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 })
      await page.mouse.move(end.x - end.width / 2, end.y, { steps: 4 })
      await page.mouse.up()
    },
  }
}

/** Retries until the server has it, because saving takes a moment; the last failure is thrown. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + stepMilliseconds
  for (;;)
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await delay(100)
    }
}
