import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { linkGraph } from '../../../src/workflow/graph-links.ts'
import { DottedNames } from '../../../src/workflow/references.ts'
import { TurnQueue } from '../../../src/workflow/run/message-stream.ts'
import { GraphState, Slots } from '../../../src/workflow/run/scheduler.ts'
import { nodeOfPath, stepPath } from '../../../src/workflow/run/step-record.ts'
import { StepRun } from '../../../src/workflow/run/step-run.ts'
import { StreamedMessage } from '../../../src/workflow/run/streamed-message.ts'
import {
  fillTemplate,
  parseTemplate,
  templateValue,
  type Values,
} from '../../../src/workflow/run/template.ts'
import { type Outputs, StepFailure, type SystemValues } from '../../../src/workflow/step.ts'
import { ruleGaps, stepRule } from '../../../src/workflow/step-rule.ts'
import { noJournal } from '../../support/no-journal.ts'
import { edge, graph, node } from '../graphs.ts'

const places = new Map([
  ['m', 0],
  ['n', 1],
])
const parse = (text: string) => parseTemplate(text, new DottedNames(places.keys()), places)
const valuesOf = (outputs: (Outputs | undefined)[]): Values => ({
  system: { query: 'Q', files: [] } as unknown as SystemValues,
  memory: { name: 'Ada', tree: { leaf: [1] } },
  environment: { host: 'example.com' },
  outputs,
})

describe('a template', () => {
  test('leaves unresolved references and other text unchanged', () => {
    const text = 'a {{#x.y#}} {{#m#}} {{#m.#}} {{m.text}} {{#if}} {{#'
    assert.equal(fillTemplate(parse(text), valuesOf([{ text: 'T' }])), text)
  })

  test('reads system values, memory and outputs, with blanks around the name', () => {
    const text = '{{# m.text #}}|{{#sys.query#}}|{{#memory.tree.leaf.0#}}|{{#memory.none#}}|{{#n.text#}}'
    assert.equal(fillTemplate(parse(text), valuesOf([{ text: 'T' }])), 'T|Q|1||')
  })

  test('does not read inherited properties', () => {
    const outputs = JSON.parse('{"__proto__": {"x": 1}, "list": []}') as Outputs
    const read = (path: string) => templateValue(parse(`{{#m.${path}#}}`), valuesOf([outputs]))
    assert.deepEqual(
      ['constructor', 'toString', 'list.length', 'list.at', '__proto__.x', 'hasOwnProperty.name'].map(read),
      [undefined, undefined, undefined, undefined, 1, undefined],
    )
  })

  test('inserts any text unchanged, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const filled = fillTemplate(parse('{{#m.a#}}{{#n.b#}}'), valuesOf([{ a: one }, { b: other }]))
        assert.equal(filled, one + other)
      }),
    )
  })
})

