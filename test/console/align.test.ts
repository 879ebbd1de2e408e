import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { alignBoxes, alignments, type Box, boxAround, snapBox } from '../../console/src/editor/model/align.ts'

const boxes = new Map<string, Box>([
  ['a', { x: 0, y: 0, width: 100, height: 40 }],
  ['b', { x: 150, y: 100, width: 100, height: 80 }],
  ['c', { x: 500, y: 30, width: 100, height: 40 }],
])

const anyBoxes = fc
  .array(
    fc.record({
      x: fc.integer({ min: -900, max: 900 }),
      y: fc.integer({ min: -900, max: 900 }),
      width: fc.constantFrom(100, 224),
      height: fc.constantFrom(76, 120),
    }),
    { minLength: 3, maxLength: 6 },
  )
  .map(list => new Map(list.map((box, index) => [`n${index}`, box])))

describe('aligning', () => {
  test('puts edges or centres on one line', () => {
    assert.deepEqual(alignBoxes(boxes, 'left'), {
      a: { x: 0, y: 0 },
      b: { x: 0, y: 100 },
      c: { x: 0, y: 30 },
    })
    assert.deepEqual(alignBoxes(boxes, 'bottom'), {
      a: { x: 0, y: 140 },
      b: { x: 150, y: 100 },
      c: { x: 500, y: 140 },
    })
    assert.deepEqual(
      Object.values(alignBoxes(boxes, 'middle')).map(({ y }) => y),
      [70, 50, 70],
    )
  })

  test('distributes with equal gaps; the outermost stay', () => {
    const across = alignBoxes(boxes, 'across')
    assert.deepEqual([across['a']!.x, across['b']!.x, across['c']!.x], [0, 250, 500])
    assert.equal(across['b']!.y, 100)
  })

  test('needs two boxes, or three to distribute', () => {
    const two = new Map([...boxes].slice(0, 2))
    assert.deepEqual(alignBoxes(two, 'across'), {})
    assert.deepEqual(alignBoxes(new Map([...boxes].slice(0, 1)), 'left'), {})
  })

  test('stays within the selection, and does nothing the second time', () => {
    fc.assert(
      fc.property(anyBoxes, fc.constantFrom(...alignments), (given, how) => {
        const once = new Map(
          Object.entries(alignBoxes(given, how)).map(([id, place]) => [id, { ...given.get(id)!, ...place }]),
        )
        const [before, after] = [boxAround([...given.values()])!, boxAround([...once.values()])!]
        assert.ok(after.x >= before.x - 1 && after.x + after.width <= before.x + before.width + 1)
        assert.ok(after.y >= before.y - 1 && after.y + after.height <= before.y + before.height + 1)
        for (const [id, { x, y }] of Object.entries(alignBoxes(once, how))) {
          assert.ok(Math.abs(x - once.get(id)!.x) <= 1 && Math.abs(y - once.get(id)!.y) <= 1)
        }
      }),
    )
  })
})

describe('alignment lines', () => {
  const still = { x: 100, y: 100, width: 200, height: 80 }
  test('snap to the nearest edge or centre, and go through both boxes', () => {
    const moved = { x: 104, y: 400, width: 200, height: 80 }
    assert.deepEqual(snapBox(moved, [still], 6), {
      dx: -4,
      dy: 0,
      lines: [{ x1: 100, x2: 100, y1: 100, y2: 480 }],
    })
    const centred = { x: 152, y: 103, width: 100, height: 80 }
    const { dx, dy, lines } = snapBox(centred, [still], 6)
    assert.deepEqual([dx, dy, lines.length], [-2, -3, 2])
  })

  test('beyond the tolerance nothing happens', () => {
    const moved = { x: 340, y: 400, width: 230, height: 90 }
    assert.deepEqual(snapBox(moved, [still], 6), { dx: 0, dy: 0, lines: [] })
  })
})
