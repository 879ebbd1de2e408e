import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairShare } from '../../src/kernel/fair-share.ts'

const takeAll = (share: FairShare, owner: string): number => {
  let taken = 0
  while (share.take(owner, 1)) taken += 1
  return taken
}

test('leaves capacity for the next owner, however much the others take', () => {
  const share = new FairShare(64)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map(owner => takeAll(share, owner)),
    [32, 16, 8, 4],
  )
  assert.equal(share.take('a', 1), false)
  assert.deepEqual([share.taken, share.held('a'), share.max], [60, 32, 32])
})

test('makes released capacity available to all owners', () => {
  const share = new FairShare(64)
  takeAll(share, 'a')
  takeAll(share, 'b')
  share.give('a', 32)
  assert.equal(share.held('a'), 0)
  assert.equal(share.take('b', 8), true)
  assert.equal(share.take('c', 65), false)
  assert.equal(share.taken, 24)
})