describe('a streamed message', () => {
  function stream(text: string) {
    const outputs: (Outputs | undefined)[] = []
    const settled = [false, false]
    const written: (string | undefined)[] = []
    const sent: string[] = []
    const source = {
      ...valuesOf(outputs),
      isSettled: (place: number) => settled[place]!,
      written: (place: number, output: string) => (output === 'text' ? written[place] : undefined),
    }
    const message = new StreamedMessage(parse(text), source, {
      send: piece => sent.push(piece),
      reset: () => sent.push('⌫'),
    })
    const settle = (place: number, value: Outputs): void => {
      settled[place] = true
      written[place] = undefined
      outputs[place] = value
      message.advance()
    }
    const write = (place: number, piece: string): void => {
      written[place] = (written[place] ?? '') + piece
      message.append(place, piece)
    }
    return { message, sent, settle, write, written }
  }

  test('sends what is available and knows which node it waits for', () => {
    const { message, sent, settle } = stream('a {{#sys.query#}} {{#m.x#}} b {{#n.y#}}')
    message.advance()
    assert.deepEqual([sent, message.waitsFor], [['a ', 'Q', ' '], 0])
    settle(1, { y: 'Y' })
    assert.equal(message.waitsFor, 0)
    settle(0, { x: 'X' })
    assert.deepEqual([sent.join(''), message.waitsFor], ['a Q X b Y', undefined])
  })

  test('follows only the node at its position, and catches up with one that started earlier', () => {
    const { message, sent, settle, write } = stream('{{#m.text#}}-{{#n.text#}}')
    message.advance()
    write(1, 'later')
    write(0, 'ear')
    write(0, 'ly')
    assert.deepEqual(sent, ['ear', 'ly'])
    settle(0, { text: 'early' })
    write(1, ' on')
    settle(1, { text: 'later on' })
    assert.deepEqual(sent, ['ear', 'ly', '-', 'later', ' on'])
  })

  test('resets when a model starts over or its output differs from what it streamed', () => {
    const { message, sent, settle, write, written } = stream('> {{#m.text#}}')
    message.advance()
    write(0, 'wrong')
    written[0] = ''
    message.discard(0)
    write(0, 'half')
    settle(0, { text: 'whole' })
    assert.deepEqual(sent, ['> ', 'wrong', '⌫', '> ', 'half', '⌫', '> ', 'whole'])
    message.finish('> whole')
    assert.equal(sent.length, 8)
  })

  test('sends memory values only when its node runs, and then completes the text', () => {
    const { message, sent } = stream('x={{#memory.name#}}!')
    message.advance()
    assert.deepEqual([sent, message.waitsFor, message.hasModelText], [['x='], undefined, false])
    message.finish('x=Eve!')
    assert.deepEqual(sent, ['x=', 'Eve!'])
  })
})

describe('the turn queue', () => {
  test('emits in turn order, whatever order the turns arrive in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), order => {
        const turns = new TurnQueue(5)
        const emitted: number[] = []
        for (const turn of order) {
          turns.add(turn, () => emitted.push(turn))
          turns.close(turn)
        }
        assert.deepEqual(emitted, [0, 1, 2, 3, 4])
      }),
    )
  })

  test('holds output back until the turns before are closed, or until a flush', () => {
    const turns = new TurnQueue(3)
    const emitted: string[] = []
    const add = (turn: number, text: string) => turns.add(turn, () => emitted.push(text))
    add(2, 'c')
    add(1, 'b')
    add(0, 'a')
    assert.deepEqual(emitted, ['a'])
    turns.flush()
    assert.deepEqual(emitted, ['a', 'b', 'c'])
    add(2, 'later')
    assert.deepEqual(emitted, ['a', 'b', 'c'])
    turns.close(0)
    turns.close(1)
    assert.deepEqual(emitted.at(-1), 'later')
  })
})

describe('step slots', () => {
  test('are given in queue order, and a step that continues takes one without waiting', () => {
    const slots = new Slots(1)
    const begun: string[] = []
    for (const name of ['a', 'b', 'c']) slots.take(() => begun.push(name))
    assert.deepEqual(begun, ['a'])
    slots.give()
    assert.deepEqual(begun, ['a', 'b'])
    slots.retake()
    slots.give()
    assert.deepEqual(begun, ['a', 'b'])
    slots.give()
    assert.deepEqual(begun, ['a', 'b', 'c'])
  })

  test('start nothing after they are closed, neither queued nor later steps', () => {
    const slots = new Slots(1)
    const begun: string[] = []
    for (const name of ['a', 'b']) slots.take(() => begun.push(name))
    slots.close()
    slots.give()
    slots.take(() => begun.push('c'))
    slots.give()
    assert.deepEqual(begun, ['a'])
  })
})

test('settles parallel edges separately, and skips a join whose edges are all skipped', () => {
  const nodes = ['if', 'a', 'b', 'join'].map(id => node(id, 'any'))
  const edges = [
    edge('if', 'a', 'x'),
    edge('if', 'a', 'y'),
    edge('if', 'b', 'z'),
    edge('a', 'join'),
    edge('b', 'join'),
  ]
  const links = linkGraph(graph(nodes, edges), new Map(nodes.map(({ id }, place) => [id, place])))
  const state = new GraphState({ links, readers: [] })
  assert.deepEqual(state.settleEdges(0, 'y'), { ready: [1], skipped: [2] })
  assert.deepEqual(state.settleEdges(1, undefined), { ready: [3], skipped: [] })
  const none = new GraphState({ links, readers: [] })
  assert.deepEqual(none.settleEdges(0, 'w'), { ready: [], skipped: [1, 2, 3] })
})

