import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreComposedKeys } from '../../console/src/ui/input-method.ts'

test('no handler gets a key that an input method takes', () => {
  const page = new EventTarget()
  const keys: unknown[] = []
  ignoreComposedKeys(page)
  page.addEventListener('keydown', event => keys.push((event as KeyboardEvent).key))
  const press = (key: string, more: object) =>
    page.dispatchEvent(Object.assign(new Event('keydown'), { key, ...more }))
  press('Enter', { keyCode: 13, isComposing: false })
  press('Escape', { keyCode: 27, isComposing: true })
  // Safari has ended the composition by then.
  press('Enter', { keyCode: 229, isComposing: false })
  press('a', { keyCode: 65, isComposing: false })
  assert.deepEqual(keys, ['Enter', 'a'])
})
