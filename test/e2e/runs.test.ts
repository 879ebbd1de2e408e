import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Gates } from '../support/gates.ts'
import { addTexts, makeBase } from '../support/knowledge.ts'
import { chain, echoGraph, llm, output } from '../support/run-graphs.ts'
import { node } from '../workflow/graphs.ts'
import { type ConsoleWorld, describeConsole, flow, untilTrue } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const kindly = 'It lets down roots from its branches, which become new trunks.'
const gates = new Gates()

/** The model streams the beginning, and the rest when the gate opens. */
const speakSlowly = (world: ConsoleWorld): void => {
  gates.hold('rest')
  world.model.play(() => ({
    pieces: [kindly.slice(0, 20), kindly.slice(20)],
    beforePiece: index => (index === 1 ? gates.pass('rest') : undefined),
  }))
}

const store = (world: ConsoleWorld, id: string, name: string, workflow: unknown) =>
  world.server.api.post('workflow/update', { id, name, workflow })

const openPanel = async (world: ConsoleWorld, page: Page, id: string): Promise<void> => {
  await page.goto(`${world.server.base}/#/workflows/${id}`)
  await page.getByRole('tab', { name: /^(Run|运行)$/ }).click()
}

const ask = async (page: Page, question: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.getByRole('textbox', { name: 'Question' }).press('Control+Enter')
}

const answers = (page: Page) => page.getByRole('article', { name: 'Answer' })
const steps = (page: Page) => page.getByRole('list', { name: 'Steps', exact: true })
const marked = (page: Page, id: string, mark: string) =>
  page.locator(`[data-node="${id}"][data-mark="${mark}"]`)
const standing = (page: Page, words: string) => page.getByRole('status').getByText(words, { exact: true })

