import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callMethod, moduleObjects, pythonModules } from '../../src/adapters/code/python-modules.ts'
import { resultJson } from '../../src/adapters/code/python-result.ts'
import { functionNames, prepareSource } from '../../src/adapters/code/python-source.ts'

describe('the source of Python code', () => {
  const replaced = (code: string): string => prepareSource(code, pythonModules)

  for (const [code, expected] of [
    ['import time', 'time = __time__'],
    ['    import time as t', '    t = __time__'],
    ['import json, time, re as r', 'import json; time = __time__; import re as r'],
    ['import urllib.parse', 'urllib = __urllib__'],
    ['import urllib', 'urllib = __urllib__'],
    ['from __future__ import annotations', 'pass'],
    ['enumerate(sorted(a.items()), start=1)', 'enumerate(sorted(a.items()), 1)'],
    ['enumerate(a, 1), f(b, start=2)', 'enumerate(a, 1), f(b, start=2)'],
    ["t.strftime('%H:%M:%S.%f')", "t.strftime('%H:%M:%S.%6f')"],
    ['"enumerate(a, start=1)"', '"enumerate(a, start=1)"'],
    ['import urllib.parse as p', 'p = __urllib_parse__'],
    ['from logging import INFO', 'INFO = __logging__.INFO'],
    ['from time import sleep as s', 's = lambda *values, **options: __time__.sleep(*values, **options)'],
    [
      'from string import (digits,\n  punctuation as p)',
      'digits = __string__.digits; p = __string__.punctuation\n',
    ],
    ['import time # import re', 'time = __time__# import re'],
    ['import datetime\nx = datetime.datetime.now()', 'import datetime\nx = __clock__.now()'],
    [
      'from datetime import datetime\nx = f"{datetime.now():%Y}"',
      'from datetime import datetime\nx = f"{__clock__.now():%Y}"',
    ],
    [
      'from datetime import date\nx = "datetime.now()" + str(date.today())',
      'from datetime import date\nx = "datetime.now()" + str(__clock__.today_date())',
    ],
  ] as const)
    it(code, () => assert.equal(replaced(code), expected))

  it('leaves everything else as it is', () => {
    for (const code of [
      'import json\nfrom datetime import datetime, timedelta',
      'text = """\nimport time\n"""',
      "text = '''\nimport time\n\\''''",
      '# import time',
      'important = 1\nfrom_time = time',
      'import timeit',
      'from . import time',
      'x = "import time"',
      'from datetime import datetime\nx = datetime.strptime(a, b)',
      'x = date.today()',
    ])
      assert.equal(replaced(code), code)
  })

  it('keeps the number of lines', () => {
    const code = 'import time\nfrom time import (\n  time,\n  sleep,\n)\nx = 1'
    assert.equal(replaced(code).split('\n').length, code.split('\n').length)
  })
})

describe('built-in modules', () => {
  const lines: string[] = []
  const context = { log: (line: string) => lines.push(line), sleep: () => {} }
  const called = (module: string, method: string, ...values: unknown[]): unknown =>
    callMethod(method, [moduleObjects.get(module), ...values], context)

  it('refuse what is too large for the server', () => {
    const large = Buffer.alloc((8 << 20) + 1)
    for (const [module, method] of [
      ['base64', 'b64encode'],
      ['hashlib', 'sha256'],
    ] as const)
      assert.throws(() => called(module, method, large), { name: 'ValueError' })
    assert.throws(() => called('urllib.parse', 'quote', 'x'.repeat(large.length)), { name: 'ValueError' })
  })

  it('have only their own functions', () => {
    for (const [module, method] of [
      ['time', 'constructor'],
      ['time', '__proto__'],
      ['time', 'b64encode'],
      ['urllib', 'quote'],
      ['clock', 'hasOwnProperty'],
    ] as const)
      assert.throws(() => called(module, method), { name: 'AttributeError' }, `${module}.${method}`)
    for (const self of [undefined, 'time', new Map(), { name: 'time' }])
      assert.throws(() => callMethod('time', [self], context), { name: 'NameError' })
  })

  it('refuse arguments of other types', () => {
    for (const [module, method, ...values] of [
      ['time', 'sleep', 'long'],
      ['base64', 'b64encode', 'text'],
      ['random', 'choice', 5],
      ['random', 'sample', [1, 2], 3],
      ['random', 'randint', 5, 1],
      ['urllib.parse', 'quote', 5],
      ['time', 'strftime', '%Q'],
    ] as const)
      assert.throws(() => called(module, method, ...values), /./, `${module}.${method}`)
  })

  it('take named arguments', () => {
    assert.equal(called('urllib.parse', 'quote', 'a/b', { safe: '' }), 'a%2Fb')
    const { offsetSeconds } = called('clock', 'now', {
      tz: { __monty_type__: 'TimeZone', offsetSeconds: 3600 },
    }) as Record<string, unknown>
    assert.equal(offsetSeconds, 3600)
  })

  it('write log lines', () => {
    called('logging', 'warning', '%s: %d%%', 'load', 80)
    assert.deepEqual(lines.splice(0), ['WARNING: load: 80%'])
  })
})

describe('what main of Python returned', () => {
  const json = (value: unknown): unknown => JSON.parse(resultJson(value))

  it('becomes JSON', () => {
    assert.deepEqual(
      json(
        new Map<unknown, unknown>([
          ['a', new Set([1])],
          [2, null],
          [true, Number.NaN],
        ]),
      ),
      { a: [1], 2: null, true: null },
    )
    assert.equal(resultJson(new Map([['__proto__', 1]])), '{"__proto__":1}')
  })

  it('is a large number where JSON has all its digits', () => {
    assert.throws(() => resultJson([2n ** 60n]), /an integer beyond 2\*\*53/)
    assert.equal(resultJson([-49550901209876010n]), '[-49550901209876010]')
  })

  it('is refused with its place and what to use instead', () => {
    assert.throws(
      () => resultJson(new Map([['key', 2n ** 60n + 1n]])),
      /an integer beyond 2\*\*53 in "key".*use str\(\)/,
    )
    assert.throws(() => resultJson([Buffer.of(1)]), /bytes, which is not JSON/)
    assert.throws(
      () => resultJson({ __monty_type__: 'DateTime' }),
      /a value of the type DateTime, .* use str\(\)/,
    )
    let deep: unknown = []
    for (let level = 0; level < 1000; level++) deep = [deep]
    assert.throws(() => resultJson(deep), /nested too deeply/)
  })
})

it('the functions of Python code are found before they are defined, without main and reserved names', () => {
  const code =
    'def main(a):\n    def inner(): pass\nasync def later(): pass\ndef __x__(): pass\ndef later(): pass'
  assert.deepEqual(functionNames(code), ['later'])
})
