import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withOthers } from '../../console/src/editor/panels/with-others.ts'

describe('Members that no input knows', () => {
  const record = { one: 1, type: 'llm', two: 2, title: 'A', three: 3 }
  const written = (others: object): string =>
    JSON.stringify(withOthers(record, ['type', 'title'], others as Record<string, unknown>))

  it('stay where they are when one changes its value or its name', () => {
    assert.equal(
      written({ one: 1, two: [2], three: 3 }),
      '{"one":1,"type":"llm","two":[2],"title":"A","three":3}',
    )
    assert.equal(
      written({ one: 1, zwei: 2, three: 3 }),
      '{"one":1,"type":"llm","zwei":2,"title":"A","three":3}',
    )
  })

  it('stay where they are when others come or go', () => {
    assert.equal(written({ two: 2, three: 3 }), '{"type":"llm","two":2,"title":"A","three":3}')
    assert.equal(
      written({ one: 1, more: 0, two: 2, three: 3, last: 4 }),
      '{"one":1,"type":"llm","more":0,"two":2,"title":"A","three":3,"last":4}',
    )
    assert.equal(written({}), '{"type":"llm","title":"A"}')
  })

  it('keep the order that they were written in', () => {
    assert.deepEqual(
      Object.keys(withOthers(record, ['type', 'title'], { three: 3, one: 1, four: 4, two: 2 })).filter(
        name => !['type', 'title'].includes(name),
      ),
      ['three', 'one', 'four', 'two'],
    )
  })
})
