import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findPassage, lettersOf } from '../../console/src/ui/passage/find-passage.ts'

/** The part of a text where a passage is found, from its first to its last letter. */
function found(text: string, passage: string, share = 0): string | undefined {
  const { letters, places } = lettersOf(text)
  const span = findPassage(letters, passage, share)
  return span && text.slice(places[span.from]!, places[span.to - 1]! + 1)
}

suite('A passage in a document', () => {
  test('is found in spite of marks, white space and signs of lists', () => {
    assert.equal(
      found(
        'Buy a ticket.\nWait at the pier, then\n board',
        '1. Buy a ticket.\n2. Wait at the pier, then board.',
      ),
      'Buy a ticket.\nWait at the pier, then\n board',
    )
    assert.equal(found('请假须提前三天申请。', '请假须 提前三天'), '请假须提前三天')
    assert.equal(found('𠮷野家 is open', '𠮷野家'), '𠮷野家')
  })

  test('is the one nearest to its place if the text occurs twice', () => {
    const text = `Call us. ${'x '.repeat(200)} Call us!`
    const { letters } = lettersOf(text)
    assert.equal(findPassage(letters, 'Call us', 0.1)?.from, 0)
    assert.equal(findPassage(letters, 'Call us', 0.9)?.from, letters.length - 6)
  })

  test('is found without a line that is elsewhere, such as the repeated header of a table', () => {
    const rows = Array.from({ length: 50 }, (_, at) => `Dish number ${at} | ${at + 3}`)
    const text = ['Name of the dish as served | Price in the canteen', ...rows].join('\n')
    const passage = ['Name of the dish as served | Price in the canteen', ...rows.slice(30, 40)].join('\n')
    assert.equal(found(text, passage, 0.6), rows.slice(30, 40).join('\n').replace(/^/, ''))
  })

  test('is found where the document has a few words between its lines', () => {
    assert.equal(
      found(
        'First we go to the pier. (Picture of it) Then the ferry leaves.',
        'First we go to the pier.\nThen the ferry leaves.',
      ),
      'First we go to the pier. (Picture of it) Then the ferry leaves',
    )
  })

  test('is not found where most of it is missing', () => {
    assert.equal(
      found('Dogs are welcome.', 'Dogs are welcome.\nBut only on Sundays, and never in the garden.'),
      undefined,
    )
    assert.equal(found('Dogs are welcome.', '…'), undefined)
  })
})
