import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { kindCatalog } from '../../src/nodes/kind-catalog.ts'
import { eventually } from './support/canvas-page.ts'
import { type ConsoleWorld, describeConsole, flow, untilTrue } from './support/console-world.ts'
import { choose, editorText, fillEditor } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const node = (id: string, data: object, type = 'base') => ({ id, type, data })
const edge = (from: string, to: string, branch?: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(branch !== undefined && { data: { case: branch } }),
})
const start = node('input', { type: 'input', title: 'Question', desc: '' })
const end = node('end', { type: 'end', title: 'End', desc: '' })
const answer = (prompt: string) =>
  node('llm_1', { type: 'llm', title: 'Answer', desc: '', prompt_template: prompt, '数据源/API工具': [] })
const say = (text: string) => node('say', { type: 'output', title: 'Say', desc: '', answer: text })
const chain = (...nodes: { id: string }[]) => ({
  nodes,
  edges: nodes.slice(1).map((each, index) => edge(nodes[index]!.id, each.id)),
})

async function open(world: ConsoleWorld, page: Page, id: string, workflow?: object): Promise<void> {
  if (workflow) {
    const made = await world.server.api.post('workflow/update', { id, name: id, workflow })
    assert.equal(made.status, 200, made.text)
  }
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  await page.getByRole('application').waitFor()
  // On a small screen not all cards are visible at first.
  await page.getByRole('button', { name: /^(Fit to screen|适应画布)/ }).click()
}

const panelOf = (page: Page, id: string) => page.locator(`[data-panel-of="${id}"]`)

async function select(page: Page, id: string) {
  await page.locator(`.canvas [data-node="${id}"]`).click()
  const panel = panelOf(page, id)
  await panel.waitFor()
  return panel
}

/** Whether the browser would ask before closing the page. */
const asksBeforeLeaving = `(() => {
  const event = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(event)
  return event.defaultPrevented
})()`

/** Resolves when the server has everything. */
const saved = (page: Page) => page.locator('[data-status="saved"]').waitFor()

async function stored(world: ConsoleWorld, id: string) {
  const { json } = await world.server.api.get(`workflow?id=${id}`)
  return json.data.workflow as {
    version: number
    config: { nodes: { id: string; data: Record<string, unknown> }[]; edges: { data?: { case?: string } }[] }
  }
}
const dataOf = async (world: ConsoleWorld, id: string, nodeId: string) =>
  (await stored(world, id)).config.nodes.find(each => each.id === nodeId)?.data

