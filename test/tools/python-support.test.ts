import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pythonModules as hostModules } from '../../src/adapters/code/python-modules.ts'
import { findUnsupported, pythonModules } from '../../src/tools/python-support.ts'

describe('Python that cannot run here', () => {
  for (const [code, ...messages] of [
    ['import json, re\nfrom datetime import datetime\nimport urllib.parse\ndef main():\n    return 1'],
    [
      'import json, requests as http\ndef main():\n    return http.get("x")',
      /^"import json, requests as http" in line 1: there is no module requests, because code has no network: use an HTTP request node instead\.$/,
    ],
    [
      'def main():\n    import pandas as pd\n    import pandas',
      /in line 2: there is no module pandas; there are asyncio/,
    ],
    [
      'from collections import (\n  Counter,\n)',
      /^"from collections import \(" in line 1: there is no module collections/,
    ],
    ['import urllib.request', /no module urllib\.request, because code has no network/],
    [
      'class Cat:\n    pass\n\ndef main(x):\n    del x["a"]\n    match x:\n        case 1: yield 2',
      /^"class Cat:" in line 1: class definitions/,
      /in line 5: the del statement/,
      /^"match x:" in line 6: match statements/,
      /in line 7: generators/,
    ],
    [
      'import os\na = os.path.join(b, "c")\nd = "{}".format(a.isprintable()) + b.format(1)',
      /^"a = os.path.join\(b, 'c'\)" in line 2: code has no files/,
      /in line 3: format\(\) needs a literal/,
      /in line 3: isprintable\(\) is not supported/,
    ],
    // Names, texts and comments that only look alike.
    ['match = 1\nclasses = {}\ndelay = match\n# import numpy\n"""\nimport numpy\n"""\ntext = "yield"'],
    ["text = '''\nclass A:\n'''\ndef main():\n    return re.match(text)"],
    ['import __future__, os, sys\nfrom pathlib import Path'],
    ['import'],
    [''],
  ] as const)
    it(`is found in ${JSON.stringify(code).slice(0, 60)}`, () => {
      const found = findUnsupported(code)
      assert.equal(found.length, messages.length, found.join('\n'))
      for (const [at, message] of messages.entries()) assert.match(found[at]!, message)
    })

  it('is listed up to a limit, in lines of a limited length', () => {
    const found = findUnsupported(
      Array.from({ length: 500 }, (_, at) => `import a${at}${'x'.repeat(500)}`).join('\n'),
    )
    assert.equal(found.length, 20)
    assert.match(found[0]!, /^"import a0x{51}…" in line 1/)
  })

  it('reads every character once, also of a text that does not end', () => {
    assert.deepEqual(findUnsupported(`"${'\\"'.repeat(1_000_000)}`), [])
    assert.equal(findUnsupported('yield\n'.repeat(1_000_000)).length, 1)
  })

  it('is searched in the first 200,000 characters', () => {
    const line = `x = 1${' '.repeat(94)}\n`
    assert.equal(findUnsupported(`${line.repeat(1990)}import numpy\n`).length, 1)
    assert.deepEqual(findUnsupported(`${line.repeat(2000)}import numpy\n`), [])
  })

  it('counts the modules of the interpreter and of the server as supported, and no others', () => {
    const ofInterpreter = ['asyncio', 'datetime', 'json', 'math', 're', 'sys', 'typing']
    assert.deepEqual(pythonModules, [...ofInterpreter, ...hostModules.keys()].sort())
    assert.match(findUnsupported('import hmac')[0]!, /there is no module hmac/)
  })
})
