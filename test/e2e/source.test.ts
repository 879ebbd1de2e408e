import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { makePdf } from '../support/documents/make-pdf.ts'
import { makeImage } from '../support/documents/make-scan.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { makeAgent } from '../support/talk.ts'
import { ask } from '../support/watch.ts'
import { type ConsoleWorld, describeConsole, flow, untilTrue } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const line = (text: string, y: number) => ({ text, at: { x: 90, y, width: 420 } })

/** A PDF of forty pages whose passage about the crossing goes over two of them. */
const island = () =>
  makePdf({
    pages: Array.from({ length: 40 }, (_, at) => {
      if (at === 20) return [line('The ferry crosses the sound at noon, and whoever wants', 780)]
      if (at === 21) return [line('to see puffins stands at the rail on the left side.', 72)]
      return [line(`Page ${at + 1} is about the history of the island and its people.`, 120)]
    }),
  })

const menu = [
  '# Canteen',
  '',
  'Lunch is **served** from noon.',
  '',
  '| Dish | Price |',
  '|---|---|',
  '| Soup | 4 |',
  '| Rice with tofu | 6 |',
  '',
  '- Bring your own cup',
  '- Pay by card, never `<img src=x onerror="window.attacked=1">`',
].join('\n')

async function baseWith(world: ConsoleWorld, name: string, content: Uint8Array | string, type: string) {
  const { api } = world.server
  const base = await makeBase(api, { chunking: { strategy: 'auto', size: 100, overlap: 0 } })
  const fileId: string = (await dataOf(api.upload(name, content, type))).file_id
  await dataOf(api.post(`knowledge/${base}`, { file_ids: [fileId] }))
  await whenIngested(api, base)
  return { base, fileId }
}

const panel = (page: Page, name: string) => page.getByRole('complementary', { name: `Source: ${name}` })

/** Whether an element is inside the visible part of the list of pages. */
const isInView = (selector: string) => `(() => {
  const found = document.querySelector(${JSON.stringify(selector)})
  const pages = document.querySelector('.pdf-pages')
  if (!found || !pages) return false
  const [one, all] = [found.getBoundingClientRect(), pages.getBoundingClientRect()]
  return one.height > 0 && one.top >= all.top && one.bottom <= all.bottom
})()`

