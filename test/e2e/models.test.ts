import assert from 'node:assert/strict'
import { describeConsole, flow } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const key = 'sk-canary-of-the-models-page-x9Qz'

describeConsole('Models', world => {
  flow(world, 'are added, tested, made the default, changed and deleted', async ({ page, context }) => {
    const answers: string[] = []
    context.on('response', response => {
      if (response.url().includes('/api/'))
        response
          .text()
          .then(text => answers.push(text))
          .catch(() => undefined)
    })
    await page.goto(`${world.server.base}/#/models`)
    const settings = page.getByRole('article', { name: 'scripted' })
    await settings.getByText('This model comes from the server settings').waitFor()
    assert.equal(await settings.getByRole('button', { name: /Edit|Delete/ }).count(), 0)
    await settings.getByRole('button', { name: 'Test scripted' }).click()
    await settings.getByText(/Answered in [\d,]+ ms/).waitFor()

    await page.getByRole('button', { name: 'Add a model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a model' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Required').first().waitFor()
    await choose(dialog.getByLabel('Provider'), 'Ollama')
    assert.equal(await dialog.getByLabel('Base URL').inputValue(), 'http://127.0.0.1:11434/v1')
    await dialog.getByText('EGRESS_ALLOW=127.0.0.1:11434').waitFor()
    await expectAccessible(page, 'the form of a model')
    await dialog.getByLabel('Base URL').fill(`${world.model.origin}/v1`)
    await dialog.getByRole('textbox', { name: 'Model ID' }).fill('tiny')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('fast')
    await dialog.getByRole('textbox', { name: 'API key' }).fill(key)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })

    const card = page.getByRole('article', { name: 'fast' })
    await card.getByText('stored, ends with x9Qz').waitFor()
    await card.getByRole('button', { name: 'Test fast' }).click()
    await card.getByText(/Answered in/).waitFor()
    assert.equal(world.model.calls.chat.at(-1)?.headers.authorization, `Bearer ${key}`)
    world.model.play(() => ({ status: 401, message: 'no such key' }))
    await card.getByRole('button', { name: 'Test fast' }).click()
    await card.getByText('Test failed').waitFor()
    world.model.reset()
    await card.getByRole('button', { name: 'Make fast the default' }).click()
    await card.getByText('Default', { exact: true }).waitFor()
    assert.equal(await settings.getByText('Default', { exact: true }).count(), 0)

    await card.getByRole('button', { name: 'Edit fast' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit model' })
    assert.equal(await edit.getByRole('textbox', { name: 'API key' }).inputValue(), '')
    await edit.getByLabel('Temperature').fill('0.4')
    await edit.getByRole('button', { name: 'Save' }).click()
    await card.getByText('0.4').waitFor()
    await card.getByText('stored, ends with x9Qz').waitFor()
    await expectAccessible(page, 'the models page')
    assert.ok(!(await page.content()).includes(key))
    for (const answer of answers) assert.ok(!answer.includes(key), 'an answer of the server holds the key')

    await card.getByRole('button', { name: 'Delete fast' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Delete' }).click()
    await card.waitFor({ state: 'detached' })
    await settings.getByText('Default', { exact: true }).waitFor()
  })

  flow(world, 'show why the server rejects them', async ({ page }) => {
    await page.goto(`${world.server.base}/#/models`)
    await page.getByRole('button', { name: 'Add a model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a model' })
    await dialog.getByLabel('Base URL').fill('not an address')
    await dialog.getByRole('textbox', { name: 'Model ID' }).fill('tiny')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('wrong')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('/base_url').first().waitFor()
  })
})
