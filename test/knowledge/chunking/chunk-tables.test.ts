import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { chunkAll } from './chunk-all.ts'
import { documentText } from './document-text.ts'

const contents = async (blocks: Block[], size: number): Promise<string[]> =>
  (await chunkAll(blocks, { strategy: 'auto', size, overlap: 20 })).map(chunk => chunk.content)

const rows = Array.from({ length: 9 }, (_, index) => [`城市${index}`, `${index}万`])
const cities: Block = { kind: 'table', header: ['城市', '人口'], rows }

describe('a table', () => {
  it('is one line per row under its header', async () =>
    assert.deepEqual(
      await contents([{ kind: 'table', header: ['城市', '人口'], rows: [['上海', '2487万']] }], 100),
      ['城市 | 人口\n上海 | 2487万'],
    ))

  it('has its header in each chunk, and only whole rows', async () =>
    assert.deepEqual(await contents([cities, { kind: 'paragraph', text: '以上。' }], 30), [
      '城市 | 人口\n城市0 | 0万\n城市1 | 1万\n城市2 | 2万\n城市3 | 3万',
      '城市 | 人口\n城市4 | 4万\n城市5 | 5万\n城市6 | 6万\n城市7 | 7万',
      '城市 | 人口\n城市8 | 8万\n\n以上。',
    ]))

  it('has the range of its rows, without the repeated header', async () => {
    const chunks = await chunkAll([cities], { strategy: 'auto', size: 30, overlap: 0 })
    const text = documentText([cities])
    assert.equal(
      text.slice(chunks[1]?.from, chunks[1]?.to),
      '城市4 | 4万\n城市5 | 5万\n城市6 | 6万\n城市7 | 7万',
    )
  })

  it('joins the text before it, and its header never ends a chunk', async () => {
    const [first, second] = await contents(
      [{ kind: 'paragraph', text: '一二三四五六七八九十。' }, cities],
      16,
    )
    assert.equal(first, '一二三四五六七八九十。')
    assert.match(second ?? '', /^城市 \| 人口\n城市0/)
  })

  it('keeps the position of empty cells and omits empty rows', async () =>
    assert.deepEqual(
      await contents(
        [
          {
            kind: 'table',
            header: undefined,
            rows: [
              ['a', '', 'c'],
              ['', ''],
              ['', 'b'],
              ['x\n y', ''],
            ],
          },
        ],
        100,
      ),
      ['a |  | c\n| b\nx y'],
    ))

  it('splits a row above the chunk size, each part under the row key and its columns', async () => {
    const text = '黄浦江把城区分成浦东和浦西。'
    const row = ['上海', text.repeat(5), '直辖市']
    assert.deepEqual(
      await contents(
        [{ kind: 'table', header: ['名称', '说明', '备注'], rows: [row, ['北京', '首都', '']] }],
        60,
      ),
      [
        `名称 | 说明 | 备注\n上海 | ${text.repeat(3)}`,
        `名称: 上海\n说明 | 备注\n${text.repeat(2)} | 直辖市`,
        '名称 | 说明 | 备注\n北京 | 首都',
      ],
    )
  })

  it('that is very wide is split by columns, each with its name', async () => {
    const columns = Array.from({ length: 40 }, (_, index) => index)
    const wide: Block = {
      kind: 'table',
      header: columns.map(index => `列${index}`),
      rows: [columns.map(index => (index === 0 ? '上海' : index % 9 === 0 ? `值${index}` : ''))],
    }
    const chunks = await contents([wide], 60)
    const chunk = chunks.find(content => content.includes('值36'))
    assert.match(chunk ?? '', /^列0: 上海\n(.* )?列36\n/)
    assert.doesNotMatch(chunk ?? '', /列35/)
  })

  it('with long column names repeats a name with each value', async () => {
    const columns = Array.from({ length: 6 }, (_, index) => index)
    const names = columns.map(index => `这一列的名字很长${index}`)
    const chunks = await contents(
      [{ kind: 'table', header: names, rows: [columns.map(index => `值${index}`)] }],
      40,
    )
    for (const index of columns) {
      const chunk = chunks.find(content => content.includes(`值${index}`))
      assert.ok(chunk?.includes(names[index]!), chunk)
    }
  })
})