describeConsole(
  'Sources',
  world => {
    flow(
      world,
      'a cited PDF is shown beside the answer, with the passage of two pages highlighted',
      async visit => {
        const { page } = visit
        const { base } = await baseWith(world, 'island.pdf', await island(), 'application/pdf')
        const agentId = await makeAgent(world.server.api, {}, { name: 'Guide', learn: { [base]: {} } })
        world.model.play(() => ({ text: 'Stand on the left side [1].' }))
        const loaded: string[] = []
        page.on('request', request => loaded.push(new URL(request.url()).pathname))
        await page.goto(`${world.server.base}/#/agents/${agentId}/chat`)
        const input = page.getByLabel('Message', { exact: true })
        await input.fill('Where do I see puffins from the ferry?')
        await input.press('Enter')
        const mark = page.getByRole('log').getByRole('button', { name: 'Source 1: island.pdf' }).first()
        await mark.waitFor()
        assert.equal(
          loaded.filter(path => /pdf/.test(path)).length,
          0,
          'the reader of PDFs is loaded on demand',
        )
        await mark.click()
        const source = panel(page, 'island.pdf')
        await source.getByText('p. 21–22').waitFor()
        await untilTrue(page, isInView('.pdf-box'))
        await source.locator('[data-page="21"] [data-is-complete]').waitFor()
        assert.match(await source.locator('[data-page="21"]').innerText(), /ferry crosses the sound/)
        for (const number of [21, 22])
          assert.ok(
            (await source.locator(`[data-page="${number}"] .pdf-box`).count()) > 0,
            `boxes on ${number}`,
          )
        // Only pages in view are drawn.
        assert.ok((await source.locator('canvas').count()) < 8)
        await expectAccessible(page, 'a PDF beside the answer')
        await picture(page, 'source-pdf')

        assert.equal(await source.getByLabel('Page number').inputValue(), '21')
        await source.getByRole('button', { name: 'Zoom in' }).click()
        await source.getByText('125 %').waitFor()
        await source.getByLabel('Page number').fill('3')
        await source.getByLabel('Page number').press('Enter')
        await source.locator('[data-page="3"] canvas').waitFor()
        await source.locator('[data-page="21"] canvas').waitFor({ state: 'detached' })
        const download = page.waitForEvent('download')
        await source.getByRole('button', { name: 'Download original' }).click()
        assert.equal((await download).suggestedFilename(), 'island.pdf')

        // The chat goes on beside it.
        await input.fill('And on the way back?')
        await input.press('Enter')
        await page.getByRole('log').getByText('And on the way back?').waitFor()
        assert.ok(await source.isVisible())
        await source.getByRole('separator').focus()
        const before = (await source.boundingBox())!.width
        await page.keyboard.press('ArrowLeft')
        await untilTrue(page, `document.querySelector('.source-panel').offsetWidth > ${before}`)
        await mark.click()
        await untilTrue(page, isInView('.pdf-box'))
        await page.keyboard.press('Escape')
        await source.waitFor({ state: 'detached' })
        await untilTrue(page, "document.activeElement.matches('.citation-mark')")
      },
    )

    flow(world, 'text is shown with its tables, from results, passages and documents', async ({ page }) => {
      const { base, fileId } = await baseWith(world, 'canteen.md', menu, 'text/markdown')
      await page.goto(`${world.server.base}/#/knowledge/${base}/search?q=tofu`)
      const result = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first()
      await result
        .getByRole('cell', { name: 'Rice with tofu' })
        .locator('mark', { hasText: 'tofu' })
        .waitFor()
      await result.getByRole('columnheader', { name: 'Price' }).waitFor()
      await result.getByRole('button', { name: 'Show result 1 in the document' }).click()
      const source = panel(page, 'canteen.md')
      // Formatted as in the file: what is bold there is bold here.
      await source.getByRole('heading', { name: 'Canteen', exact: true }).waitFor()
      await source.locator('strong', { hasText: 'served' }).waitFor()
      await source.getByRole('cell', { name: 'Rice with tofu' }).locator('mark').waitFor()
      await source.getByText('<img src=x').waitFor()
      await expectAccessible(page, 'Markdown beside the results')
      await picture(page, 'source-markdown')
      await source.getByText('Text', { exact: true }).click()
      const passage = source.getByRole('region', { name: 'Cited passage' })
      await passage.getByRole('cell', { name: 'Rice with tofu' }).waitFor()
      await passage.getByText('<img src=x').waitFor()
      await expectAccessible(page, 'a text beside the results')
      await page.screenshot({ path: 'test-results/source-text.png' })
      await source.getByRole('link', { name: 'Open in document' }).click()
      await source.waitFor({ state: 'detached' })
      await page.locator('[aria-current="location"]').getByRole('columnheader', { name: 'Dish' }).waitFor()
      await page.getByRole('button', { name: 'Show passage 1 in the document' }).click()
      await source.locator('li mark', { hasText: 'Bring your own cup' }).waitFor()
      await source.getByRole('button', { name: 'Close source' }).click()
      await source.waitFor({ state: 'detached' })
      await page.goto(`${world.server.base}/#/knowledge/${base}`)
      await page.getByRole('button', { name: 'Show canteen.md' }).click()
      await source.getByText('Soup').waitFor()
      assert.equal(await passage.count(), 0)
      assert.equal(await source.locator('mark').count(), 0)
      assert.equal(await page.evaluate('window.attacked'), undefined)
      assert.ok(fileId)
    })

    flow(
      world,
      'Markdown, web pages and edited passages are shown formatted in Chinese and the dark theme',
      async ({ page }) => {
        const { api } = world.server
        const sections = Array.from(
          { length: 30 },
          (_, at) => `## Section ${at}\n\nText number ${at} of the guide.`,
        )
        const guide = `---\ntitle: Guide\n---\n# Guide\n\n${sections.join('\n\n')}\n\n## Ferries\n\n1. Buy a *ticket* for the ferry\n2. Wait at the [pier](https://example.com/pier)\n`
        const { base, fileId } = await baseWith(world, 'guide.md', guide, 'text/markdown')
        const ferry = (await ask(api, base, 'ticket for the ferry')).items[0]
        await page.goto(`${world.server.base}/#/knowledge/${base}/search?q=ticket for the ferry`)
        const show = page.getByRole('button', { name: '在文档中显示第 1 个结果' })
        await show.click()
        const source = page.getByRole('complementary', { name: '来源：guide.md' })
        await source.locator('li mark', { hasText: 'ticket' }).waitFor()
        await source.getByRole('link', { name: 'pier' }).waitFor()
        await source.getByRole('heading', { name: 'Section 3', exact: true }).waitFor()
        assert.equal(await source.getByText('title: Guide').count(), 0)
        await untilTrue(
          page,
          `(() => {
            const box = document.querySelector('.source-mark').getBoundingClientRect()
            return box.top > 0 && box.bottom < window.innerHeight
          })()`,
        )
        await expectAccessible(page, 'Markdown in the dark')
        await picture(page, 'source-markdown-zh')
        await source.getByRole('button', { name: '关闭来源' }).click()

        // An edited passage is not in the file, so the text with the edit is shown.
        await dataOf(
          api.post(`knowledge/${base}/files/${fileId}/chunks/${ferry.chunk_id}/update`, {
            content: 'The ticket for the ferry is free on Sundays and costs nothing else at all.',
          }),
        )
        await page.reload()
        await show.click()
        await source.getByRole('region', { name: '引用的段落' }).getByText('free on Sundays').waitFor()

        const html =
          '<h1>Island</h1><h2>Puffins</h2><table><tr><th>Bird</th><th>Month</th></tr><tr><td>Puffin</td><td>May</td></tr><tr><td>Gull</td><td>June</td></tr></table><ul><li>Bring binoculars</li></ul>'
        const web = await baseWith(world, 'island.html', html, 'text/html')
        await page.goto(`${world.server.base}/#/knowledge/${web.base}/search?q=puffin binoculars`)
        await show.click()
        const island = page.getByRole('complementary', { name: '来源：island.html' })
        await island.getByRole('heading', { name: 'Puffins' }).waitFor()
        await island.getByRole('region', { name: '引用的段落' }).getByRole('cell', { name: 'May' }).waitFor()
        await expectAccessible(page, 'a web page in the dark')
        await picture(page, 'source-html-zh')
      },
      { colorScheme: 'dark', language: 'zh' },
    )

    flow(world, 'an image is shown as it is, and its text', async ({ page }) => {
      world.model.play(() => ({ text: 'Opening hours: nine to five.' }))
      const { base } = await baseWith(world, 'sign.png', makeImage(3, 'png', [300, 200]), 'image/png')
      const [found] = (await ask(world.server.api, base, 'opening hours')).items
      assert.ok(found)
      await page.goto(`${world.server.base}/#/knowledge/${base}/search?q=hours`)
      await page.getByRole('button', { name: 'Show result 1 in the document' }).click()
      const source = panel(page, 'sign.png')
      await source.getByRole('img', { name: 'sign.png' }).waitFor()
      await expectAccessible(page, 'an image beside the results')
      await source.getByText('Text', { exact: true }).click()
      await source.getByRole('region', { name: 'Cited passage' }).getByText('nine to five').waitFor()
    })

    flow(world, 'a passage that changed or is gone is explained and quoted', async ({ page }) => {
      const { api } = world.server
      const base = await makeBase(api)
      const [fileId] = await addTexts(api, base, { 'rules.txt': 'Dogs are welcome in the garden.' })
      const agentId = await makeAgent(api, {}, { name: 'Porter', learn: { [base]: {} } })
      world.model.play(() => ({ text: 'They are [1].' }))
      await page.goto(`${world.server.base}/#/agents/${agentId}/chat`)
      await page.getByLabel('Message', { exact: true }).fill('Are dogs welcome?')
      await page.getByLabel('Message', { exact: true }).press('Enter')
      const mark = page.getByRole('log').getByRole('button', { name: 'Source 1: rules.txt' }).first()
      await mark.waitFor()
      await dataOf(api.post(`knowledge/${base}/rebind`, { file_ids: [fileId] }))
      await whenIngested(api, base)
      await mark.click()
      const source = panel(page, 'rules.txt')
      await source.getByText('The document has been re-processed since').waitFor()
      await source.locator('blockquote').getByText('Dogs are welcome').waitFor()
      await expectAccessible(page, 'a passage that changed')
      // In a narrow window it shares the room with the answer, and gives the focus back.
      await page.setViewportSize({ width: 768, height: 1024 })
      const [answer, shown] = [(await page.getByRole('log').boundingBox())!, (await source.boundingBox())!]
      assert.ok(answer.height > 200 && answer.y + answer.height <= shown.y, 'nothing of it is covered')
      await expectAccessible(page, 'a source below the answer')
      await source.getByRole('button', { name: 'Close source' }).click()
      await mark.and(page.locator(':focus')).waitFor()
      await dataOf(api.post(`knowledge/${base}/files/${fileId}/delete`, {}))
      await mark.click()
      await source.getByText('This document is no longer in the knowledge base.').waitFor()
      await source.locator('blockquote').getByText('Dogs are welcome').waitFor()
      await expectAccessible(page, 'a document that is gone')
    })

    flow(
      world,
      '在对话旁以中文、深色显示来源',
      async ({ page }) => {
        const { base } = await baseWith(world, 'island.pdf', await island(), 'application/pdf')
        await page.goto(`${world.server.base}/#/knowledge/${base}/search?q=puffins`)
        await page.getByRole('button', { name: '在文档中显示第 1 个结果' }).click()
        const source = page.getByRole('complementary', { name: '来源：island.pdf' })
        await source.getByText('第 21–22 页').waitFor()
        await untilTrue(page, isInView('.pdf-box'))
        await source.locator('[data-page="21"] [data-is-complete]').waitFor()
        await expectAccessible(page, 'PDF 来源')
        await page.screenshot({ path: 'test-results/source-zh.png' })
        await source.getByText('文本', { exact: true }).click()
        await source.getByRole('region', { name: '引用的段落' }).getByText('puffins').waitFor()
        await expectAccessible(page, '文本来源')
      },
      { colorScheme: 'dark', language: 'zh', viewport: { width: 1024, height: 700 } },
    )
  },
  { environment: { OCR_MODEL: 'eyes' } },
)
