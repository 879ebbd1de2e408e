import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import type { CodeCall } from '../../src/tools/code-runner.ts'
import { noPython } from '../support/python.ts'
import { rounds } from '../support/rounds.ts'

const never = new AbortController().signal

const call = (code: string, inputs: CodeCall['inputs'] = {}, workspaceId = 'w'): CodeCall => ({
  workspaceId,
  language: 'python',
  code,
  inputs,
})

const returning = (expression: string): string => `def main():\n    return ${expression}`

it('Python says on which platforms it cannot run', { skip: !noPython && 'it can run here' }, async () => {
  const runner = new PooledCodeRunner({ threads: 1 })
  await assert.rejects(runner.run(call(returning('1')), never), {
    name: 'ToolFailure',
    retryable: false,
    message: new RegExp(`not installed for ${process.platform} ${process.arch}. Use JavaScript`),
  })
  await runner.close()
})

describe('Python code', { skip: noPython }, () => {
  let runner: PooledCodeRunner
  let impatient: PooledCodeRunner
  before(() => {
    runner = new PooledCodeRunner({ threads: 2, timeMilliseconds: 60_000 })
    impatient = new PooledCodeRunner({ threads: 1, timeMilliseconds: 400 })
  })
  after(() => Promise.all([runner.close(), impatient.close()]))

  const run = (code: string, inputs: Record<string, unknown> = {}) => runner.run(call(code, inputs), never)
  const fails = (code: string, message: RegExp | string, who = runner) =>
    assert.rejects(who.run(call(code), never), { name: 'ToolFailure', retryable: false, message }, code)

  describe('returns', () => {
    for (const [code, expected] of [
      ['def main(a, b):\n    return {"sum": a + b}', { sum: 5 }],
      ['def main(a: int, b: int = 9) -> dict:\n    return {"sum": a + b}', { sum: 5 }],
      ['def main(a, b):\n    return twice(a) + b\n\ndef twice(n):\n    return 2 * n', 7],
      ['def main(**inputs):\n    return sorted(inputs.keys())', ['a', 'b']],
      ['import json\ndef main(a, b):\n    return json.loads(json.dumps({"a": [a, b]}))', { a: [2, 3] }],
      ['import re\ndef main(a, b):\n    return re.findall(r"\\d+", "a1b22")', ['1', '22']],
      ['def main(a, b):\n    return f"{a:>3}|{b}"', '  2|3'],
      [
        'from __future__ import annotations\nimport urllib\ndef main(a, b):\n    return urllib.parse.quote("a b")',
        'a%20b',
      ],
      ['def main(a, b):\n    return [n for n, _ in enumerate([a, b], start=5)]', [5, 6]],
      [
        'from datetime import datetime\ndef main(a, b):\n    return datetime(2026, 1, 2, 3, 4, 5, 678).strftime("%S.%fZ")',
        '05.000678Z',
      ],
      ['def main(a, b):\n    return "%s|%03d|%.1f%%" % (a, b, 0.55)', '2|003|0.6%'],
      ['def main(a, b):\n    return ("{} "\n        "{n:>3}").format(a, n=b)', '2   3'],
      ['def main(a, b):\n    return a\n\nif __name__ == "__main__":\n    main(nope)', 2],
      ['def main(a, b):\n    return [n * 2 for n in range(3) if n != 1]', [0, 4]],
      [
        'def main(a, b):\n    return sorted([{"n": 2}, {"n": 1}], key=lambda each: each["n"])',
        [{ n: 1 }, { n: 2 }],
      ],
      [
        'def main(a, b):\n    try:\n        return 1 / 0\n    except ZeroDivisionError as error:\n        return str(error)',
        'division by zero',
      ],
    ] as const)
      it(code, async () => assert.deepEqual(await run(code, { a: 2, b: 3 }), expected))

    for (const [expression, expected] of [
      ['None', null],
      ['(1, (2, 3))', [1, [2, 3]]],
      ['{1}', [1]],
      ['frozenset(["a"])', ['a']],
      ['{"a": {"b"}}', { a: ['b'] }],
      ['[{1}, "range(0, 3)", str({}.keys())]', [[1], 'range(0, 3)', 'dict_keys([])']],
      ['[float("nan"), float("inf"), 1.5]', [null, null, 1.5]],
      ['{1: "a", 2.5: "b", False: "c", None: "d"}', { '1': 'a', '2.5': 'b', false: 'c', null: 'd' }],
      ['2 ** 53', 2 ** 53],
      ['2 ** 53 + 2', 2 ** 53 + 2],
      ['10 ** 20', 10 ** 20],
      ['"é😀\\n"', 'é😀\n'],
    ] as const)
      it(expression, async () => assert.deepEqual(await run(returning(expression)), expected))

    it('a set in code that has its own isinstance', async () =>
      assert.deepEqual(await run(`isinstance = 1\n${returning('{1}')}`), [1]))

    it('any JSON it received, character for character', async () => {
      const unit = fc.string({ unit: 'binary' }).filter(text => text.isWellFormed())
      const value = fc.jsonValue({ maxDepth: 4 })
      await fc.assert(
        fc.asyncProperty(fc.dictionary(unit, value), async given => {
          const inputs = JSON.parse(JSON.stringify({ given }))
          assert.deepEqual(await run('def main(given):\n    return {"given": given}', inputs), inputs)
        }),
        { numRuns: rounds(15) },
      )
      const large = JSON.parse('{"given": [1152921504606847000, 1e21, 1.7e308]}')
      assert.deepEqual(await run('def main(given):\n    return {"given": given}', large), large)
      const odd = JSON.parse(
        '{"given": {"__proto__": {"a": 1}, "__monty_type__": "Path", "日本": "😀\\u0000"}}',
      )
      assert.deepEqual(await run('def main(given):\n    return {"given": given}', odd), odd)
    })
  })

  it('writes to the log with print and logging, truncated to the last lines', async () => {
    const logged: (readonly string[])[] = []
    const logs = async (code: string) => {
      await runner.run({ ...call(code), onLines: lines => logged.push(lines) }, never)
      return logged.pop()
    }
    const code = 'import logging\nlog = logging.getLogger("x")\n'
    assert.deepEqual(
      await logs(
        `${code}def main():\n    print("a", 1, end="")\n    print("b")\n    log.info("%s of %d", "one", 2)\n    logging.error("no")\n    print("last", end="")`,
      ),
      ['a 1b', 'INFO: one of 2', 'ERROR: no', 'last'],
    )
    const long = await logs('def main():\n    for n in range(100):\n        print("x" * 1000)')
    assert.deepEqual([long!.length, long![0]], [20, `${'x'.repeat(500)}…`])
  })

  describe('fails with a message for its author', () => {
    for (const [code, message] of [
      ['def main():\n\n    return {}["a"]', /^KeyError in line 3/],
      ['def twice(n):\n    return n.x\n\ndef main():\n    return twice(1)', /^AttributeError in line 2/],
      ['def main():\n    raise ValueError("no luck")', 'ValueError in line 2: no luck'],
      ['def main():\n    return [', /^SyntaxError in line 2/],
      ['def main():\n  return 1\n    return 2', /^SyntaxError in line 3/],
      ['x = 1', /has no function main/],
      ['def main(a):\n    return a', /^TypeError.*'a'/],
      [
        'import requests\ndef main():\n    return 1',
        /line 1: there is no module requests, because code has no network/,
      ],
      ['def main():\n    import pandas as pd', /line 2: there is no module pandas; there are .*base64.*time/],
      ['def main():\n    from numpy import array', /line 2: there is no module numpy/],
      [
        'class A:\n    pass\n\ndef main():\n    return 1',
        /line 1: Python here does not support class definitions/,
      ],
      [returning('b"abc"'), /^main returned bytes, which is not JSON: use bytes.decode/],
      [returning('{"n": 10 ** 20 + 1}'), /^main returned an integer beyond 2\*\*53 in "n"/],
      [returning('2 ** 60'), /^main returned an integer beyond 2\*\*53/],
      [returning('10 ** 21'), /^main returned an integer beyond 2\*\*53/],
      [returning('{(1, 2): 3}'), /^main returned a key that is no text/],
      [returning('len'), /^main returned a value of the type/],
      [returning('{}.keys()'), /^main returned a value of the type dict_keys, .*use str\(\) or list\(\)/],
      [returning('[{"a": (1, {"b": range(3)})}]'), /^main returned a value of the type range in "b"/],
      ['async def main():\n    return 1', /^main returned a value of the type coroutine, .*asyncio.run/],
      [
        'import time\ndef main():\n    time.sleep(100)',
        /^time.sleep\(100\) is longer than the code may take, which is 60 s/,
      ],
      ['import time\ndef main():\n    time.nope()', /^NameError in line 3: .*nope/],
    ] as const)
      it(code, () => fails(code, message))

    it('names an argument that has no parameter', () =>
      assert.rejects(run('def main(a):\n    return a', { a: 1, other: 2 }), { message: /TypeError.*other/ }))
  })

  describe('is stopped', () => {
    for (const [label, code] of [
      ['when it never ends', 'def main():\n    while True:\n        pass'],
      ['when it never ends before main', 'while True:\n    pass\ndef main():\n    return 1'],
      [
        'when it catches everything',
        'def main():\n    while True:\n        try:\n            while True:\n                pass\n        except:\n            pass',
      ],
      ['when an iterator never ends', 'def main():\n    for n in range(10 ** 18):\n        pass'],
      [
        'when it only calls functions of ours',
        'import time\ndef main():\n    while True:\n        time.time()',
      ],
      ['when it only prints', 'def main():\n    while True:\n        print("x")'],
    ] as const)
      it(label, () => fails(code, /^The code took longer than 0.4 s and was stopped/, impatient))

    for (const [label, code] of [
      [
        'when a pattern tries for ever',
        'import re\ndef main():\n    return re.match(r"^(a+)+$", "a" * 40 + "!") is None',
      ],
      [
        'when a pattern with references tries for ever',
        'import re\ndef main():\n    return re.match(r"(a*)*\\1b", "a" * 40) is None',
      ],
      ['when an integer is huge', 'def main():\n    return len(str(7 ** 10 ** 8))'],
      [
        'when a power tower is huge',
        'def main():\n    n = 9\n    for _ in range(6):\n        n = n ** n\n    return 1',
      ],
      ['when it multiplies for ever', 'def main():\n    n = 3\n    while True:\n        n = n * n'],
      ['when a range is a list', 'def main():\n    return len(list(range(10 ** 12)))'],
    ] as const)
      it(label, async () => {
        // However it ends, it ends soon, and with a message for the author.
        const outcome = await impatient.run(call(code), never).catch((error: Error) => error)
        if (outcome instanceof Error) assert.equal(outcome.name, 'ToolFailure', String(outcome))
      })

    for (const code of [
      'def main():\n    all = []\n    while True:\n        all.append("x" * 100000 + str(len(all)))',
      'def main():\n    return len("x" * 10 ** 10)',
      'def main():\n    return len([0] * 10 ** 9)',
      'def main():\n    all = {}\n    while True:\n        all[len(all)] = [1, 2, 3]',
      'def main():\n    text = "x"\n    while True:\n        text += text',
    ])
      it(`when it uses too much memory: ${code}`, () => fails(code, /needs more than 64 MiB of memory/))

    it('when it recurses too deeply', () =>
      fails('def main():\n    return main() + 1', /^The code calls itself too deeply in line 2: use a loop/))

    for (const [label, code] of [
      ['lists', 'def main():\n    a = []\n    for _ in range(100000):\n        a = [a]\n    return a'],
      ['dicts', 'def main():\n    a = {}\n    for _ in range(100000):\n        a = {"a": a}\n    return a'],
    ] as const)
      it(`when its result is nested too deeply: ${label}`, () => fails(code, /./))

    for (const [label, code] of [
      ['brackets', `def main():\n    return ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
      ['operators', `def main():\n    return ${'-'.repeat(100_000)}1`],
      ['blocks', Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at)}if 1:`).join('\n')],
      ['attributes', `def main():\n    return a${'.b'.repeat(100_000)}`],
      ['additions', `def main():\n    return 1${' + 1'.repeat(100_000)}`],
    ] as const)
      it(`when its source is nested too deeply: ${label}`, async () => {
        const outcome = await run(code).catch((error: Error) => error)
        if (outcome instanceof Error) assert.equal(outcome.name, 'ToolFailure', String(outcome))
      })

    it('or shortened, when its result contains itself', async () => {
      assert.deepEqual(await run('def main():\n    a = [1]\n    a.append(a)\n    return a'), [1, '[...]'])
    })

    it('when its result or input is too large', async () => {
      await fails(returning('"x" * 9000000'), /more than 8 MiB/)
      await assert.rejects(run(returning('1'), { text: 'x'.repeat(9e6) }), {
        name: 'ToolFailure',
        message: /inputs are larger than 8 MiB/,
      })
    })

    it('without affecting the next one', async () => {
      assert.equal(await run(returning('1')), 1)
      assert.equal(await impatient.run(call(returning('1')), never), 1)
    })
  })

  describe('has no access to the server', () => {
    for (const code of [
      returning('open("/etc/passwd").read()'),
      returning('open("/tmp/banyan-probe", "w").write("x")'),
      'from pathlib import Path\ndef main():\n    return Path("/etc/passwd").read_text()',
      'from pathlib import Path\ndef main():\n    return [str(each) for each in Path("/").iterdir()]',
      'from pathlib import Path\ndef main():\n    return Path("/etc/passwd").exists()',
      'import os\ndef main():\n    return os.getenv("HOME")',
      'import os\ndef main():\n    return dict(os.environ)',
      'import os\ndef main():\n    return os.listdir("/")',
      'import os\ndef main():\n    return os.system("id")',
      'import sys\ndef main():\n    return list(sys.modules.keys())',
      'import sys\ndef main():\n    return sys.path',
      'import socket\ndef main():\n    return 1',
      'import subprocess\ndef main():\n    return 1',
      'import ctypes\ndef main():\n    return 1',
      'import importlib\ndef main():\n    return 1',
      returning('__import__("os").system("id")'),
      returning('eval("1 + 1")'),
      returning('exec("import os")'),
      returning('globals()["__builtins__"]'),
      returning('[each for each in ().__class__.__base__.__subclasses__()]'),
      returning('(lambda: 0).__globals__'),
      returning('main.__code__.co_consts'),
      returning('"{0.__class__.__mro__}".format(1)'),
      returning('getattr(__time__, "__class__").__init__.__globals__'),
      'def main():\n    __time__.constructor.constructor("return process")()\n    return 1',
      'def main():\n    return process.env',
    ])
      it(code, async () => {
        const outcome = await run(code).catch((error: Error) => error)
        // No file exists for it.
        if (outcome === false) return
        assert.ok(outcome instanceof Error, `it got ${JSON.stringify(outcome)}`)
        assert.equal(outcome.name, 'ToolFailure', outcome.stack)
        assert.match(outcome.message, /^[A-Z]\w+ in line \d+|^main returned/)
      })
  })

  it('cannot see earlier executions, nor change what later ones get', async () => {
    const alone = new PooledCodeRunner({ threads: 1 })
    const code = [
      'import json, time, re',
      'try:',
      '    seen = last',
      'except NameError:',
      '    seen = None',
      'last = "secret"',
      'def main(turn):',
      '    return [turn, seen]',
    ].join('\n')
    for (let turn = 0; turn < 10; turn++)
      assert.deepEqual(await alone.run(call(code, { turn }), never).catch((error: Error) => error.name), [
        turn,
        null,
      ])
    await alone.close()
  })

  it('shares threads with JavaScript, and workspaces take turns', async () => {
    const alone = new PooledCodeRunner({ threads: 1, timeMilliseconds: 60_000 })
    const controller = new AbortController()
    const endless = Array.from({ length: 5 }, () =>
      assert.rejects(alone.run(call('def main():\n    while True:\n        pass'), controller.signal)),
    )
    const javascript = { ...call('const main = () => 1', {}, 'other'), language: 'javascript' } as const
    assert.equal(await alone.run(javascript, never), 1)
    assert.equal(await alone.run(call(returning('2'), {}, 'other'), never), 2)
    controller.abort(new Error('enough'))
    await Promise.all(endless)
    await alone.close()
  })

  describe('has built-in modules', () => {
    for (const [code, expected] of [
      ['import base64\ndef main():\n    return base64.b64encode("é".encode()).decode()', 'w6k='],
      ['from base64 import b64decode\ndef main():\n    return b64decode("w6k=").decode("utf-8")', 'é'],
      [
        'import hashlib\ndef main():\n    return hashlib.md5("a".encode()).hexdigest()',
        '0cc175b9c0f1b6a831c399e269772661',
      ],
      [
        'from hashlib import sha256 as digest\ndef main():\n    return digest(b"").hexdigest()[:8]',
        'e3b0c442',
      ],
      ['import urllib.parse\ndef main():\n    return urllib.parse.quote("a b/é!")', 'a%20b/%C3%A9%21'],
      [
        'from urllib.parse import urlencode, unquote\ndef main():\n    return [urlencode({"a": "b c", "d": 1}), unquote("%C3%A9")]',
        ['a=b+c&d=1', 'é'],
      ],
      ['import string\ndef main():\n    return string.digits', '0123456789'],
      ['import logging as l\nfrom logging import INFO\ndef main():\n    return [l.WARNING, INFO]', [30, 20]],
      [
        'import time as t\ndef main():\n    begun = t.time()\n    t.sleep(0.02)\n    return t.time() > begun > 1.7e9',
        true,
      ],
      [
        'import random\ndef main():\n    return [0 <= random.random() < 1, random.choice(["a"]), random.randint(3, 3)]',
        [true, 'a', 3],
      ],
      ['import uuid\ndef main():\n    return len(str(uuid.uuid4()))', 36],
    ] as const)
      it(code, async () => assert.deepEqual(await run(code), expected))

    it('raises exceptions that the code can catch', async () => {
      const code =
        'import base64\ndef main():\n    try:\n        base64.b64encode("text")\n    except TypeError as error:\n        return str(error)'
      assert.equal(await run(code), 'a bytes-like object is required: use .encode()')
    })

    it('returns the time', async () => {
      const code =
        'from datetime import datetime\nimport time\ndef main():\n    return [datetime.now().year, time.strftime("%Y")]'
      const year = new Date().getFullYear()
      assert.deepEqual(await run(code), [year, String(year)])
    })
  })
})
