import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rewriteFormatting } from '../../src/adapters/code/python-format.ts'

const values = (given: string): string =>
  `((lambda __x__: __x__ if isinstance(__x__, tuple) else (__x__,))(${given}))`

describe('Formatting of literals in Python', () => {
  for (const [code, expected] of [
    ['"a %s b" % 1', `(lambda __v__: "a " + f"{str(__v__[0]):}" + " b")${values('1')}`],
    [
      "'%05d|%-5s|%+.2f%%' % (a, b, c)",
      `(lambda __v__: '' + f"{int(__v__[0]):05d}" + '|' + f"{str(__v__[1]):<5}" + '|' + f"{__v__[2]:+.2f}" + '%')${values('(a, b, c)')}`,
    ],
    ['"%(a)s" % x.y["b"] + z', `(lambda __v__: "" + f"{str(__v__['a']):}" + "")(x.y["b"]) + z`],
    [
      '"%s" % ("%s" % 1)',
      `(lambda __v__: "" + f"{str(__v__[0]):}" + "")${values(`(${'(lambda __v__: "" + f"{str(__v__[0]):}" + "")'}${values('1')})`)}`,
    ],
    [
      '"{} {n:>5} {0!r} {{}}".format(1, n=2)',
      `(lambda *__a__, **__k__: "" + f"{__a__[0]}" + " " + f"{__k__['n']:>5}" + " " + f"{__a__[0]!r}" + " {}")(1, n=2)`,
    ],
    // The lines of the code stay where they are.
    [
      'x = ("a{}"  # one\n     "b{}").format(\n  1, 2)',
      `x = ((lambda *__a__, **__k__: "a" + f"{__a__[0]}" + ""  # one\n      + "b" + f"{__a__[1]}" + "")(\n  1, 2)`,
    ],
    ['"""a\n%s""" % 1', `(lambda __v__: """a\n""" + f"{str(__v__[0]):}" + """""")${values('1')}`],
  ] as const)
    it(`is rewritten in ${JSON.stringify(code)}`, () => {
      const rewritten = rewriteFormatting(code)
      assert.equal(rewritten.replace(/\)\)\(/, ')('), expected.replace(/\)\)\(/, ')('))
      assert.equal(rewritten.split('\n').length, code.split('\n').length)
    })

  for (const code of [
    '7 % 3',
    '"100%"',
    'text % 1',
    'text.format(1)',
    '"{:,}".format(n)',
    '"%c" % 65',
    'f"{a}%s" % 1',
    'b"%s" % 1',
    'print("a %s") % 1',
    '"%s" % 2 ** 3',
    '"\\%s" % 1',
    '# "%s" % 1',
    '"%s" % (1',
    '"%s" %',
    '"%s',
    'f"{a}" # "\n"x".format',
  ])
    it(`leaves ${JSON.stringify(code)} as it is`, () => assert.equal(rewriteFormatting(code), code))

  it('reads every character once, also of a text that does not end', () => {
    const code = `"%s" % 1\n"${'\\"'.repeat(500_000)}`
    assert.match(rewriteFormatting(code), /^\(lambda/)
  })
})
