import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { DottedNames } from '../../../src/workflow/dotted-names.ts'
import { linkGraph } from '../../../src/workflow/graph-links.ts'
import { EdgeLedger } from '../../../src/workflow/run/edge-ledger.ts'
import { Slots } from '../../../src/workflow/run/slots.ts'
import { Speech } from '../../../src/workflow/run/speech.ts'
import { nodeOfPath, stepPath } from '../../../src/workflow/run/step-path.ts'
import { stepRule } from '../../../src/workflow/run/step-rule.ts'
import { type StepEnds, StepRun } from '../../../src/workflow/run/step-run.ts'
import {
  fillTemplate,
  parseTemplate,
  templateValue,
  type Values,
} from '../../../src/workflow/run/template.ts'
import { Voice } from '../../../src/workflow/run/voice.ts'
import { type Outputs, StepFailure, type SystemValues } from '../../../src/workflow/step.ts'
import { edge, graph, node } from '../graphs.ts'

const places = new Map([
  ['m', 0],
  ['n', 1],
])
const parse = (text: string) => parseTemplate(text, new DottedNames(places.keys()), places)
const valuesOf = (outputs: (Outputs | undefined)[]): Values => ({
  system: { query: 'Q', files: [] } as unknown as SystemValues,
  memory: { name: 'Ada', tree: { leaf: [1] } },
  outputsOf: place => outputs[place],
})

describe('a template', () => {
  test('leaves alone what names nothing, and what is no reference', () => {
    const text = 'a {{#x.y#}} {{#m#}} {{#m.#}} {{m.text}} {{#if}} {{#'
    assert.equal(fillTemplate(parse(text), valuesOf([{ text: 'T' }])), text)
  })

  test('reads system values, memory and outputs, with blanks around the name', () => {
    const text = '{{# m.text #}}|{{#sys.query#}}|{{#memory.tree.leaf.0#}}|{{#memory.none#}}|{{#n.text#}}'
    assert.equal(fillTemplate(parse(text), valuesOf([{ text: 'T' }])), 'T|Q|1||')
  })

  test('reads nothing that only JavaScript put there', () => {
    const outputs = JSON.parse('{"__proto__": {"x": 1}, "list": []}') as Outputs
    const read = (path: string) => templateValue(parse(`{{#m.${path}#}}`), valuesOf([outputs]))
    assert.deepEqual(
      ['constructor', 'toString', 'list.length', 'list.at', '__proto__.x', 'hasOwnProperty.name'].map(read),
      [undefined, undefined, undefined, undefined, 1, undefined],
    )
  })

  test('inserts any text as it is, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const filled = fillTemplate(parse('{{#m.a#}}{{#n.b#}}'), valuesOf([{ a: one }, { b: other }]))
        assert.equal(filled, one + other)
      }),
    )
  })
})

describe('a speech', () => {
  function speak(text: string) {
    const outputs: (Outputs | undefined)[] = []
    const settled = [false, false]
    const written: (string | undefined)[] = []
    const said: string[] = []
    const speech = new Speech(parse(text), {
      ...valuesOf(outputs),
      isSettled: place => settled[place]!,
      written: (place, output) => (output === 'text' ? written[place] : undefined),
      say: piece => said.push(piece),
      takeBack: () => said.push('⌫'),
    })
    const settle = (place: number, value: Outputs): void => {
      settled[place] = true
      written[place] = undefined
      outputs[place] = value
      speech.advance()
    }
    const write = (place: number, piece: string): void => {
      written[place] = (written[place] ?? '') + piece
      speech.hear(place, piece)
    }
    return { speech, said, settle, write, written }
  }

  test('goes as far as it can and tells what it waits for', () => {
    const { speech, said, settle } = speak('a {{#sys.query#}} {{#m.x#}} b {{#n.y#}}')
    speech.advance()
    assert.deepEqual([said, speech.waitsFor], [['a ', 'Q', ' '], 0])
    settle(1, { y: 'Y' })
    assert.equal(speech.waitsFor, 0)
    settle(0, { x: 'X' })
    assert.deepEqual([said.join(''), speech.waitsFor], ['a Q X b Y', undefined])
  })

  test('hears only the node it has come to, and catches up with one that began before', () => {
    const { speech, said, settle, write } = speak('{{#m.text#}}-{{#n.text#}}')
    speech.advance()
    write(1, 'later')
    write(0, 'ear')
    write(0, 'ly')
    assert.deepEqual(said, ['ear', 'ly'])
    settle(0, { text: 'early' })
    write(1, ' on')
    settle(1, { text: 'later on' })
    assert.deepEqual(said, ['ear', 'ly', '-', 'later', ' on'])
  })

  test('takes back all of it when a model begins anew or gives something else than it wrote', () => {
    const { speech, said, settle, write, written } = speak('> {{#m.text#}}')
    speech.advance()
    write(0, 'wrong')
    written[0] = ''
    speech.forget(0)
    write(0, 'half')
    settle(0, { text: 'whole' })
    assert.deepEqual(said, ['> ', 'wrong', '⌫', '> ', 'half', '⌫', '> ', 'whole'])
    speech.finish('> whole')
    assert.equal(said.length, 8)
  })

  test('does not say memory before its node runs, and then says the rest', () => {
    const { speech, said } = speak('x={{#memory.name#}}!')
    speech.advance()
    assert.deepEqual([said, speech.waitsFor, speech.isWorthKeeping], [['x='], undefined, false])
    speech.finish('x=Eve!')
    assert.deepEqual(said, ['x=', 'Eve!'])
  })
})

