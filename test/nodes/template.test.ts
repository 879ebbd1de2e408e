import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { JinjaRenderer } from '../../src/adapters/code/jinja-renderer.ts'
import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import { template } from '../../src/nodes/template.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'
import { until } from '../support/watch.ts'

test('a template replaces references and sends no message', async () => {
  const step = fakeStep({ values: { 'a.result': { name: 'Ada' } }, memory: { mood: 'calm' } })
  const data = { template: '{{#a.result.name#}} is {{#memory.mood#}}{{#skipped.text#}}' }
  assert.deepEqual(await outputsOf(template, step, data), { text: 'Ada is calm', result: 'Ada is calm' })
  assert.equal(template.messageField, undefined)
})

const runner = new PooledCodeRunner({ threads: 2 })
const jinja = new JinjaRenderer(runner)
after(() => runner.close())

const render = async (text: string, inputs: Record<string, unknown> = {}, values = {}) => {
  const data = { syntax: 'jinja2', template: text, inputs }
  return (await outputsOf(template, fakeStep({ values }), data, { jinja }))['text']
}

test('Jinja2 has conditions, loops and filters, and keeps line breaks as Python does', async () => {
  const people = [{ name: 'Ada', age: 36 }, { name: 'Bo' }]
  const text =
    '{% for each in people %}\n- {{ each.name | upper }}{% if each.age %} ({{ each.age }}){% endif %}\n{% endfor %}\n'
  assert.equal(
    await render(text, { people: '{{#a.people#}}' }, { 'a.people': people }),
    '\n- ADA (36)\n\n- BO\n',
  )
  assert.equal(
    await render('{{ missing }}|{{ n + 1 }}|{{ list | join(", ") }}', { n: 1, list: ['a', 'b'] }),
    '|2|a, b',
  )
})

test('Jinja2 has the filters that its users know from Python', async () => {
  const inputs = {
    l: [3, 1, 2],
    f: Math.PI,
    items: [
      { n: 2, at: { x: 1.5 }, name: 'b' },
      { n: 5, at: { x: 2 }, name: 'a' },
    ],
    s: 'The quick brown fox',
    html: `<a href='x'>Tea & "cake"</a>`,
    nothing: null,
  }
  for (const [text, expected] of [
    ['{{ l | sum }} {{ [] | sum }} {{ items | sum(attribute="n") }} {{ items | sum("at.x") }}', '6 0 7 3.5'],
    ['{{ l | sum(start=10) }} {{ [0.5, 1.5] | sum }}', '16 2.0'],
    ['{{ l | max }} {{ l | min }} {{ ["b", "a"] | min }} {{ [] | max }}', '3 1 a '],
    ['{{ (items | max(attribute="n")).name }} {{ (items | min(attribute="at.x")).name }}', 'a b'],
    [
      '{{ f | round }} {{ f | round(2) }} {{ 7 | round(1) }} {{ 2.5 | round }} {{ 3.5 | round }}',
      '3.0 3.14 7 2.0 4.0',
    ],
    ['{{ f | round(1, "ceil") }} {{ f | round(1, method="floor") }} {{ 1.005 | round(2) }}', '3.2 3.1 1.0'],
    [
      '{{ "%.2f" | format(f) }} {{ "%s has %d%%" | format("it", 42) }} {{ "%05.1f|%-4s|%3d" | format(f, "a", 7) }}',
      '3.14 it has 42% 003.1|a   |  7',
    ],
    ['{{ "%(a)s-%(b)03d" | format(a="x", b=5) }}', 'x-005'],
    [
      '{{ s | truncate(10) }} {{ s | truncate(10, true) }} {{ s | truncate(17) }} {{ s | truncate(11, end="…") }}',
      'The... The qui... The quick brown fox The quick…',
    ],
    ['{{ l | batch(2) | list }} {{ l | batch(2, 0) | list }}', '[[3, 1], [2]] [[3, 1], [2, 0]]'],
    ['{{ l | count }} {{ nothing | d("x", true) }} {{ missing | d("y") }}', '3 x y'],
    ['{{ html | e }}', '&lt;a href=&#39;x&#39;&gt;Tea &amp; &#34;cake&#34;&lt;/a&gt;'],
    ['{{ html | striptags }} {{ "a b/ü" | urlencode }} {{ s | wordcount }}', 'Tea & "cake" a%20b/%C3%BC 4'],
    [
      '{{ l | select("odd") | list }} {{ l | reject("gt", 1) | list }} {{ [0, 1, ""] | select | list }}',
      '[3, 1] [1] [1]',
    ],
    [
      '{{ items | selectattr("n", ">=", 3) | map(attribute="name") | join }} {{ items | rejectattr("at.x", "eq", 2) | length }}',
      'a 1',
    ],
    [
      '{{ items | selectattr("name", "in", ["b", "c"]) | length }} {{ items | selectattr("missing", "defined") | length }}',
      '1 0',
    ],
    [
      '{% for key, group in (items + items) | groupby("name") %}{{ key }}{{ group | sum(attribute="n") }} {% endfor %}',
      'a10 b4 ',
    ],
    [
      '{% for each in items | groupby("at.x") %}{{ each.grouper }}:{{ each.list[0].name }} {% endfor %}',
      '1.5:b 2:a ',
    ],
    ['{% raw %}{{ s }} {% if "\\x" %}\n{% endraw %}{{ l[0] }}', '{{ s }} {% if "\\x" %}\n3'],
    ['a {%- raw -%} {{ }} {%- endraw -%} b', 'a{{ }}b'],
    ['{{ l | select("unknown") }}', undefined],
    ['{{ items | sum(attribute="missing", start=1) }}', undefined],
    ['{{ s | sum }}', undefined],
    ['{{ s | round }}', undefined],
    ['{{ l | max(attribute="constructor") }}', '3'],
  ] as const)
    if (expected === undefined) await assert.rejects(render(text, inputs), /needs|no test/, text)
    else assert.equal(await render(text, inputs), expected, text)
})

