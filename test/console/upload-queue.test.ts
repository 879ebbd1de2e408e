import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isUnderWay, UploadQueue, type UploadSteps } from '../../console/src/ui/uploads/upload-queue.ts'

const file = (name: string) => ({ file: new File(['x'], name), name })
const states = (queue: UploadQueue): string =>
  queue
    .entries()
    .map(({ name, state }) => `${name} ${state}`)
    .join(', ')

/** Until the queue reports it; it notifies of every change. */
const when = (queue: UploadQueue, isSo: () => boolean): Promise<void> =>
  new Promise(resolve => {
    const look = (): void => {
      if (!isSo()) return
      stop()
      resolve()
    }
    const stop = queue.subscribe(look)
    look()
  })

test('files without a target are done once they are uploaded', async () => {
  const queue = new UploadQueue({ send: async ({ name }) => name })
  queue.put([file('a'), file('b')])
  await when(queue, () => !queue.entries().some(isUnderWay))
  assert.equal(states(queue), 'a added, b added')
})

test('uploaded files can be canceled until they are being added', async () => {
  const added: string[][] = []
  let release = (): void => undefined
  const steps: UploadSteps = {
    send: async ({ name }) => name,
    add: async ids => {
      added.push(ids)
      await new Promise<void>(resolve => (release = resolve))
      return new Map()
    },
  }
  const queue = new UploadQueue(steps)
  queue.put([file('a'), file('b')])
  await when(queue, () => states(queue) === 'a sent, b sent')
  queue.cancel([1])
  await when(queue, () => states(queue) === 'a canceled, b adding')
  queue.cancel()
  assert.equal(states(queue), 'a canceled, b adding')
  release()
  await when(queue, () => !queue.entries().some(isUnderWay))
  assert.equal(states(queue), 'a canceled, b added')
  assert.deepEqual(added, [['b']])
})

test('at most three files are uploaded at a time, and canceling ends all of them', async () => {
  const signals: AbortSignal[] = []
  const queue = new UploadQueue({
    send: (_, { signal }) => {
      signals.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  queue.put(Array.from({ length: 1000 }, (_, at) => file(String(at))))
  assert.equal(signals.length, 3)
  queue.cancel()
  await turn()
  assert.equal(signals.length, 3, 'none of the others was begun')
  assert.ok(signals.every(({ aborted }) => aborted))
  queue.clear()
  assert.deepEqual(queue.entries(), [])
})
