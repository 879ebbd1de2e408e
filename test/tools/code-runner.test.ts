import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { compileInterpreter, JavascriptSandbox } from '../../src/adapters/code/javascript-sandbox.ts'
import { type CodeRunnerOptions, PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import type { CodeCall } from '../../src/tools/code-runner.ts'
import { rounds } from '../support/rounds.ts'

const never = new AbortController().signal

const call = (code: string, inputs: CodeCall['inputs'] = {}, workspaceId = 'w'): CodeCall => ({
  workspaceId,
  language: 'javascript',
  code,
  inputs,
})

/** A runner with short timeouts, so that endless code does not delay the tests. */
const hasty: Partial<CodeRunnerOptions> = { timeMilliseconds: 400 }

describe('user code', () => {
  let runner: PooledCodeRunner
  let impatient: PooledCodeRunner
  before(() => {
    runner = new PooledCodeRunner({ threads: 2, timeMilliseconds: 60_000 })
    impatient = new PooledCodeRunner({ ...hasty, threads: 1 })
  })
  after(() => Promise.all([runner.close(), impatient.close()]))

  const run = (code: string, inputs: Record<string, unknown> = {}) => runner.run(call(code, inputs), never)
  const fails = (code: string, message: RegExp | string, who = runner) =>
    assert.rejects(who.run(call(code), never), { name: 'ToolFailure', retryable: false, message }, code)

  it('has a lower priority than requests', {
    skip: process.platform !== 'linux' && 'only Linux has thread priorities',
  }, async () => {
    const nicenessOf = (thread: string): number =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ')[16])
    const before = new Set(readdirSync('/proc/self/task'))
    const fresh = new PooledCodeRunner({ ...hasty, threads: 1 })
    const started = Promise.withResolvers<void>()
    const endless = { ...call('function main() { for (;;); }'), onStart: started.resolve }
    const ended = assert.rejects(fresh.run(endless, never), /took longer/)
    await started.promise
    const own = nicenessOf(String(process.pid))
    const lowered = readdirSync('/proc/self/task').filter(
      thread => !before.has(thread) && nicenessOf(thread) === Math.min(19, own + 5),
    )
    assert.equal(lowered.length, own === 19 ? lowered.length : 1, 'only the thread of the code')
    await ended
    await fresh.close()
  })

  describe('returns', () => {
    for (const [code, expected] of [
      ['function main({ a, b }) { return { sum: a + b } }', { sum: 5 }],
      ['const main = inputs => inputs.list.map(each => each * 2)', [2, 4]],
      ['async function main({ a }) { const one = await Promise.resolve(1); return a + one }', 3],
      ['function main() { return new Promise(resolve => resolve("later")) }', 'later'],
      ['export default inputs => inputs.a', 2],
      ['export function main(inputs) { return inputs.b }', 3],
      ['const twice = n => n * 2\nexport const main = ({ a }) => twice(a)', 4],
      ['function main() { return null }', null],
      ['function main() { return new Date(0) }', '1970-01-01T00:00:00.000Z'],
      ['function main() { return { kept: 1, left: undefined } }', { kept: 1 }],
    ] as const)
      it(code, async () => assert.deepEqual(await run(code, { a: 2, b: 3, list: [1, 2] }), expected))

    it('any JSON it received, character for character', async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), async value => {
          const given = JSON.parse(JSON.stringify({ value }))
          assert.deepEqual(await run('function main(inputs) { return inputs }', given), given)
        }),
        { numRuns: rounds(15) },
      )
      const odd = JSON.parse('{"__proto__": {"a": 1}, "日本": "😀\\u0000\\ud800"}')
      assert.deepEqual(await run('const main = inputs => inputs', odd), odd)
    })
  })

  it('returns what it wrote to the console, truncated to the last lines and their beginnings', async () => {
    const code = `function main() {
      for (let i = 0; i < 1000; i++) console.log("x".repeat(1e4))
      console.log("at", { step: 1 })
      return 1
    }`
    const logged: (readonly string[])[] = []
    assert.equal(await runner.run({ ...call(code), onLines: lines => logged.push(lines) }, never), 1)
    const [lines] = logged as [string[]]
    assert.deepEqual([logged.length, lines.length], [1, 20])
    assert.equal(lines[0], `${'x'.repeat(500)}…`)
    assert.equal(lines.at(-1), 'at {"step":1}')
  })

  describe('fails with a message for its author', () => {
    for (const [code, message] of [
      ['function main(inputs) {\n\n  return inputs.a.b\n}', /^TypeError in line 3: cannot read property 'b'/],
      [
        'async function main() {\n  await null\n  throw new RangeError("late")\n}',
        'RangeError in line 3: late',
      ],
      ['function main() {\n  return [\n}', /^SyntaxError in line 3: /],
      ['export default () => {\n  return missing\n}', /^ReferenceError in line 2: 'missing' is not defined/],
      ['function main() { throw "no luck" }', 'The code threw no luck'],
      ['function main() { throw null }', 'The code threw null'],
      ['const other = 1', /has no function main/],
      ['function main() {}', /^main returned nothing/],
      ['function main() { return main }', /^main returned a function, which is not JSON/],
      ['function main() { return { inner: { call() {} } } }', /^main returned a function in "call"/],
      [
        'function main() { const a = {}; a.a = a; return a }',
        /^main returned an object that contains itself/,
      ],
      ['function main() { return 1n }', /^main returned a BigInt/],
      ['function main() { return new Map() }', /^main returned a Map or Set/],
      ['function main() { let a = 1; for (let i = 0; i < 70; i++) a = [a]; return a }', /nested too deeply/],
      ['function main() { return new Promise(() => {}) }', /^main never finished/],
      ['async function main() { return await import("fs") }', /could not load module 'fs'/],
      ['import fs from "fs"\nexport default () => fs', /could not load module 'fs'/],
      ['function main() { console.log("at", { step: 1 }); throw 7 }', 'The code threw 7'],
    ] as const)
      it(code, () => fails(code, message))

    it('reports syntax errors after any number of blank lines', () =>
      fails(`${'\n'.repeat(3e5)}return [`, /^SyntaxError in line/))
  })

  describe('is stopped', () => {
    for (const [label, code] of [
      ['when it never ends', 'function main() { while (true) {} }'],
      ['when it never ends before main', 'for (;;) {}'],
      ['when its promises never end', 'async function main() { for (;;) await null }'],
      ['when it catches everything', 'function main() { for (;;) try { for (;;) {} } catch {} }'],
      ['when a pattern tries for ever', 'function main() { return /^(a+)+$/.test("a".repeat(28) + "!") }'],
      ['when its exception never ends', 'function main() { throw { get name() { for (;;) {} } } }'],
      ['when its result never ends', 'function main() { return { toJSON() { for (;;) {} } } }'],
    ] as const)
      it(label, () => fails(code, /^The code took longer than 0.4 s and was stopped/, impatient))

    for (const code of [
      'function main() { const all = []; for (;;) all.push("x".repeat(1e5) + all.length) }',
      'function main() { const all = []; for (;;) all.push(new ArrayBuffer(3e7)) }',
      'function main() { return new ArrayBuffer(1e9) }',
      'function main() { const all = []; for (;;) all.push({ a: [1, 2, 3] }) }',
    ])
      it(`when it uses too much memory: ${code}`, () => fails(code, /needs more than 64 MiB of memory/))

    it('when it recurses too deeply', () =>
      fails('function main() {\n  return main() + 1\n}', /^The code calls itself too deeply/))

    it('when its result or input is too large', async () => {
      await fails('function main() { return "x".repeat(9e6) }', /more than 8388608 bytes/)
      await fails('function main() { return "é".repeat(5e6) }', /more than 8 MiB/)
      await assert.rejects(run('const main = () => 1', { text: 'x'.repeat(9e6) }), {
        name: 'ToolFailure',
        message: /inputs are larger than 8 MiB/,
      })
    })

    it('without affecting the next one', async () => {
      assert.equal(await run('const main = () => 1'), 1)
      assert.equal(await impatient.run(call('const main = () => 1'), never), 1)
    })
  })

  it('is stopped by the time of its processor, and by the clock only much later', async t => {
    const program = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
    const sandbox = await JavascriptSandbox.create(await compileInterpreter(readFileSync(program)))
    const busy = {
      code: 'function main() { for (let i = 0; i < 1e6; i++); return 1 }',
      inputs: '{}',
      timeMilliseconds: 200,
    }
    /** Each clock begins at 0, and is there at the next look. */
    const run = (taken: number, used: number) => {
      const times = [0]
      t.mock.method(performance, 'now', () => times.shift() ?? taken)
      const uses = [0]
      t.mock.method(process, 'threadCpuUsage', () => ({ user: 1000 * (uses.shift() ?? used), system: 0 }))
      return sandbox.run(busy)
    }
    const late = { kind: 'failed', message: 'The code took longer than 0.2 s and was stopped' }
    assert.deepEqual([run(199, 199).kind, run(800, 199).kind], ['returned', 'returned'])
    assert.deepEqual([run(201, 200), run(801, 0)], [late, late])
  })

  it('has no access to the server', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'WebSocket',
      'XMLHttpRequest',
      'WebAssembly',
      'Worker',
    ]
    const more = ['Buffer', 'setTimeout', 'setInterval', 'queueMicrotask', 'navigator', 'Deno', 'std', 'os']
    const code = `function main({ names }) {
      const globals = [
        globalThis,
        (0, eval)('this'),
        [].constructor.constructor('return this')(),
        console.log.constructor('return this')(),
        (async () => {}).constructor.prototype.constructor('return globalThis')
      ]
      const found = names.filter(name => globals.some(each => each && each[name] !== undefined))
      for (const name of names) {
        try { found.push(typeof [].constructor.constructor('return ' + name)() + ' ' + name) } catch {}
      }
      try { Error.prepareStackTrace = (_, frames) => frames; new Error().stack.map(each => found.push(each.getThis())) } catch {}
      return found
    }`
    assert.deepEqual(await run(code, { names: [...names, ...more] }), [])
  })

  it('cannot forge its result by changing builtins, nor affect the next execution', async () => {
    const vandal = `JSON.stringify = () => '=1'; JSON.parse = () => 0; String.prototype.slice = () => 'no'
      Function.prototype.call = () => 0; Array.prototype.push = () => 0; globalThis.leak = 'seen'
      Promise.prototype.then = () => 0; Object.prototype.polluted = true
      function main(inputs) { return { kept: inputs.a } }`
    // Code may break its own promises: it fails or returns its result, and nothing else.
    const outcome = await run(vandal, { a: 5 }).catch((error: Error) => error.name)
    if (outcome !== 'ToolFailure') assert.deepEqual(outcome, { kept: 5 })
    const look =
      'const main = () => [typeof leak, ({}).polluted === undefined, JSON.stringify([1]), "abc".slice(1)]'
    for (let time = 0; time < 4; time++) assert.deepEqual(await run(look), ['undefined', true, '[1]', 'bc'])
  })

  it('cannot see earlier executions', async () => {
    const alone = new PooledCodeRunner({ threads: 1 })
    const code = `const seen = globalThis.last; globalThis.last = 'secret'; Array.prototype.last = 'secret'
      const main = ({ turn }) => [turn, seen ?? null, [].last]`
    for (let turn = 0; turn < 20; turn++)
      assert.deepEqual(await alone.run(call(code, { turn }), never), [turn, null, 'secret'])
    await alone.close()
  })

  it('finds nothing of earlier executions in its memory, however much they used', async () => {
    const alone = new PooledCodeRunner({ threads: 1 })
    const fill = `const kept = []
      function main({ size }) {
        for (let at = 0; at < size; at += 1e5) kept.push(new Uint8Array(1e5).fill(0xab), 'secret'.repeat(1e3))
        return kept.length
      }`
    const look = `function main() {
      const all = Array.from({ length: 5 }, () => new Uint8Array(1e5))
      return all.map(each => each.findIndex(byte => byte !== 0))
    }`
    // Within what is restored, and so much that the memory has to grow.
    for (const size of [2e5, 4e5, 2e7, 4e5]) {
      await alone.run(call(fill, { size }), never)
      assert.deepEqual(await alone.run(call(look), never), [-1, -1, -1, -1, -1], `after ${size} bytes`)
    }
    await alone.close()
  })

  it('continues after one that ended in an exception, a timeout or a full stack', async () => {
    const alone = new PooledCodeRunner({ ...hasty, threads: 1 })
    for (const [code, message] of [
      ['function main() { throw new Error("no") }', /^Error in line 1: no/],
      ['function main() { for (;;); }', /took longer/],
      ['function main() { return main() + 1 }', /too deeply/],
      ['const deep = n => JSON.stringify({ toJSON: () => deep(n + 1) })\nconst main = () => deep(0)', /./],
      ['function main() { const all = []; for (;;) all.push({ a: [1, 2, 3] }) }', /memory|longer/],
    ] as const) {
      await assert.rejects(alone.run(call(code), never), { name: 'ToolFailure', message })
      assert.deepEqual(await alone.run(call('const main = inputs => inputs', { a: 1 }), never), { a: 1 })
    }
    await alone.close()
  })

  it('gets other random numbers each time', async () => {
    const alone = new PooledCodeRunner({ threads: 1 })
    const code = 'const first = Math.random()\nconst main = () => [first, Math.random(), Math.random()]'
    const numbers: number[] = []
    for (let turn = 0; turn < 10; turn++) numbers.push(...((await alone.run(call(code), never)) as number[]))
    assert.equal(new Set(numbers).size, 30)
    assert.ok(numbers.every(each => each >= 0 && each < 1))
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length
    assert.ok(mean > 0.2 && mean < 0.8, `mean of 30 numbers: ${mean}`)
    await alone.close()
  })
})

