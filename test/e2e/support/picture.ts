import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'

const folder = process.env['PICTURES']

/** With PICTURES=folder, pictures of the page at several widths, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  const before = page.viewportSize()
  for (const width of [1440, 1024, 768]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: `${folder}/${name}-${width}.png` })
  }
  if (before) await page.setViewportSize(before)
}
