import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Chunking } from '../../../src/knowledge/chunking.ts'
import type { Block, Box } from '../../../src/knowledge/ingest/block.ts'
import { chunkBlocks } from '../../../src/knowledge/ingest/chunking/chunk-blocks.ts'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { chunkAll } from './chunk-all.ts'
import { documentText } from './document-text.ts'

const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text })
const paragraph = (text: string, page?: number): Block => ({ kind: 'paragraph', text, page })
const code = (text: string): Block => ({ kind: 'code', text })
const table = (header: string[] | undefined, ...rows: string[][]): Block => ({ kind: 'table', header, rows })

/** Each chunk as its heading path in brackets and its content. */
const cut = async (blocks: Block[], chunking: Partial<Chunking> = {}): Promise<string[]> => {
  const chunks = await chunkAll(blocks, { strategy: 'auto', size: 100, overlap: 0, ...chunking })
  return chunks.map(({ heading, content }) => `[${heading.join(' > ')}] ${content}`)
}

/** 43 tokens. */
const shanghai = '上海位于长江入海口，是中国的经济中心。全市常住人口约2487万。黄浦江把城区分成浦东和浦西。'
const beijing = '北京位于华北平原北端，是中国的首都。全市常住人口约2184万。长城在城市的北面，故宫在中心。'

describe('auto', () => {
  it('fills a chunk with whole paragraphs of a section', async () =>
    assert.deepEqual(
      await cut([heading(1, '上海'), paragraph(shanghai), paragraph(shanghai), paragraph(shanghai)]),
      [`[上海] 上海\n\n${shanghai}\n\n${shanghai}`, `[上海] ${shanghai}`],
    ))

  it('keeps sections of a fair size apart, with their heading paths', async () =>
    assert.deepEqual(
      await cut([
        heading(1, '中国'),
        heading(2, '上海'),
        paragraph(shanghai + shanghai),
        heading(2, '北京'),
        paragraph(beijing + beijing),
        heading(1, '法国'),
        paragraph(beijing),
      ]),
      [
        `[中国 > 上海] 中国\n\n上海\n\n${shanghai + shanghai}`,
        `[中国 > 北京] 北京\n\n${beijing + beijing}`,
        `[法国] 法国\n\n${beijing}`,
      ],
    ))

  it('merges tiny sections into one chunk under their common heading path', async () =>
    assert.deepEqual(
      await cut([
        heading(1, '手册'),
        heading(2, '安装'),
        paragraph('运行 npm install。'),
        heading(2, '启动'),
        paragraph('运行 npm start。'),
        heading(2, '停止'),
        paragraph('按 Ctrl+C。'),
      ]),
      ['[手册] 手册\n\n安装\n\n运行 npm install。\n\n启动\n\n运行 npm start。\n\n停止\n\n按 Ctrl+C。'],
    ))

  it('does not create hundreds of chunks for hundreds of tiny sections', async () => {
    const sections = Array.from({ length: 300 }, (_, index) => [
      heading(2, `第${index}条`),
      paragraph('同意。'),
    ])
    const chunks = await cut(sections.flat(), { size: 512 })
    assert.ok(chunks.length <= 12, `${chunks.length} chunks`)
  })

  it('joins a line of introduction to the first subsection', async () =>
    assert.deepEqual(
      await cut([
        heading(1, '城市'),
        paragraph('概述。'),
        heading(2, '上海'),
        paragraph(shanghai + shanghai),
      ]),
      [`[城市] 城市\n\n概述。\n\n上海\n\n${shanghai + shanghai}`],
    ))

  it('joins an empty heading to the next chunk, and the last one to the previous chunk', async () =>
    assert.deepEqual(
      await cut([heading(1, '甲'), heading(1, '乙'), paragraph(shanghai + beijing), heading(1, '附录')]),
      [`[乙] 甲\n\n乙\n\n${shanghai + beijing}\n\n附录`],
    ))

  it('does not end a chunk with a heading', async () => {
    const sentence = `${'很'.repeat(93)}长。`
    assert.deepEqual(
      await cut([heading(1, '城市'), paragraph('概述。'), heading(2, '上海'), paragraph(`${sentence}完。`)]),
      ['[城市] 城市\n\n概述。', `[城市 > 上海] 上海\n\n${sentence}完。`],
    )
  })

  it('closes deeper headings at a higher one', async () => {
    const chunks = await cut([
      ...[heading(1, '一'), heading(3, '深'), paragraph(shanghai + shanghai)],
      ...[heading(2, '中'), paragraph(beijing + beijing)],
    ])
    assert.deepEqual(
      chunks.map(chunk => chunk.slice(0, chunk.indexOf(']') + 1)),
      ['[一 > 深]', '[一 > 中]'],
    )
  })
})

