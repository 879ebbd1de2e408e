import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForFiles } from '../../console/src/ui/use-dropped-files.ts'

// Own process: it replaces a global of the browser.
class Part extends EventTarget {
  readonly isInDialog: boolean

  constructor(isInDialog = false) {
    super()
    this.isInDialog = isInDialog
  }

  closest(): Part | null {
    return this.isInDialog ? this : null
  }
}
Object.assign(globalThis, { Element: Part })

function openPage() {
  const page = new EventTarget()
  const dropped: object[] = []
  let isOver = false
  listenForFiles(page as Document, {
    onOver: is => {
      isOver = is
    },
    onDrop: data => dropped.push(data),
  })
  const send = (type: string, target: Part, types = ['Files']): boolean => {
    const event = Object.assign(new Event(type, { cancelable: true }), { dataTransfer: { types } })
    Object.defineProperty(event, 'target', { value: target })
    page.dispatchEvent(event)
    return isOver
  }
  return { send, dropped }
}

test('files are over the page until they leave what they entered last, or are dropped', () => {
  const { send, dropped } = openPage()
  const [list, row] = [new Part(), new Part()]
  assert.equal(send('dragenter', list), true)
  assert.equal(send('dragenter', row), true)
  assert.equal(send('dragleave', list), true)
  assert.equal(send('dragover', row), true)
  assert.equal(send('dragleave', row), false)
  assert.equal(send('dragenter', list), true)
  assert.equal(send('drop', list), false)
  assert.equal(dropped.length, 1)
  assert.equal(send('dragenter', list, ['text/plain']), false)
})

test('an element that is removed below the files is never left', () => {
  const { send } = openPage()
  const [list, row] = [new Part(), new Part()]
  send('dragenter', row)
  // The row is removed.
  send('dragenter', list)
  assert.equal(send('dragleave', list), false)
})

test('a dialog covers the page', () => {
  const { send, dropped } = openPage()
  assert.equal(send('dragenter', new Part(true)), false)
  assert.equal(send('drop', new Part(true)), false)
  assert.equal(dropped.length, 0)
})
