import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import type { ConsoleWorld } from './console-world.ts'

export interface CanvasPage {
  canvas: Locator
  /** A card by the title of its node. */
  card(title: string): Locator
  cards(): Promise<number>
  edges(): Promise<number>
  middleOf(title: string): Promise<{ x: number; y: number; width: number; height: number }>
  /** Drags from the dot at the right of one card to another card. */
  connect(from: string, to: string): Promise<void>
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Opens a workflow in the editor and gives what a person sees of its canvas. */
export async function openCanvas(page: Page, world: ConsoleWorld, id: string): Promise<CanvasPage> {
  // Wide enough for a small graph to be seen whole.
  await page.setViewportSize({ width: 1600, height: 900 })
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  return canvasOf(page)
}

export async function canvasOf(page: Page): Promise<CanvasPage> {
  const canvas = page.getByRole('application')
  // It is loaded when it is first needed, and is the largest part of the console.
  await canvas.waitFor({ timeout: 60_000 })
  const card = (title: string): Locator =>
    canvas.getByRole('button', { name: new RegExp(`^${escaped(title)}(,|，|$)`) })
  const middleOf: CanvasPage['middleOf'] = async title => {
    await card(title).waitFor()
    const box = await card(title).locator('.card-body').boundingBox()
    assert.ok(box, `${title} has no place on the screen`)
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height }
  }
  return {
    canvas,
    card,
    middleOf,
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

/** Asks again until the server has it, as saving takes a moment; the last failure tells why it never had. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      await check()
      return
    } catch (error) {
      if (tries >= 150) throw error
      await delay(100)
    }
}
