import fc from 'fast-check'
import type { Block } from '../../../src/knowledge/ingest/block.ts'

const words = fc.constantFrom(
  ...[
    '上海是中国最大的城市，',
    '人口约2487万。',
    '他说：“你好。”',
    '真的吗？',
    '好；',
    '（笑）',
    '第3.14节',
    '【注】',
  ],
  ...[
    'The quick brown fox ',
    'e.g. Foo ',
    'costs 3.14 dollars. ',
    'Mr. Smith left! ',
    'READ_ME.md ',
    'https://a.b/c?d=e ',
  ],
  ...['👨‍👩‍👧‍👦', '🇨🇳', '𠮷野家', 'é̂', 'हिन्दी वाक्य। ', 'สวัสดี', '한국어 문장입니다. ', 'مرحبا؟ '],
  ...[
    '\n',
    '\n\n\n\n\n',
    '\t',
    ' '.repeat(90),
    '\u3000',
    '|',
    ' | ',
    '###',
    '-----',
    '[12]',
    '\ud83d',
    'Q: ',
    'A: ',
    '问：',
    '答：',
  ],
)
const longWord = fc
  .tuple(fc.constantFrom('x', '字', '👩‍🚀', '9', '=', 'e\u0301'), fc.integer({ min: 1, max: 150 }))
  .map(([character, count]) => character.repeat(count))
const unbroken = fc.integer({ min: 40, max: 300 }).map(count => `a${'\u0301'.repeat(count)}`)

export const text = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: words },
      { weight: 2, arbitrary: longWord },
      { weight: 1, arbitrary: unbroken },
    ),
    {
      maxLength: 40,
    },
  )
  .map(parts => parts.join(''))

const shortText = fc.array(words, { maxLength: 4 }).map(parts => parts.join(''))
const place = fc.record({
  page: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  sheet: fc.option(fc.constantFrom<string[]>('一', 'B'), { nil: undefined }),
})
const cell = fc.oneof({ weight: 5, arbitrary: shortText }, { weight: 3, arbitrary: fc.constant('') }, text)
const header: fc.Arbitrary<string[] | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant<string[]>(['问题', '答案']),
  fc.constant<string[]>(['分类', 'Question', 'Answer']),
  fc.array(cell, { maxLength: 6 }),
)

export const block: fc.Arbitrary<Block> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('heading' as const),
      level: fc.integer({ min: 1, max: 6 }),
      text: shortText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('heading' as const),
      level: fc.integer({ min: 1, max: 2 }),
      text,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(text, place).map(([text, place]) => ({ kind: 'paragraph' as const, text, ...place })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(text, place).map(([text, place]) => ({ kind: 'code' as const, text, ...place })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(header, fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 6 }), place)
      .map(([header, rows, place]) => ({ kind: 'table' as const, header, rows, ...place })),
  },
)

export const blocks = fc.array(block, { maxLength: 12 })
