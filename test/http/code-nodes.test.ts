import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { noPython } from '../support/python.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let server: TestServer
let api: ApiClient
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

const code = (program: string, language?: string) =>
  chain(
    node('step', 'code', {
      ...(language && { language }),
      code: program,
      inputs: { query: '{{#sys.query#}}', n: 2 },
    }),
    output('say', '{{#step.text#}} {{#step.logs#}}'),
  )

const count = 'function main({ query, n }) { console.log("seen"); return { text: query.length * n } }'
const countInPython = 'def main(query, n):\n    print("seen")\n    return {"text": len(query) * n}'

describe('a run with a code node', () => {
  test('runs JavaScript, with and without a language', async () => {
    for (const language of [undefined, 'javascript']) {
      const run = await runWorkflow(api, await makeWorkflow(api, code(count, language)), 'hello')
      assert.deepEqual([run.status, run.answer], ['succeeded', '10 ["seen"]'])
    }
  })

  test('runs many short functions, each with its own inputs', async () => {
    const id = await makeWorkflow(api, code(count))
    const queries = Array.from({ length: 60 }, (_, at) => 'x'.repeat(at + 1))
    const runs = await Promise.all(queries.map(query => runWorkflow(api, id, query)))
    assert.deepEqual(
      runs.map(({ answer }) => answer),
      queries.map(({ length }) => `${length * 2} ["seen"]`),
    )
  })

  test('runs Python with named arguments', { skip: noPython }, async () => {
    const run = await runWorkflow(api, await makeWorkflow(api, code(countInPython, 'python')), 'hello')
    assert.deepEqual([run.status, run.answer], ['succeeded', '10 ["seen"]'])
  })

  test('fails with the line of the error in Python', { skip: noPython }, async () => {
    const id = await makeWorkflow(api, code('def main(query, n):\n    return query.nope', 'python'))
    const { status, error } = await runWorkflow(api, id, 'hello')
    assert.equal(status, 'failed')
    assert.match(error.message, /AttributeError in line 2/)
  })

  test('fails with the name of the platform where Python cannot run', {
    skip: !noPython && 'it can',
  }, async () => {
    const run = await runWorkflow(api, await makeWorkflow(api, code(countInPython, 'python')), 'hello')
    assert.equal(run.status, 'failed')
    assert.match(run.error.message, new RegExp(`not installed for ${process.platform} ${process.arch}`))
  })

  test('causes a warning when its language is unknown or its code has no main', async () => {
    const check = async (language: string, program: string) =>
      (await dataOf(api.post('workflow/check', { workflow: code(program, language) }))).warnings
    const [unknown] = await check('ruby', 'main')
    assert.equal(unknown.path, '/workflow/nodes/1/data/language')
    const [missing] = await check('python', 'function main() {}')
    assert.equal(missing.path, '/workflow/nodes/1/data/code')
    assert.match(missing.message, /def main/)
    assert.deepEqual(await check('python', countInPython), [])
  })
})
