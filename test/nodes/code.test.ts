import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import { code } from '../../src/nodes/code.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { ToolFailure } from '../../src/tools/tool-failure.ts'
import { findTemplates } from '../../src/workflow/shape.ts'
import { StepFailure } from '../../src/workflow/step.ts'
import { type FakeStepOptions, fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'

describe('a code node', () => {
  let runner: PooledCodeRunner
  before(() => {
    runner = new PooledCodeRunner({ threads: 1 })
  })
  after(() => runner.close())
  const outputs = (data: Record<string, unknown>, options: FakeStepOptions = {}) =>
    outputsOf(code, fakeStep(options), data, { code: runner })

  it('is a kind of the registry', () => assert.equal(nodeKinds.get('code'), code))

  it('outputs what main returned, and the fields of an object by name', async () => {
    assert.deepEqual(await outputs({ code: 'const main = () => ({ sum: 3, list: [1] })' }), {
      result: { sum: 3, list: [1] },
      sum: 3,
      list: [1],
    })
    for (const value of [5, 'text', [1, { a: 2 }], null, false])
      assert.deepEqual(await outputs({ code: `const main = () => (${JSON.stringify(value)})` }), {
        result: value,
      })
  })

  it('lets a returned field named result be the result', async () => {
    assert.deepEqual(await outputs({ code: 'const main = () => ({ result: 7 })' }), { result: 7 })
  })

  it('outputs the console log, unless main returns a field named logs', async () => {
    const talks = (result: string) => ({
      code: `const main = () => { console.log("a", 1); return ${result} }`,
    })
    assert.deepEqual(await outputs(talks('5')), { result: 5, logs: ['a 1'] })
    assert.deepEqual((await outputs(talks('({ logs: 3 })')))['logs'], 3)
  })

  it('passes inputs with their types, and texts with their references replaced', async () => {
    const inputs = {
      list: '{{#a.items#}}',
      text: 'n={{#a.n#}}',
      n: '{{#a.n#}}',
      literal: 4,
      inner: { n: '{{#a.n#}}' },
    }
    const values = { 'a.items': [1, 2], 'a.n': 3 }
    const { result } = await outputs({ code: 'const main = inputs => inputs', inputs }, { values })
    assert.deepEqual(result, { list: [1, 2], text: 'n=3', n: 3, literal: 4, inner: { n: 3 } })
  })

  it('never inserts a value into the code', async () => {
    const said = '"; throw new Error("taken over"); "'
    const values = { 'a.text': said }
    const text = 'const main = ({ text }) => ["{{#a.text#}}", text]'
    const { result } = await outputs({ code: text, inputs: { text: '{{#a.text#}}' } }, { values })
    assert.deepEqual(result, ['{{#a.text#}}', said])
    assert.deepEqual(findTemplates({ code: text }, code.fields), [])
  })

  it('fails with a message that helps the author', () =>
    assert.rejects(outputs({ code: 'function main() {\n  oops()\n}' }), {
      name: 'StepFailure',
      reason: 'step_failed',
      retryable: false,
      message: "ReferenceError in line 2: 'oops' is not defined",
    }))

  it('keeps whether the failure is retryable, and the reason of an abort', async () => {
    const failing = (error: unknown) => ({ code: { run: () => Promise.reject(error) } })
    const data = { code: 'const main = 1' }
    const busy = new ToolFailure('Too much code is waiting', { retryable: true })
    await assert.rejects(
      runKind(code, fakeStep(), data, failing(busy)),
      (error: unknown) => error instanceof StepFailure && error.retryable,
    )
    const reason = new Error('the run was stopped')
    await assert.rejects(runKind(code, fakeStep(), data, failing(reason)), error => error === reason)
  })

  it('declares any output name, since the result is unknown', () => {
    assert.equal(code.outputs({ code: 'const main = () => ({ a: 1 })' }), undefined)
  })

  it('runs JavaScript unless its language is python', async () => {
    const calls: string[] = []
    const recording = {
      run: async ({ language }: { language: string }) => {
        calls.push(language)
        return null
      },
    }
    for (const chosen of [{}, { language: 'javascript' }, { language: 'python' }])
      await runKind(code, fakeStep(), { ...chosen, code: 'main' }, { code: recording })
    assert.deepEqual(calls, ['javascript', 'javascript', 'python'])
    assert.deepEqual(
      code.gaps!({ language: 'ruby', code: 'main' }).map(({ place }) => place),
      [['language']],
    )
  })

  it('requires a function main without running the code', () => {
    const gaps = (text: string, language?: string) =>
      code.gaps!({ code: text, ...(language && { language }) }).map(({ place }) => place.join('/'))
    for (const text of [
      '',
      'def main(a):\n  return a',
      'import re\nasync def main():\n  pass',
      'main = lambda: 1',
    ])
      assert.deepEqual(gaps(text, 'python'), [], text)
    for (const text of ['function main() {}', 'def domain(): pass', 'main()'])
      assert.deepEqual(gaps(text, 'python'), ['code'], text)
    assert.deepEqual(gaps('return 1'), ['code'])
    assert.deepEqual(gaps('const remaining = 1'), ['code'])
    for (const text of ['', 'function main() {}', 'const main = 1', 'export default () => 1'])
      assert.deepEqual(gaps(text), [], text)
  })

  it('warns of Python that will fail, without blocking', () => {
    const gaps = (data: object) => code.gaps?.({ type: 'code', ...data })
    const text = 'import requests\ndef main():\n    return 1'
    const [gap, ...others] = gaps({ language: 'python', code: text }) ?? []
    assert.deepEqual([others, gap?.rule, gap?.place], [[], 'code_unsupported', ['code']])
    assert.match(gap!.message, /^"import requests" in line 1: there is no module requests/)
    assert.deepEqual(gaps({ code: `function main() {}\n// ${text}\nclass A {}` }), [])
  })
})