describe('overlap', () => {
  const sentences = [
    '黄浦江把城区分成浦东和浦西。',
    '苏州河从西边流进来。',
    '外滩在江的西岸。',
    '陆家嘴在江的东岸。',
  ]

  it('starts a chunk with the last whole sentences of the previous one', async () =>
    assert.deepEqual(await cut([paragraph(sentences.join(''))], { size: 36, overlap: 10 }), [
      `[] ${sentences.slice(0, 3).join('')}`,
      `[] ${sentences.slice(2).join('')}`,
    ]))

  it('is limited to half the chunk size', async () => {
    const half = await cut([paragraph(sentences.join(''))], { size: 36, overlap: 18 })
    assert.deepEqual(await cut([paragraph(sentences.join(''))], { size: 36, overlap: 500 }), half)
  })

  it('does not reach across a heading, a table or code', async () => {
    const row = ['东', '西']
    const blocks = [
      paragraph(shanghai),
      table(['甲', '乙'], ...Array<string[]>(12).fill(row)),
      code('a = 1'),
      paragraph(shanghai),
    ]
    const chunks = await chunkAll(blocks, { strategy: 'auto', size: 50, overlap: 20 })
    const text = documentText(blocks)
    let end = 0
    for (const { from, to } of chunks) {
      assert.equal(text.slice(from, end), '')
      end = to
    }
  })
})

describe('paragraph', () => {
  it('creates a chunk per paragraph and joins a tiny one to the next of its section', async () =>
    assert.deepEqual(
      await cut(
        [
          ...[heading(1, '甲'), paragraph('短。'), paragraph(shanghai), paragraph(beijing)],
          ...[paragraph('- 一'), paragraph('- 二'), heading(1, '乙'), paragraph('尾。')],
        ],
        { strategy: 'paragraph' },
      ),
      [`[甲] 甲\n\n短。\n\n${shanghai}`, `[甲] ${beijing}`, '[甲] - 一\n\n- 二', '[乙] 乙\n\n尾。'],
    ))

  it('splits a long one at sentences', async () =>
    assert.deepEqual(
      await cut([paragraph('短。'), paragraph(shanghai.repeat(3))], { strategy: 'paragraph' }),
      [`[] 短。\n\n${shanghai.repeat(2)}`, `[] ${shanghai}`],
    ))
})

describe('heading', () => {
  it('creates a chunk per section, however small, and splits long ones', async () =>
    assert.deepEqual(
      await cut(
        [
          ...[heading(1, '甲'), paragraph('短。'), heading(2, '乙'), paragraph('也短。')],
          ...[heading(1, '丙'), paragraph(shanghai), paragraph(beijing), paragraph(shanghai)],
        ],
        { strategy: 'heading' },
      ),
      [
        '[甲] 甲\n\n短。',
        '[甲 > 乙] 乙\n\n也短。',
        `[丙] 丙\n\n${shanghai}\n\n${beijing}`,
        `[丙] ${shanghai}`,
      ],
    ))
})

describe('separators', () => {
  const blocks = [
    paragraph('甲甲甲甲甲。乙乙乙乙乙###丙丙丙丙丙'),
    paragraph('丁丁丁丁丁'),
    paragraph('戊戊戊戊戊###己'),
  ]

  it('split text, also across paragraphs', async () =>
    assert.deepEqual(await cut(blocks, { separators: ['###'], size: 20 }), [
      '[] 甲甲甲甲甲。乙乙乙乙乙',
      '[] ###丙丙丙丙丙\n\n丁丁丁丁丁\n\n戊戊戊戊戊###己',
    ]))

  it('of line breaks match between blocks; parts are packed to the chunk size', async () =>
    assert.deepEqual(await cut(blocks, { separators: ['\n\n'], size: 20 }), [
      '[] 甲甲甲甲甲。乙乙乙乙乙###丙丙丙丙丙',
      '[] 丁丁丁丁丁\n\n戊戊戊戊戊###己',
    ]))

  it('that end a sentence stay with it', async () =>
    assert.deepEqual(
      await cut([paragraph('一二三四五六七八九十。甲乙丙丁戊己庚辛')], { separators: ['。'], size: 16 }),
      ['[] 一二三四五六七八九十。', '[] 甲乙丙丁戊己庚辛'],
    ))
})

describe('code', () => {
  const functions = ['function a() {\n  return 1\n}', 'function b() {\n  return 2\n}', '  indented()']

  it('stays whole if it fits into a chunk', async () =>
    assert.deepEqual(
      await cut([paragraph('Some words before it.'), code(functions.join('\n\n'))], { size: 24 }),
      ['[] Some words before it.', `[] ${functions.join('\n\n')}`],
    ))

  it('is split at blank lines, then at lines, and keeps its indentation', async () => {
    assert.deepEqual(await cut([code(functions.join('\n\n'))], { size: 20 }), [
      `[] ${functions[0]}\n\n${functions[1]}`,
      `[] ${functions[2]}`,
    ])
    const lines = Array.from({ length: 8 }, (_, index) => `  call(${index})`)
    assert.deepEqual(await cut([code(lines.join('\n'))], { size: 16 }), [
      `[] ${lines.slice(0, 4).join('\n')}`,
      `[] ${lines.slice(4).join('\n')}`,
    ])
  })
})

