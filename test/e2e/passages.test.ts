import assert from 'node:assert/strict'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { describeConsole, flow, messageShown, untilTrue } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const rules = Array.from({ length: 40 }, (_, at) => `Rule ${at} says what to do on day ${at} of the year.`)

describeConsole('Passages', world => {
  flow(
    world,
    'the passages of a file are previewed with other settings, and the file is added',
    async ({ page }) => {
      const { api } = world.server
      const id = await makeBase(api, { chunking: { strategy: 'auto', size: 400, overlap: 0 } })
      await page.goto(`${world.server.base}/#/knowledge/${id}`)
      await page.getByRole('button', { name: 'Preview passages' }).click()
      const dialog = page.getByRole('dialog', { name: 'Preview passages' })
      await dialog.getByText('Choose a file or a document').waitFor()
      const text = `Item | Price\nTea | 3\nCake | 5\n\n${rules.join(' ')}`
      await dialog
        .getByLabel('File to preview')
        .setInputFiles({ name: 'rules.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
      const result = dialog.getByRole('region', { name: 'Passages of the preview' })
      const passages = result.getByRole('listitem')
      await result.getByText('Rule 0 says').waitFor()
      await result.getByRole('cell', { name: 'Cake' }).waitFor()
      const before = await passages.count()
      await dialog.getByLabel('Max passage length (tokens)').fill('100')
      await dialog.getByLabel('Max passage length (tokens)').press('Tab')
      await untilTrue(page, `document.querySelectorAll('.kb-preview-result li.kb-chunk').length > ${before}`)
      await expectAccessible(page, 'the preview of passages')
      await page.screenshot({ path: 'test-results/preview.png' })
      assert.equal((await dataOf(api.get(`knowledge/${id}`))).document_count, 0)
      const shown = await passages.count()
      await dialog.getByRole('button', { name: 'Add document' }).click()
      const row = page.getByRole('row').filter({ hasText: 'rules.txt' })
      await row.getByText('Ready', { exact: true }).waitFor()
      assert.equal((await dataOf(api.get(`knowledge/${id}`))).chunk_count, shown)
    },
  )

  flow(
    world,
    '在设置中预览已有文档的段落，并采用新的设置',
    async ({ page }) => {
      const { api } = world.server
      const id = await makeBase(api)
      await addTexts(api, id, { 'rules.md': '# 甲\n\n第一条。\n\n# 乙\n\n第二条。' })
      await page.goto(`${world.server.base}/#/knowledge/${id}/settings`)
      const index = page.getByRole('region', { name: '索引设置' })
      await index.getByRole('button', { name: '预览段落' }).click()
      const dialog = page.getByRole('dialog', { name: '预览段落' })
      await choose(dialog.getByRole('combobox', { name: '或此知识库中的文档' }), 'rules.md')
      await dialog.getByText('共 1 个段落').waitFor()
      await dialog.getByRole('radio', { name: '按标题' }).check()
      await dialog.getByText('共 2 个段落').waitFor()
      await expectAccessible(page, '预览')
      await page.screenshot({ path: 'test-results/preview-zh.png' })
      await dialog.getByRole('button', { name: '采用这些设置' }).click()
      await dialog.waitFor({ state: 'hidden' })
      assert.equal(await index.getByRole('radio', { name: '按标题' }).isChecked(), true)
      await index.getByRole('button', { name: '保存并重建索引' }).click()
      await page.getByRole('dialog').getByRole('button', { name: '保存并重建索引' }).click()
      await messageShown(page, '正在重建索引')
    },
    { colorScheme: 'dark', language: 'zh' },
  )

  for (const language of ['en', 'zh'] as const) {
    const words = {
      en: [
        'Add a passage',
        'Text of the new passage',
        'Added by hand',
        'Delete passage 2',
        'Edit passage 2',
        'Delete',
      ],
      zh: ['添加段落', '新段落的文本', '手工添加', '删除段落 2', '修改段落 2', '删除'],
    }[language] as [string, string, string, string, string, string]
    const [add, label, manual, remove, edit, yes] = words
    flow(
      world,
      `a passage is added by hand, found, edited and deleted (${language})`,
      async ({ page }) => {
        const { api } = world.server
        const id = await makeBase(api)
        const [fileId] = await addTexts(api, id, { 'rules.md': 'Dogs are welcome.' })
        await page.goto(`${world.server.base}/#/knowledge/${id}/documents/${fileId}`)
        await page.getByRole('button', { name: add }).click()
        const text = page.getByRole('textbox', { name: label })
        await text.fill('Animal | Where\nParrot | cage')
        await expectAccessible(page, 'a new passage')
        await text.press('Control+Enter')
        const passage = page.locator('.kb-chunk').filter({ hasText: manual })
        await passage.getByRole('cell', { name: 'cage' }).waitFor()
        await expectAccessible(page, 'a passage that was added')
        await page.screenshot({ path: `test-results/manual-${language}.png` })
        const found = await dataOf(api.post(`knowledge/${id}/search`, { query: 'parrot' }))
        assert.equal(found.items.length, 1)
        await passage.getByRole('button', { name: edit }).click()
        await passage.getByRole('textbox', { name: edit }).fill('Canaries stay in a cage.')
        await passage.getByRole('textbox', { name: edit }).press('Control+Enter')
        await passage.getByText('Canaries stay').waitFor()
        await passage.getByRole('button', { name: remove }).click()
        await page.getByRole('tooltip').getByRole('button', { name: yes }).click()
        await passage.waitFor({ state: 'detached' })
        assert.equal((await dataOf(api.get(`knowledge/${id}`))).chunk_count, 1)
      },
      { language, colorScheme: language === 'zh' ? 'dark' : 'light' },
    )
  }
})
