import assert from 'node:assert/strict'
import { chain, output } from '../support/run-graphs.ts'
import { node } from '../workflow/graphs.ts'
import { describeConsole, flow, untilTrue } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const value = 'canary-of-the-secrets-page-0123'

describeConsole('Secrets', world => {
  flow(world, 'are added, replaced and deleted by keyboard, and never shown', async ({ page, context }) => {
    const answers: string[] = []
    context.on('response', response => {
      if (response.url().includes('/api/'))
        response
          .text()
          .then(text => answers.push(text))
          .catch(() => undefined)
    })
    await page.goto(`${world.server.base}/#/secrets`)
    await page.getByRole('heading', { name: 'Keep keys out of workflows' }).waitFor()
    await expectAccessible(page, 'the empty page of secrets')
    await page.getByRole('button', { name: 'Add a secret' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add a secret' })
    await page.locator('#secret_name:focus').waitFor()
    const nameField = dialog.getByRole('textbox', { name: 'Name' })
    const valueField = dialog.getByRole('textbox', { name: 'Value' })
    // The dialog may take the focus once more when it has opened.
    await nameField.pressSequentially('my key')
    await nameField.press('Tab')
    await page.locator('#secret_value:focus').waitFor()
    await valueField.pressSequentially('short')
    await valueField.press('Enter')
    await dialog.getByText('Enter at least 8 characters').waitFor()
    await dialog.getByText('Use letters, digits, _ and -, starting with a letter').waitFor()
    await expectAccessible(page, 'the form of a secret')
    await nameField.fill('crm_key')
    await valueField.fill(`${value}\n`)
    await valueField.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: /crm_key/ })
    await row.getByText('{{#secret.crm_key#}}').waitFor()
    // The button that opened the dialog is gone.
    await untilTrue(page, "document.activeElement.id === 'main'")
    await expectAccessible(page, 'the list of secrets')
    await page.getByRole('searchbox', { name: 'Search secrets' }).fill('shop')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).press('Enter')
    await row.waitFor()

    await row.getByRole('button', { name: 'Replace the value of crm_key' }).press('Enter')
    const replace = page.getByRole('dialog', { name: 'Replace the value of crm_key' })
    assert.equal(await replace.getByRole('textbox', { name: 'Value' }).inputValue(), '')
    await page.locator('#secret_value:focus').waitFor()
    const newValue = replace.getByRole('textbox', { name: 'Value' })
    await newValue.pressSequentially(`${value}-4567`)
    await newValue.press('Enter')
    await replace.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(value))
    for (const answer of answers)
      assert.ok(!answer.includes(value), 'an answer of the server holds the value')

    await row.getByRole('button', { name: 'Delete crm_key' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Keep keys out of workflows' }).waitFor()
    await untilTrue(page, "document.activeElement.id === 'main'")
  })

  flow(world, 'are offered in the fields of requests, and nowhere else', async ({ page }) => {
    const { api } = world.server
    await api.post('secret/set', { name: 'shop_key', value })
    const call = node('call', 'http_request', { url: 'https://shop.example', headers: { 'X-Key': '' } })
    const workflow = chain(call, output('say', 'Done'))
    await api.post('workflow/update', { id: 'shop', workflow })
    await page.goto(`${world.server.base}/#/workflows/shop`)
    await page.getByRole('button', { name: /^Fit to screen/ }).click()
    await page.locator('.canvas [data-node="call"]').click()
    const header = page.getByRole('textbox', { name: 'Headers: value of X-Key' })
    await header.pressSequentially('{{#shop_')
    await page.getByRole('option', { name: /Secret shop_key/ }).waitFor()
    await header.press('Enter')
    await header.locator('.reference-chip[title="{{#secret.shop_key#}}"]').waitFor()
    await page.locator('.canvas [data-node="say"]').click()
    const answer = page.getByRole('textbox', { name: 'Answer' })
    await answer.press('Control+Space')
    await page.getByRole('option', { name: /System query/ }).waitFor()
    assert.equal(await page.getByRole('option', { name: /shop_key/ }).count(), 0)
  })
})
