import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'

const folder = process.env['PICTURES']

/** In the frame of the console; the page stays as it is, also its dialogs and what was typed. */
const switchLanguage = `document.querySelector('[aria-label="切换到中文"], [aria-label="EN: switch to English"]')?.click()`
const afterFrames = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))'

/** With PICTURES=folder, pictures of the page in several widths, both appearances and both languages, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  const before = page.viewportSize()
  for (const language of ['own', 'other']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 1024, 768]) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(afterFrames)
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}-${language}.png` })
      }
    }
    await page.evaluate(switchLanguage)
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}