describe('the voice', () => {
  test('lets everybody speak in turn, whatever the order they come in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), order => {
        const voice = new Voice(5)
        const heard: number[] = []
        for (const turn of order) {
          voice.say(turn, () => heard.push(turn))
          voice.close(turn)
        }
        assert.deepEqual(heard, [0, 1, 2, 3, 4])
      }),
    )
  })

  test('holds back until the one before is closed, or until it is told to wait no more', () => {
    const voice = new Voice(3)
    const heard: string[] = []
    const say = (turn: number, text: string) => voice.say(turn, () => heard.push(text))
    say(2, 'c')
    say(1, 'b')
    say(0, 'a')
    assert.deepEqual(heard, ['a'])
    voice.flush()
    assert.deepEqual(heard, ['a', 'b', 'c'])
    say(2, 'later')
    assert.deepEqual(heard, ['a', 'b', 'c'])
    voice.close(0)
    voice.close(1)
    assert.deepEqual(heard.at(-1), 'later')
  })
})

describe('slots', () => {
  test('are given in the order of the line, and a step that goes on takes one without waiting', () => {
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

  test('that are closed begin nothing, neither those in line nor those to come', () => {
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

test('the ledger settles two edges between the same nodes apart, and forgets no join', () => {
  const nodes = ['if', 'a', 'b', 'join'].map(id => node(id, 'any'))
  const edges = [
    edge('if', 'a', 'x'),
    edge('if', 'a', 'y'),
    edge('if', 'b', 'z'),
    edge('a', 'join'),
    edge('b', 'join'),
  ]
  const links = linkGraph(graph(nodes, edges), new Map(nodes.map(({ id }, place) => [id, place])))
  const ledger = new EdgeLedger(links)
  assert.deepEqual(ledger.settle(0, 'y'), { ready: [1], skipped: [2] })
  assert.deepEqual(ledger.settle(1, undefined), { ready: [3], skipped: [] })
  const none = new EdgeLedger(links)
  assert.deepEqual(none.settle(0, 'w'), { ready: [], skipped: [1, 2, 3] })
})

test('the rule of a step keeps what a node asks for within bounds', () => {
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

test('pauses between attempts grow, and chance takes off up to half of each', () => {
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
      }
      const world = { context: { clock: { now: () => 0 }, random: () => chance, services: {} } }
      const ends: StepEnds = { retrying: () => {}, ended: () => {}, failed: () => attempts.push(-1) }
      const before = { starts: 0, asked: 0, resumed: undefined, promptTokens: 0, completionTokens: 0 }
      new StepRun(world as never, ends, planned as never, 'a', before).start()
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
    mock.timers.reset()
  }
})

describe('stepPath', () => {
  test('names no two steps alike, whatever the ids of their nodes', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        assert.equal(stepPath('a/0/', one) === stepPath('a/0/', other), one === other)
        assert.ok(!stepPath('', one).includes('/'), 'a slash stands only between steps')
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