describeConsole('Running a workflow in its editor', world => {
  flow(
    world,
    'nodes light up, the answer is streamed, and a reload finds the run again',
    async ({ page }) => {
      await store(world, 'ask', 'Ask', echoGraph())
      speakSlowly(world)
      await openPanel(world, page, 'ask')
      await page.getByText('No runs yet').waitFor()
      await ask(page, 'How does a banyan grow?')
      await answers(page).getByText('A: It lets down roots').waitFor()
      await marked(page, 'input', 'succeeded').waitFor()
      await marked(page, 'model', 'running').waitFor()

      await page.reload()
      await answers(page).getByText('A: It lets down roots').waitFor()
      await marked(page, 'model', 'running').waitFor()
      // Another tab of the panel does not end it.
      await page.getByRole('tab', { name: 'Settings' }).click()
      gates.open()
      await marked(page, 'end', 'succeeded').waitFor()
      await page.getByRole('tab', { name: 'Run', exact: true }).click()
      await answers(page).getByText(`A: ${kindly}`, { exact: true }).waitFor()
      await standing(page, 'Succeeded').waitFor()

      await steps(page)
        .getByRole('button', { name: /Language model/ })
        .click()
      await steps(page).getByRole('heading', { name: 'Inputs' }).waitFor()
      await steps(page).getByText('prompt_template').waitFor()
      await steps(page).getByText('How does a banyan grow?').waitFor()
      await expectAccessible(page, 'the editor after a run')
    },
  )

  flow(world, 'a slow run is stopped, and its messages are kept', async ({ page }) => {
    await store(world, 'slow', 'Slow', echoGraph())
    speakSlowly(world)
    await openPanel(world, page, 'slow')
    await ask(page, 'Slowly, please')
    await answers(page).getByText('A: It lets down roots').waitFor()
    await page.getByRole('button', { name: 'Stop' }).press('Enter')
    await standing(page, 'Stopped').waitFor()
    // The button is gone, and the focus is near.
    await page.getByLabel('Question', { exact: true }).and(page.locator(':focus')).waitFor()
    await marked(page, 'model', 'stopped').waitFor()
    await answers(page).getByText('A: It lets down roots').waitFor()
    gates.open()
    // A finished run can be started again.
    await page.getByRole('button', { name: 'Run', exact: true }).last().waitFor()
  })

  flow(world, 'a failed node is shown with the server’s message', async ({ page }) => {
    await store(world, 'fails', 'Fails', echoGraph())
    world.model.play(() => ({ status: 401, message: 'wrong key' }))
    await openPanel(world, page, 'fails')
    await ask(page, 'Does it work?')
    await standing(page, 'Failed').waitFor()
    await page.getByRole('alert').getByText('rejected the API key (401). Check MODEL_API_KEY').waitFor()
    await marked(page, 'model', 'failed').waitFor()
    assert.equal(await answers(page).count(), 0)
    await page.getByRole('button', { name: 'Show model' }).click()
    await page.locator('[data-node="model"][aria-pressed="true"]').waitFor()
  })

  flow(world, 'files and additional inputs are sent with the question', async ({ page }) => {
    await store(world, 'city', 'City', chain(output('say', '{{#sys.inputs.city#}} {{#sys.files#}}')))
    await openPanel(world, page, 'city')
    const attached = { name: 'tree.txt', mimeType: 'text/plain', buffer: Buffer.from('roots') }
    await page.getByLabel('Files to attach').setInputFiles(attached)
    await page.getByRole('list', { name: 'Attached files' }).getByText('tree.txt').waitFor()
    await page.getByText('Advanced').click()
    await page.getByLabel('Additional inputs (JSON)').fill('{"city": ')
    await page.getByText('Not a valid JSON object').waitFor()
    await page.getByLabel('Additional inputs (JSON)').fill('{"city": "Berlin"}')
    await ask(page, 'Where?')
    await answers(page)
      .getByText(/^Berlin.*tree\.txt/)
      .waitFor()
  })

  flow(world, 'a run that is started too early waits for its files', async ({ page }) => {
    await store(world, 'early', 'Early', chain(output('say', 'Read: {{#sys.files#}}')))
    await openPanel(world, page, 'early')
    const uploads = Promise.withResolvers<boolean>()
    let upload = uploads.promise
    await page.route(/\/api\/v1\/files\/upload/, async route =>
      (await upload) ? route.continue() : route.abort(),
    )
    const attached = { name: 'tree.txt', mimeType: 'text/plain', buffer: Buffer.from('roots') }
    const awaited = page.getByText('Starts when all files are uploaded.')
    await page.getByLabel('Files to attach').setInputFiles(attached)
    await ask(page, 'Read it')
    await awaited.waitFor()
    uploads.resolve(false)
    await page.getByRole('list', { name: 'Attached files' }).getByRole('alert').waitFor()
    await awaited.waitFor({ state: 'hidden' })
    assert.equal(await answers(page).count(), 0, 'no run without the file')
    await page.getByRole('button', { name: 'Remove tree.txt' }).click()

    const again = Promise.withResolvers<boolean>()
    upload = again.promise
    await page.getByLabel('Files to attach').setInputFiles(attached)
    await ask(page, 'Read it')
    await awaited.waitFor()
    again.resolve(true)
    await answers(page)
      .getByText(/^Read:.*tree\.txt/)
      .waitFor()
  })

  flow(world, 'a run that cannot start keeps the files for the next attempt', async ({ page }) => {
    await store(world, 'again', 'Again', chain(output('say', 'Read: {{#sys.files#}}')))
    await openPanel(world, page, 'again')
    const attached = { name: 'tree.txt', mimeType: 'text/plain', buffer: Buffer.from('roots') }
    await page.getByLabel('Files to attach').setInputFiles(attached)
    const files = page.getByRole('list', { name: 'Attached files' })
    await files.getByText('tree.txt').waitFor()
    await page.route('**/api/v1/workflow/run', route =>
      route.fulfill({ status: 429, json: { code: 1, message: 'Too many runs just now' } }),
    )
    await ask(page, 'Read it')
    await page.getByText('Too many runs just now').waitFor()
    await files.getByText('tree.txt').waitFor()
    await page.unroute('**/api/v1/workflow/run')
    await ask(page, 'Read it')
    await answers(page)
      .getByText(/^Read:.*tree\.txt/)
      .waitFor()
    await files.waitFor({ state: 'hidden' })
  })

  flow(world, 'the shown graph runs, although another user has saved a newer one', async ({ page }) => {
    await store(world, 'shared', 'Shared', chain(output('say', 'As it is drawn')))
    await openPanel(world, page, 'shared')
    await page.getByRole('textbox', { name: 'Question' }).waitFor()
    await store(world, 'shared', 'Shared', chain(output('other', 'By a colleague')))
    await ask(page, 'What?')
    await answers(page).getByText('As it is drawn').waitFor()
    await marked(page, 'say', 'succeeded').waitFor()
  })

  flow(world, 'a waiting run is answered in place', async ({ page }) => {
    const size = node('size', 'question', { question: 'Which size?', options: ['small', 'large'] })
    await store(world, 'order', 'Order', chain(size, output('say', 'One {{#size.answer#}} tea.')))
    await openPanel(world, page, 'order')
    await ask(page, 'Tea, please')
    await answers(page).getByText('Which size?').waitFor()
    await marked(page, 'size', 'waiting').waitFor()
    await expectAccessible(page, 'a run that asks')
    await page.getByRole('group', { name: 'Choose an answer' }).getByRole('button', { name: 'large' }).click()
    await answers(page).getByText('One large tea.').waitFor()
    await page.getByRole('article', { name: 'Question' }).getByText('large').waitFor()
    await marked(page, 'size', 'succeeded').waitFor()
  })

  flow(world, 'one node runs alone, with the outputs of the last run', async ({ page }) => {
    await store(world, 'one', 'One', echoGraph())
    world.model.play(() => ({ text: kindly }))
    await openPanel(world, page, 'one')
    await ask(page, 'How?')
    await standing(page, 'Succeeded').waitFor()
    await steps(page)
      .getByRole('button', { name: /Output/ })
      .click()
    await page.getByRole('button', { name: 'Run only this node' }).click()
    const form = page.getByRole('form', { name: 'Run only “say”' })
    // By the title of the node.
    const text = form.getByLabel('Language model · text', { exact: true })
    await text.and(page.locator(':focus')).waitFor()
    assert.equal(await text.inputValue(), kindly)
    const calls = world.model.calls.chat.length
    await form.getByRole('button', { name: 'Run this node' }).click()
    await steps(page)
      .getByRole('button', { name: /Language model/ })
      .waitFor({ state: 'detached' })
    await standing(page, 'Succeeded').waitFor()
    // That run has no outputs of other nodes.
    assert.equal(await text.inputValue(), kindly)
    await text.fill('Like this.')
    await form.getByRole('button', { name: 'Run this node' }).click()
    await answers(page).getByText('A: Like this.').waitFor()
    await text.and(page.locator(':focus')).waitFor()
    assert.equal(await steps(page).getByRole('listitem').count(), 1)
    assert.equal(world.model.calls.chat.length, calls)
    await expectAccessible(page, 'the form for one node')
    // What was typed is still there when the form is opened again.
    await form.getByRole('button', { name: 'Cancel' }).press('Enter')
    const open = page.getByRole('button', { name: 'Run only this node' })
    await open.and(page.locator(':focus')).waitFor()
    const question = page.getByRole('textbox', { name: 'Question' })
    await question.fill('Half a quest')
    await open.press('Enter')
    assert.equal(await text.inputValue(), 'Like this.')
    // The button of the workflow leads back to its own form.
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await question.and(page.locator(':focus')).waitFor()
    assert.equal(await question.inputValue(), 'Half a quest')
  })

  flow(world, 'a node that runs alone is watched and can be stopped', async ({ page }) => {
    await store(world, 'tried', 'Tried', echoGraph())
    speakSlowly(world)
    await openPanel(world, page, 'tried')
    await page.locator('[data-node="model"]').click()
    await page.getByRole('tab', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: 'Run only this node' }).click()
    const form = page.getByRole('form', { name: 'Run only “model”' })
    await form.getByLabel('Question', { exact: true }).fill('How?')
    await form.getByRole('button', { name: 'Run this node' }).click()
    await marked(page, 'model', 'running').waitFor()
    // Its text is shown while it is written, without opening its step.
    await steps(page).getByText('It lets down roots').waitFor()
    await form.getByRole('button', { name: 'Stop' }).press('Enter')
    await standing(page, 'Stopped').waitFor()
    await form.getByLabel('Question', { exact: true }).and(page.locator(':focus')).waitFor()
    await marked(page, 'model', 'stopped').waitFor()
    gates.open()
    await form.getByRole('button', { name: 'Run this node' }).click()
    await steps(page).getByText(kindly).first().waitFor()
    await standing(page, 'Succeeded').waitFor()
    await steps(page).getByRole('heading', { name: 'Inputs' }).waitFor()
    assert.equal(await page.getByText('No output.').count(), 0, 'its outputs are in its step')
    await form.getByRole('button', { name: 'Run this node' }).waitFor()
    assert.equal(await form.getByLabel('Question', { exact: true }).inputValue(), 'How?')
  })

  flow(
    world,
    'earlier runs are listed and opened with their marks, also in the dark theme',
    async ({ page }) => {
      await store(world, 'past', 'Past', echoGraph())
      const before = () => world.server.api.post('workflow/run', { id: 'past', inputs: { query: 'x' } })
      world.model.play(() => ({ status: 401 }))
      await before()
      world.model.play(() => ({ text: kindly }))
      await before()
      await openPanel(world, page, 'past')
      const past = page.getByRole('region', { name: 'Previous runs' })
      await past.getByRole('button', { name: /Failed/ }).click()
      await marked(page, 'model', 'failed').waitFor()
      await past.getByRole('button', { name: /Succeeded/ }).click()
      await marked(page, 'model', 'succeeded').waitFor()
      await answers(page).getByText(`A: ${kindly}`, { exact: true }).waitFor()
      await expectAccessible(page, 'the run panel in the dark')
      await page.getByRole('button', { name: 'Close this run' }).click()
      await marked(page, 'model', 'succeeded').waitFor({ state: 'detached' })
    },
    { colorScheme: 'dark' },
  )

  flow(world, 'a workflow that cannot run shows why and where', async ({ page }) => {
    await store(world, 'broken', 'Broken', chain(llm('model', '{{#gone.text#}}'), output('say', 'Hi')))
    await openPanel(world, page, 'broken')
    await page.getByText('This workflow cannot run yet').waitFor()
    assert.equal(
      await page
        .getByRole('form', { name: 'Ask the workflow' })
        .getByRole('button', { name: 'Run' })
        .isEnabled(),
      false,
    )
    await page
      .getByRole('button', { name: /^Language model: / })
      .first()
      .click()
    await page.locator('[data-node="model"][aria-pressed="true"]').waitFor()
  })
})

