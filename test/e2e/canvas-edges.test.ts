import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type CanvasPage, eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const edge = (from: string, to: string, chosen?: string, more: object = {}) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(chosen !== undefined && { data: { case: chosen } }),
  ...more,
})

const node = (id: string, type: string, data: object = {}) => ({
  id,
  type: 'base',
  data: { type, title: id, ...data },
})
const template = (id: string, data: object = {}) =>
  node(id, 'template', { template: '{{#sys.query#}}', ...data })

const condition = node('Which', 'condition', {
  cases: [{ id: 'loud', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '!' }] }, { id: 'other' }],
})

const forked = {
  nodes: [node('input', 'input'), condition, template('One'), template('Two'), node('end', 'end')],
  edges: [edge('input', 'Which'), edge('Which', 'One', 'other'), edge('One', 'end'), edge('Two', 'end')],
}

const chain = {
  nodes: [node('input', 'input'), template('One'), template('Two'), node('end', 'end')],
  edges: [edge('input', 'One'), edge('One', 'Two', undefined, { note: 'kept' }), edge('Two', 'end')],
}

/** What is used of the line of an edge; the tests have no types of the DOM. */
interface Line {
  getTotalLength(): number
  getPointAtLength(length: number): { matrixTransform(matrix: unknown): { x: number; y: number } }
  getScreenCTM(): unknown
}

/** The point of an edge at a part of its length, on the screen, once it is drawn. */
const pointOf = (page: Page, from: string, to: string, part: number): Promise<{ x: number; y: number }> =>
  page
    .locator(`.x6-edge[data-cell-id^='wire ["${from}","${to}"'] .wire`)
    .first()
    .evaluate((wire, along) => {
      const line = wire as unknown as Line
      const at = line.getPointAtLength(line.getTotalLength() * along)
      const { x, y } = at.matrixTransform(line.getScreenCTM())
      return { x, y }
    }, part)

const pick = async (page: Page, sought: string): Promise<void> => {
  const picker = page.getByRole('combobox', { name: 'Add a node here' })
  await picker.fill(sought)
  await picker.press('Enter')
  await picker.waitFor({ state: 'detached' })
}

