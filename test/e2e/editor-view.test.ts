import assert from 'node:assert/strict'
import { canvasOf, eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'

const edge = (from: string, to: string, chosen?: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(chosen !== undefined && { data: { case: chosen } }),
})

const base = (id: string, data: object) => ({ id, type: 'base', data })
const input = base('input', { type: 'input', title: 'Ask' })
const end = base('end', { type: 'end', title: 'Done' })
const template = (id: string, title: string) =>
  base(id, { type: 'template', title, template: '{{#sys.query#}}' })
const which = base('which', {
  type: 'condition',
  title: 'Which?',
  cases: [
    { id: 'loud', match: 'all', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '!' }] },
    { id: 'quiet', match: 'all', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '.' }] },
    { id: 'other' },
  ],
})
/** The edges are listed against the order of the cases. */
const branching = {
  nodes: [input, which, template('c', 'Else'), template('b', 'Quiet'), template('a', 'Loud'), end],
  edges: [
    edge('input', 'which'),
    edge('which', 'c', 'other'),
    edge('which', 'b', 'quiet'),
    edge('which', 'a', 'loud'),
    ...['a', 'b', 'c'].map(id => edge(id, 'end')),
  ],
}

describeConsole('The editor', world => {
  const store = (id: string, workflow: unknown) => world.server.api.post('workflow/update', { id, workflow })

  flow(
    world,
    'a connection that is dropped at the right edge does not shift the canvas',
    async ({ page }) => {
      await store('edge', { nodes: [input, end], edges: [] })
      const { canvas, middleOf } = await openCanvas(page, world, 'edge')
      const [start, ground] = [await middleOf('Ask'), (await canvas.boundingBox())!]
      await page.mouse.move(start.x + start.width / 2, start.y)
      await page.mouse.down()
      await page.mouse.move(ground.x + ground.width - 60, ground.y + 300, { steps: 4 })
      await page.mouse.move(ground.x + ground.width - 6, ground.y + 300, { steps: 4 })
      await page.mouse.up()
      const picker = page.getByRole('combobox', { name: 'Add a node here' })
      await picker.fill('out')
      const box = (await page.locator('.canvas-add').boundingBox())!
      assert.ok(box.x + box.width <= ground.x + ground.width, 'it is inside the canvas')
      await picker.press('Escape')
      assert.deepEqual(await canvas.boundingBox(), ground)
      assert.equal(await page.evaluate('document.querySelector(".canvas").scrollLeft'), 0)
    },
  )

  flow(world, 'in a narrow window, the graph is fitted beside the panel', async ({ page }) => {
    await store('narrow', branching)
    await page.setViewportSize({ width: 768, height: 1024 })
    await page.goto(`${world.server.base}/#/workflows/narrow`)
    const { canvas, card, middleOf } = await canvasOf(page)
    const panel = page.getByRole('complementary', { name: 'Settings, checks and run' })
    const expectFree = async (titles: string[]): Promise<void> => {
      for (const title of titles) {
        const [{ x, width }, ground, side] = [
          await middleOf(title),
          (await canvas.boundingBox())!,
          (await panel.boundingBox())!,
        ]
        assert.ok(side.x < ground.x + ground.width - 200, 'the panel covers a part of the canvas')
        assert.ok(x - width / 2 >= ground.x && x + width / 2 <= side.x, `${title} is in the free part`)
      }
    }
    await page.getByRole('tab', { name: /^Run$/ }).click()
    await page.getByRole('button', { name: 'Fit to screen' }).click()
    await expectFree(['Ask', 'Which?', 'Loud', 'Else', 'Done'])
    // A card that the panel would cover is moved into the free part.
    await page.getByRole('button', { name: /^Zoom \d+ %/ }).click()
    await canvas.focus()
    await page.keyboard.press('Escape')
    for (let stop = 0; stop < 6; stop++) await page.keyboard.press('Tab')
    await card('Done').and(page.locator(':focus')).waitFor()
    await expectFree(['Done'])
    // So is what is pasted.
    await page.keyboard.press('Shift+Tab')
    await card('Else').and(page.locator(':focus')).waitFor()
    for (const title of ['Else 2', 'Else 3', 'Else 4']) {
      await page.keyboard.press('ControlOrMeta+c')
      await page.keyboard.press('ControlOrMeta+v')
      await card(title).waitFor()
    }
    await expectFree(['Else 4'])
  })

  flow(world, 'in a narrow window, palette and panel cover no tool of the canvas', async ({ page }) => {
    await store('tools', branching)
    await page.setViewportSize({ width: 900, height: 900 })
    await page.goto(`${world.server.base}/#/workflows/tools`)
    const { card } = await canvasOf(page)
    await card('Which?').click()
    await page.getByRole('button', { name: 'Nodes', exact: true }).click()
    const palette = (await page.locator('.palette').boundingBox())!
    const panel = (await page.getByRole('complementary', { name: /^Settings, checks/ }).boundingBox())!
    const expectUncovered = async (tool: string): Promise<void> => {
      const box = (await page.locator(tool).boundingBox())!
      assert.ok(box.x >= palette.x + palette.width, `the palette leaves ${tool} free`)
      assert.ok(box.x + box.width <= panel.x, `the panel leaves ${tool} free`)
    }
    for (const tool of ['.canvas-selection', '.canvas-map', '.canvas-zoom']) await expectUncovered(tool)
    await page.getByRole('application').focus()
    await page.keyboard.press('ControlOrMeta+f')
    await page.locator('.canvas-find').waitFor()
    await expectUncovered('.canvas-find')
  })

  flow(world, 'on an upright tablet, palette and panel are not open side by side', async ({ page }) => {
    await store('tablet', branching)
    await page.goto(`${world.server.base}/#/workflows/tablet`)
    const { card } = await canvasOf(page)
    const palette = page.locator('.palette')
    const title = page.getByRole('textbox', { name: 'Title' })
    await card('Which?').click()
    await title.waitFor()
    await palette.waitFor()
    await page.setViewportSize({ width: 768, height: 1024 })
    await palette.waitFor({ state: 'detached' })
    await title.waitFor()
    await page.getByRole('button', { name: 'Nodes', exact: true }).click()
    await palette.waitFor()
    await title.waitFor({ state: 'hidden' })
    // The palette stays open for further nodes, with the focus.
    const template = palette.getByRole('button', { name: 'Template', exact: true })
    await template.press('Enter')
    await card('Template').waitFor()
    await template.and(page.locator(':focus')).waitFor()
    await card('Which?').click()
    await title.waitFor()
    await palette.waitFor({ state: 'detached' })
  })

  flow(world, 'a new name for a workflow that was deleted is refused', async ({ page }) => {
    await store('gone', branching)
    await openCanvas(page, world, 'gone')
    await world.server.api.post('workflow/delete', { id: 'gone' })
    const name = page.getByRole('textbox', { name: 'Workflow name' })
    const before = await name.inputValue()
    await name.fill('Another name')
    await name.press('Enter')
    await messageShown(page, 'Another user deleted this workflow')
    assert.equal(await name.inputValue(), before)
  })

  flow(world, 'a graph of five hundred nodes fits into the window', async ({ page }) => {
    const ids = ['input', ...Array.from({ length: 498 }, (_, at) => `t${at}`), 'end']
    await store('long', {
      nodes: [input, ...ids.slice(1, -1).map(id => template(id, id)), end],
      edges: ids.slice(1).map((id, at) => edge(ids[at]!, id)),
    })
    const { canvas, card } = await openCanvas(page, world, 'long')
    await page.getByRole('button', { name: 'Fit to screen' }).click()
    const scale = async (): Promise<number> => {
      const zoom = await page.getByRole('button', { name: /^Zoom \d+ %/ }).getAttribute('aria-label')
      return Number(/\d+/.exec(zoom!)![0])
    }
    await eventually(async () => assert.ok((await scale()) < 10))
    const ground = (await canvas.boundingBox())!
    for (const title of ['Ask', 'Done'])
      await eventually(async () => {
        const box = (await card(title).boundingBox())!
        assert.ok(box.x >= ground.x && box.x + box.width <= ground.x + ground.width, title)
      })
    const fitted = await scale()
    await page.getByRole('button', { name: 'Zoom out' }).click()
    assert.equal(await scale(), fitted, 'it is not enlarged')
    await page.getByRole('button', { name: /^Zoom \d+ %/ }).click()
    for (let step = 0; step < 30; step++) await page.getByRole('button', { name: 'Zoom out' }).click()
    await eventually(async () => assert.equal(await scale(), fitted, 'zooming out ends there'))
  })

  flow(world, 'a click shows the settings of a node, and after a run its values', async ({ page }) => {
    await store('clicked', branching)
    const { canvas, card } = await openCanvas(page, world, 'clicked')
    const tab = (name: RegExp) => page.getByRole('tab', { name })
    await tab(/^Checks/).click()
    await card('Loud').click()
    assert.equal(await tab(/^Settings$/).getAttribute('aria-selected'), 'true')
    await page.locator('header').getByRole('button', { name: /Run$/ }).click()
    await eventually(async () =>
      assert.ok(await page.evaluate<boolean>('document.activeElement.id === "run-question"')),
    )
    await page.keyboard.type('Hello!')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await canvas.locator('[data-node="end"][data-mark="succeeded"]').waitFor()
    // Skipped nodes are shown by their titles.
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByText('Quiet', { exact: false }).first().waitFor()
    assert.equal(await steps.getByText('b b').count(), 0)
    await card('Loud').click()
    const values = page.locator('.node-in-run')
    await values.getByText('Outputs').waitFor()
    await values.getByText('Hello!').first().waitFor()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
  })

  flow(
    world,
    'an arranged graph keeps the order of branches, opens readable, and survives export',
    async ({ page }) => {
      await store('ordered', branching)
      const { middleOf, card } = await openCanvas(page, world, 'ordered')
      await page.getByRole('button', { name: 'Auto-layout' }).click()
      const placed = async () =>
        (await world.server.api.get('workflow/layout?id=ordered')).json.data.positions
      await eventually(async () => {
        const { a, b, c } = await placed()
        assert.ok(a.y < b.y && b.y < c.y, 'from the first case to the last')
      })
      await page.setViewportSize({ width: 1024, height: 768 })
      await page.reload()
      await card('Ask').waitFor()
      const { width } = await middleOf('Ask')
      assert.ok(width >= 224 * 0.79, 'cards can be read')
      const exported = await world.server.api.post('workflow/export', { id: 'ordered' })
      const made = await world.server.api.post('workflow/import', {
        content: JSON.stringify(exported.json.data.document),
        id: 'moved-here',
      })
      assert.equal(made.json.code, 0)
      const layout = await world.server.api.get('workflow/layout?id=moved-here')
      assert.deepEqual(layout.json.data.positions, await placed())
    },
  )

  flow(world, 'the first node stays where it is dropped; undo selects what it changes', async ({ page }) => {
    await store('dropped', { nodes: [], edges: [] })
    const { canvas, card, middleOf } = await openCanvas(page, world, 'dropped')
    const ground = (await canvas.boundingBox())!
    await page
      .getByRole('button', { name: 'Template', exact: true })
      .dragTo(canvas, { targetPosition: { x: 200, y: 240 } })
    const { x, y } = await middleOf('Template')
    assert.ok(Math.abs(x - ground.x - 200) <= 8 && Math.abs(y - ground.y - 240) <= 8)
    await card('Template').click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Named')
    await canvas.click({ position: { x: 600, y: 600 } })
    await canvas.press('ControlOrMeta+z')
    await eventually(async () => assert.equal(await card('Template').getAttribute('aria-pressed'), 'true'))
  })

  flow(
    world,
    'the node list is one tab stop with arrow keys, and Enter confirms a connection',
    async ({ page }) => {
      await store('stops', { ...branching, edges: [] })
      await openCanvas(page, world, 'stops')
      const { canvas } = await canvasOf(page)
      // From the top of the page, one key leads past all pages and buttons.
      await page.reload()
      await page.getByRole('application').waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      assert.ok(await page.evaluate<boolean>('document.activeElement.role === "application"'))
      await page.getByLabel('Search nodes').focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Tab')
      assert.ok(await page.evaluate<boolean>('document.activeElement.role === "application"'))
      await page.keyboard.press('Tab')
      await page.keyboard.press('c')
      const dialog = page.getByRole('dialog', { name: 'Connect “Ask”' })
      const to = dialog.getByLabel('To')
      await to.fill('Loud')
      await to.press('Enter')
      await dialog.getByTitle('Loud').waitFor()
      await to.press('Enter')
      await dialog.waitFor({ state: 'hidden' })
      await eventually(async () => assert.equal(await canvas.locator('.x6-edge').count(), 1))
    },
  )
})
