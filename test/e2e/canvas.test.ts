import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { canvasOf, eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { choose, closeWithEscape } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const edge = (from: string, to: string, chosen?: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(chosen !== undefined && { data: { case: chosen } }),
})

const template = (id: string, title: string) => ({
  id,
  type: 'base',
  data: { type: 'template', title, template: '{{#sys.query#}}' },
})

/** Input → one → two → end, with a title for each. */
const chain = {
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title: 'Ask' } },
    template('one', 'One'),
    template('two', 'Two'),
    { id: 'end', type: 'base', data: { type: 'end', title: 'Done' } },
  ],
  edges: [edge('input', 'one'), edge('one', 'two'), edge('two', 'end')],
}

const missing = {
  id: 'two',
  type: 'base',
  data: { type: 'template', title: 'Two', template: '{{#nowhere.text#}} {{#nobody.text#}}' },
}

/**
 * A rule that axe-core does not enable by default: the visible label is part of the accessible name, for
 * voice control.
 */
async function expectNamedAsSeen(page: Page): Promise<void> {
  const found = await page.evaluate<string[]>(
    `axe.run('.editor', { runOnly: ['label-content-name-mismatch'] })
      .then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)))`,
  )
  assert.deepEqual(found, [])
}

describeConsole('The canvas', world => {
  const store = (id: string, workflow: unknown) => world.server.api.post('workflow/update', { id, workflow })
  const stored = async (id: string) =>
    (await world.server.api.get(`workflow?id=${id}`)).json.data.workflow.config
  const places = async (id: string) =>
    (await world.server.api.get(`workflow/layout?id=${id}`)).json.data.positions

  flow(world, 'a drawn workflow is stored in exactly the form of the API, and runs', async ({ page }) => {
    await store('drawn', { nodes: [], edges: [] })
    const { canvas, card, connect } = await openCanvas(page, world, 'drawn')
    const search = page.getByLabel('Search nodes')
    await search.fill('input')
    await search.press('Enter')
    await card('Input').waitFor()
    await search.fill('language')
    await search.press('Enter')
    await card('Language model').waitFor()
    await search.fill('')
    await page
      .getByRole('button', { name: 'Output', exact: true })
      .dragTo(canvas, { targetPosition: { x: 250, y: 560 } })
    await card('Output').waitFor()
    await connect('Language model', 'Output')
    await search.fill('end')
    await card('Output').click()
    await page.getByRole('complementary', { name: 'Nodes' }).getByRole('button', { name: 'End' }).click()
    await card('End').waitFor()
    const expected = {
      nodes: [
        { id: 'input', type: 'base', data: { type: 'input', title: 'Input' } },
        {
          id: 'llm_1',
          type: 'base',
          data: {
            prompt_template: '{{#sys.query#}}',
            '数据源/API工具': [],
            type: 'llm',
            title: 'Language model',
          },
        },
        {
          id: 'output_1',
          type: 'base',
          // It was connected after the model, so it sends the answer of that.
          data: { answer: '{{#llm_1.text#}}', type: 'output', title: 'Output' },
        },
        { id: 'end', type: 'base', data: { type: 'end', title: 'End' } },
      ],
      edges: [edge('input', 'llm_1'), edge('llm_1', 'output_1'), edge('output_1', 'end')],
    }
    await eventually(async () => assert.deepEqual(await stored('drawn'), expected))
    const run = await world.server.api.post('workflow/run', { id: 'drawn', inputs: { query: 'Hello?' } })
    assert.equal(run.json.data.status, 'succeeded')
    assert.equal(run.json.data.answer, 'echo: Hello?')
  })

  flow(world, 'every edit can be undone and redone', async ({ page }) => {
    await store('undone', chain)
    const { canvas, card, cards, edges } = await openCanvas(page, world, 'undone')
    await card('One').click()
    await page.keyboard.press('Delete')
    await card('One').waitFor({ state: 'detached' })
    await eventually(async () => assert.equal(await edges(), 1))
    await page.keyboard.press('ControlOrMeta+z')
    await card('One').waitFor()
    await eventually(async () => assert.equal(await edges(), 3))
    await page.getByRole('button', { name: 'Redo' }).click()
    await card('One').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await card('One').waitFor()
    await card('One').click()
    await page.keyboard.press('ControlOrMeta+c')
    await page.keyboard.press('ControlOrMeta+v')
    await eventually(async () => assert.equal(await cards(), 5))
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+d')
    // The input and the end are not duplicated.
    await eventually(async () => assert.equal(await cards(), 8))
    for (const count of [5, 4]) {
      await canvas.press('ControlOrMeta+z')
      await eventually(async () => assert.equal(await cards(), count))
    }
    await eventually(async () => assert.deepEqual(await stored('undone'), chain))
  })

  flow(world, 'several nodes are moved together, which changes only their positions', async ({ page }) => {
    await store('moved', chain)
    const { canvas, card, middleOf } = await openCanvas(page, world, 'moved')
    const [one, two] = [await middleOf('One'), await middleOf('Two')]
    await page.keyboard.down('Shift')
    await page.mouse.move(one.x - one.width / 2 - 12, one.y - 90)
    await page.mouse.down()
    await page.mouse.move(two.x + 20, two.y + 80, { steps: 5 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await page.getByRole('toolbar', { name: 'Selection' }).getByText('2 nodes').waitFor()
    await page.mouse.move(one.x, one.y)
    await page.mouse.down()
    await page.mouse.move(one.x, one.y + 40, { steps: 3 })
    await page.mouse.move(one.x, one.y + 120, { steps: 3 })
    await page.mouse.up()
    const after = { one: await middleOf('One'), two: await middleOf('Two') }
    assert.ok(after.one.y - one.y > 60, 'it went down')
    assert.ok(Math.abs(after.one.y - one.y - (after.two.y - two.y)) < 2, 'both went the same way')
    await eventually(async () => {
      const { one: first, two: second, input, end } = await places('moved')
      // They were all in one row.
      assert.ok(first.y > input.y && second.y === first.y && end.y === input.y)
    })
    const before = (await places('moved')).one
    await card('One').click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await eventually(async () => {
      const { x, y } = (await places('moved')).one
      assert.deepEqual([x - before.x, y - before.y], [8, 40])
    })
    await canvas.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual((await places('moved')).one, before))
    const { version, config } = (await world.server.api.get('workflow?id=moved')).json.data.workflow
    assert.deepEqual([version, config], [1, chain])
  })

  flow(world, 'invalid connections are rejected with a reason', async ({ page }) => {
    await store('circle', chain)
    const { connect, edges } = await openCanvas(page, world, 'circle')
    await connect('Two', 'One')
    await messageShown(page, 'This would create a cycle')
    assert.equal(await edges(), 3)
  })

  flow(world, 'everything works with the keyboard alone', async ({ page }) => {
    await store('keys', { ...chain, edges: chain.edges.slice(0, 2) })
    const { canvas, card } = await openCanvas(page, world, 'keys')
    await canvas.focus()
    // From left to right, and from top to bottom: nodes without incoming edges are at the left.
    for (const title of ['Ask', 'Done', 'One', 'Two']) {
      await page.keyboard.press('Tab')
      await eventually(async () =>
        assert.match(
          await page.evaluate<string>('document.activeElement.getAttribute("aria-label")'),
          new RegExp(`^${title}, `),
        ),
      )
    }
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Connect “Two”' })
    await choose(dialog.getByLabel('To'), 'Done')
    await dialog.getByRole('button', { name: 'Connect' }).press('Enter')
    await card('Two').and(page.locator(':focus')).waitFor()
    await eventually(async () => assert.deepEqual((await stored('keys')).edges, chain.edges))
    await canvas.focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Select all').waitFor()
    await closeWithEscape(help)
    await card('One').click()
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected'), 'true')
    const panel = page.getByRole('complementary', { name: 'Settings, checks and run' })
    // The settings have the focus, and Escape returns it.
    await page.keyboard.press('Tab')
    await panel.getByLabel('Title').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+Tab')
    await card('One').press('Enter')
    await panel.locator('.node-panel:focus').waitFor()
    await page.keyboard.press('Escape')
    await card('One').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('e')
    await panel.getByText('From One to Two.').waitFor()
    await page.keyboard.press('e')
    await panel.getByText('From Ask to One.').waitFor()
    await page.keyboard.press('Shift+E')
    await panel.getByText('From One to Two.').waitFor()
    await page.keyboard.press('Delete')
    await eventually(async () =>
      assert.deepEqual((await stored('keys')).edges, [chain.edges[0], chain.edges[2]]),
    )
    // The focus is still on the node, and continues from there.
    await page.keyboard.press('e')
    await panel.getByText('From Ask to One.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowRight')
    await eventually(async () => assert.equal(await card('One').getAttribute('aria-pressed'), 'true'))
  })

  flow(
    world,
    'viewing a workflow writes nothing; the first edit stores the shown layout',
    async ({ page }) => {
      await store('looked-at', chain)
      const writes: string[] = []
      page.on('request', request => {
        const path = new URL(request.url()).pathname
        if (request.method() === 'POST' && !/\/(check|list|report)$/.test(path)) writes.push(path)
      })
      const { card, canvas, middleOf } = await openCanvas(page, world, 'looked-at')
      await card('Two').click()
      await page.getByRole('button', { name: 'Zoom in' }).click()
      // Leaving the page saves pending edits.
      await page.goto(`${world.server.base}/#/workflows`)
      await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
      assert.deepEqual([writes, await places('looked-at')], [[], {}])
      await page.goBack()
      await card('Two').click()
      const before = { one: await middleOf('One'), end: await middleOf('Done') }
      await canvas.press('Delete')
      await eventually(async () =>
        assert.deepEqual(Object.keys(await places('looked-at')).sort(), ['end', 'input', 'one']),
      )
      assert.deepEqual({ one: await middleOf('One'), end: await middleOf('Done') }, before)
    },
  )

  flow(
    world,
    'an edge can be dropped anywhere on a node, or on empty canvas for a new node',
    async ({ page }) => {
      await store('loose', { ...chain, edges: [] })
      const { card, middleOf } = await openCanvas(page, world, 'loose')
      const drag = async (from: string, to: { x: number; y: number }): Promise<void> => {
        const start = await middleOf(from)
        await page.mouse.move(start.x + start.width / 2, start.y)
        await page.mouse.down()
        await page.mouse.move(to.x - 30, to.y - 30, { steps: 4 })
        await page.mouse.move(to.x, to.y, { steps: 4 })
        await page.mouse.up()
      }
      const body = await middleOf('One')
      await drag('Ask', { x: body.x + 70, y: body.y - 20 })
      await eventually(async () => assert.deepEqual((await stored('loose')).edges, [edge('input', 'one')]))
      await drag('Ask', { x: body.x + 300, y: body.y + 30 })
      const chosen = page.getByRole('combobox', { name: 'Add a node here' })
      await chosen.fill('output')
      await chosen.press('Enter')
      await card('Output').waitFor()
      await eventually(async () =>
        assert.deepEqual((await stored('loose')).edges, [edge('input', 'one'), edge('input', 'output_1')]),
      )
    },
  )

  flow(
    world,
    'one finger pans, two fingers zoom, and a node can be moved after that',
    async ({ page, context }) => {
      await store('fingers', chain)
      const { canvas, middleOf } = await openCanvas(page, world, 'fingers')
      const fingers = await context.newCDPSession(page)
      const touch = (
        type: 'touchStart' | 'touchMove' | 'touchEnd',
        ...touchPoints: { x: number; y: number }[]
      ) => fingers.send('Input.dispatchTouchEvent', { type, touchPoints })
      const before = await middleOf('One')
      const { x, y } = { x: before.x, y: before.y + 150 }
      await touch('touchStart', { x, y })
      await touch('touchMove', { x: x + 30, y: y + 10 })
      await touch('touchMove', { x: x + 60, y: y + 20 })
      await touch('touchEnd')
      await eventually(async () => {
        const moved = await middleOf('One')
        assert.deepEqual([Math.round(moved.x - before.x), Math.round(moved.y - before.y)], [60, 20])
      })
      const scale = async () =>
        Number(/\d+/.exec((await page.getByRole('button', { name: /^Zoom \d+ %/ }).textContent())!)![0])
      const atFirst = await scale()
      await touch('touchStart', { x: x - 50, y })
      await touch('touchStart', { x: x - 50, y }, { x: x + 50, y })
      await touch('touchMove', { x: x - 60, y }, { x: x + 60, y })
      await touch('touchMove', { x: x - 75, y }, { x: x + 75, y })
      await touch('touchEnd')
      await eventually(async () =>
        assert.ok(Math.abs((await scale()) - atFirst * 1.5) < 2, 'half as large again'),
      )
      const one = await middleOf('One')
      await page.mouse.move(one.x, one.y)
      await page.mouse.down()
      await page.mouse.move(one.x, one.y + 40, { steps: 4 })
      await page.mouse.move(one.x, one.y + 96, { steps: 4 })
      await page.mouse.up()
      const after = await middleOf('One')
      assert.ok(
        Math.abs(after.y - one.y - 96) < 12 && Math.abs(after.x - one.x) < 12,
        'it followed the pointer',
      )
      await canvas.waitFor()
    },
    { hasTouch: true },
  )

  flow(world, 'a long workflow opens at its beginning, at a readable size', async ({ page }) => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const all = ['input', ...ids, 'end']
    await store('long', {
      nodes: [chain.nodes[0], ...ids.map(id => template(id, `Step ${id}`)), chain.nodes[3]],
      edges: all.slice(1).map((id, at) => edge(all[at]!, id)),
    })
    await page.goto(`${world.server.base}/#/workflows/long`)
    const { canvas, middleOf } = await canvasOf(page)
    const [first, ground] = [await middleOf('Ask'), (await canvas.boundingBox())!]
    assert.ok(first.width >= 224 * 0.79, 'it can be read')
    assert.ok(
      first.x - first.width / 2 >= ground.x && first.x < ground.x + ground.width / 2,
      'it begins at the left',
    )
    assert.ok(Math.abs(first.y - ground.y - ground.height / 2) < 2, 'in the middle of the height')
  })

  flow(
    world,
    'a foreign graph is laid out without overlaps, zoomed, shown in the minimap and rearranged',
    async ({ page }) => {
      const ids = Array.from({ length: 24 }, (_, index) => `t${index}`)
      await store('elsewhere', {
        nodes: [chain.nodes[0], ...ids.map(id => template(id, `Node ${id}`)), chain.nodes[3]],
        edges: ids.flatMap((id, index) => [
          index < 4 ? edge('input', id) : edge(`t${index - 4}`, id),
          ...(index > 19 ? [edge(id, 'end')] : []),
        ]),
      })
      const { card, cards } = await openCanvas(page, world, 'elsewhere')
      await page.getByRole('button', { name: 'Fit to screen' }).click()
      await eventually(async () => assert.equal(await cards(), 26))
      const boxes = await page.evaluate<{ x: number; y: number; width: number; height: number }[]>(
        `[...document.querySelectorAll('.card-body')].map(each => each.getBoundingClientRect().toJSON())`,
      )
      assert.equal(boxes.length, 26)
      for (const [index, one] of boxes.entries())
        for (const other of boxes.slice(index + 1))
          assert.ok(
            one.x + one.width <= other.x + 1 ||
              other.x + other.width <= one.x + 1 ||
              one.y + one.height <= other.y + 1 ||
              other.y + other.height <= one.y + 1,
            'two cards overlap',
          )
      await page.getByRole('img', { name: /^Minimap/ }).waitFor()
      await page.getByRole('button', { name: /reset to 100 %$/ }).click()
      await page.getByRole('button', { name: 'Zoom 100 %: reset to 100 %' }).waitFor()
      await page.getByRole('button', { name: 'Zoom in' }).click()
      await page.getByRole('button', { name: /^Zoom 125 %/ }).waitFor()
      await page.getByRole('button', { name: 'Fit to screen' }).click()
      await card('Ask').click()
      await page.keyboard.press('Shift+ArrowUp')
      await eventually(async () => assert.equal(Object.keys(await places('elsewhere')).length, 26))
      const { y } = (await places('elsewhere')).input
      await page.getByRole('button', { name: 'Auto-layout' }).click()
      await eventually(async () => assert.equal((await places('elsewhere')).input.y, y + 40))
    },
  )

  for (const [colorScheme, language] of [
    ['light', 'en'],
    ['dark', 'zh'],
  ] as const)
    flow(
      world,
      `is accessible, with problems and during a run, ${colorScheme} and ${language}`,
      async ({ page }) => {
        const id = `axe-${colorScheme}`
        await store(id, { ...chain, nodes: chain.nodes.with(2, missing) })
        await page.goto(`${world.server.base}/#/workflows/${id}`)
        const { canvas, card } = await canvasOf(page)
        await card('One').click()
        await canvas.locator('[data-node="two"][data-severity]').waitFor()
        await expectAccessible(page, `the canvas with problems, ${colorScheme}`)
        await expectNamedAsSeen(page)
        await store(id, chain)
        await page.reload()
        await page.getByRole('tab', { name: /^(Run|运行)$/ }).click()
        const question = page.getByRole('textbox', { name: /^(Question|问题)$/ })
        await question.fill('Hello?')
        await question.press('Control+Enter')
        await canvas.locator('[data-node="end"][data-mark="succeeded"]').waitFor()
        await expectAccessible(page, `the canvas with marks of a run, ${colorScheme}`)
        await expectNamedAsSeen(page)
      },
      { colorScheme, language },
    )

  flow(world, 'a viewer can look at everything and change nothing', async ({ page, context }) => {
    await store('watched', chain)
    const made = await world.server.api.post('token/create', { name: 'watcher', role: 'viewer' })
    await context.addInitScript(`localStorage.setItem('banyan.token', '${made.json.data.token}')`)
    const { canvas, card, cards, middleOf, connect, edges } = await openCanvas(page, world, 'watched')
    await page.getByText('View only').waitFor()
    assert.equal(await page.getByRole('complementary', { name: 'Nodes' }).count(), 0)
    const before = await middleOf('One')
    await page.mouse.move(before.x, before.y)
    await page.mouse.down()
    await page.mouse.move(before.x + 10, before.y + 90, { steps: 4 })
    await page.mouse.up()
    await canvas.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await page.keyboard.press('ArrowDown')
    await connect('Ask', 'Done')
    assert.deepEqual([await cards(), await edges()], [4, 3])
    assert.deepEqual(await middleOf('One'), before)
    await card('Two').click()
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
    assert.deepEqual(await stored('watched'), chain)
  })
})
