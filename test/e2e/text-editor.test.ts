import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from './support/canvas-page.ts'
import { type ConsoleWorld, describeConsole, flow, untilTrue } from './support/console-world.ts'
import { editorText } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { resultPath } from './support/failed-flow.ts'

const node = (id: string, data: object, type = 'base') => ({ id, type, data })
const code = (language: string, text: string) =>
  node(
    'code_1',
    { type: 'code', title: 'Trim', language, code: text, inputs: { query: '{{#sys.query#}}', tone: 'kind' } },
    'tool',
  )
const chain = (...nodes: { id: string }[]) => ({
  nodes: [
    node('input', { type: 'input', title: 'Question' }),
    ...nodes,
    node('end', { type: 'end', title: 'End' }),
  ],
  edges: [{ id: 'input' }, ...nodes, { id: 'end' }].slice(1).map(({ id }, index) => {
    const from = index === 0 ? 'input' : nodes[index - 1]!.id
    return { source: { cell: from, port: `out.${from}` }, target: { cell: id, port: `in.${id}` } }
  }),
})
const say = (answer: string) => node('say', { type: 'output', title: 'Say', answer })

async function open(world: ConsoleWorld, page: Page, id: string, selected: string, workflow: object) {
  const made = await world.server.api.post('workflow/update', { id, name: id, workflow })
  assert.equal(made.status, 200, made.text)
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  await page.getByRole('application').waitFor()
  await page.getByRole('button', { name: /^(Fit to screen|适应画布)/ }).click()
  await page.locator(`.canvas [data-node="${selected}"]`).click()
  const panel = page.locator(`[data-panel-of="${selected}"]`)
  await panel.waitFor()
  return panel
}

async function textOf(world: ConsoleWorld, id: string, nodeId: string, field: string): Promise<unknown> {
  const { json } = await world.server.api.get(`workflow?id=${id}`)
  const { nodes } = json.data.workflow.config as { nodes: { id: string; data: Record<string, unknown> }[] }
  return nodes.find(each => each.id === nodeId)?.data[field]
}

const focusedLabel = "document.activeElement?.getAttribute('aria-label')"