const centre = async (page: Page, selector: string) => {
  const box = (await page.locator(selector).boundingBox())!
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

describeConsole('Ports and edges of the canvas', world => {
  const store = (id: string, workflow: unknown) => world.server.api.post('workflow/update', { id, workflow })
  const edgesOf = async (id: string) =>
    (await world.server.api.get(`workflow?id=${id}`)).json.data.workflow.config.edges
  const expectEdges = (id: string, expected: unknown) =>
    eventually(async () => assert.deepEqual(await edgesOf(id), expected))
  /** Moves the pointer over an edge, and drags its handle. */
  const dragEnd = async (
    page: Page,
    { drag }: CanvasPage,
    ends: [string, string],
    end: string,
    to: string,
  ) => {
    const { x, y } = await pointOf(page, ...ends, 0.5)
    await page.mouse.move(x, y)
    await page.locator('.wire-handles:not([hidden])').waitFor()
    const box = (await page.getByRole('application').getByRole('button', { name: to }).first().boundingBox())!
    await drag(await centre(page, `.wire-end[data-end="${end}"]`), {
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
    })
  }

  flow(
    world,
    'each branch has a port with its name, and an edge from it needs no dialog',
    async ({ page }) => {
      await store('branches', forked)
      const { canvas, port, drag, middleOf } = await openCanvas(page, world, 'branches')
      await canvas.locator('.card-port-label', { hasText: 'loud' }).waitFor()
      await canvas.locator('.card-port-label', { hasText: 'other' }).waitFor()
      await drag(await port('Which', 'loud'), await middleOf('Two'))
      await expectEdges('branches', [...forked.edges, edge('Which', 'Two', 'loud')])
      assert.equal(await page.getByRole('dialog').count(), 0)
      // The same edge again is refused, another branch to the same node is not.
      await drag(await port('Which', 'loud'), await middleOf('Two'))
      await messageShown(page, 'These nodes are already connected')
      await drag(await port('Which', 'other'), await middleOf('Two'))
      await expectEdges('branches', [
        ...forked.edges,
        edge('Which', 'Two', 'loud'),
        edge('Which', 'Two', 'other'),
      ])
      await expectAccessible(page, 'the canvas with branches', '.editor')
      for (const left of [5, 4]) {
        await canvas.press('ControlOrMeta+z')
        await eventually(async () => assert.equal((await edgesOf('branches')).length, left))
      }
      await canvas.press('ControlOrMeta+Shift+z')
      await expectEdges('branches', [...forked.edges, edge('Which', 'Two', 'loud')])
    },
  )

  flow(world, 'a node that takes the error branch has a port for it, and runs it', async ({ page }) => {
    await store('failing', {
      nodes: [
        node('input', 'input'),
        {
          id: 'Risky',
          type: 'tool',
          data: { type: 'code', title: 'Risky', code: 'function main() { throw new Error("no") }' },
        },
        node('Good', 'output', { answer: 'fine' }),
        node('Bad', 'output', { answer: 'failed: {{#Risky.error.message#}}' }),
        node('end', 'end'),
      ],
      edges: [edge('input', 'Risky'), edge('Risky', 'Good'), edge('Good', 'end'), edge('Bad', 'end')],
    })
    const { card, port, drag, middleOf, canvas } = await openCanvas(page, world, 'failing')
    await card('Risky').click()
    const panel = page.getByRole('complementary', { name: 'Settings, checks and run' })
    await panel.getByText('Advanced').click()
    await choose(panel.getByRole('combobox', { name: 'On error' }), 'Take the error branch')
    await canvas.locator('.card-port-label', { hasText: 'On error' }).waitFor()
    await drag(await port('Risky', 'error'), await middleOf('Bad'))
    await expectEdges('failing', [
      edge('input', 'Risky'),
      edge('Risky', 'Good'),
      edge('Good', 'end'),
      edge('Bad', 'end'),
      edge('Risky', 'Bad', 'error'),
    ])
    const { json } = await world.server.api.post('workflow/run', { id: 'failing', inputs: { query: 'x' } })
    assert.equal(json.data.status, 'succeeded')
    assert.match(json.data.answer, /^failed: .+/)
  })

  flow(world, 'either end of an edge is dragged to another node', async ({ page }) => {
    await store('redrawn', { ...chain, nodes: [...chain.nodes, template('Three')] })
    const canvasPage = await openCanvas(page, world, 'redrawn')
    await page.getByRole('button', { name: 'Fit to screen' }).click()
    await canvasPage.middleOf('Three')
    await dragEnd(page, canvasPage, ['One', 'Two'], 'target', 'Three')
    const moved = [chain.edges[0], edge('One', 'Three', undefined, { note: 'kept' }), chain.edges[2]]
    await expectEdges('redrawn', moved)
    await dragEnd(page, canvasPage, ['Two', 'end'], 'source', 'Three')
    await expectEdges('redrawn', [moved[0], moved[1], edge('Three', 'end')])
    // Not where a cycle would be.
    await dragEnd(page, canvasPage, ['One', 'Three'], 'source', 'end')
    await messageShown(page, 'Nothing can follow the end')
    await canvasPage.canvas.press('ControlOrMeta+z')
    await expectEdges('redrawn', moved)
    await canvasPage.canvas.press('ControlOrMeta+z')
    await expectEdges('redrawn', chain.edges)
    // By keyboard.
    await canvasPage.card('One').click()
    await page.keyboard.press('e')
    const panel = page.getByRole('complementary', { name: 'Settings, checks and run' })
    await panel.getByText('From One to Two.').waitFor()
    await choose(panel.getByLabel('To', { exact: true }), 'Three')
    await expectEdges('redrawn', moved)
  })

  flow(world, 'plus signs on ports and edges add connected nodes', async ({ page }) => {
    await store('plus', forked)
    const { canvas, port, card } = await openCanvas(page, world, 'plus')
    const loud = await port('Which', 'loud')
    const title = page.getByRole('textbox', { name: 'Title' })
    const expectSettings = async (of: string) => {
      await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
      await eventually(async () => assert.equal(await title.inputValue(), of))
    }
    await page.mouse.click(loud.x, loud.y)
    await pick(page, 'output')
    await card('Output').waitFor()
    await expectSettings('Output')
    const first = [...forked.edges, edge('Which', 'output_1', 'loud')]
    await expectEdges('plus', first)
    const middle = await pointOf(page, 'One', 'end', 0.5)
    await page.mouse.move(middle.x, middle.y)
    await page.locator('.wire-plus').click()
    await pick(page, 'template')
    const inserted = [
      ...first.slice(0, 2),
      edge('One', 'template_1'),
      ...first.slice(3),
      edge('template_1', 'end'),
    ]
    await expectEdges('plus', inserted)
    await canvas.press('ControlOrMeta+z')
    await expectEdges('plus', first)
    await canvas.press('ControlOrMeta+Shift+z')
    await expectEdges('plus', inserted)
    // By keyboard: after a node, and in the middle of an edge.
    await card('Output').click()
    await page.getByRole('tab', { name: /^Run$/ }).click()
    await card('Output').focus()
    await page.keyboard.press('n')
    await pick(page, 'template')
    await eventually(async () =>
      assert.deepEqual((await edgesOf('plus')).at(-1), edge('output_1', 'template_2')),
    )
    await expectSettings('Template 2')
    // The new node has the focus, so that the next one is added after it.
    await card('Template 2').and(page.locator(':focus')).waitFor()
    await card('Two').click()
    await page.keyboard.press('e')
    await page.keyboard.press('n')
    await pick(page, 'classifier')
    await eventually(async () => {
      const edges = await edgesOf('plus')
      assert.deepEqual(edges[3], edge('Two', 'classifier_1'))
      assert.equal(edges.at(-1).source.cell, 'classifier_1')
      assert.equal(typeof edges.at(-1).data.case, 'string')
    })
  })

  flow(world, 'a node that is dropped on an edge is inserted there', async ({ page }) => {
    await store('dropped', chain)
    const { canvas, card, middleOf } = await openCanvas(page, world, 'dropped')
    const at = await pointOf(page, 'One', 'Two', 0.5)
    const ground = (await canvas.boundingBox())!
    await page
      .getByRole('button', { name: 'Output', exact: true })
      .dragTo(canvas, { targetPosition: { x: at.x - ground.x, y: at.y - ground.y } })
    const expected = [
      chain.edges[0],
      edge('One', 'output_1', undefined, { note: 'kept' }),
      chain.edges[2],
      edge('output_1', 'Two'),
    ]
    await expectEdges('dropped', expected)
    // Later nodes have made room, and its settings are shown.
    const [before, added, after] = await Promise.all(['One', 'Output', 'Two'].map(middleOf))
    await card('Output').and(page.locator(':focus')).waitFor()
    assert.equal(Math.round(added!.y), Math.round(before!.y))
    assert.ok(added!.x > before!.x + before!.width && added!.x + added!.width < after!.x)
    await page.getByRole('heading', { name: 'Output', level: 2 }).waitFor()
    await canvas.press('ControlOrMeta+z')
    await expectEdges('dropped', chain.edges)
  })

  flow(
    world,
    'a connection of a removed branch is reported by the checks, and reassigned',
    async ({ page }) => {
      const lost = [
        edge('input', 'Which'),
        edge('Which', 'One', 'quiet'),
        edge('One', 'end'),
        edge('Which', 'end', 'other'),
      ]
      await store('lost', { nodes: forked.nodes.filter(({ id }) => id !== 'Two'), edges: lost })
      const { canvas } = await openCanvas(page, world, 'lost')
      await canvas.getByRole('button', { name: /^Which, .*1 problem/ }).waitFor()
      await page.getByRole('tab', { name: /Checks/ }).click()
      await page.getByRole('button', { name: /has no branch "quiet"/ }).click()
      const bar = page.getByRole('toolbar', { name: 'Selection' })
      await bar.getByText('Which → One').waitFor()
      await choose(bar.getByRole('combobox', { name: 'Branch' }), 'loud')
      await expectEdges('lost', lost.with(1, edge('Which', 'One', 'loud')))
      await canvas.getByRole('button', { name: /^Which, Condition$/ }).waitFor()
    },
  )
})
