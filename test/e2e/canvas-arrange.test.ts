import assert from 'node:assert/strict'
import { eventually, openCanvas } from './support/canvas-page.ts'
import { describeConsole, flow, untilTrue } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const template = (id: string, title: string) => ({
  id,
  type: 'base',
  data: { type: 'template', title, template: 'x' },
})

const scattered = {
  nodes: [template('a', 'Alpha'), template('b', 'Beta'), template('c', 'Gamma')],
  edges: [],
}
/** Alpha is beside the grid that dragged nodes snap to. */
const positions = { a: { x: 3, y: 0 }, b: { x: 320, y: 96 }, c: { x: 800, y: 248 } }

describeConsole('Arranging the canvas', world => {
  const placed = async (id: string) =>
    (await world.server.api.get(`workflow/layout?id=${id}`)).json.data.positions
  const prepare = async (id: string): Promise<void> => {
    await world.server.api.post('workflow/update', { id, workflow: scattered })
    await world.server.api.post('workflow/layout', { id, positions })
  }

  flow(world, 'a dragged node snaps to lines through the edges of others', async ({ page }) => {
    await prepare('lines')
    const { canvas, middleOf } = await openCanvas(page, world, 'lines')
    const [alpha, gamma] = [await middleOf('Alpha'), await middleOf('Gamma')]
    const scale = alpha.width / 224
    await page.mouse.move(gamma.x, gamma.y)
    await page.mouse.down()
    await page.mouse.move(alpha.x + 60, gamma.y + 20, { steps: 5 })
    await page.mouse.move(alpha.x, gamma.y, { steps: 5 })
    await canvas.locator('.guide-line').first().waitFor({ state: 'attached' })
    await page.mouse.up()
    assert.equal(await canvas.locator('.guide-line').count(), 0)
    await eventually(async () => assert.equal((await placed('lines')).c.x, 3))
    // With Alt it stays where it is dropped, on the grid.
    const dropped = await middleOf('Gamma')
    await page.keyboard.down('Alt')
    await page.mouse.move(dropped.x, dropped.y)
    await page.mouse.down()
    await page.mouse.move(dropped.x + 8 * scale, dropped.y + 40 * scale, { steps: 5 })
    assert.equal(await canvas.locator('.guide-line').count(), 0)
    await page.mouse.up()
    await page.keyboard.up('Alt')
    await eventually(async () => assert.equal((await placed('lines')).c.x, 8))
    await canvas.press('ControlOrMeta+z')
    await canvas.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual(await placed('lines'), positions))
  })

  flow(world, 'a selection is aligned and distributed by keys, toolbar and menu', async ({ page }) => {
    await prepare('aligned')
    const { canvas, card } = await openCanvas(page, world, 'aligned')
    await canvas.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Alt+KeyW')
    const xs = { a: { x: 3, y: 0 }, b: { x: 320, y: 0 }, c: { x: 800, y: 0 } }
    await eventually(async () => assert.deepEqual(await placed('aligned'), xs))
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await bar.getByRole('button', { name: 'Align' }).click()
    await page.getByRole('menuitem', { name: /Distribute horizontally/ }).waitFor()
    await expectAccessible(page, 'the menu of alignments', '.ant-dropdown')
    await page.getByRole('menuitem', { name: /Distribute horizontally/ }).click()
    await eventually(async () => assert.equal((await placed('aligned')).b.x, 402))
    await card('Beta').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Align' }).hover()
    // Its own arrow is called “right”, too.
    await page.getByRole('menuitem', { name: /Align right Alt/ }).click()
    await eventually(async () => {
      const places = Object.values(await placed('aligned')) as { x: number }[]
      assert.deepEqual(new Set(places.map(({ x }) => x)), new Set([800]))
    })
    await canvas.focus()
    for (let step = 0; step < 3; step++) await page.keyboard.press('ControlOrMeta+z')
    await eventually(async () => assert.deepEqual(await placed('aligned'), positions))
  })

  flow(world, 'dragging beyond the minimap keeps the drawing in sight', async ({ page }) => {
    await prepare('map')
    const { canvas, card } = await openCanvas(page, world, 'map')
    const ground = (await canvas.boundingBox())!
    const map = (await page.getByRole('img', { name: /^Minimap/ }).boundingBox())!
    const [x, y] = [map.x + map.width / 2, map.y + map.height / 2]
    for (const [dx, dy] of [
      [800, -500],
      [-400, 300],
    ] as const) {
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + dx, y + dy, { steps: 8 })
      await page.mouse.up()
      const isInSight = async (title: string): Promise<boolean> => {
        const box = await card(title)
          .locator('.card-body')
          .boundingBox({ timeout: 1000 })
          .catch(() => null)
        return (
          box !== null &&
          box.x < ground.x + ground.width &&
          box.x + box.width > ground.x &&
          box.y < ground.y + ground.height &&
          box.y + box.height > ground.y
        )
      }
      const inSight = await Promise.all(['Alpha', 'Beta', 'Gamma'].map(isInSight))
      assert.ok(inSight.includes(true), `after dragging by ${dx}, ${dy}`)
    }
  })

  flow(world, 'a file that is dropped on the canvas does not replace the page', async ({ page }) => {
    await prepare('stray')
    const { canvas } = await openCanvas(page, world, 'stray')
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['{}'], 'workflow.json', { type: 'application/json' }))
      return data
    })()`)
    await page.evaluate(`document.addEventListener('drop', event => {
      setTimeout(() => { globalThis.isPrevented = event.defaultPrevented })
    })`)
    await canvas.dispatchEvent('drop', { dataTransfer: data })
    await untilTrue(page, 'globalThis.isPrevented === true')
  })

  flow(world, 'the panel is resized by pointer and keys, and remembered', async ({ page }) => {
    await prepare('panel')
    const { card } = await openCanvas(page, world, 'panel')
    await card('Alpha').click()
    const border = page.getByRole('separator', { name: 'Panel width' })
    const widthOf = async () =>
      (await page.getByRole('complementary', { name: 'Settings, checks and run' }).boundingBox())!.width
    assert.equal(await widthOf(), 352)
    const box = (await border.boundingBox())!
    await page.mouse.move(box.x + 4, 400)
    await page.mouse.down()
    await page.mouse.move(box.x - 96, 400, { steps: 4 })
    await page.mouse.up()
    assert.equal(await widthOf(), 452)
    await border.focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await widthOf(), 436)
    await expectAccessible(page, 'the resized panel')
    await page.reload()
    await card('Alpha').click()
    assert.equal(await widthOf(), 436)
    await border.dblclick()
    assert.equal(await widthOf(), 352)
    await untilTrue(page, "localStorage.getItem('banyan.editor-panel') === '352'")
  })
})