describeConsole('The editor of texts', world => {
  flow(world, 'code has colours, line numbers and its inputs, in a large view too', async ({ page }) => {
    const text = 'function main(inputs) {\n  return { text: "a" }\n}\n'
    const panel = await open(
      world,
      page,
      'code',
      'code_1',
      chain(code('javascript', text), say('{{#code_1.text#}}')),
    )
    const field = panel.getByLabel('Code', { exact: true })
    await field.locator('.tok-keyword', { hasText: 'function' }).waitFor()
    await panel.locator('.cm-lineNumbers').getByText('3', { exact: true }).waitFor()

    await panel.getByRole('button', { name: 'Open Code in the large editor' }).click()
    const dialog = page.getByRole('dialog', { name: 'Code' })
    const large = dialog.getByLabel('Code', { exact: true })
    await untilTrue(page, "document.activeElement?.closest('[role=dialog]') !== null")
    await large.press('Control+End')
    await large.pressSequentially('inputs.to')
    await page.getByRole('option', { name: 'tone' }).waitFor()
    await page.screenshot({ path: resultPath('large-code', '.png') })
    await expectAccessible(page, 'the large editor')
    await large.press('Enter')
    await eventually(async () => assert.match(await editorText(large), /inputs\.tone$/))

    // Tab indents, Escape and then Tab leaves: to the button below the text.
    await large.press('Escape')
    await large.press('Tab')
    await untilTrue(page, "document.activeElement?.textContent === 'Done'")
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await untilTrue(page, `${focusedLabel} === 'Code'`)
    assert.match(await editorText(field), /inputs\.tone$/)
    await page.locator('[data-status="saved"]').waitFor()
    await eventually(async () =>
      assert.match(String(await textOf(world, 'code', 'code_1', 'code')), /inputs\.tone$/),
    )
  })

  flow(world, 'Python has its colours, and completes its arguments', async ({ page }) => {
    const panel = await open(
      world,
      page,
      'python',
      'code_1',
      chain(code('python', 'def main(query, tone):\n    return {"text": query}\n'), say('{{#code_1.text#}}')),
    )
    const field = panel.getByLabel('Code', { exact: true })
    await field.locator('.tok-keyword', { hasText: 'def' }).waitFor()
    await field.press('Control+End')
    await field.pressSequentially('ton')
    await page.getByRole('option', { name: 'tone' }).first().waitFor()
    await field.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    assert.equal(await page.evaluate(focusedLabel), 'Code')
  })

  flow(world, 'a chip is selected, replaced and opened, and follows its node and undo', async ({ page }) => {
    const note = node('note', { type: 'template', title: 'Note', template: 'Noted' })
    const panel = await open(
      world,
      page,
      'chips',
      'say',
      chain(note, say('A {{#note.text#}} and {{# sys.query #}}!')),
    )
    const field = panel.getByLabel('Answer', { exact: true })
    await eventually(async () => assert.equal(await editorText(field), 'A Note text and System query!'))
    await field.locator('.reference-chip', { hasText: 'Note' }).click()
    await field.press('Control+Space')
    await page.getByRole('option', { name: /System query/ }).click()
    await eventually(async () => assert.equal(await editorText(field), 'A System query and System query!'))
    await field.press('Control+z')
    await eventually(async () => assert.equal(await editorText(field), 'A Note text and System query!'))
    await field.locator('.reference-chip', { hasText: 'Note' }).dblclick()
    await eventually(async () => assert.equal(await editorText(field), 'A {{#note.text#}} and System query!'))
    await field.press('Escape')
    await field.press('Control+End')
    await field.pressSequentially('!')
    await eventually(async () => assert.equal(await editorText(field), 'A Note text and System query!!'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => assert.doesNotMatch(await editorText(field), /!!/))
    await page.getByRole('button', { name: 'Redo' }).click()
    await eventually(async () => assert.match(await editorText(field), /!!$/))
    await page.locator('[data-status="saved"]').waitFor()
    // Spaces within the marks are stored as they were written.
    await eventually(async () =>
      assert.equal(
        await textOf(world, 'chips', 'say', 'answer'),
        'A {{#note.text#}} and {{# sys.query #}}!!',
      ),
    )
  })

  flow(world, 'a field for one line stays one line, whatever is pasted', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const call = node('call', { type: 'http_request', title: 'Call', method: 'GET', url: 'https://' }, 'tool')
    const panel = await open(world, page, 'line', 'call', chain(call, say('{{#call.text#}}')))
    const field = panel.getByLabel('URL', { exact: true })
    await field.press('End')
    await page.evaluate("navigator.clipboard.writeText('example.com/\\n{{#sys.query#}}')")
    await field.press('Control+v')
    await field.press('Enter')
    await eventually(async () =>
      assert.equal(await textOf(world, 'line', 'call', 'url'), 'https://example.com/ {{#sys.query#}}'),
    )
  })

  for (const [language, colorScheme] of [
    ['en', 'light'],
    ['zh', 'dark'],
  ] as const)
    flow(
      world,
      `shows what is broken, in ${language} and ${colorScheme}`,
      async ({ page }) => {
        const id = `broken-${language}`
        const long = Array.from(
          { length: 40 },
          (_, at) => `Line ${at}: {{#sys.query#}} {{#nobody.text#}}`,
        ).join('\n')
        const panel = await open(world, page, id, 'say', chain(say(long)))
        await panel.locator('.reference-chip[data-broken]').first().waitFor()
        await panel.locator('.problems').first().waitFor()
        await page.screenshot({ path: resultPath(`chips-${language}`, '.png') })
        await expectAccessible(page, `chips in ${colorScheme}`)
        await panel
          .getByRole('button', { name: /大编辑器|large editor/ })
          .first()
          .click()
        const large = page.getByRole('dialog').getByRole('textbox')
        await large.waitFor()
        await large.press('Control+End')
        await large.pressSequentially(' {{#')
        await page.getByRole('listbox').waitFor()
        await page.screenshot({ path: resultPath(`large-${language}`, '.png') })
        await expectAccessible(page, `the large view in ${colorScheme}`)
        await large.press('Escape')
        await page.getByRole('listbox').waitFor({ state: 'hidden' })
        await large.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      },
      { language, colorScheme },
    )
})