test('"with" defines variables for a part of a template', async () => {
  const inputs = { price: 3, items: ['a', 'b'], a: 'outer' }
  for (const [text, expected] of [
    ['{% with total = price * 2 %}{{ total }}{% endwith %}', '6'],
    [
      '{% with a = [1, 2][0], b = a, c = {"x": (1, 2)}["x"][1] %}{{ a }} {{ b }} {{ c }}{% endwith %} {{ a }}',
      '1 outer 2 outer',
    ],
    [
      '{% for i in items %}{% with x = i | upper, y = "with, =" %}{{ loop.index }}{{ x }}{{ y }} {% endwith %}{% endfor %}',
      '1Awith, = 2Bwith, = ',
    ],
    ['{%- with -%} {% set a = "inner" %}{{ a }} {%- endwith %} {{ a }}', 'inner outer'],
    ['{% with x = 1 %}{% with y = x + 1 %}{{ x + y }}{% endwith %}{% endwith %}{{ x is defined }}', '3false'],
    ['{{ "{% with %}" }}', '{% with %}'],
    [
      '{% with x = 1 %}{% for i in [1, 2] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}{% endwith %}',
      '1',
    ],
    [
      '{% for i in items %}{% with x = i %}{% break %}{% endwith %}{% endfor %}',
      /"break" cannot leave a "with"/,
    ],
    ['{% with 1 %}{% endwith %}', /"with" needs names and values/],
    ['{% with a = %}{% endwith %}', /cannot be rendered/],
    ['{% with a = 1', /cannot be rendered/],
    ['{% with a = 1 %}', /ends inside a block/],
  ] as const)
    if (typeof expected === 'string') assert.equal(await render(text, inputs), expected, text)
    else await assert.rejects(render(text, inputs), expected, text)
})

test('a variable may have the name of a function of Jinja2, but not of a literal', async () => {
  const inputs = { range: 'A to B', namespace: 'ns', none: 'x', True: 'y' }
  assert.equal(await render('{{ range }} {{ namespace }} {{ none }} {{ True }}', inputs), 'A to B ns  true')
})

test('a value is never part of the template', async () => {
  const value = '{{ 1 + 1 }}{% for %}{{#a.secret#}}'
  assert.equal(await render('<{{ value }}>', { value: '{{#a.value#}}' }, { 'a.value': value }), `<${value}>`)
})

test('a template has no access to JavaScript', async () => {
  for (const text of [
    '{{ x.constructor.constructor("return globalThis")() }}',
    '{{ x.__proto__.polluted }}',
    '{{ "".constructor }}',
    '{{ range.constructor("return process")() }}',
  ]) {
    const rendered = await render(text, { x: {} }).catch((error: Error) => error.message)
    assert.doesNotMatch(String(rendered), /object global|native code|\[object process/, text)
  }
})

test('a mistake in a template is reported to its author', async () => {
  const failed = (message: RegExp) => ({ name: 'StepFailure', reason: 'step_failed', message })
  for (const open of ['{% if x %}', '{% for y in x %}{{ y }}', '{% if x %}a{% else %}b'])
    await assert.rejects(
      render(open),
      failed(/cannot be rendered: it ends inside a block; close every {% if %}/),
    )
  await assert.rejects(render('{{ x() }}'), failed(/Jinja2 template cannot be rendered/))
  await assert.rejects(render('{{ 1 | unknown_filter }}'), failed(/unknown_filter/))
})

test('a template that takes too long or too much memory is stopped', async () => {
  const quick = new PooledCodeRunner({ threads: 1, timeMilliseconds: 300 })
  try {
    const bounded = new JinjaRenderer(quick)
    const stopped = (text: string) =>
      bounded.render({ workspaceId: 'w', template: text, variables: {} }, new AbortController().signal)
    const loops = '{% for a in range(9999) %}'.repeat(3) + '{% endfor %}'.repeat(3)
    await assert.rejects(stopped(loops), { name: 'ToolFailure', message: /not rendered.*longer than 0\.3 s/ })
    const bomb = '{% for a in range(99999999) %}x{% endfor %}'
    await assert.rejects(stopped(bomb), { name: 'ToolFailure', message: /not rendered.*(memory|longer)/ })
    const spaces = `${' '.repeat(300_000)}x`
    await stopped(spaces).catch((error: Error) => assert.match(error.message, /not rendered/))
    // On a busy machine even this may take longer than the limit.
    const works = () => stopped('still {{ "works" }}').catch(() => undefined)
    assert.equal(await until('the runner renders again', works), 'still works')
  } finally {
    await quick.close()
  }
})
