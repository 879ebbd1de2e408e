import assert from 'node:assert/strict'
import { eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const template = (id: string, title: string) => ({
  id,
  type: 'base',
  data: { type: 'template', title, template: 'x' },
})
const graph = { nodes: [template('a', 'Alpha'), template('b', 'Beta'), template('c', 'Gamma')], edges: [] }
const positions = { a: { x: 0, y: 0 }, b: { x: 320, y: 0 }, c: { x: 640, y: 240 } }

describeConsole('Notes and groups', world => {
  const layout = async (id: string) => (await world.server.api.get(`workflow/layout?id=${id}`)).json.data
  const shapes = async (id: string): Promise<Record<string, unknown>[]> =>
    Object.values((await layout(id)).shapes)
  const prepare = async (id: string): Promise<void> => {
    await world.server.api.post('workflow/update', { id, workflow: graph })
    await world.server.api.post('workflow/layout', { id, positions })
  }

  flow(world, 'a note is written, coloured, resized, moved and undone', async ({ page }) => {
    await prepare('notes')
    const { canvas, drag } = await openCanvas(page, world, 'notes')
    await canvas.focus()
    await page.keyboard.press('s')
    const text = page.getByRole('textbox', { name: 'Text of the note' })
    // At once: what is typed now are no shortcuts of the canvas.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    assert.equal(await text.and(page.locator(':focus')).count(), 1)
    await page.keyboard.type('Ask legal first')
    await text.press('Escape')
    const note = canvas.getByRole('button', { name: 'Note: Ask legal first' })
    await note.waitFor()
    await eventually(async () => {
      const [stored] = await shapes('notes')
      assert.deepEqual(
        [stored?.['text'], stored?.['color'], stored?.['width'], stored?.['height']],
        ['Ask legal first', 'yellow', 240, 144],
      )
    })
    await note.press('Enter')
    await text.fill('Ask **legal**:\n\n- terms\n- [prices](https://example.com/prices) <b>now</b>')
    await text.press('Escape')
    await canvas.locator('.note-text strong', { hasText: 'legal' }).waitFor()
    const link = canvas.locator('.note-text li a')
    assert.deepEqual(
      [await link.textContent(), await link.getAttribute('href')],
      ['prices', 'https://example.com/prices'],
    )
    assert.equal(await canvas.locator('.note-text b').count(), 0, 'HTML stays text')
    await canvas.getByRole('button', { name: /^Note: / }).press('Enter')
    await text.fill('Ask legal first')
    await text.press('Escape')
    await canvas.locator('.note-text', { hasText: 'Ask legal first' }).waitFor()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await bar.getByText('1 note').waitFor()
    await bar.getByRole('button', { name: 'Blue' }).click()
    await eventually(async () => assert.equal((await shapes('notes'))[0]?.['color'], 'blue'))
    await expectAccessible(page, 'a selected note')
    const corner = (await canvas.locator('.note-resize').boundingBox())!
    const start = { x: corner.x + corner.width - 3, y: corner.y + corner.height - 3 }
    await drag(start, { x: start.x + 80, y: start.y + 40 })
    await eventually(async () => {
      const [stored] = await shapes('notes')
      assert.ok((stored?.['width'] as number) > 240 && (stored?.['height'] as number) > 144)
    })
    const [resized] = (await shapes('notes')) as { x: number; width: number }[]
    await note.focus()
    await page.keyboard.press('ControlOrMeta+ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await eventually(async () => {
      const [stored] = (await shapes('notes')) as { x: number; width: number }[]
      assert.deepEqual([stored?.width, stored?.x], [resized!.width + 8, resized!.x - 8])
    })
    // The graph, and with it what runs, is the same as before.
    const { json } = await world.server.api.get('workflow?id=notes')
    assert.deepEqual([json.data.workflow.config, json.data.workflow.version], [graph, 1])
    await page.reload()
    await note.waitFor()
    await note.click()
    await page.keyboard.press('Delete')
    await eventually(async () => assert.deepEqual(await shapes('notes'), []))
    await page.keyboard.press('ControlOrMeta+z')
    await note.waitFor()
    await eventually(async () => assert.equal((await shapes('notes')).length, 1))
  })

  flow(world, 'links of a note are opened by keyboard and by pointer', async ({ page, context }) => {
    await prepare('links')
    await context.route('https://example.com/**', route => route.fulfill({ body: route.request().url() }))
    const note = (text: string, y: number) => ({
      ...{ type: 'note', color: 'yellow', text },
      ...{ x: 0, y, width: 240, height: 96 },
    })
    const shown = {
      one: note('See [prices](https://example.com/prices)', 160),
      two: note('[Terms](https://example.com/terms) or [rules](https://example.com/rules)', 320),
    }
    await world.server.api.post('workflow/layout', { id: 'links', shapes: shown })
    const { canvas } = await openCanvas(page, world, 'links')
    await canvas.locator('.note-text a').nth(2).waitFor()
    const opens = async (act: () => Promise<void>, path: string): Promise<void> => {
      const [opened] = await Promise.all([context.waitForEvent('page'), act()])
      await opened.waitForURL(`https://example.com/${path}`)
      await opened.close()
    }
    // One stop for each note: Alpha, then the notes below it.
    await canvas.focus()
    for (let stop = 0; stop < 2; stop++) await page.keyboard.press('Tab')
    assert.match(await page.evaluate('document.activeElement.getAttribute("aria-label")'), /^Note: See/)
    await opens(() => page.keyboard.press('o'), 'prices')
    await page.keyboard.press('Tab')
    await page.keyboard.press('o')
    await page.getByRole('menuitem', { name: 'Open link “Terms”' }).waitFor()
    await expectAccessible(page, 'the links of a note')
    await page.keyboard.press('ArrowDown')
    const rules = page.getByRole('menuitem', { name: 'Open link “rules”' })
    await rules.and(page.locator(':focus')).waitFor()
    await opens(() => page.keyboard.press('Enter'), 'rules')
    await opens(() => canvas.getByText('Terms').click(), 'terms')
  })

  flow(world, 'selected nodes become a group that moves with them', async ({ page }) => {
    await prepare('groups')
    const { canvas, card, drag } = await openCanvas(page, world, 'groups')
    await card('Alpha').click()
    await card('Beta').click({ modifiers: ['Shift'] })
    await page.keyboard.press('ControlOrMeta+g')
    const name = page.getByRole('textbox', { name: 'Name of the group' })
    await name.fill('Answering')
    await name.press('Enter')
    const group = canvas.getByRole('button', { name: 'Group Answering, 2 nodes' })
    await group.waitFor()
    await eventually(async () => {
      const [stored] = await shapes('groups')
      assert.deepEqual([stored?.['title'], stored?.['nodes']], ['Answering', ['a', 'b']])
    })
    await expectAccessible(page, 'a selected group')
    // Its head is dragged, and both nodes go with it.
    const head = (await canvas.locator('.group-head').boundingBox())!
    const start = { x: head.x + head.width - 40, y: head.y + 14 }
    await page.keyboard.down('Alt')
    await drag(start, { x: start.x + 160, y: start.y + 80 })
    await page.keyboard.up('Alt')
    await eventually(async () => {
      const { a, b, c } = (await layout('groups')).positions
      assert.ok(a.x > 80 && a.y > 40, 'Alpha has moved')
      assert.deepEqual([b.x - a.x, b.y - a.y, c], [320, 0, positions.c])
    })
    await page.keyboard.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual((await layout('groups')).positions, positions))
    // A copy has its nodes.
    await group.focus()
    await page.keyboard.press('ControlOrMeta+d')
    await eventually(async () => {
      const stored = await shapes('groups')
      assert.deepEqual(
        stored.map(each => (each['nodes'] as string[]).length),
        [2, 2],
      )
    })
    await page.keyboard.press('Delete')
    await eventually(async () => {
      assert.equal((await shapes('groups')).length, 1)
      const { json } = await world.server.api.get('workflow?id=groups')
      assert.deepEqual(json.data.workflow.config, graph)
    })
    await group.focus()
    await page.keyboard.press('F2')
    await name.fill('Thinking')
    await name.press('Enter')
    await eventually(async () => assert.equal((await shapes('groups'))[0]?.['title'], 'Thinking'))
    await canvas
      .getByRole('button', { name: /^Group Thinking/ })
      .click({ button: 'right', position: { x: 60, y: 12 } })
    await page.getByRole('menuitem', { name: /Ungroup/ }).click()
    await eventually(async () => assert.deepEqual(await shapes('groups'), []))
    assert.equal(await canvas.locator('[data-node]').count(), 3)
  })

  flow(world, 'notes of two users are merged, exported and imported', async ({ page, context }) => {
    await prepare('shared')
    const shared = {
      n: { type: 'note', x: 0, y: 200, width: 240, height: 120, text: 'First', color: 'yellow' },
    }
    await world.server.api.post('workflow/layout', { id: 'shared', shapes: shared })
    const mine = await openCanvas(page, world, 'shared')
    const other = await context.newPage()
    const theirs = await openCanvas(other, world, 'shared')
    const noteIn = (shown: typeof mine, text: string) =>
      shown.canvas.getByRole('button', { name: `Note: ${text}` })
    await noteIn(mine, 'First').dblclick()
    await page.getByRole('textbox', { name: 'Text of the note' }).fill('Second')
    await page.keyboard.press('Escape')
    await eventually(async () => assert.equal((await shapes('shared'))[0]?.['text'], 'Second'))
    // The other tab still shows the old text, and changes the colour.
    await noteIn(theirs, 'First').click()
    await other.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Red' }).click()
    await noteIn(theirs, 'Second').waitFor()
    await eventually(async () => {
      const [stored] = await shapes('shared')
      assert.deepEqual([stored?.['text'], stored?.['color']], ['Second', 'red'])
    })
    const exported = await world.server.api.post('workflow/export', { id: 'shared' })
    const { document } = exported.json.data
    assert.equal(document.layout.shapes.n.text, 'Second')
    const imported = await world.server.api.post('workflow/import', { id: 'copy', document })
    assert.equal(imported.json.data.id, 'copy')
    assert.deepEqual((await layout('copy')).shapes, document.layout.shapes)
  })
})