describeConsole('The pages of runs', world => {
  flow(world, 'a run started elsewhere is shown live, in the list and on its page', async ({ page }) => {
    await page.goto(`${world.server.base}/#/runs`)
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await expectAccessible(page, 'runs before there is one')
    await store(world, 'ask', 'Ask', echoGraph())
    speakSlowly(world)
    const started = world.server.api.post('workflow/run', { id: 'ask', inputs: { query: 'How?' } })
    await gates.reached('rest')
    await page.reload()
    await page.getByRole('row', { name: /Ask.*Running/ }).waitFor()
    await page.getByRole('link', { name: 'Ask' }).click()
    await page.getByRole('heading', { name: 'Run of Ask' }).waitFor()
    await answers(page).getByText('A: It lets down roots').waitFor()
    await expectAccessible(page, 'the page of a run that goes on')
    const list = await page.context().newPage()
    await list.goto(`${world.server.base}/#/runs`)
    await list.getByRole('row', { name: /Ask.*Running/ }).waitFor()
    gates.open()
    await started
    await answers(page).getByText(`A: ${kindly}`, { exact: true }).waitFor()
    await standing(page, 'Succeeded').waitFor()
    await list.getByRole('row', { name: /Ask.*Succeeded/ }).waitFor()
    await expectAccessible(list, 'the list of runs')
    await page.getByRole('link', { name: 'Open the workflow' }).click()
    await marked(page, 'model', 'succeeded').waitFor()
  })

  flow(world, 'an answer is formatted, with formulas and the sources that it cites', async ({ page }) => {
    const { api } = world.server
    const base = await makeBase(api, { name: 'Rules' })
    await addTexts(api, base, { 'holidays.md': '# Holidays\n\nEverybody has 30 days a year.' })
    const model = llm('model', '{{#sys.query#}}', { '数据源/API工具': [{ type: 'knowledge', id: base }] })
    await store(world, 'days', 'Days', chain(model, output('say', '{{#model.text#}}')))
    world.model.play(() => ({ pieces: ['**30 days** [1]; in hours:\n\n$$30 \\cdot 24$$'] }))
    const run = await api.post('workflow/run', { id: 'days', inputs: { query: 'How many holidays?' } })
    await page.goto(`${world.server.base}/#/runs/${run.json.data.run_id}`)
    await answers(page).locator('strong', { hasText: '30 days' }).waitFor()
    await answers(page).locator('math').waitFor()
    await expectAccessible(page, 'the page of a run with a cited answer')
    await answers(page).getByRole('button', { name: 'Source 1: holidays.md' }).click()
    const source = page.getByRole('complementary', { name: 'Source: holidays.md' })
    await source.getByText('Everybody has 30 days a year.').waitFor()
  })

  flow(world, 'a waiting run is answered on its page, another one is stopped there', async ({ page }) => {
    await store(
      world,
      'name',
      'Name',
      chain(node('who', 'question', { question: 'Who are you?' }), output('say', 'Hi {{#who.answer#}}!')),
    )
    const begin = async (): Promise<string> =>
      (await world.server.api.post('workflow/run', { id: 'name', inputs: { query: 'x' } })).json.data.run_id
    await page.goto(`${world.server.base}/#/runs/${await begin()}`)
    const field = page.getByRole('textbox', { name: 'Your answer' })
    await field.and(page.locator(':focus')).waitFor()
    await field.fill('Ada')
    await page.getByRole('textbox', { name: 'Your answer' }).press('Enter')
    await answers(page).getByText('Hi Ada!').waitFor()
    const searched = Promise.withResolvers<void>()
    await page.route('**/api/v1/workflow/runs/*', async route => {
      await searched.promise
      await route.continue()
    })
    await page.goto(`${world.server.base}/#/runs/${await begin()}`)
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox')
    await search.fill('files')
    searched.resolve()
    await field.waitFor()
    await search.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop' }).click()
    await standing(page, 'Stopped').waitFor()
    assert.equal(await field.count(), 0)
  })

  flow(
    world,
    'runs are filtered, in Chinese and in the dark theme',
    async ({ page }) => {
      await page.goto(`${world.server.base}/#/runs`)
      await page.getByRole('row', { name: /Name.*已停止/ }).waitFor()
      await choose(page.getByRole('combobox', { name: '状态' }), '成功')
      await page.getByRole('row', { name: /Name.*已停止/ }).waitFor({ state: 'detached' })
      await page.getByRole('row', { name: /Ask.*成功/ }).waitFor()
      await expectAccessible(page, 'the list of runs in the dark')
      await page.getByRole('link', { name: 'Ask' }).click()
      await page.getByRole('heading', { name: 'Ask 的运行' }).waitFor()
      await page.getByText('直接运行').waitFor()
      await expectAccessible(page, 'the page of a run in the dark')
    },
    { colorScheme: 'dark', language: 'zh' },
  )

  flow(
    world,
    'a run is found by its question, repeated with an edit, compared and exported',
    async ({ page }) => {
      await store(world, 'find', 'Find', chain(output('say', 'You asked: {{#sys.query#}}')))
      await world.server.api.post('workflow/run', {
        ...{ id: 'find', user_id: 'ann', inputs: { query: 'Where is the red lantern?' } },
      })
      await page.goto(`${world.server.base}/#/runs?workflow=find`)
      await page.getByRole('row', { name: /Where is the red lantern/ }).waitFor()
      await page.getByRole('textbox', { name: 'User' }).fill('bob')
      await page.getByText('No matching runs').waitFor()
      await page.getByRole('textbox', { name: 'User' }).fill('ann')
      await page.getByRole('row', { name: /Where is the red lantern/ }).waitFor()
      const period = async (name: string): Promise<void> => {
        await page.getByRole('combobox', { name: 'Started' }).click()
        await page.getByTitle(name).click()
      }
      await period('Last hour')
      await page.waitForURL(/from=\d{4}-/)
      await page.getByRole('row', { name: /Where is the red lantern/ }).waitFor()
      // The filters are those of the address, also where a link has changed it.
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' }).click()
      const chosen = page.locator('.period-choice')
      await chosen.getByText('Any time').waitFor()
      await untilTrue(page, "document.querySelector('[aria-label=User]').value === ''")
      assert.match(page.url(), /#\/runs$/)
      await page.goBack()
      await chosen.getByText('Last hour').waitFor()
      await untilTrue(page, "document.querySelector('[aria-label=User]').value === 'ann'")
      await period('Custom range')
      await page.getByLabel('Started before').fill('2020-01-01T00:00')
      await page.getByText('No matching runs').waitFor()
      await period('Any time')
      await page.waitForURL(url => !/from=|to=/.test(url.href))
      await page.getByRole('link', { name: 'Find', exact: true }).click()

      await page.getByRole('button', { name: 'Edit and run' }).click()
      const dialog = page.getByRole('dialog', { name: 'Run again with other inputs' })
      await dialog.getByRole('textbox', { name: 'Question' }).fill('Where is the blue lantern?')
      await dialog.getByRole('textbox', { name: 'Other inputs (JSON)' }).fill('[')
      await dialog.getByText('Not a valid JSON object').waitFor()
      await expectAccessible(page, 'the dialog to run again')
      await dialog.getByRole('textbox', { name: 'Other inputs (JSON)' }).fill('{"tone": "kind"}')
      await dialog.getByRole('button', { name: 'Run' }).click()
      await answers(page).getByText('You asked: Where is the blue lantern?').waitFor()

      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: /OTLP/ }).click()
      assert.match((await download).suggestedFilename(), /\.otlp\.json$/)

      await page.getByRole('link', { name: 'Compare with the earlier run' }).click()
      await page.getByRole('table', { name: 'Overview' }).getByText('You asked: Where is the red').waitFor()
      await page.getByRole('switch', { name: 'Only steps that differ' }).click()
      const steps = page.getByRole('list', { name: 'Steps', exact: true })
      await steps.getByText('differs').last().click()
      await steps.getByRole('heading', { name: 'Second run' }).last().waitFor()
      await expectAccessible(page, 'two runs side by side')

      await page.goto(`${world.server.base}/#/runs?workflow=find`)
      const text = page.getByRole('textbox', { name: 'Question or answer' })
      // Texts are indexed a moment after a run has ended; the list is read again until then.
      // The list without the filter shows both runs until then.
      const blue = page.getByRole('row', { name: /blue lantern/ })
      for (let attempt = 0; attempt < 60; attempt++) {
        await text.fill(attempt % 2 ? 'BLUE lantern' : 'blue lantern')
        await page.getByRole('row', { name: /red lantern/ }).waitFor({ state: 'detached' })
        await blue.or(page.getByText('No matching runs')).first().waitFor()
        if ((await blue.count()) > 0) break
        await page.waitForTimeout(500)
      }
      await blue.waitFor()
      await text.fill('')
      for (const colour of ['red', 'blue'])
        await page.getByRole('checkbox', { name: new RegExp(`Select: .*${colour}`) }).check()
      await page.getByRole('link', { name: 'Compare' }).click()
      await page.getByRole('heading', { name: 'Compare two runs' }).waitFor()
    },
  )

  flow(
    world,
    'a viewer sees the status of a run and is offered no actions',
    async ({ page }) => {
      const { data } = (await world.server.api.post('token/create', { name: 'Reader', role: 'viewer' })).json
      const waits = await world.server.api.post('workflow/run', { id: 'name', inputs: { query: 'x' } })
      await page.goto(`${world.server.base}/#token=${data.token}`)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${world.server.base}/#/runs/${waits.json.data.run_id}`)
      await page.getByText('Your role is view only').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0)
    },
    { signedIn: false },
  )
})
