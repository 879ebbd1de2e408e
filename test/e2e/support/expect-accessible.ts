import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string
  help: string
  nodes: { target: string[]; html: string }[]
}

/**
 * Elements that fade in do not have their final contrast yet. Infinite animations are not waited for. Their `finished`
 * is not used: Chromium sometimes never settles that of a short transition.
 */
const settled = `(async () => {
  const isMoving = ({ effect, playState }) =>
    playState !== 'finished' && effect?.getComputedTiming().endTime < 10000
  while (document.getAnimations().some(isMoving)) await new Promise(resolve => setTimeout(resolve, 20))
})()`

/** axe-core finds nothing serious or critical on the page, or in the part that a selector names. */
export async function expectAccessible(page: Page, where: string, within = 'html'): Promise<void> {
  await page.evaluate(settled)
  // Evaluated by the debugger, because the page's policy allows no foreign script.
  await page.evaluate(source)
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(within)}).then(({ violations }) => violations)`,
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const messages = serious.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ target, html }) => `    ${target.join(' ')}  ${html.slice(0, 160)}`).join('\n')}`,
  )
  assert.equal(messages.join('\n'), '', `axe-core on ${where}`)
}
