import type { Locator } from 'playwright-core'
import { untilTrue } from './console-world.ts'

/**
 * Chooses an option of a select as a keyboard user does. A click needs the list to stay where it is between its two
 * halves, but the list moves when more options arrive.
 */
export async function choose(select: Locator, label: string): Promise<void> {
  const page = select.page()
  await select.press('ArrowDown')
  const option = page.locator('.ant-select-item-option:visible').filter({ hasText: label })
  const active = option.and(page.locator('.ant-select-item-option-active'))
  await option.waitFor()
  const count = await page.locator('.ant-select-item-option:visible').count()
  for (let step = 0; step < count && (await active.count()) === 0; step += 1) await select.press('ArrowDown')
  await active.waitFor()
  await select.press('Enter')
}

/** A dialog takes the focus itself; a drawer's frame does. */
const isFocusTaken = "document.activeElement?.matches('.ant-drawer, [role=dialog], [role=dialog] *') === true"

/** Closes a dialog or drawer with Escape, which it handles once it has the focus. */
export async function closeWithEscape(dialog: Locator): Promise<void> {
  const page = dialog.page()
  await dialog.waitFor()
  await untilTrue(page, isFocusTaken)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
}

/** The part of an element that is read here; the tests have no types of the DOM. */
interface Shown {
  textContent: string
  cloneNode(isDeep: boolean): Shown
  querySelectorAll(selector: string): Iterable<Shown>
  remove(): void
}

/** Fills a text editor, which moves its selection when it gets the focus: before its content is selected. */
export async function fillEditor(editor: Locator, text: string): Promise<void> {
  await editor.click()
  await editor.fill(text)
}

/** The lines of a text editor as they are shown: a reference by the name on its chip. */
export const editorText = (editor: Locator): Promise<string> =>
  editor.evaluate(content => {
    const lines = [...(content as unknown as Shown).querySelectorAll('.cm-line')].map(line => {
      const copy = line.cloneNode(true)
      for (const hidden of copy.querySelectorAll('.visually-hidden, img')) hidden.remove()
      return copy.textContent
    })
    return lines.join('\n')
  })
