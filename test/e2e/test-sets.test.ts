import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { dataOf } from '../support/knowledge.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { type ConsoleWorld, describeConsole, flow, messageShown } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const says = (text: string) => chain(output('say', text))

const store = (world: ConsoleWorld, id: string, name: string, workflow: unknown) =>
  dataOf(world.server.api.post('workflow/update', { id, name, workflow }))
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

describeConsole('Test sets', world => {
  flow(
    world,
    'cases are added by hand and by import, and run against draft and published version',
    async ({ page }) => {
      await store(world, 'leave', 'Leave', says('You have 20 days: {{#sys.query#}}'))
      await dataOf(world.server.api.post('workflow/publish', { id: 'leave' }))
      await store(world, 'leave', 'Leave', says('It is 25 days: {{#sys.query#}}'))
      await page.goto(`${world.server.base}/#/workflows/leave`)
      await page.getByRole('link', { name: 'Test sets' }).click()
      await page.getByRole('heading', { name: 'No test sets yet' }).waitFor()
      await expectAccessible(page, 'no test sets')
      await page.getByRole('button', { name: 'New test set' }).click()
      const create = dialogOf(page, 'New test set')
      await create.getByRole('textbox', { name: 'Name' }).fill('Frequent questions')
      await expectAccessible(page, 'the dialog for a test set')
      await create.getByRole('textbox', { name: 'Name' }).press('Enter')
      await page.getByRole('heading', { name: 'Frequent questions' }).waitFor()
      await page.getByText('No cases yet').waitFor()

      await page.getByRole('button', { name: 'Add a case' }).click()
      const add = dialogOf(page, 'Add a test case')
      await add.getByRole('textbox', { name: 'Question', exact: true }).fill('How many days?')
      await add.getByRole('textbox', { name: 'Expected' }).fill('25 days')
      await add.getByRole('button', { name: 'Add a check' }).click()
      await choose(add.getByRole('combobox', { name: 'Type of check' }).nth(1), 'Matches a JSON schema')
      // The form renders the field for its new type a moment after the choice.
      await add.getByRole('textbox', { name: 'Expected' }).and(page.locator('.test-code')).fill('{')
      await add.getByText('Not a valid JSON object').waitFor()
      await expectAccessible(page, 'the dialog for a case')
      await picture(page, 'test-case')
      await add.getByRole('button', { name: 'Remove this check' }).last().click()
      await add.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /How many days\?.*Contains.*25 days/ }).waitFor()

      await page.getByRole('button', { name: 'Import' }).click()
      const load = dialogOf(page, 'Import test cases')
      const file = Buffer.from('question,expected,check\nAnd holidays?,^You,regex\nMay I?,maybe,never\n')
      await load
        .getByLabel('File to import')
        .setInputFiles({ name: 'cases.csv', mimeType: 'text/csv', buffer: file })
      await load.getByRole('button', { name: 'Import', exact: true }).click()
      await load.getByText(/line 3: a check must be one of/).waitFor()
      await expectAccessible(page, 'the import with an error')
      await load
        .getByRole('textbox', { name: 'Text' })
        .fill('question,expected,check\nAnd holidays?,^You,regex\nMay I?,days,contains\n')
      await load.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByRole('row', { name: /And holidays\?/ }).waitFor()
      await page.getByRole('tab', { name: 'Cases (3)' }).waitFor()

      await page.getByRole('button', { name: 'Edit May I?' }).click()
      const edit = dialogOf(page, 'Edit the test case')
      await edit.getByRole('textbox', { name: 'Expected' }).fill('Nobody says this')
      await edit.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /May I\?.*Nobody says this/ }).waitFor()

      await page.getByRole('button', { name: 'Run tests' }).click()
      await page.getByText('2 of 6 passed').first().waitFor()
      const row = page.getByRole('row', { name: /How many days\?/ })
      await row.getByText('Passed').waitFor()
      await row.getByText('does not contain "25 days"').waitFor()
      await row.getByText('You have 20 days: How many days?').waitFor()
      await expectAccessible(page, 'results of tests')
      await picture(page, 'test-results')
      await page.getByText('Failures (3)').click()
      await page.getByRole('button', { name: 'Delete May I?' }).waitFor({ state: 'hidden' })

      await page.getByRole('link', { name: 'Open the run: How many days?, Draft' }).click()
      await page.getByText('It is 25 days: How many days?').first().waitFor()
    },
  )

  flow(world, 'a test run shows its progress and is stopped', async ({ page }) => {
    await store(world, 'slow', 'Slow', echoGraph())
    const held = Promise.withResolvers<void>()
    world.model.play(() => ({ pieces: ['An', 'swer'], beforePiece: () => held.promise }))
    const { id } = await dataOf(
      world.server.api.post('test/create', { name: 'Slow set', workflow_id: 'slow' }),
    )
    for (const query of ['One?', 'Two?'])
      await dataOf(world.server.api.post('test/saveCase', { id, name: query, inputs: { query } }))
    await page.goto(`${world.server.base}/#/workflows/slow/tests/${id}`)
    await page.getByRole('button', { name: 'Choose what to test' }).click()
    await page.getByRole('menuitem', { name: 'Draft only' }).click()
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor()
    await page.getByText('Waiting…').first().waitFor()
    await expectAccessible(page, 'a test run under way')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('row', { name: /One\?.*Stopped/ }).waitFor()
    held.resolve()
  })

  flow(
    world,
    'a run becomes a case, on its page and in the editor, where it is also repeated',
    async ({ page }) => {
      await store(world, 'kept', 'Kept', says('Answer to {{#sys.query#}}'))
      await page.goto(`${world.server.base}/#/workflows/kept`)
      await page.getByRole('tab', { name: 'Run', exact: true }).click()
      await page.getByRole('textbox', { name: 'Question' }).fill('First?')
      await page.getByRole('textbox', { name: 'Question' }).press('Control+Enter')
      await page.getByRole('button', { name: 'Add to test set' }).click()
      const add = dialogOf(page, 'Add a test case')
      await add.getByRole('textbox', { name: 'Name of the new test set' }).fill('From runs')
      assert.equal(await add.getByRole('textbox', { name: 'Expected' }).inputValue(), 'Answer to First?')
      await expectAccessible(page, 'a run that becomes a case')
      // A case that is refused at first does not create the set twice.
      await choose(add.getByRole('combobox', { name: 'Type of check' }), 'Matches a pattern')
      await add.getByRole('textbox', { name: 'Expected' }).fill('(')
      await add.getByRole('button', { name: 'Save' }).click()
      await add
        .getByText(/is not a regular expression/)
        .first()
        .waitFor()
      await add.getByText('From runs').waitFor()
      await add.getByRole('textbox', { name: 'Expected' }).fill('First')
      await add.getByRole('button', { name: 'Save' }).click()
      await messageShown(page, 'The case was added.')

      await page.getByRole('button', { name: 'Run again' }).click()
      const past = page.getByRole('region', { name: 'Previous runs' })
      await past.getByRole('button').nth(1).waitFor()
      await page.getByRole('button', { name: 'Edit and run' }).click()
      const edit = dialogOf(page, 'Run again with other inputs')
      await edit.getByRole('textbox', { name: 'Question' }).fill('Second?')
      await edit.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('article', { name: 'Answer' }).getByText('Answer to Second?').waitFor()
      await expectAccessible(page, 'the run panel with its actions')
      await picture(page, 'run-panel-actions')

      await page.getByRole('link', { name: 'Open run details' }).click()
      await page.getByRole('heading', { name: 'Run of Kept' }).waitFor()
      await page.getByRole('button', { name: 'Add to test set' }).click()
      await dialogOf(page, 'Add a test case').getByText('From runs').waitFor()
      await dialogOf(page, 'Add a test case').getByRole('button', { name: 'Save' }).click()
      await messageShown(page, 'The case was added.')
      const { items } = await dataOf(world.server.api.post('test/list', { workflow_id: 'kept' }))
      assert.deepEqual(
        items.map((set: { name: string; case_count: number }) => [set.name, set.case_count]),
        [['From runs', 2]],
      )
    },
  )

  flow(
    world,
    'a gate warns and refuses in the publish dialog, which shows the failed cases',
    async ({ page }) => {
      await store(world, 'gated', 'Gated', says('No.'))
      const { id } = await dataOf(
        world.server.api.post('test/create', { name: 'Must pass', workflow_id: 'gated' }),
      )
      const checks = [{ type: 'equals', value: 'Yes.' }]
      await dataOf(
        world.server.api.post('test/saveCase', { id, name: 'Polite', inputs: { query: 'May I?' }, checks }),
      )
      await page.goto(`${world.server.base}/#/workflows/gated/tests/${id}`)
      await choose(page.getByRole('combobox', { name: 'Before publishing' }), 'Refuse')
      await page.getByRole('button', { name: 'Run tests' }).click()
      await page.getByText('0 of 1 passed').first().waitFor()
      await page.getByRole('link', { name: 'Open the workflow' }).click()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      const dialog = dialogOf(page, 'Publish')
      await dialog.getByText('1 of 1 cases have not passed').waitFor()
      await dialog.getByText('The answer is not "Yes."').waitFor()
      await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
      await dialog.getByRole('alert').waitFor()
      await expectAccessible(page, 'a refused publication')
      await picture(page, 'publish-refused')
      await dialog.getByRole('textbox', { name: /^Reason/ }).fill('An urgent fix')
      await dialog.getByRole('button', { name: 'Publish anyway' }).click()
      await messageShown(page, 'although tests have not passed')
      const { workflow } = await dataOf(world.server.api.get('workflow?id=gated'))
      assert.equal(workflow.published_version, workflow.version)
    },
  )

  flow(
    world,
    'an agent has test sets, in Chinese and in the dark theme on a tablet',
    async ({ page }) => {
      const { id: agent_id } = await dataOf(world.server.api.post('agent/create', { name: 'Butler' }))
      world.model.play(() => ({ pieces: ['Good evening.'] }))
      const { id } = await dataOf(world.server.api.post('test/create', { name: 'Manners', agent_id }))
      const checks = [{ type: 'contains', value: 'morning' }]
      await dataOf(
        world.server.api.post('test/saveCase', { id, name: 'Greeting', inputs: { query: 'Hi' }, checks }),
      )
      await page.goto(`${world.server.base}/#/agents/${agent_id}`)
      await page.getByRole('link', { name: '测试集' }).click()
      await page.getByRole('link', { name: 'Manners' }).click()
      await page.getByRole('button', { name: '运行测试' }).click()
      await page.getByText('回答不包含 "morning"').waitFor()
      await expectAccessible(page, 'results of an agent in the dark')
      await picture(page, 'test-results-agent')
    },
    { colorScheme: 'dark', language: 'zh', viewport: { width: 768, height: 1024 } },
  )

  flow(
    world,
    'a viewer reads results and is offered no changes',
    async ({ page }) => {
      const { data } = (await world.server.api.post('token/create', { name: 'Reader', role: 'viewer' })).json
      await page.goto(`${world.server.base}/#token=${data.token}`)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${world.server.base}/#/workflows/gated/tests`)
      await page.getByRole('link', { name: 'Must pass' }).click()
      await page.getByText('0 of 1 passed').first().waitFor()
      assert.equal(await page.getByRole('button', { name: 'Run tests' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Add a case' }).count(), 0)
    },
    { signedIn: false },
  )
})
