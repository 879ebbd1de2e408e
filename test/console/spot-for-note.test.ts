import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spotForNote } from '../../console/src/editor/canvas/spot-for-note.ts'

type Drawing = Parameters<typeof spotForNote>[0]
type Card = Drawing['cards'][number]
const card = (x: number, y: number) => ({ x, y, shape: { height: 80 } }) as Card
const view = { x: 0, y: 0, width: 1200, height: 800 }
const drawing = (...cards: Card[]): Drawing => ({ cards, shapes: [] })

test('a new note is in the middle of the view if nothing is there', () => {
  assert.deepEqual(spotForNote(drawing(card(0, 0)), view), { x: 480, y: 328 })
})

test('a new note overlaps no node, and is inside the view', () => {
  const cards = [card(480, 240), card(480, 360), card(480, 480)]
  const { x, y } = spotForNote(drawing(...cards), view)
  for (const each of cards)
    assert.ok(
      x + 240 <= each.x || x >= each.x + 224 || y + 144 <= each.y || y >= each.y + 80,
      `beside the node at ${each.x}, ${each.y}: ${x}, ${y}`,
    )
  assert.ok(x >= 0 && x + 240 <= 1200 && y >= 0 && y + 144 <= 800)
})

test('a new note is beside the drawing if the view has no room', () => {
  const cards = Array.from({ length: 60 }, (_, at) => card((at % 6) * 200, Math.floor(at / 6) * 80))
  const { x, y } = spotForNote(drawing(...cards), view)
  assert.ok(x > 1000 + 224, String(x))
  assert.equal(y, 328)
})
