import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { chunkAll } from './chunk-all.ts'
import { documentText } from './document-text.ts'

const size = 100
const cut = async (...blocks: Block[]): Promise<string[]> =>
  (await chunkAll(blocks, { strategy: 'qa', size, overlap: 20 })).map(
    ({ heading, content }) => `[${heading.join(' > ')}] ${content}`,
  )
const paragraph = (text: string): Block => ({ kind: 'paragraph', text })
const table = (header: string[] | undefined, ...rows: string[][]): Block => ({ kind: 'table', header, rows })

describe('questions in a table', () => {
  it('are found by the names of the columns, in any order', async () => {
    const names = [
      ['Question', 'Answer'],
      ['Q', 'A'],
      ['问题', '答案'],
      ['问', '答'],
    ]
    for (const [question = '', answer = ''] of names) {
      assert.deepEqual(
        await cut(
          table([question, answer], ['多久到？', '三天']),
          table([answer, question], ['三天', '多久？']),
        ),
        ['[] 多久到？\n三天', '[] 多久？\n三天'],
      )
    }
  })

  it('are found by the names of the columns in a first row that was not recognised as a header', async () =>
    assert.deepEqual(await cut(table(undefined, ['A', 'Q'], ['Yes.', 'Open?'], ['No.', 'Late?'])), [
      '[] Open?\nYes.',
      '[] Late?\nNo.',
    ]))

  it('include other columns below the answer', async () =>
    assert.deepEqual(await cut(table(['编号', '问题', '答案', '分类'], ['1', '多久到？', '三天', '物流'])), [
      '[] 多久到？\n三天\n编号: 1\n分类: 物流',
    ]))

  it('are the first of two columns; a first row without column names is a question too', async () => {
    const pairs = ['[] 多久到？\n三天', '[] 怎么退？\n找客服']
    assert.deepEqual(await cut(table(undefined, ['多久到？', '三天'], ['怎么退？', '找客服'])), pairs)
    assert.deepEqual(await cut(table(['多久到？', '三天'], ['怎么退？', '找客服'])), pairs)
  })

  it('are not duplicated if a long table is split into blocks with the same header', async () =>
    assert.deepEqual(
      await cut(table(['甲？', '一'], ['乙？', '二']), table(['甲？', '一'], ['丙？', '三'])),
      ['[] 甲？\n一', '[] 乙？\n二', '[] 丙？\n三'],
    ))

  it('without an answer stay rows of the table', async () =>
    assert.deepEqual(
      await cut(table(['问题', '答案'], ['多久到？', '三天'], ['怎么退？', ''], ['在哪？', '上海'])),
      ['[] 多久到？\n三天', '[] 问题 | 答案\n怎么退？', '[] 在哪？\n上海'],
    ))

  it('omit the header, and no chunk spans it', async () => {
    const blocks = [
      paragraph('见下。'),
      table(['很长很长很长的分类', '问题', '答案'], ['', '', '', '在哪？']),
    ]
    const chunks = await chunkAll(blocks, { strategy: 'qa', size: 16, overlap: 0 })
    assert.deepEqual(
      chunks.map(({ from, to }) => documentText(blocks).slice(from, to)),
      ['见下。', '|  |  | 在哪？'],
    )
  })

  it('are not assumed in three columns without such names', async () =>
    assert.deepEqual(await cut(table(['城市', '人口', '省'], ['上海', '2487万', '']), paragraph('完。')), [
      '[] 城市 | 人口 | 省\n上海 | 2487万\n\n完。',
    ]))
})

describe('questions in text', () => {
  it('are found in one paragraph, on separate lines or on one line', async () =>
    assert.deepEqual(
      await cut(
        paragraph('问：怎么退款？答：联系客服。'),
        paragraph('Q: How long?\nA: Three days.\nQ: Where?\nA: Here.'),
      ),
      ['[] 怎么退款？\n联系客服。', '[] How long?\nThree days.', '[] Where?\nHere.'],
    ))

  it('are found in separate paragraphs, with the answer continuing up to the next question', async () =>
    assert.deepEqual(
      await cut(
        ...[paragraph('Q1: How long?'), paragraph('A1: Three days.'), paragraph('- or four')],
        ...[paragraph('**问题2：** 在哪？'), paragraph('**答：** 上海。')],
      ),
      ['[] How long?\nThree days.\n\n- or four', '[] 在哪？\n上海。'],
    ))

  it('have the headings as their path only; other text is chunked as in auto', async () =>
    assert.deepEqual(
      await cut(
        ...[{ kind: 'heading', level: 1, text: '帮助' } as const, paragraph('先看这里。')],
        ...[
          { kind: 'heading', level: 2, text: '物流' } as const,
          paragraph('问：多久到？'),
          paragraph('答：三天。'),
        ],
      ),
      ['[帮助] 帮助\n\n先看这里。', '[帮助 > 物流] 多久到？\n三天。'],
    ))

  it('without an answer are text', async () =>
    assert.deepEqual(await cut(paragraph('问：多久到？'), paragraph('问：在哪？答：上海。')), [
      '[] 问：多久到？',
      '[] 在哪？\n上海。',
    ]))

  it('are not found in words that only look like a marker', async () =>
    assert.deepEqual(await cut(paragraph('FAQ: see the Q&A: page. 提问：')), [
      '[] FAQ: see the Q&A: page. 提问：',
    ]))
})

describe('a long answer', () => {
  const sentence = '请联系客服处理退款。'

  it('stays whole up to four times the size', async () =>
    assert.deepEqual(await cut(paragraph(`问：怎么退款？答：${sentence.repeat(39)}`)), [
      `[] 怎么退款？\n${sentence.repeat(39)}`,
    ]))

  it('above that is split, and each part repeats the question', async () => {
    const block = paragraph(`问：怎么退款？答：${sentence.repeat(45)}`)
    const chunks = await chunkAll([block], { strategy: 'qa', size, overlap: 20 })
    assert.deepEqual(
      chunks.map(chunk => chunk.content),
      Array<string>(5).fill(`怎么退款？\n${sentence.repeat(9)}`),
    )
    assert.equal(documentText([block]).slice(chunks[1]?.from, chunks[1]?.to), sentence.repeat(9))
  })

  it('in a table is split too', async () => {
    const chunks = await cut(table(['问题', '答案'], ['怎么退款？', sentence.repeat(45)]))
    assert.deepEqual(chunks, Array<string>(5).fill(`[] 怎么退款？\n${sentence.repeat(9)}`))
  })
})
