import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { copiedBy, describeConsole, flow } from './support/console-world.ts'
import { choose, editorText } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const run = promisify(execFile)

describeConsole('Agents', world => {
  const recordOf = async (id: string) =>
    (await dataOf(world.server.api.post('agent/gets', { id: [id] }))).agents[id].data
  const address = (...path: string[]) => `${world.server.base}/#/${['agents', ...path].join('/')}`

  flow(world, 'a first agent is created, filled in and saved', async ({ page }) => {
    const base = await makeBase(world.server.api, { name: 'House rules' })
    await page.goto(address())
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
    await expectAccessible(page, 'the empty list of agents')
    await page.getByRole('button', { name: 'New agent' }).first().click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Enter a name').waitFor()
    await page.getByLabel('Name').fill('Butler')
    await page.getByRole('textbox', { name: 'Persona' }).fill('You are a butler.')
    await page.getByText('Enter a name').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Create' }).click()

    await page.getByRole('heading', { level: 1, name: 'Butler' }).waitFor()
    await page.getByText('All changes saved').waitFor()
    const form = page.getByRole('form', { name: 'Agent settings' })
    const save = form.getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
    assert.equal(await editorText(form.getByRole('textbox', { name: 'Persona' })), 'You are a butler.')
    await form.getByLabel('Description').fill('Knows the house.')
    await form.getByRole('textbox', { name: 'Greeting' }).fill('At your service.')
    await form.getByRole('button', { name: 'Add a question' }).click()
    // The new field has the focus, so that spaces do not press the button again.
    await page.keyboard.type('When is dinner?')
    assert.equal(await form.getByLabel('Suggested question 1').inputValue(), 'When is dinner?')
    assert.equal(await form.getByLabel('Suggested question 2').count(), 0)
    const bases = form.getByRole('combobox', { name: 'Knowledge bases' })
    await choose(bases, 'House rules')
    await bases.press('Escape')
    await form.getByRole('combobox', { name: 'Model' }).fill('nobody')
    await form.getByRole('switch', { name: 'Web search' }).click()
    await form.getByRole('button', { name: 'Add a value' }).click()
    await form.getByLabel('Key of value 1').and(page.locator(':focus')).waitFor()
    assert.equal(await form.getByText('Enter a key, or remove this value.').count(), 0)
    await form.getByLabel('Default value of value 1').fill('Paris')
    await form.getByText('Enter a key, or remove this value.').waitFor()
    assert.equal(await save.isDisabled(), true)
    await form.getByLabel('Key of value 1').fill('city')

    await form.getByRole('button', { name: 'Add a tool' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a tool' })
    await dialog.getByLabel('Name').fill('stock')
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter a URL.').waitFor()
    await dialog.getByLabel('URL').fill('https://example.com/stock/{item}')
    await dialog.getByLabel('Description').fill('How much of an item is left')
    await dialog.getByRole('button', { name: 'Add a header' }).click()
    await dialog.getByLabel('Name of header 1').fill('X-Key')
    const key = dialog.getByLabel('Value of header 1')
    await key.fill('KEY')
    assert.equal(await key.getAttribute('type'), 'password')
    await dialog.getByLabel('Parameters as JSON').fill('{"item": ')
    await dialog.getByText('JSON', { exact: true }).click()
    await dialog.getByText('The parameters must be a JSON object').waitFor()
    assert.equal(await dialog.getByLabel('Parameters as JSON').inputValue(), '{"item": ')
    await dialog.getByLabel('Parameters as JSON').fill('')
    await expectAccessible(page, 'the dialog for a tool')
    await dialog.getByRole('button', { name: 'Done' }).click()

    // Unsaved input survives visiting another page.
    await page.getByRole('link', { name: 'Conversations', exact: true }).click()
    await page.getByText('No conversations yet').waitFor()
    await page.getByRole('link', { name: 'Build' }).click()
    await form.getByText('Unsaved changes').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await form.getByText('There is no model nobody').waitFor()
    await form.getByText('All changes saved').waitFor()
    await expectAccessible(page, 'the form of an agent')
    const id = page.url().split('/').at(-1)!
    const { config, learn, memory, intro } = await recordOf(id)
    assert.deepEqual(config, {
      character_profile: 'You are a butler.',
      prologue: 'At your service.',
      recommendation_question: ['When is dinner?'],
      model: 'nobody',
      tools: {
        web_search: {},
        stock: {
          running_config: {
            ...{ type: 'http', description: 'How much of an item is left', method: 'GET' },
            ...{ url: 'https://example.com/stock/{item}', headers: { 'X-Key': 'KEY' } },
          },
        },
      },
    })
    assert.deepEqual([learn, intro], [{ [base]: {} }, 'Knows the house.'])
    assert.deepEqual(memory, { city: { name: '', description: '', default: 'Paris' } })
  })

  flow(
    world,
    'an avatar is chosen by mouse and keyboard, and shown wherever the agent is',
    async ({ page }) => {
      const { api } = world.server
      const id = await makeAgent(api, {}, { name: 'Librarian', access: 'public' })
      await page.goto(address(id))
      const form = page.getByRole('form', { name: 'Agent settings' })
      const shown = page.locator('.agent-title .agent-mark')
      assert.equal(await shown.textContent(), 'L')
      await form.getByRole('button', { name: 'Change the avatar' }).click()
      await form.getByRole('radio', { name: '📚' }).check({ force: true })
      await form.getByRole('radio', { name: 'Violet' }).focus()
      await page.keyboard.press('ArrowRight')
      assert.equal(await form.getByRole('radio', { name: 'Pink' }).isChecked(), true)
      await expectAccessible(page, 'the choice of an avatar')
      await picture(page, 'avatar-picker')
      const save = form.getByRole('button', { name: 'Save' })
      await save.click()
      await form.getByText('All changes saved').waitFor()
      assert.deepEqual((await recordOf(id)).config, { avatar: { emoji: '📚', color: 'pink' } })
      assert.equal(await shown.textContent(), '📚')

      // Of what is typed or pasted, the last character counts, and one emoji may be several code points.
      const own = form.getByLabel('Another emoji or character')
      await own.fill('tree 👩‍🚀')
      assert.equal(await own.inputValue(), '👩‍🚀')
      await save.click()
      await form.getByText('All changes saved').waitFor()
      assert.deepEqual((await recordOf(id)).config, { avatar: { emoji: '👩‍🚀', color: 'pink' } })
      await page.getByRole('link', { name: 'Chat', exact: true }).click()
      await page.locator('.greeting .agent-mark', { hasText: '👩‍🚀' }).waitFor()
      await page.goto(address())
      await page.locator('.agent-card .agent-mark[data-color="pink"]', { hasText: '👩‍🚀' }).waitFor()
      await picture(page, 'avatar-list')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('librar')
      await page
        .getByRole('option', { name: /Librarian/ })
        .locator('.agent-mark', { hasText: '👩‍🚀' })
        .waitFor()
      await page.keyboard.press('Escape')
      await page.goto(`${world.server.base}/chat/${id}`)
      await page.locator('header .agent-mark[data-color="pink"]', { hasText: '👩‍🚀' }).waitFor()

      await page.goto(address(id))
      await form.getByRole('button', { name: 'Change the avatar' }).click()
      await form.getByRole('button', { name: 'Use the first letter of the name' }).click()
      await save.click()
      await form.getByText('All changes saved').waitFor()
      assert.deepEqual((await recordOf(id)).config, {})
    },
  )

  flow(
    world,
    'persona and greeting are written in the large editor, with values as chips',
    async ({ page }) => {
      const { api } = world.server
      const memory = { city: { name: 'City', description: 'Where the user lives', default: '' } }
      const id = await makeAgent(api, {}, { name: 'Guide', memory })
      await page.goto(address(id))
      const form = page.getByRole('form', { name: 'Agent settings' })
      const persona = form.getByRole('textbox', { name: 'Persona' })
      await persona.click()
      await page.keyboard.type('Guide through {{#cit')
      await page.getByRole('option', { name: /city/ }).waitFor()
      await page.keyboard.press('Enter')
      await form.locator('.reference-chip', { hasText: 'Memory city' }).waitFor()
      await form.getByRole('button', { name: 'Open Persona in the large editor' }).click()
      const dialog = page.getByRole('dialog', { name: 'Persona' })
      const large = dialog.getByRole('textbox', { name: 'Persona' })
      await large.press('Control+End')
      await page.keyboard.type(' by {{#nobody.text#}}.')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Be brief.')
      await dialog.locator('.reference-chip[data-broken]').waitFor()
      await expectAccessible(page, 'the persona in the large editor')
      await picture(page, 'persona-large')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await form.getByRole('button', { name: 'Open Greeting in the large editor' }).click()
      await page.getByRole('dialog', { name: 'Greeting' }).getByRole('textbox').fill('Where to?')
      await page.getByRole('dialog', { name: 'Greeting' }).getByRole('button', { name: 'Done' }).click()
      await form.getByRole('button', { name: 'Save' }).click()
      // The server says what is wrong with the broken reference.
      await form
        .getByText(/nobody/)
        .last()
        .waitFor()
      await form.getByText('All changes saved').waitFor()
      await picture(page, 'persona-form')
      assert.deepEqual((await recordOf(id)).config, {
        character_profile: 'Guide through {{#memory.city#}} by {{#nobody.text#}}.\nBe brief.',
        prologue: 'Where to?',
      })
    },
  )

  flow(world, 'two users who edit an agent at the same time keep both changes', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api, { character_profile: 'You are a butler.' }, { name: 'Shared' })
    await page.clock.install()
    await page.goto(address(id))
    const form = page.getByRole('form', { name: 'Agent settings' })
    await form.getByLabel('Description').fill('Serves dinner.')
    await api.post('agent/update', { id, name: 'Theirs', config: { character_profile: 'You are a cook.' } })
    // Long enough for the record to be refetched.
    await page.clock.fastForward(60_000)
    await page.getByRole('link', { name: '← Agents' }).click()
    await page.getByRole('link', { name: 'Theirs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor()
    assert.equal(await form.getByLabel('Description').inputValue(), 'Serves dinner.')
    assert.equal(await editorText(form.getByRole('textbox', { name: 'Persona' })), 'You are a cook.')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('All changes saved').waitFor()
    const { name, intro, config } = await recordOf(id)
    assert.deepEqual([name, intro, config.character_profile], ['Theirs', 'Serves dinner.', 'You are a cook.'])
  })

  flow(world, 'agents are searched by name, and deleted with a warning', async ({ page }) => {
    const id = await makeAgent(world.server.api, {}, { name: 'Gardener', intro: 'Knows the trees.' })
    await page.goto(address())
    await page.getByText('Knows the trees.').waitFor()
    await expectAccessible(page, 'the list of agents')
    await page.getByLabel('Search agents').fill('nobody knows')
    await page.getByText('No agent name contains “nobody knows”.').waitFor()
    await page.getByLabel('Search agents').fill('garden')
    await page.getByRole('button', { name: 'Delete Gardener' }).click()
    await page.getByText('Its conversations will be deleted too.').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No agent name contains “garden”.').waitFor()
    await page.goto(address(id))
    await page.getByRole('heading', { level: 1, name: 'Agent not found' }).waitFor()
  })

  flow(world, 'an agent that runs a workflow keeps its hidden settings', async ({ page }) => {
    const { api } = world.server
    const workflow = await makeWorkflow(api, chain(output('say', 'You said {{#sys.query#}}')))
    const id = await makeAgent(api, { voice: { speed: 2 }, odd: [1] }, { name: 'Echo' })
    await page.goto(address(id))
    const form = page.getByRole('form', { name: 'Agent settings' })
    const workflows = form.getByRole('combobox', { name: 'Workflow' })
    const found = page.waitForResponse(response => response.request().postData()?.includes(workflow) ?? false)
    await workflows.fill(workflow)
    await found
    await choose(workflows, workflow)
    await form.getByText('The workflow answers.').waitFor()
    await form.getByRole('radio', { name: 'Public' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('All changes saved').waitFor()
    assert.deepEqual((await recordOf(id)).config, { voice: { speed: 2 }, odd: [1], workflow_id: workflow })
    const way = await form.getByRole('link', { name: 'Open the workflow' }).getAttribute('href')
    assert.equal(way, `#/workflows/${workflow}`)
    // The preview beside the form uses the saved settings.
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByLabel('Message', { exact: true }).fill('good day')
    await preview.getByLabel('Message', { exact: true }).press('Enter')
    await preview.getByText('You said good day').waitFor()
  })

  flow(
    world,
    'a public agent answers the calls of its example, which contains no token',
    async ({ page }) => {
      const { api } = world.server
      const workflow_id = await makeWorkflow(api, chain(output('say', 'You said {{#sys.query#}}')))
      const id = await makeAgent(api, { workflow_id }, { access: 'public', name: 'Open' })
      await page.goto(address(id, 'use'))
      await page.getByText('This agent is public').waitFor()
      const curl = await page.getByRole('region', { name: 'Call it from your app: curl' }).innerText()
      assert.match(
        curl,
        new RegExp(`${world.server.base}/api/v1/conversation/create[\\s\\S]*"agent_id": "${id}"`),
      )
      await page.getByText('JavaScript', { exact: true }).click()
      const script = await page.getByRole('region', { name: 'JavaScript' }).innerText()
      assert.doesNotMatch(curl + script, /authorization/i)
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
      assert.equal(stdout.trim(), 'You said Hello')
      assert.equal((await copiedBy(page, 'Copy JavaScript example')).trim(), script.trim())
      await page.getByRole('link', { name: 'Conversations', exact: true }).click()
      const row = page.getByRole('row').filter({ hasText: 'ada' })
      await row.getByRole('link', { name: 'Hello' }).click()
      await page.getByText('You said Hello').waitFor()
      await page.getByText('you cannot send messages in this conversation').waitFor()
      assert.equal(await page.getByLabel('Message', { exact: true }).count(), 0)
    },
  )

  flow(
    world,
    'a private agent is used with its own token, which is shown once',
    async ({ page }) => {
      const { api } = world.server
      const workflow_id = await makeWorkflow(api, chain(output('say', 'Hello')))
      const id = await makeAgent(api, { workflow_id }, { name: '管家' })
      await page.goto(address(id, 'use'))
      await page.getByText('YOUR_TOKEN').first().waitFor()
      await page.getByRole('button', { name: '为这个智能体创建令牌' }).click()
      const token = await page.locator('.new-token code').innerText()
      const runner = api.as(token)
      assert.equal((await runner.post('conversation/create', { agent_id: id })).status, 200)
      assert.equal((await runner.post('agent/list', {})).status, 403)
      const example = await page.getByRole('region', { name: 'OpenAI 兼容接口: curl' }).innerText()
      const { stdout } = await run('bash', ['-c', example.replace('YOUR_TOKEN', token)])
      assert.equal(JSON.parse(stdout).choices[0].message.content, 'Hello')
      await expectAccessible(page, 'how to use an agent, in the dark and in Chinese')
      await page.reload()
      await page.getByRole('button', { name: '为这个智能体创建令牌' }).waitFor()
      assert.equal(await page.getByText(token).count(), 0)
      await page.getByRole('link', { name: '编排' }).click()
      await page.getByText('已全部保存').waitFor()
      await expectAccessible(page, 'the form of an agent, in the dark and in Chinese')
    },
    { colorScheme: 'dark', language: 'zh' },
  )

  flow(world, 'a viewer is offered no changes', async ({ page, context }) => {
    const { api } = world.server
    const id = await makeAgent(api, { character_profile: 'You are a butler.' }, { name: 'Reader’s' })
    const { token } = await dataOf(api.post('token/create', { name: 'v', role: 'viewer' }))
    await context.addInitScript(`localStorage.setItem('banyan.token', ${JSON.stringify(token)})`)
    await page.goto(address())
    await page.getByRole('link', { name: 'Reader’s' }).click()
    await page.getByText('View only: your token cannot change this agent.').waitFor()
    const persona = page.getByRole('textbox', { name: 'Persona' })
    assert.equal(await persona.getAttribute('aria-readonly'), 'true')
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    await page.goto(address(id, 'chat'))
    await page.getByText('you cannot send messages in this conversation').waitFor()
    await page.goto(address(id, 'use'))
    await page.getByText('Ask an admin for a runner token').waitFor()
  })

  flow(
    world,
    'long names, also without spaces, leave cards and lists as they are',
    async ({ page }) => {
      const { api } = world.server
      const name = 'Averylongname'.repeat(8).slice(0, 100)
      await makeAgent(api, {}, { name })
      await makeBase(api, { name, description: name })
      await api.post('workflow/create', { name, workflow: chain(output('say', 'Hi')) })
      for (const list of ['agents', 'knowledge']) {
        await page.goto(`${world.server.base}/#/${list}`)
        const title = page.getByRole('heading', { name })
        await title.waitFor()
        const { height } = (await title.boundingBox())!
        assert.ok(height < 60, `${height} px are more than two lines`)
        await title.getByRole('link').click()
        const head = (await page.getByRole('heading', { level: 1, name }).boundingBox())!
        assert.ok(head.x + head.width <= 768, 'the title of the page is in the window')
      }
      await page.goto(`${world.server.base}/#/workflows`)
      await page.getByRole('link', { name }).waitFor()
      const { x, width } = (await page.getByRole('table').boundingBox())!
      assert.ok(x + width <= 768, 'all columns of the list are in the window')
    },
    { viewport: { width: 768, height: 1024 } },
  )
})