test('reports the step settings that are not used as they are', () => {
  const fine = { timeout_ms: 1_200_000, retry: { times: 9, delay_ms: 0 }, on_error: { default: null } }
  for (const data of [{}, fine, { on_error: 'branch' }, { on_error: null, retry: null, timeout_ms: null }])
    assert.deepEqual(ruleGaps(data), [])
  const wild = { timeout_ms: 0, retry: { times: 10, delay_ms: 60_001 }, on_error: 'ignore' }
  assert.deepEqual(
    ruleGaps(wild).map(({ place, message }) => [place.join('/'), message]),
    [
      ['timeout_ms', 'Must be from 1 to 1200000, but is 0; 1 is used.'],
      ['retry/times', 'Must be from 0 to 9, but is 10; 9 is used.'],
      ['retry/delay_ms', 'Must be from 0 to 60000, but is 60001; 60000 is used.'],
      [
        'on_error',
        'Must be "fail", "skip", "branch" or {"default": …}, but is "ignore"; it counts as "fail".',
      ],
    ],
  )
})

test('clamps the step settings of a node to the allowed ranges', () => {
  const kind = { timeoutMilliseconds: 120_000, attempts: 3 } as Parameters<typeof stepRule>[0]
  const rule = (data: Record<string, unknown>) => stepRule(kind, data)
  assert.deepEqual(rule({}), {
    timeoutMilliseconds: 120_000,
    attempts: 3,
    delayMilliseconds: undefined,
    onError: { do: 'fail' },
  })
  assert.equal(stepRule({} as typeof kind, {}).timeoutMilliseconds, 30_000)
  const wild = rule({ timeout_ms: -5, retry: { times: 1e9, delay_ms: 1e9 }, on_error: { default: null } })
  assert.deepEqual(wild, {
    timeoutMilliseconds: 1,
    attempts: 10,
    delayMilliseconds: 60_000,
    onError: { do: 'default', value: null },
  })
  assert.deepEqual(
    [rule({ retry: { times: 0 } }).attempts, rule({ timeout_ms: 1e9 }).timeoutMilliseconds],
    [1, 1_200_000],
  )
})

test('doubles the delay between attempts, up to half of it random', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    for (const chance of [0, 0.999]) {
      const attempts: number[] = []
      const kind = {
        attempts: 4,
        run: (step: { attempt: number }) => {
          attempts.push(step.attempt)
          throw new StepFailure('step_failed', 'busy', { retryable: true })
        },
      }
      const planned = {
        kind,
        data: {},
        rule: stepRule(kind as never, {}),
        id: 'a',
        place: 0,
        templates: new Map(),
        secretNames: [],
      }
      mock.method(Math, 'random', () => chance)
      const context = {
        run: { clock: { now: () => 0 }, services: {}, journal: noJournal, questions: [] },
        values: {},
        ended: (_: unknown, end: unknown) => attempts.push(end instanceof StepFailure ? -1 : 0),
      }
      const before = { starts: 0, record: undefined, state: {}, reply: undefined }
      new StepRun(context as never, planned as never, 'a', before).start()
      for (const [index, whole] of [500, 1000, 2000].entries()) {
        const pause = whole * (0.5 + chance / 2)
        mock.timers.tick(Math.floor(pause) - 1)
        assert.equal(attempts.length, index + 1)
        mock.timers.tick(2)
        assert.equal(attempts[index + 1], index + 2)
      }
      assert.deepEqual(attempts, [1, 2, 3, 4, -1])
    }
  } finally {
    mock.reset()
    mock.timers.reset()
  }
})

describe('stepPath', () => {
  test('is unique, whatever the ids of the nodes', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        assert.equal(stepPath('a/0/', one) === stepPath('a/0/', other), one === other)
        assert.ok(!stepPath('', one).includes('/'), 'a slash only separates steps')
        assert.equal(nodeOfPath(stepPath('a/0/', one)), one)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[~/01]*$/), one => {
        assert.equal(nodeOfPath(stepPath('', one)), one)
      }),
    )
  })
})
