import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import type { ApiClient } from '../support/api-client.ts'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { operatorToken } from '../support/test-server.ts'
import { copiedBy, describeConsole, flow, messageShown, stepMilliseconds } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

/** Creates a token on the tokens page and returns its sign-in link. */
async function makeToken(page: Page, name: string, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Create a token' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('radio', { name: role }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const link = await copiedBy(page, 'Copy link')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: new RegExp(`^${name} `) }).waitFor()
  return link
}

async function signIn(context: BrowserContext, link: string): Promise<Page> {
  context.setDefaultTimeout(stepMilliseconds)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

describeConsole('Access', world => {
  flow(world, 'viewers and editors sign in by their links and see what they can do', async ({ page }) => {
    await world.server.api.upload('hello.txt', 'Hello')
    await page.goto(`${world.server.base}/#/tokens`)
    const [viewerLink, editorLink] = [
      await makeToken(page, 'Reader', 'Viewer'),
      await makeToken(page, 'Writer', 'Editor'),
    ]
    await expectAccessible(page, 'the tokens')

    const viewers = await world.browser.newContext({ locale: 'en-US' })
    const viewer = await signIn(viewers, viewerLink)
    assert.equal(await viewer.getByRole('link', { name: 'Access tokens' }).count(), 0)
    await viewer.goto(`${world.server.base}/#/files`)
    await viewer.getByRole('button', { name: 'Download hello.txt' }).waitFor()
    assert.equal(await viewer.getByRole('button', { name: /Upload|Delete/ }).count(), 0)
    await viewer.goto(`${world.server.base}/#/tokens`)
    await viewer.getByRole('heading', { name: 'Only admins can manage tokens' }).waitFor()
    const tool = { type: 'http', name: 'weather', description: 'The weather', url: 'https://example.com' }
    const { id } = (await world.server.api.post('tool/create', tool)).json.data
    // As the search of everything (Ctrl+K) opens it.
    await viewer.goto(`${world.server.base}/#/tools/${id}`)
    await viewer.getByRole('row', { name: /weather/ }).waitFor()
    assert.equal(await viewer.getByRole('dialog').count(), 0)
    await viewer.goto(`${world.server.base}/#/models`)
    await viewer.getByText('Only admins can add and change models').waitFor()
    assert.equal(await viewer.getByRole('button', { name: /Add|Test/ }).count(), 0)
    await viewer.goto(`${world.server.base}/#/settings`)
    await viewer.getByText('Only system administrators').waitFor()
    assert.equal(await viewer.getByRole('heading', { name: 'Workspaces' }).count(), 0)
    await viewers.close()

    const editors = await world.browser.newContext({ locale: 'en-US' })
    const editor = await signIn(editors, editorLink)
    await editor.goto(`${world.server.base}/#/files`)
    await editor.getByRole('button', { name: 'Delete hello.txt' }).waitFor()
    await editor.goto(`${world.server.base}/#/tokens`)
    await editor.getByRole('heading', { name: 'Only admins can manage tokens' }).waitFor()

    // By keyboard: the focus is in the question, and back at the button after Escape.
    const revoke = page.getByRole('button', { name: 'Revoke Writer' })
    const asked = page.getByRole('tooltip')
    const isFocused = page.locator(':focus')
    await revoke.press('Enter')
    await asked.getByRole('button', { name: 'Cancel' }).and(isFocused).waitFor()
    await page.keyboard.press('Escape')
    await revoke.and(isFocused).waitFor()
    await revoke.press('Enter')
    await asked.getByRole('button', { name: 'Cancel' }).and(isFocused).waitFor()
    await page.keyboard.press('Tab')
    await asked.getByRole('button', { name: 'Revoke' }).and(isFocused).press('Enter')
    await page.getByRole('row', { name: /^Writer / }).waitFor({ state: 'detached' })
    await page.getByRole('table').and(isFocused).waitFor()
    await editor.goto(`${world.server.base}/#/usage`)
    await editor.getByRole('button', { name: 'Sign in' }).waitFor()
    await editors.close()
  })

  flow(world, 'a runner token is created for agents chosen by name', async ({ page }) => {
    const { id } = (await world.server.api.post('agent/create', { name: 'Butler' })).json.data
    await page.goto(`${world.server.base}/#/tokens`)
    await page.getByRole('button', { name: 'Create a token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a token' })
    await dialog.getByRole('radio', { name: 'Runner' }).check()
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByText('Choose at least one agent').waitFor()
    await dialog.getByText('Enter a name').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Front desk')
    const agents = dialog.getByRole('combobox', { name: 'Agents it can chat with' })
    await choose(agents, 'Butler')
    await agents.press('Escape')
    await dialog.getByRole('textbox', { name: 'User ID' }).fill('user_42')
    await expectAccessible(page, 'the form of a token')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const made = page.getByRole('dialog', { name: 'Front desk created' })
    await made.getByText('You cannot view it again').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    // A clipboard that is not available is reported, too.
    await page.evaluate(`(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
      document.execCommand = () => false
    })()`)
    await made.getByRole('button', { name: 'Copy token' }).click()
    await messageShown(page, 'copy it manually')
    assert.equal(await made.getByRole('button', { name: 'Copy link' }).count(), 0)
    await made.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Front desk Runner Butler user_42/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search tokens' }).fill('front')
    await page.getByRole('row', { name: /operator/ }).waitFor({ state: 'detached' })

    const kiosk = await world.server.api.post('token/create', {
      name: 'Kiosk',
      role: 'runner',
      agent_ids: [id],
    })
    const runners = await world.browser.newContext({ locale: 'en-US' })
    const runner = await signIn(runners, `${world.server.base}/#token=${kiosk.json.data.token}`)
    const links = runner.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    assert.deepEqual(await links.allTextContents(), ['Overview', 'Runs', 'Settings', 'API reference'])
    await runner.getByRole('link', { name: 'Runs' }).click()
    await runner.getByText('No runs yet').waitFor()
    // Such as from a bookmark of an editor.
    await runner.goto(`${world.server.base}/#/agents/${id}`)
    await runner.getByRole('heading', { name: 'This token is for chatting with agents' }).waitFor()
    await runners.close()
  })

  flow(world, 'a runner with several agents sees the runs of one at a time', async ({ page }) => {
    const { api } = world.server
    const ids: string[] = []
    for (const name of ['Cook', 'Gardener']) {
      const id = await makeAgent(api, {}, { name })
      await say(api, await openTalk(api, id), `Hello ${name}`)
      ids.push(id)
    }
    const made = await api.post('token/create', { name: 'Door', role: 'runner', agent_ids: ids })
    await page.addInitScript(token => localStorage.setItem('banyan.token', token), made.json.data.token)
    await page.goto(`${world.server.base}/#/runs`)
    const run = (name: string) => page.getByRole('row', { name: new RegExp(`${name} Hello ${name}`) })
    await run('Cook').waitFor()
    await choose(page.getByRole('combobox', { name: 'Agent' }), 'Gardener')
    await run('Gardener').waitFor()
    await run('Cook').waitFor({ state: 'detached' })
    await run('Gardener').getByRole('link', { name: 'Gardener' }).click()
    await page.getByRole('heading', { name: 'Run of Gardener' }).waitFor()
    // What the server refuses to a runner is not offered.
    assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 0)
    assert.equal(await page.locator('dd').getByRole('link').count(), 0)
  })

  flow(
    world,
    'a browser that switches tokens does not show cached data of the other workspace',
    async ({ page }) => {
      const { api } = world.server
      const { token } = (await api.post('workspace/create', { name: 'Other' })).json.data
      const store = (client: ApiClient, note: string) =>
        client.post('workflow/update', { id: 'order', workflow: { nodes: [], edges: [], note } })
      await store(api, 'mine')
      await store(api.as(token), 'theirs')
      await page.goto(world.server.base)
      const notes = await page.evaluate(
        async tokens => {
          const found: string[] = []
          for (const each of tokens) {
            const headers = { authorization: `Bearer ${each}` }
            const answer = await fetch('/api/v1/workflow?id=order', { headers })
            const text = await answer.text()
            found.push(JSON.parse(text).data.workflow.config.note as string)
          }
          return found
        },
        [operatorToken, operatorToken, token, token, operatorToken],
      )
      assert.deepEqual(notes, ['mine', 'mine', 'theirs', 'theirs', 'mine'])
    },
  )

  flow(world, 'revoking the current token warns, and signs out', async ({ page, context }) => {
    const own = (await world.server.api.post('token/create', { name: 'Second admin', role: 'admin' })).json
      .data
    await context.addInitScript(`localStorage.setItem('banyan.token', ${JSON.stringify(own.token)})`)
    await page.goto(`${world.server.base}/#/tokens`)
    await page.getByRole('row', { name: /Second admin Current session/ }).waitFor()
    await page.getByRole('button', { name: 'Revoke Second admin' }).click()
    await page.getByText('Revoke the token you are signed in with?').waitFor()
    await page.getByRole('tooltip').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  flow(
    world,
    'system administrators see settings without secrets, and create and delete workspaces',
    async ({ page }) => {
      await page.goto(`${world.server.base}/#/settings`)
      await page.getByRole('heading', { name: 'Server settings' }).waitFor()
      await page.getByRole('row', { name: /MODEL_API_KEY set/ }).waitFor()
      assert.ok(!(await page.content()).includes(world.model.apiKey))
      await page.getByRole('searchbox', { name: 'Search settings' }).fill('web search')
      await page.getByRole('row', { name: /PORT/ }).waitFor({ state: 'detached' })
      await page.getByRole('row', { name: /WEB_SEARCH_URL/ }).waitFor()

      await page.getByRole('button', { name: 'Create a workspace' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Team tea')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByText('You cannot view it again').waitFor()
      const secret = await copiedBy(page, 'Copy token')
      const theirs = world.server.api.as(secret)
      assert.equal((await theirs.get('token/self')).json.data.workspace_name, 'Team tea')
      await page.getByRole('button', { name: 'Done' }).click()
      assert.equal(await page.getByRole('button', { name: 'Delete default' }).count(), 0)
      await page.getByRole('button', { name: 'Delete Team tea' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete Team tea?' })
      const confirm = dialog.getByRole('button', { name: 'Delete' })
      assert.ok(await confirm.isDisabled())
      await expectAccessible(page, 'the question before a workspace is deleted')
      await dialog.getByLabel('Type “Team tea” to confirm').fill('Team tea')
      await confirm.click()
      await page.getByRole('row', { name: /Team tea/ }).waitFor({ state: 'detached' })
      assert.equal((await theirs.get('token/self')).status, 401)
      await page.getByRole('region', { name: 'Console' }).getByText('Dark').click()
      await page.locator('html[data-theme=dark]').waitFor()
      await expectAccessible(page, 'the settings in the dark')
    },
  )
})
