import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withOptionData } from '../../console/src/editor/panels/option-data.ts'
import { kindCatalog } from '../../src/nodes/kind-catalog.ts'

describe('choosing an option of a setting', () => {
  const { fields, data } = kindCatalog().kinds.find(({ kind }) => kind === 'code')!
  const options = fields.find(({ name }) => name === 'language')!.shape.options!
  const codeFor = (language: string) => options.find(({ value }) => value === language)!.data!['code']

  it('replaces what the node started with', () => {
    assert.equal(withOptionData(data, options, 'python')['code'], codeFor('python'))
    const python = { ...data, code: codeFor('python') }
    assert.deepEqual(withOptionData(python, options, 'javascript'), data)
    assert.equal(withOptionData({ ...data, code: '' }, options, 'python')['code'], codeFor('python'))
  })

  it('leaves what the author wrote', () => {
    const own = { ...data, code: 'const main = () => 1' }
    assert.deepEqual(withOptionData(own, options, 'python'), own)
  })

  it('changes nothing for an option without such settings', () => {
    assert.deepEqual(withOptionData(data, [{ value: 'x', label: { en: 'X', zh: 'X' } }], 'x'), data)
    assert.deepEqual(withOptionData(data, options, undefined), data)
  })
})
