import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withOthers } from '../../console/src/editor/panels/with-others.ts'

describe('Unknown members', () => {
  const record = { one: 1, type: 'llm', two: 2, title: 'A', three: 3 }
  const written = (others: object): string =>
    JSON.stringify(withOthers(record, ['type', 'title'], others as Record<string, unknown>))

  it('keep their place when one changes its value or name', () => {
    assert.equal(
      written({ one: 1, two: [2], three: 3 }),
      '{"one":1,"type":"llm","two":[2],"title":"A","three":3}',
    )
    assert.equal(
      written({ one: 1, zwei: 2, three: 3 }),
      '{"one":1,"type":"llm","zwei":2,"title":"A","three":3}',
    )
  })

  it('keep their place when others are added or removed', () => {
    assert.equal(written({ two: 2, three: 3 }), '{"type":"llm","two":2,"title":"A","three":3}')
    assert.equal(
      written({ one: 1, more: 0, two: 2, three: 3, last: 4 }),
      '{"one":1,"type":"llm","more":0,"two":2,"title":"A","three":3,"last":4}',
    )
    assert.equal(written({}), '{"type":"llm","title":"A"}')
  })

  it('keep their order', () => {
    assert.deepEqual(
      Object.keys(withOthers(record, ['type', 'title'], { three: 3, one: 1, four: 4, two: 2 })).filter(
        name => !['type', 'title'].includes(name),
      ),
      ['three', 'one', 'four', 'two'],
    )
  })
})
