import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'

const results = join(import.meta.dirname, '../../../test-results')
const maxRequests = 20
const maxCharacters = 8000

/** The last API calls and failed requests of a context, with their outcomes. */
export function recordRequests(context: BrowserContext): readonly string[] {
  const requests: string[] = []
  const record = (method: string, url: string, outcome: string): void => {
    requests.push(`${method} ${url} ${outcome}`)
    if (requests.length > maxRequests) requests.shift()
  }
  context.on('response', response => {
    if (response.status() >= 400 || response.url().includes('/api/'))
      record(response.request().method(), response.url(), String(response.status()))
  })
  context.on('requestfailed', request =>
    record(request.method(), request.url(), request.failure()?.errorText ?? 'failed'),
  )
  return requests
}

/** Where the files of a failed flow are stored. */
export function resultPath(flow: string, ending: string): string {
  mkdirSync(results, { recursive: true })
  return join(results, `${flow.replace(/[^\p{L}\p{N}]+/gu, '-')}${ending}`)
}

/** What every page of a failed flow showed, to find the cause without running it again. */
export async function describePages(context: BrowserContext, flow: string): Promise<string> {
  const pages = context
    .pages()
    .map((page, index) => describePage(page, resultPath(flow, `-${index + 1}.png`)))
  return (await Promise.all(pages)).join('\n')
}

async function describePage(page: Page, screenshot: string): Promise<string> {
  const timeout = 10_000
  try {
    await page.screenshot({ path: screenshot, timeout })
    const focus = await page.evaluate<string>('document.activeElement?.cloneNode().outerHTML')
    const messages = await page.evaluate<string[]>('globalThis.shownMessages ?? []')
    const content = await page.locator('body').ariaSnapshot({ timeout })
    return [
      `Page ${page.url()} (screenshot in ${screenshot})`,
      `Focus: ${focus}`,
      `Messages: ${messages.join(' | ') || 'none'}`,
      content.slice(0, maxCharacters),
    ].join('\n')
  } catch (error) {
    return `Page ${page.url()} cannot be described: ${error}`
  }
}
