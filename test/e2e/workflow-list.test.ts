import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { makeBase } from '../support/knowledge.ts'
import { canvasOf } from './support/canvas-page.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const graph = (title: string) => ({
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title } },
    { id: 'end', type: 'base', data: { type: 'end' } },
  ],
  edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
})

const difyApp = `app: {mode: advanced-chat, name: Painter}
kind: app
version: 0.3.0
workflow:
  graph:
    edges:
    - {source: s, target: k}
    - {source: k, target: p}
    - {source: k, target: m}
    nodes:
    - id: s
      data: {type: start, title: Start, variables: []}
    - id: k
      data:
        type: knowledge-retrieval
        title: Find
        dataset_ids:
        - data-set-1
        query_variable_selector: [sys, query]
    - id: p
      data: {type: tool, title: Paint, tool_name: paint, provider_name: art, provider_type: builtin}
    - id: m
      data:
        type: llm
        title: Write
        model: {provider: openai, name: gpt-4o, mode: chat}
        prompt_template: [{role: user, text: Hello}]
`

describeConsole('The list of workflows', world => {
  flow(world, 'the first workflow is created from a template, and runs', async ({ page }) => {
    await page.goto(`${world.server.base}/#/workflows`)
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
    await expectAccessible(page, 'the empty list')
    await page.getByRole('button', { name: 'New workflow' }).click()
    const dialog = page.getByRole('dialog', { name: 'New workflow' })
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Enter a name').waitFor()
    await dialog.getByLabel('Name').fill('Friendly answers')
    await expectAccessible(page, 'the dialog for a new workflow')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const { card } = await canvasOf(page)
    await card('Reply').waitFor()
    assert.equal(await page.getByLabel('Workflow name').inputValue(), 'Friendly answers')
    const [, id] = /#\/workflows\/(.+)$/.exec(page.url())!
    world.model.play(() => ({ text: 'Gladly.' }))
    const run = await world.server.api.post('workflow/run', { id, inputs: { query: 'Help me' } })
    assert.deepEqual([run.json.data.status, run.json.data.answer], ['succeeded', 'Gladly.'])
  })

  flow(world, 'every template can be stored, and lacks at most its owner’s choices', async ({ page }) => {
    for (const [template, missing] of [
      ['Knowledge answer', /knowledge/],
      ['Coffee order', undefined],
      ['Branches', undefined],
    ] as const) {
      await page.goto(`${world.server.base}/#/workflows`)
      await page.getByRole('button', { name: 'New workflow' }).click()
      await page.getByLabel('Name', { exact: true }).fill(template)
      await page.getByLabel(template).check()
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await (await canvasOf(page)).card('Question').waitFor()
      const [, id] = /#\/workflows\/(.+)$/.exec(page.url())!
      const { errors, warnings } = (await world.server.api.post('workflow/check', { id })).json.data
      assert.deepEqual(errors, [])
      const unexpected = warnings.filter(
        ({ path, message }: { path: string; message: string }) => !missing?.test(`${path} ${message}`),
      )
      assert.deepEqual(unexpected, [], template)
    }
  })

  flow(world, 'lists, finds, renames, duplicates and deletes workflows', async ({ page }) => {
    for (let number = 1; number <= 24; number++)
      await world.server.api.post('workflow/update', {
        id: `made_${number}`,
        name: `Made ${number}`,
        workflow: graph(`Start ${number}`),
      })
    await page.goto(`${world.server.base}/#/workflows`)
    await page.getByRole('link', { name: 'Made 24' }).waitFor()
    await page.getByRole('listitem', { name: '2' }).click()
    await page.getByRole('link', { name: 'Made 1', exact: false }).last().waitFor()
    await page.getByLabel('Search by name or ID').fill('made 17')
    await page.getByRole('link', { name: 'Made 24' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Made 17' }).click()
    const { card } = await canvasOf(page)
    await card('Start 17').waitFor()
    await page.getByLabel('Workflow name').fill('Seventeen')
    await page.getByLabel('Workflow name').press('Enter')
    await page.getByRole('link', { name: 'Workflows' }).first().click()
    await page.getByRole('link', { name: 'Seventeen' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Seventeen' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('link', { name: 'Seventeen (copy)' }).waitFor()
    await expectAccessible(page, 'the list')
    await page.getByRole('button', { name: 'Actions for Seventeen (copy)' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('all its versions will be deleted').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'Seventeen (copy)' }).waitFor({ state: 'detached' })
    await page.getByLabel('Search by name or ID').fill('no such thing')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
  })

  flow(world, 'an export can be imported again, as a file and as text', async ({ page }) => {
    const original = { ...graph('Far away'), note: 'of another editor' }
    await world.server.api.post('workflow/update', { id: 'travels', name: 'It travels', workflow: original })
    await page.goto(`${world.server.base}/#/workflows`)
    await page.getByRole('button', { name: 'Actions for It travels' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export' }).click()
    const download = await downloading
    assert.equal(download.suggestedFilename(), 'It travels.workflow.json')
    const path = await download.path()
    await world.server.api.post('workflow/delete', { id: 'travels' })

    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a workflow' })
    await dialog.getByLabel('Or paste the content of the file').fill('{"no":')
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText('is not valid JSON').waitFor()
    await dialog.locator('input[type=file]').setInputFiles(path)
    await dialog.getByRole('button', { name: 'Import' }).click()
    await (await canvasOf(page)).card('Far away').waitFor()
    const [, id] = /#\/workflows\/(.+)$/.exec(page.url())!
    const { workflow } = (await world.server.api.get(`workflow?id=${id}`)).json.data
    assert.deepEqual([workflow.name, workflow.config], ['It travels', original])

    await page.goto(`${world.server.base}/#/workflows`)
    await page.getByRole('button', { name: 'Import' }).click()
    const pasted = dialog.getByLabel('Or paste the content of the file')
    await pasted.fill(readFileSync(path, 'utf8'))
    await dialog.getByRole('button', { name: 'Import' }).click()
    await (await canvasOf(page)).card('Far away').waitFor()

    // A file that is dropped on the list opens the same dialog.
    await page.goto(`${world.server.base}/#/workflows`)
    const list = page.getByRole('heading', { name: 'Workflows', level: 1 })
    await list.waitFor()
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([${JSON.stringify(readFileSync(path, 'utf8'))}], 'It travels.workflow.json'))
      return data
    })()`)
    await list.dispatchEvent('dragenter', { dataTransfer: dropped })
    const cover = page.getByText('Drop an exported workflow or a Dify app here to import it')
    await cover.waitFor()
    await list.dispatchEvent('drop', { dataTransfer: dropped })
    await cover.waitFor({ state: 'detached' })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Import' }).click()
    await (await canvasOf(page)).card('Far away').waitFor()
  })

  flow(world, 'imports an app of Dify and shows the result for each of its nodes', async ({ page }) => {
    const base = await makeBase(world.server.api, { name: 'Handbook' })
    await page.goto(`${world.server.base}/#/workflows`)
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a workflow' })
    await dialog.getByLabel('Or paste the content of the file').fill(difyApp)
    await dialog.getByLabel('Knowledge base for data-set-1').click()
    await page.getByTitle('Handbook').click()
    await expectAccessible(page, 'the dialog for an import')
    await dialog.getByRole('button', { name: 'Import' }).click()
    const report = page.getByRole('dialog', { name: 'Imported' })
    await report.getByText('One node must be replaced or completed').waitFor()
    // The line about the app itself is no node.
    await report.getByText('3 of 4 nodes are unchanged.').waitFor()
    await report.getByText('Banyan has no tool "paint" of "art".').waitFor()
    await expectAccessible(page, 'the report of an import')
    await report.getByRole('button', { name: 'Open the agent' }).waitFor()
    await report.getByRole('button', { name: 'Open the workflow' }).click()
    await (await canvasOf(page)).card('Paint').waitFor()
    const [, id] = /#\/workflows\/(.+)$/.exec(page.url())!
    const { config } = (await world.server.api.get(`workflow?id=${id}`)).json.data.workflow
    assert.deepEqual(config.nodes[1].data.knowledge_ids, [base])
  })

  flow(world, 'a missing workflow can be created under its id', async ({ page }) => {
    await page.goto(`${world.server.base}/#/workflows/not_yet`)
    await page.getByRole('button', { name: 'Create it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await (await canvasOf(page)).card('Reply').waitFor()
    assert.equal((await world.server.api.get('workflow?id=not_yet')).json.data.exist, true)
  })

  flow(
    world,
    'is in Chinese and in the dark theme, for a viewer',
    async ({ page, context }) => {
      const made = await world.server.api.post('token/create', { name: 'watcher', role: 'viewer' })
      await context.addInitScript(`localStorage.setItem('banyan.token', '${made.json.data.token}')`)
      await page.goto(`${world.server.base}/#/workflows`)
      await page.getByRole('heading', { name: '工作流' }).waitFor()
      await page.getByRole('columnheader', { name: '最近修改' }).waitFor()
      assert.equal(await page.getByRole('button', { name: '新建工作流' }).count(), 0)
      await page
        .getByRole('button', { name: /的操作$/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: '导出' }).waitFor()
      assert.equal(await page.getByRole('menuitem', { name: '删除' }).count(), 0)
      await expectAccessible(page, 'the dark list')
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
