import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { addTexts, makeBase } from '../support/knowledge.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const names = (page: Page): Promise<string[]> => page.locator('.file-name').allTextContents()

/** The names that the table eventually shows, in exactly this order. */
async function expectNames(page: Page, expected: string[]): Promise<void> {
  const shown = page.locator('.file-name')
  for (const [at, name] of expected.entries())
    await shown
      .nth(at)
      .and(page.getByRole('button', { name: `Preview ${name}`, exact: true }))
      .waitFor()
  // The previous list may start with the same names.
  await shown.nth(expected.length).waitFor({ state: 'detached' })
  assert.deepEqual(await names(page), expected)
}

describeConsole('Files', world => {
  flow(world, 'are uploaded, searched, sorted and shown page by page', async ({ page }) => {
    await page.goto(`${world.server.base}/#/files`)
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    await expectAccessible(page, 'the empty list of files')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload files' }).first().click()
    await (await chooser).setFiles(
      Array.from({ length: 22 }, (_, at) => ({
        name: `note ${String(at).padStart(2, '0')}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from('x'.repeat(100 - at)),
      })),
    )
    const uploads = page.getByRole('region', { name: 'Uploads' })
    await uploads.getByText('22 files added').waitFor()
    await uploads.getByRole('button', { name: 'Close' }).click()
    await page.getByText('22 files', { exact: true }).waitFor()

    const all = Array.from({ length: 22 }, (_, at) => `note ${String(at).padStart(2, '0')}.txt`)
    await page.getByRole('columnheader', { name: 'Name' }).click()
    await expectNames(page, all.slice(0, 20))
    await page.getByTitle('2', { exact: true }).click()
    await expectNames(page, all.slice(20))
    await page.getByRole('columnheader', { name: 'Size' }).click()
    await expectNames(page, all.toReversed().slice(0, 20))
    await page.getByRole('columnheader', { name: 'Size' }).click()
    await expectNames(page, all.slice(0, 20))
    await expectAccessible(page, 'the list of files')
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('NOTE 07')
    await expectNames(page, ['note 07.txt'])
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('nothing of the kind')
    await page.getByRole('button', { name: 'Show all files' }).click()
    await expectNames(page, all.slice(0, 20))
    assert.equal((await names(page)).length, 20)
  })

  flow(world, 'are dropped anywhere on the page', async ({ page }) => {
    await page.goto(`${world.server.base}/#/files`)
    await page.getByRole('searchbox', { name: 'Search by name' }).waitFor()
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      const send = name => document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }))
      send('dragenter')
      window.dropNow = () => send('drop')
    })()`)
    await page.getByText('Drop to upload').waitFor()
    await page.evaluate('window.dropNow()')
    await page.getByRole('button', { name: 'Preview dropped.txt' }).waitFor()
    assert.equal(await page.getByText('Drop to upload').count(), 0)
  })

  flow(world, 'continue uploading while another page is open, and can be canceled', async ({ page }) => {
    let lists = 0
    await page.route('**/api/v1/files/upload?*', route =>
      route.request().url().includes('held') ? undefined : route.continue(),
    )
    await page.route('**/api/v1/files', route => {
      lists++
      return route.continue()
    })
    await page.goto(`${world.server.base}/#/files`)
    const upload = page.getByRole('button', { name: 'Upload files' }).first()
    await upload.waitFor()
    const chooser = page.waitForEvent('filechooser')
    await upload.click()
    const before = lists
    const text = { mimeType: 'text/plain', buffer: Buffer.from('x') }
    await (await chooser).setFiles([
      ...Array.from({ length: 40 }, (_, at) => ({ name: `many ${at}.txt`, ...text })),
      { name: 'held.txt', ...text },
    ])
    const uploads = page.getByRole('region', { name: 'Uploads' })
    await uploads.getByText('Uploading 40 of 41').waitFor()
    assert.ok(lists - before < 30, `the list was fetched ${lists - before} times for 40 files`)
    await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    // The browser asks although the files page was left.
    assert.equal(
      await page.evaluate("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"),
      true,
    )
    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click()
    await uploads.getByRole('button', { name: 'Cancel held.txt' }).click()
    await uploads.getByText('40 files added · 1 canceled').waitFor()
    assert.equal(
      await page.evaluate("window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"),
      true,
    )
  })

  flow(
    world,
    'are previewed without running their content',
    async ({ page }) => {
      const { api } = world.server
      await api.upload('evil.html', '<script>document.title = "taken"</script><h1>Hi</h1>', 'text/html')
      const drawing =
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
      await api.upload('evil.svg', drawing, 'image/svg+xml')
      await api.upload('paper.pdf', '%PDF-1.4\n%%EOF', 'application/pdf')
      await page.goto(`${world.server.base}/#/files`)
      page.on('dialog', () => assert.fail('script of a file ran'))
      await page.getByRole('button', { name: 'Preview evil.html' }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('<h1>Hi</h1>').waitFor()
      assert.equal(await drawer.getByRole('heading', { name: 'Hi' }).count(), 0)
      await expectAccessible(page, 'the preview of a text')
      const saved = page.waitForEvent('download')
      await drawer.getByRole('button', { name: 'Download' }).click()
      assert.equal((await saved).suggestedFilename(), 'evil.html')
      await drawer.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Preview evil.svg' }).click()
      await page.getByRole('img', { name: 'evil.svg' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Preview paper.pdf' }).click()
      await page.getByText('No preview for PDF documents').waitFor()
      assert.match(await page.title(), /^Files/)
    },
    { colorScheme: 'dark' },
  )

  flow(world, 'are deleted in bulk, files in use only after a second confirmation', async ({ page }) => {
    const { api } = world.server
    const base = await makeBase(api, { name: 'Handbook' })
    await addTexts(api, base, { 'delete me too.txt': 'Tea is served at five.' })
    await api.upload('delete me.txt', 'x')
    await page.goto(`${world.server.base}/#/files`)
    // By keyboard: the button of a dialog that is still opening can move away between the two halves of a click.
    const confirm = () =>
      page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('delete me')
    await expectNames(page, ['delete me.txt', 'delete me too.txt'])
    await page.getByRole('checkbox', { name: 'delete me.txt' }).check()
    await page.getByRole('checkbox', { name: 'delete me too.txt' }).check()
    await page.getByRole('button', { name: 'Delete 2' }).click()
    await confirm()
    const question = page.getByRole('dialog', { name: 'This file is in use and was kept' })
    await question.getByRole('link', { name: 'Handbook' }).waitFor()
    await expectAccessible(page, 'the question about files in use')
    await question.getByRole('button', { name: 'Keep' }).click()
    await expectNames(page, ['delete me too.txt'])
    await page.getByRole('button', { name: 'Delete delete me too.txt' }).click()
    await confirm()
    await question.getByRole('button', { name: 'Delete with documents' }).click()
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    assert.equal((await api.get(`knowledge/${base}/files`)).json.data.total, 0)
  })
})