describe('code threads', () => {
  const endless = 'function main() { for (;;) {} }'
  const light = 'function main(inputs) { return inputs.n }'

  it('do not block the server', async () => {
    const runner = new PooledCodeRunner(hasty)
    let turns = 0
    const ticking = setInterval(() => turns++, 10)
    await assert.rejects(runner.run(call(endless), never))
    clearInterval(ticking)
    assert.ok(turns >= 5, `${turns} turns of the event loop while code ran`)
    await runner.close()
  })

  it('run many executions concurrently, each with its own inputs', async () => {
    const runner = new PooledCodeRunner()
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    assert.deepEqual(await Promise.all(numbers.map(n => runner.run(call(light, { n }), never))), numbers)
    await runner.close()
  })

  it('reach a light execution behind heavy ones', async () => {
    const runner = new PooledCodeRunner({ ...hasty, threads: 2 })
    const heavy = [1, 2, 3].map(() => assert.rejects(runner.run(call(endless), never)))
    assert.equal(await runner.run(call(light, { n: 1 }), never), 1)
    await Promise.all(heavy)
    await runner.close()
  })

  it('reach the execution of another workspace behind any number of endless ones', async () => {
    const runner = new PooledCodeRunner({ timeMilliseconds: 60_000 })
    const controller = new AbortController()
    const heavy = Array.from({ length: 50 }, () => runner.run(call(endless), controller.signal))
    const failed = Promise.all(heavy.map(each => assert.rejects(each)))
    for (const other of ['x', 'y', 'x'])
      assert.equal(await runner.run(call(light, { n: 7 }, other), never), 7)
    controller.abort(new Error('enough'))
    await failed
    await runner.close()
  })

  it('report when an execution starts, which is after it waited', async () => {
    const runner = new PooledCodeRunner({ threads: 1, timeMilliseconds: 60_000 })
    const controller = new AbortController()
    let isFirstOver = false
    const first = runner.run(call(endless), controller.signal).catch(() => {
      isFirstOver = true
    })
    const starts: boolean[] = []
    const second = runner.run({ ...call(light, { n: 1 }), onStart: () => starts.push(isFirstOver) }, never)
    setTimeout(() => controller.abort(new Error('enough')), 100)
    assert.equal(await second, 1)
    await first
    assert.deepEqual(starts, [true])
    await runner.close()
  })

  it('are terminated when the run is aborted, with its reason, and replaced', async () => {
    const runner = new PooledCodeRunner({ threads: 1, timeMilliseconds: 60_000 })
    const reason = new Error('stopped by the user')
    const controller = new AbortController()
    const running = runner.run(call(endless), controller.signal)
    const behind = runner.run(call(light, { n: 2 }), never)
    await new Promise(resolve => setTimeout(resolve, 300))
    controller.abort(reason)
    await assert.rejects(running, error => error === reason)
    assert.equal(await behind, 2)
    await assert.rejects(runner.run(call(light), controller.signal), error => error === reason)
    await runner.close()
  })

  it('are not waited for by an aborted run', async () => {
    const runner = new PooledCodeRunner({ ...hasty, threads: 1 })
    const heavy = assert.rejects(runner.run(call(endless), never))
    const controller = new AbortController()
    const waiting = runner.run(call(light), controller.signal)
    controller.abort(new Error('called off'))
    await assert.rejects(waiting, { message: 'called off' })
    await heavy
    assert.equal(await runner.run(call(light, { n: 3 }), never), 3)
    await runner.close()
  })

  it('are terminated when they do not react to the timeout', async () => {
    // This interpreter would run for a minute; only the grace period ends it.
    const runner = new PooledCodeRunner({ threads: 1, timeMilliseconds: 60_000, graceMilliseconds: -239_000 })
    await assert.rejects(runner.run(call(endless), never), {
      name: 'ToolFailure',
      message: /longer than 60 s/,
    })
    assert.equal(await runner.run(call(light, { n: 4 }), never), 4)
    await runner.close()
  })

  it('limit the length of their queue', async () => {
    const runner = new PooledCodeRunner({ ...hasty, threads: 1, queue: 2 })
    const taken = [endless, light, light].map(code =>
      runner.run(call(code, { n: 1 }), never).catch(() => 'failed'),
    )
    await assert.rejects(runner.run(call(light), never), {
      name: 'ToolFailure',
      retryable: true,
      message: /Too many code nodes of this workspace are waiting/,
    })
    assert.deepEqual(await Promise.all(taken), ['failed', 1, 1])
    await runner.close()
  })

  it('fail running and queued executions when the server stops', async () => {
    const runner = new PooledCodeRunner({ threads: 1 })
    const refused = [endless, light].map(code =>
      assert.rejects(runner.run(call(code), never), {
        name: 'ToolFailure',
        retryable: true,
        message: /stopping/,
      }),
    )
    await runner.close()
    await Promise.all(refused)
    await assert.rejects(runner.run(call(light), never), { message: /stopping/ })
  })

  it('start on first use, and end when idle', async () => {
    const ended: Promise<unknown>[] = []
    const count = (message: unknown) => {
      ended.push(once((message as { worker: Worker }).worker, 'exit'))
    }
    subscribe('worker_threads', count)
    const runner = new PooledCodeRunner({ idleMilliseconds: 1 })
    assert.equal(ended.length, 0)
    assert.equal(await runner.run(call(light, { n: 1 }), never), 1)
    assert.equal(ended.length, 1)
    await ended[0]
    assert.equal(await runner.run(call(light, { n: 2 }), never), 2)
    assert.equal(ended.length, 2)
    unsubscribe('worker_threads', count)
    await runner.close()
  })
})