describe('a document', () => {
  it('has the page and sheet of the start of each chunk, not of the overlap', async () => {
    const sheet = (name: string): Block => ({ ...table(['甲'], ['乙']), sheet: name })
    const blocks = [
      paragraph(shanghai, 3),
      paragraph(shanghai, 4),
      heading(1, '表格'),
      sheet('一'),
      sheet('二'),
    ]
    const chunks = await chunkAll(blocks, { strategy: 'auto', size: 50, overlap: 20 })
    assert.deepEqual(
      chunks.map(({ page, sheet }) => ({ page, sheet })),
      [
        { page: 3, sheet: undefined },
        { page: 4, sheet: undefined },
        { page: undefined, sheet: '一' },
        { page: undefined, sheet: '二' },
      ],
    )
  })

  it('has the first and last page of each chunk, by the lines that it holds', async () => {
    const sentence = 'This sentence stands on one line of a page. '
    const lines = [2, 2, 3, 3].map((page, index) => ({
      ...{ at: index * sentence.length, page, width: 595, height: 842 },
      box: [72, index * 20, 500, index * 20 + 12] as Box,
    }))
    const long: Block = { kind: 'paragraph', text: sentence.repeat(4).trim(), page: 2, lines }
    const pagesOf = async (chunking: Pick<Chunking, 'size' | 'separators'>) =>
      (await chunkAll([long, paragraph('The end.', 4)], { strategy: 'auto', overlap: 0, ...chunking })).map(
        ({ page, lastPage }) => [page, lastPage],
      )
    assert.deepEqual(await pagesOf({ size: 100 }), [
      [2, 3],
      [4, 4],
    ])
    assert.deepEqual(await pagesOf({ size: 26 }), [
      [2, 2],
      [3, 3],
      [4, 4],
    ])
    const [first] = await chunkAll([long], { strategy: 'auto', overlap: 0, size: 100 })
    assert.deepEqual(
      first?.boxes?.map(({ page, boxes }) => [page, boxes.map(([, top]) => top)]),
      [
        [2, [0, 20]],
        [3, [40, 60]],
      ],
    )
    assert.deepEqual(await pagesOf({ size: 100, separators: ['page. '] }).then(pages => pages.at(-1)), [3, 4])
  })

  it('is chunked while its blocks are still being read', async () => {
    const ways: Partial<Chunking>[] = [
      {},
      { separators: ['###'] },
      { strategy: 'qa' },
      { strategy: 'heading' },
    ]
    for (const way of ways) {
      let read = 0
      async function* long(): AsyncGenerator<Block> {
        while (read < 1000) {
          read++
          yield paragraph(read === 1 ? '问：在哪？答：这里。' : shanghai)
        }
      }
      for await (const chunk of chunkBlocks(long(), { strategy: 'auto', size: 100, overlap: 0, ...way }))
        if (chunk.position === 9) break
      assert.ok(read < 50, `read ${read} blocks for ten chunks`)
    }
  })

  it('keeps what is apart from it in chunks and below headings of its own', async () => {
    const apart = (block: Block): Block => ({ ...block, apart: true })
    const blocks = [
      heading(1, 'Page'),
      paragraph('Text.'),
      apart(heading(1, 'Menu')),
      apart(paragraph('Home')),
      paragraph('More text.'),
    ]
    const expected = ['[Page] Page\n\nText.', '[Menu] Menu\n\nHome', '[Page] More text.']
    assert.deepEqual(await cut(blocks), expected)
    assert.deepEqual(await cut(blocks, { strategy: 'paragraph' }), expected)
  })

  it('that is empty has no chunks', async () =>
    assert.deepEqual(
      await cut([paragraph(' \n'), table(['', ' '], [''], []), heading(1, ''), code('\n\n')]),
      [],
    ))

  it('with too many chunks fails with advice', async () => {
    const rows = Array.from({ length: 200_001 }, () => ['谁？', '我'])
    const large: Block = { kind: 'table', header: undefined, rows }
    await assert.rejects(cut([large], { strategy: 'qa' }), (error: unknown) => {
      assert.ok(error instanceof DocumentFailure)
      assert.equal(error.code, 'too_large')
      assert.match(error.message, /larger chunk size/)
      return true
    })
  })

  it('truncates a heading of many pages', async () => {
    const [chunk] = await chunkAll([heading(1, '长'.repeat(5000)), paragraph('文。')], {
      strategy: 'auto',
      size: 100,
      overlap: 0,
    })
    assert.ok(chunk && chunk.heading.join('').length <= 201)
  })
})