describeConsole('The settings of a node', world => {
  flow(
    world,
    'completes a reference by keyboard, saves it, and still has it after a reload',
    async ({ page }) => {
      await open(world, page, 'complete', chain(start, answer('Hello'), say('{{#llm_1.text#}}'), end))
      const panel = await select(page, 'say')
      const field = panel.getByLabel('Answer', { exact: true })
      await field.fill('Then: {{#')
      const list = page.getByRole('listbox', { name: 'References' })
      // The outputs of nodes are offered once the server has checked the graph.
      await list.getByRole('option', { name: 'llm_1' }).first().waitFor()
      assert.equal(await field.getAttribute('aria-controls'), await list.getAttribute('id'))
      assert.equal(await list.getByText('say').count(), 0, 'a node cannot refer to itself')
      await field.pressSequentially('ans')
      await field.press('ArrowDown')
      const active = await field.getAttribute('aria-activedescendant')
      assert.match(await page.locator(`[id="${active}"]`).innerText(), /Answer\s+result/)
      await field.press('Enter')
      await list.waitFor({ state: 'hidden' })
      await field.press('End')
      await field.pressSequentially(' and ')
      await field.press('Control+Space')
      await field.pressSequentially('sys.que')
      await list.getByRole('option', { name: /System query/ }).waitFor()
      await field.press('Enter')
      await eventually(async () =>
        assert.equal(await editorText(field), 'Then: Answer result and System query'),
      )
      await field.press('Control+Space')
      await list.waitFor()
      await field.press('Escape')
      await list.waitFor({ state: 'hidden' })
      await saved(page)
      const expected = 'Then: {{#llm_1.result#}} and {{#sys.query#}}'
      assert.equal((await dataOf(world, 'complete', 'say'))?.['answer'], expected)
      await page.reload()
      await select(page, 'say')
      assert.equal(await editorText(field), 'Then: Answer result and System query')
      // A chip is deleted as a whole.
      await field.press('Control+End')
      await field.press('Backspace')
      await saved(page)
      await eventually(async () =>
        assert.equal((await dataOf(world, 'complete', 'say'))?.['answer'], 'Then: {{#llm_1.result#}} and '),
      )
      await field.press('Tab')
      await untilTrue(page, "document.activeElement?.getAttribute('aria-label') !== 'Answer'")
    },
  )

  flow(world, 'shows a broken reference at its field and in the list until it is fixed', async ({ page }) => {
    await open(
      world,
      page,
      'broken',
      chain(start, answer('Mind {{#nobody.text#}}'), say('{{#llm_1.text#}}'), end),
    )
    const checks = page.getByRole('tab', { name: /Checks/ })
    await checks.click()
    const list = page.getByRole('region', { name: 'Checks' })
    await list.getByText('The workflow cannot run yet.').waitFor()
    await list.getByRole('button', { name: /nobody\.text/ }).press('Enter')
    const field = panelOf(page, 'llm_1').getByLabel('Prompt', { exact: true })
    await untilTrue(page, "document.activeElement?.getAttribute('aria-label') === 'Prompt'")
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    await panelOf(page, 'llm_1')
      .locator('.problems')
      .getByText('refers to a node that does not exist')
      .waitFor()
    await field.locator('.reference-chip[data-broken]', { hasText: 'unknown nobody.text' }).waitFor()
    await expectAccessible(page, 'the panel with a problem', '.node-panel')
    await field.fill('Mind {{#sys.query#}}')
    await panelOf(page, 'llm_1')
      .getByText('refers to a node that does not exist')
      .first()
      .waitFor({ state: 'hidden' })
    await checks.click()
    await list.getByText('The workflow is ready to run.').waitFor()
    await expectAccessible(page, 'the list of checks')
    await (await select(page, 'llm_1')).getByLabel('Prompt', { exact: true }).fill('')
    await panelOf(page, 'llm_1').locator('.problems').getByText('Prompt is required.').waitFor()
  })

  flow(world, 'every kind opens, and viewing changes nothing', async ({ page }) => {
    const { kinds } = kindCatalog()
    const strange = { type: 'from_elsewhere', title: 'Strange', own: { deep: [1, '2'] } }
    const others = kinds
      .filter(({ kind }) => kind !== 'input' && kind !== 'end')
      .map(({ kind, node_type, data }) =>
        node(`n_${kind}`, { type: kind, more: { kept: true }, ...data }, node_type),
      )
    const graph = chain(start, ...others, node('strange', strange), end)
    assert.ok(kinds.length >= 22)
    const positions = Object.fromEntries(
      graph.nodes.map(({ id }, index) => [id, { x: (index % 4) * 300, y: Math.floor(index / 4) * 130 }]),
    )
    await world.server.api.post('workflow/update', { id: 'all', name: 'All', workflow: graph })
    await world.server.api.post('workflow/layout', { id: 'all', positions })
    await open(world, page, 'all')
    // With the panel open, so that no card is below it.
    await select(page, 'input')
    await page.getByRole('button', { name: 'Fit to screen' }).click()
    for (const { id, data } of graph.nodes as { id: string; data: { type: string } }[]) {
      const panel = await select(page, id)
      const kind = kinds.find(each => each.kind === data.type)
      await panel
        .getByRole('heading', { name: kind?.title.en ?? 'Unknown node type: from_elsewhere' })
        .waitFor()
      const shown = kind?.fields.filter(field => field.with === undefined) ?? []
      for (const { name } of shown)
        await panel.locator(`[data-place="/${name.replaceAll('/', '~1')}"]`).waitFor()
    }
    const strangeFields = await editorText(
      (await select(page, 'strange')).getByLabel('Other fields (JSON)', { exact: true }),
    )
    assert.deepEqual(JSON.parse(strangeFields), { own: { deep: [1, '2'] } })
    await saved(page)
    const { version, config } = await stored(world, 'all')
    assert.equal(version, 1)
    assert.deepEqual(config, graph)
  })

  flow(world, 'keeps invalid JSON in the field and stores it once it is valid', async ({ page }) => {
    const call = {
      type: 'http_request',
      title: 'Call',
      method: 'POST',
      url: 'https://example.com',
      body: { a: 1 },
    }
    await open(world, page, 'json', chain(start, node('call', call, 'tool'), say('{{#call.text#}}'), end))
    const panel = await select(page, 'call')
    const body = panel.getByLabel('Body', { exact: true })
    await fillEditor(body, '{"a": 2')
    await panel.getByText('Invalid JSON, not saved').waitFor()
    await eventually(async () => assert.equal(await body.getAttribute('aria-invalid'), 'true'))
    await panel.getByLabel('Title', { exact: true }).fill('Called')
    assert.equal(await editorText(body), '{"a": 2')
    // The status can still be that of the time before the change.
    await eventually(async () => assert.equal((await dataOf(world, 'json', 'call'))?.['title'], 'Called'))
    assert.deepEqual((await dataOf(world, 'json', 'call'))?.['body'], { a: 1 })
    await select(page, 'say')
    assert.equal(await page.evaluate(asksBeforeLeaving), true, 'what is not stored yet would be lost')
    await select(page, 'call')
    await eventually(async () => assert.equal(await editorText(body), '{"a": 2'))
    await fillEditor(body, '{"a": 2}')
    await panel.getByText('Invalid JSON').waitFor({ state: 'hidden' })
    await panel.getByRole('button', { name: 'Add to Headers' }).click()
    await panel.getByLabel('Headers: name 1', { exact: true }).fill('X-Shop')
    await panel.getByLabel('Headers: value of X-Shop', { exact: true }).fill('tea')
    await eventually(async () => {
      const data = await dataOf(world, 'json', 'call')
      assert.deepEqual(
        [data?.['body'], data?.['headers'], data?.['title']],
        [{ a: 2 }, { 'X-Shop': 'tea' }, 'Called'],
      )
    })
    await untilTrue(page, `!${asksBeforeLeaving}`)
    await select(page, 'say')
    await select(page, 'call')
    await eventually(async () => assert.deepEqual(JSON.parse(await editorText(body)), { a: 2 }))
    await panel.getByRole('button', { name: 'Remove X-Shop' }).click()
    await untilTrue(page, "document.activeElement.textContent === 'Add to Headers'")
  })

  flow(world, 'numbers of other clients keep all of their digits', async ({ page }) => {
    const numbers = '[12345678901234567890,1e400,0.1234567890123456789,1.50]'
    const strange = node('strange', { type: 'from_elsewhere', title: 'Strange', own: 'NUMBERS' })
    const workflow = { ...chain(start, strange, say('Hello'), end), more: 'NUMBERS' }
    const body = JSON.stringify({ id: 'exact', name: 'Exact', workflow }).replaceAll('"NUMBERS"', numbers)
    await world.server.api.post('workflow/update', body, { headers: { 'content-type': 'application/json' } })
    const kept = async (version: number) => {
      const { text, json } = await world.server.api.get('workflow?id=exact')
      assert.equal(json.data.workflow.version, version)
      return text.split(/[^\d.eE,[\]]/).filter(part => part.includes('1e400'))
    }
    const exactly = '[12345678901234567890,1e400,0.1234567890123456789,1.5]'
    await open(world, page, 'exact')
    const panel = await select(page, 'strange')
    const shown = await editorText(panel.getByLabel('Other fields (JSON)', { exact: true }))
    assert.equal(shown.replace(/\s/g, ''), `{"own":${exactly}}`)
    await (await select(page, 'say')).getByLabel('Answer', { exact: true }).fill('Hello again')
    await page.locator('[data-status="changed"], [data-status="saving"]').waitFor()
    await saved(page)
    const [first, ...others] = await kept(2)
    assert.deepEqual([first, others], [exactly, [exactly]])

    await page.getByRole('textbox', { name: 'Workflow name' }).fill('Still exact')
    await page.getByRole('textbox', { name: 'Workflow name' }).press('Enter')
    await eventually(async () => assert.deepEqual(await kept(3), [exactly, exactly]))

    await panel.waitFor({ state: 'detached' })
    await (await select(page, 'strange'))
      .getByLabel('Other fields (JSON)', { exact: true })
      .fill('{"own": 9007199254740993}')
    await eventually(async () =>
      assert.match((await world.server.api.get('workflow?id=exact')).text, /"own": ?9007199254740993/),
    )
  })

  flow(world, 'renaming an unknown field does not lose it', async ({ page }) => {
    const data = { foo: 1, type: 'from_elsewhere', title: 'Strange', last: 2 }
    await open(world, page, 'others', chain(start, node('strange', data), say('Hello'), end))
    const panel = await select(page, 'strange')
    const others = panel.getByLabel('Other fields (JSON)', { exact: true })
    await fillEditor(others, '{"type": 1, "last": 2}')
    await panel.getByText('“type” has its own field').waitFor()
    await fillEditor(others, '{"type_hint": 1, "last": 2}')
    await panel.getByText('“type” has its own field').waitFor({ state: 'hidden' })
    const now = async () => JSON.stringify(await dataOf(world, 'others', 'strange'))
    const renamed = { type_hint: 1, type: 'from_elsewhere', title: 'Strange', last: 2 }
    await eventually(async () => assert.equal(await now(), JSON.stringify(renamed)))
    await fillEditor(others, '{}')
    await eventually(async () => assert.doesNotMatch(await now(), /last/))
    await fillEditor(others, '{"back": true}')
    await eventually(async () => assert.match(await now(), /"back":true/))
  })

  flow(world, 'checks continue after the server was too busy', async ({ page }) => {
    let refusals = 2
    await page.route('**/api/v1/workflow/check', async route => {
      if (refusals === 0) return route.fallback()
      refusals -= 1
      return route.fulfill({ status: refusals === 1 ? 503 : 429, json: { code: 1, message: 'Too busy' } })
    })
    await open(world, page, 'busy', chain(start, say('Hello'), end))
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByText('The workflow is ready to run.').waitFor()
    assert.equal(refusals, 0)
  })

  flow(
    world,
    'problems are shown in Chinese, with the reference they are about',
    async ({ page }) => {
      await open(world, page, 'chinese', chain(start, say('{{#nobody.text#}}'), end))
      const panel = await select(page, 'say')
      await panel.locator('.problems').getByText('引用的节点不存在。（{{#nobody.text#}}）').waitFor()
      await page.getByRole('tab', { name: '检查' }).click()
      const line = page.getByRole('region', { name: '检查' }).getByRole('button', { name: /Say/ })
      const text = await line.innerText()
      assert.match(text, /引用的节点不存在。（\{\{#nobody\.text#\}\}）/)
      assert.doesNotMatch(text, /node/)
      await expectAccessible(page, 'findings in Chinese')
    },
    { language: 'zh' },
  )

  flow(
    world,
    'references follow a new id, edges follow a new branch, and undo reverts both',
    async ({ page }) => {
      const which = node('which', {
        type: 'condition',
        title: 'Which',
        cases: [
          { id: 'large', when: [{ left: '{{#llm_1.text#}}', op: 'contains', right: 'large' }] },
          { id: 'other' },
        ],
      })
      const plain = node('plain', { type: 'output', title: 'Plain', answer: 'One tea.' })
      const nodes = [start, answer('Which size? {{#sys.query#}}'), which, say('Large'), plain, end]
      const edges = [
        edge('input', 'llm_1'),
        edge('llm_1', 'which'),
        edge('which', 'say', 'large'),
        edge('which', 'plain', 'other'),
        edge('say', 'end'),
        edge('plain', 'end'),
      ]
      await open(world, page, 'rename', { nodes, edges })
      const id = (await select(page, 'llm_1')).getByLabel('ID', { exact: true })
      await id.fill('which')
      await panelOf(page, 'llm_1').getByText('Another node already uses this ID.').waitFor()
      await id.fill('asked')
      await id.press('Enter')
      await panelOf(page, 'asked').waitFor()
      const panel = await select(page, 'which')
      const condition = panel.getByLabel('Condition 1: Value', { exact: true }).locator('.reference-chip')
      assert.equal(await condition.getAttribute('title'), '{{#asked.text#}}')
      await panel.getByLabel('ID of branch 1').fill('big')
      await panel.getByLabel('ID of branch 1').press('Enter')
      await saved(page)
      const casesOf = async () => (await stored(world, 'rename')).config.edges.map(({ data }) => data?.case)
      assert.deepEqual(await casesOf(), [undefined, undefined, 'big', 'other', undefined, undefined])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      assert.equal(await condition.getAttribute('title'), '{{#llm_1.text#}}')
      assert.equal(await panel.getByLabel('ID of branch 1').inputValue(), 'large')
      await saved(page)
      assert.deepEqual((await stored(world, 'rename')).config, { nodes, edges })
    },
  )

  flow(world, 'values declared by the input node are completed elsewhere', async ({ page }) => {
    await open(world, page, 'declare', chain(start, say('Hello'), end))
    const input = await select(page, 'input')
    await input.getByRole('button', { name: 'Add to Environment values' }).click()
    const value = input.getByRole('region', { name: 'Environment value 1' })
    await value.getByLabel('Name', { exact: true }).fill('host')
    await value.getByLabel('Value', { exact: true }).fill('example.com')
    await input.getByRole('button', { name: 'Add to Memory' }).click()
    const memory = input.getByRole('region', { name: 'Memory 1' })
    await memory.getByLabel('Name', { exact: true }).fill('city')
    await memory.getByRole('button', { name: 'Default as JSON' }).click()
    await memory.getByLabel('Default', { exact: true }).fill('["Paris"]')
    await expectAccessible(page, 'the form of declared values', '.node-panel')
    await saved(page)
    const declared = await dataOf(world, 'declare', 'input')
    assert.deepEqual(declared?.['environment'], [{ name: 'host', value: 'example.com' }])
    assert.deepEqual(declared?.['memory'], [{ name: 'city', default: ['Paris'] }])

    const panel = await select(page, 'say')
    const field = panel.getByLabel('Answer', { exact: true })
    const list = page.getByRole('listbox', { name: 'References' })
    await field.fill('{{#env.')
    await list.getByRole('option', { name: /Environment host/ }).waitFor()
    await field.press('Enter')
    await field.press('End')
    await field.pressSequentially(' {{#mem')
    await list.getByRole('option', { name: /Memory city/ }).waitFor()
    await field.press('Enter')
    await eventually(async () => assert.equal(await editorText(field), 'Environment host Memory city'))
    await page.locator('.canvas [data-node="say"]:not([data-severity])').waitFor()
  })

  flow(world, 'an agent node is chosen by name, or described with tools', async ({ page }) => {
    const made = await world.server.api.post('agent/create', { name: 'Botanist' })
    const id = made.json.data.id as string
    const agent = node('agent', { type: 'agent', title: 'Expert', agent_id: '', query: '{{#sys.query#}}' })
    await open(world, page, 'agents', chain(start, agent, say('{{#agent.text#}}'), end))
    const panel = await select(page, 'agent')
    await panel.getByText('Choose an agent, or enter a persona.').waitFor()
    await choose(panel.getByLabel('Agent', { exact: true }).and(page.getByRole('combobox')), 'Botanist')
    await panel.getByText('Choose an agent, or enter a persona.').waitFor({ state: 'hidden' })
    await panel.getByRole('button', { name: 'Add a knowledge base or tool' }).click()
    await page.getByRole('menuitem', { name: 'Web search' }).click()
    await panel.getByText('The agent in “Agent” has its own; remove “Tools” or “Agent”.').waitFor()
    await saved(page)
    const data = await dataOf(world, 'agents', 'agent')
    assert.deepEqual([data?.['agent_id'], data?.['tools']], [id, [{ type: 'web_search' }]])
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByText('remove “Tools” or “Agent”').last().waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.evaluate("localStorage.setItem('banyan.language', 'zh')")
    await page.reload()
    await select(page, 'agent')
    await panel.getByText('所选的智能体有自己的设置，请移除“工具”或“智能体”。').waitFor()
  })

  flow(world, 'code starts in the chosen language, and what was written stays', async ({ page }) => {
    const { data } = kindCatalog().kinds.find(({ kind }) => kind === 'code')!
    const code = node('code_1', { type: 'code', title: 'Trim', desc: '', ...data }, 'tool')
    await open(world, page, 'languages', chain(start, code, say('{{#code_1.text#}}'), end))
    const panel = await select(page, 'code_1')
    const language = panel.getByLabel('Language', { exact: true }).and(page.getByRole('combobox'))
    await choose(language, 'Python')
    const text = panel.getByLabel('Code', { exact: true })
    await eventually(async () => assert.match(await editorText(text), /^def main\(query\):/))
    await page.locator('.canvas [data-node="code_1"]:not([data-severity])').waitFor()
    await text.fill('def main(query):\n    return {"text": query.upper()}\n')
    await choose(language, 'JavaScript')
    await saved(page)
    const { language: chosen, code: kept } = (await dataOf(world, 'languages', 'code_1'))!
    assert.deepEqual([chosen, kept], ['javascript', 'def main(query):\n    return {"text": query.upper()}\n'])
  })

  flow(
    world,
    'tools of a model are set up in Chinese and in the dark',
    async ({ page }) => {
      const base = await world.server.api.post('knowledge/create', { name: '茶叶手册' })
      await open(world, page, 'tools', chain(start, answer('{{#sys.query#}}'), say('{{#llm_1.text#}}'), end))
      const panel = await select(page, 'llm_1')
      const add = async (name: string): Promise<void> => {
        await panel.getByRole('button', { name: '添加知识库或工具' }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await add('知识库')
      const bases = panel.getByLabel('知识库 1', { exact: true }).and(page.getByRole('combobox'))
      await choose(bases, '茶叶手册')
      await add('联网搜索')
      await add('HTTP 工具')
      const tool = panel.getByRole('region', { name: 'HTTP 工具 3' })
      await tool.getByLabel('名称', { exact: true }).fill('weather')
      await tool.getByLabel('地址', { exact: true }).fill('https://example.com/{city}')
      // The server has checked the input.
      await page.locator('.canvas [data-node="llm_1"]:not([data-severity])').waitFor()
      await expectAccessible(page, 'the form of tools in the dark')
      await saved(page)
      const tools = (await dataOf(world, 'tools', 'llm_1'))?.['数据源/API工具']
      const id = base.json.data.knowledge_id as string
      assert.deepEqual(tools, [
        id,
        { type: 'web_search' },
        { type: 'http', name: 'weather', url: 'https://example.com/{city}' },
      ])
    },
    { language: 'zh', colorScheme: 'dark' },
  )
})
