import assert from 'node:assert/strict'
import { eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const edge = (from: string, to: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})

const chain = {
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title: 'Ask' } },
    {
      id: 'one',
      type: 'base',
      data: { type: 'template', title: 'One', template: 'a pelican', desc: 'kept' },
    },
    { id: 'two', type: 'base', data: { type: 'output', title: 'Two', answer: '<{{#one.text#}}>' } },
    { id: 'end', type: 'base', data: { type: 'end', title: 'Done' } },
  ],
  edges: [edge('input', 'one'), edge('one', 'two'), edge('two', 'end')],
}

describeConsole('Menus of the canvas', world => {
  const store = (id: string) => world.server.api.post('workflow/update', { id, workflow: chain })
  const stored = async (id: string) =>
    (await world.server.api.get(`workflow?id=${id}`)).json.data.workflow.config
  const nodeOf = async (id: string, node: string) =>
    (await stored(id)).nodes.find((each: { id: string }) => each.id === node)

  flow(world, 'nodes, connections and the ground have a menu, also by keyboard', async ({ page }) => {
    await store('menus')
    const { canvas, card, middleOf } = await openCanvas(page, world, 'menus')
    const menu = page.getByRole('menu')
    await card('One').click({ button: 'right' })
    await menu.getByText('Duplicate').waitFor()
    await expectAccessible(page, 'the menu of a node', '.ant-dropdown')
    await menu.getByText('Add an error branch').click()
    await canvas.locator('.card-port-label', { hasText: 'On error' }).waitFor()
    await eventually(async () => assert.equal((await nodeOf('menus', 'one')).data.on_error, 'branch'))
    await canvas.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual(await stored('menus'), chain))
    // By keyboard: the first entry opens the settings.
    await card('Two').click()
    await page.keyboard.press('Shift+F10')
    await menu.getByText('Rename').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    const one = await middleOf('One')
    await page.mouse.click(one.x, one.y + 200, { button: 'right' })
    await menu.getByText('Select all').click()
    await page.getByRole('toolbar', { name: 'Selection' }).getByText('4 nodes').waitFor()
    await card('Two').click()
    await page.keyboard.press('e')
    await page.keyboard.press('Shift+F10')
    await menu.getByText('Delete').click()
    await eventually(async () => assert.deepEqual((await stored('menus')).edges, chain.edges.slice(0, 2)))
  })

  flow(world, 'a node is found, renamed in place, and replaced by another kind', async ({ page }) => {
    await store('found')
    const { canvas, card } = await openCanvas(page, world, 'found')
    await canvas.focus()
    await page.keyboard.press('ControlOrMeta+f')
    const find = page.getByRole('textbox', { name: 'Find a node' })
    await find.fill('template')
    await page.getByText('1 / 1').waitFor()
    // In a setting, and by an id that another node refers to.
    await find.fill('pelican')
    await page.getByText('1 / 1').waitFor()
    await find.fill('one')
    await find.press('Enter')
    await page.getByText('2 / 3').waitFor()
    await eventually(async () => assert.equal(await card('Two').getAttribute('aria-pressed'), 'true'))
    await find.press('Escape')
    await card('One').click()
    await page.keyboard.press('F2')
    const name = page.getByRole('textbox', { name: 'Rename' })
    await name.fill('First')
    await name.press('Enter')
    await card('First').waitFor()
    await eventually(async () => assert.equal((await nodeOf('found', 'one')).data.title, 'First'))
    await card('First').click({ button: 'right' })
    await page.getByRole('menu').getByText('Replace with…').click()
    const kinds = page.getByRole('combobox', { name: 'Replace with…' })
    await kinds.fill('language')
    await kinds.press('Enter')
    await eventually(async () => {
      const { type, data } = await nodeOf('found', 'one')
      assert.deepEqual([type, data.type, data.title, data.desc], ['base', 'llm', 'First', 'kept'])
      assert.equal(data.template, undefined)
      assert.deepEqual((await stored('found')).edges, chain.edges)
    })
    await canvas.press('ControlOrMeta+z')
    await canvas.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual(await stored('found'), chain))
  })

  flow(world, 'a disabled node is passed over, and checks warn where it is used', async ({ page }) => {
    await store('off')
    const { canvas, card } = await openCanvas(page, world, 'off')
    await card('One').click()
    await page.keyboard.press('d')
    await canvas.getByRole('button', { name: /^One, .*disabled/ }).waitFor()
    await eventually(async () => assert.equal((await nodeOf('off', 'one')).data.disabled, true))
    const { json } = await world.server.api.post('workflow/run', { id: 'off', inputs: { query: 'x' } })
    assert.deepEqual([json.data.status, json.data.answer], ['succeeded', '<>'])
    await canvas.getByRole('button', { name: /^Two, .*1 problem/ }).waitFor()
    await page.keyboard.press('d')
    await eventually(async () => assert.deepEqual(await stored('off'), chain))
  })
})
