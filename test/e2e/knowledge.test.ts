import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'
import { makeAgent } from '../support/talk.ts'
import { type ConsoleWorld, describeConsole, flow, messageShown, untilTrue } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const provider = await startScriptedProvider()
after(() => provider.close())

const environment = {
  EMBEDDING_BASE_URL: provider.baseUrl,
  EMBEDDING_MODEL: 'scripted',
  RERANK_BASE_URL: provider.baseUrl,
  RERANK_MODEL: 'scripted-rerank',
}

const files: Record<string, string> = {
  'holidays.md':
    '# Holidays\n\nEverybody has 30 days of holiday a year.\n\n# Travel\n\nTrains are booked in advance.',
  '请假制度.txt': '员工每年享有三十天年假。请假须提前三天向主管申请。',
  'office.txt': 'The office opens at eight and closes at six.',
  'broken.pdf': '%PDF-1.7\nthis is not what it says it is',
  'unlucky.txt': 'The provider does not like this unlucky text at first.',
}

/** Drops files on the page as a user does; the browser creates the event's data. */
async function drop(page: Page, dropped: Record<string, string>): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const data = new DataTransfer()
    for (const [name, content] of Object.entries(${JSON.stringify(dropped)}))
      data.items.add(new File([content], name))
    return data
  })()`)
  const zone = page.getByRole('region', { name: 'Drop files or folders here' })
  await zone.waitFor()
  // Anywhere on the page.
  await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: data })
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

const twoLanguages = {
  'leave.md':
    '# Leave\n\n## Holidays\n\nEverybody has 30 days of holiday a year.\n\n## Illness\n\nTell us on the first day.',
  '请假制度.md': '# 请假\n\n## 年假\n\n员工每年享有三十天年假。\n\n## 病假\n\n病假须在第一天告知主管。',
  'canteen.md': '# Canteen\n\nLunch is served from noon.',
}

async function handbook(world: ConsoleWorld): Promise<{ id: string; fileIds: string[] }> {
  const id = await makeBase(world.server.api, {
    description: 'How we work',
    chunking: { strategy: 'heading' },
  })
  const fileIds = await addTexts(world.server.api, id, twoLanguages, { metadata: { year: 2026 } })
  return { id, fileIds }
}

describeConsole(
  'Knowledge',
  world => {
    flow(world, 'creates a knowledge base and adds many documents at once', async ({ page }) => {
      await page.goto(`${world.server.base}/#/knowledge`)
      await page.getByText('No knowledge bases yet').waitFor()
      await expectAccessible(page, 'the empty list')
      await page.getByRole('button', { name: 'New knowledge base' }).click()
      const dialog = page.getByRole('dialog', { name: 'New knowledge base' })
      await dialog.getByLabel('Name').fill('Handbook')
      await dialog.getByLabel('Description').fill('How we work')
      await dialog.getByText('Advanced').click()
      await dialog.getByRole('radio', { name: 'By heading' }).check()
      await expectAccessible(page, 'the dialog for a new base')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('heading', { name: 'Handbook' }).waitFor()
      await expectAccessible(page, 'an empty base')

      provider.decide(call =>
        call.inputs.some(text => text.includes('unlucky')) ? { status: 400 } : undefined,
      )
      await drop(page, files)
      await page.getByRole('region', { name: 'Uploads' }).getByText('5 files added').waitFor()
      // Without a reload: the statuses are updated live.
      for (const name of ['holidays.md', '请假制度.txt', 'office.txt'])
        await row(page, name).getByText('Ready', { exact: true }).waitFor()
      for (const name of ['broken.pdf', 'unlucky.txt'])
        await row(page, name).getByText('Failed', { exact: true }).waitFor()
      await row(page, 'broken.pdf').getByText('The file is damaged.').waitFor()
      await expectAccessible(page, 'documents of which some failed')

      provider.decide(() => undefined)
      await page.getByText('3 of 5 ready · 2 failed').waitFor()
      await row(page, 'unlucky.txt').getByRole('button', { name: 'Retry unlucky.txt' }).waitFor()
      await page.getByRole('button', { name: 'Retry failed (1)' }).click()
      await messageShown(page, 'Re-processing 1 document.')
      await row(page, 'unlucky.txt').getByText('Ready', { exact: true }).waitFor()
      await page.getByText('4 of 5 ready · 1 failed').waitFor()
      // Only another file helps here.
      assert.equal(await page.getByRole('button', { name: /^Retry/ }).count(), 0)

      await page.getByRole('button', { name: 'Paste text' }).click()
      const paste = page.getByRole('dialog', { name: 'Paste text' })
      await paste.getByLabel('Name').fill('notes.md')
      await paste.getByLabel('Text').fill('# Notes\n\nThe printer is on the second floor.')
      await paste.getByRole('button', { name: 'Add document' }).click()
      await row(page, 'notes.md').getByText('Ready', { exact: true }).waitFor()

      await page.getByRole('textbox', { name: 'Search documents' }).fill('holi')
      await row(page, 'office.txt').waitFor({ state: 'detached' })
      await row(page, 'holidays.md').waitFor()
      await page.getByRole('textbox', { name: 'Search documents' }).fill('')
      await page.getByRole('checkbox', { name: 'Select broken.pdf' }).check()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByRole('tooltip').getByRole('button', { name: 'Remove' }).click()
      await row(page, 'broken.pdf').waitFor({ state: 'detached' })

      const download = page.waitForEvent('download')
      await row(page, '请假制度.txt').getByRole('button', { name: 'Download 请假制度.txt' }).click()
      assert.equal((await download).suggestedFilename(), '请假制度.txt')
      await page.getByRole('link', { name: '← Knowledge' }).click()
      await page.getByRole('list', { name: 'Knowledge bases' }).getByText('5 documents').waitFor()
      await expectAccessible(page, 'the list')
    })

    for (const width of [1024, 768])
      flow(
        world,
        `shows the names of documents in a window of ${width} pixels`,
        async ({ page }) => {
          const { api } = world.server
          const id = await makeBase(api)
          const { json } = await api.upload('manual of the coffee machine.exe', 'MZ\u0000\u0001')
          await api.post(`/api/v1/knowledge/${id}`, { file_ids: [json.data.file_id] })
          await page.goto(`${world.server.base}/#/knowledge/${id}`)
          const name = row(page, 'manual of the coffee machine.exe')
          await name.getByText('Failed', { exact: true }).waitFor()
          const box = await name.getByRole('link').boundingBox()
          assert.ok(box && box.height < 60, `a name of ${box?.height} pixels`)
          assert.equal(
            await page.evaluate(
              "document.getElementById('main').scrollWidth > document.getElementById('main').clientWidth",
            ),
            false,
          )
        },
        { viewport: { width, height: 800 } },
      )

    flow(
      world,
      'a failed upload is explained and can be retried, and a queued one can be canceled',
      async ({ page }) => {
        const id = await makeBase(world.server.api)
        await page.goto(`${world.server.base}/#/knowledge/${id}`)
        const held: (() => void)[] = []
        let isDown = true
        await page.route('**/api/v1/files/upload?*', async route => {
          if (route.request().url().includes('refused') && isDown)
            return route.fulfill({ status: 507, json: { code: 5001, message: 'The disk is full', data: {} } })
          if (route.request().url().includes('held') && isDown)
            await new Promise<void>(resolve => held.push(resolve))
          return route.continue()
        })
        const many = Object.fromEntries([1, 2, 3, 4, 5].map(number => [`held-${number}.txt`, 'Some text.']))
        await drop(page, { 'refused.txt': 'A text.', ...many })
        const uploads = page.getByRole('region', { name: 'Uploads' })
        await uploads.getByText('The disk is full').waitFor()
        await uploads.getByText('and 2 more queued').waitFor()
        assert.equal(held.length, 3, 'three uploads at a time')
        await expectAccessible(page, 'uploads under way')
        await uploads.getByRole('button', { name: 'Cancel held-2.txt' }).click()
        await uploads.getByText('and 1 more queued').waitFor()
        isDown = false
        await uploads.getByRole('button', { name: 'Retry refused.txt' }).click()
        await uploads.getByText('The disk is full').waitFor({ state: 'detached' })
        for (const release of held) release()
        await uploads.getByText('5 files added · 1 canceled').waitFor()
        await row(page, 'refused.txt').getByText('Ready', { exact: true }).waitFor()
        assert.equal(await row(page, 'held-2.txt').count(), 0)

        const folder = mkdtempSync(join(tmpdir(), 'handbook-'))
        mkdirSync(join(folder, 'money'))
        writeFileSync(join(folder, 'money/travel.md'), 'Trains are paid for.')
        writeFileSync(join(folder, '.hidden.md'), 'Nothing for others.')
        await page.getByLabel('Folder to add').setInputFiles(folder)
        await row(page, '/money/travel.md').getByText('Ready', { exact: true }).waitFor()
        assert.equal(await row(page, 'hidden').count(), 0)
        rmSync(folder, { recursive: true })
      },
    )

    flow(world, 'edits a passage, finds it by the new word, and excludes another one', async ({ page }) => {
      const { id } = await handbook(world)
      await page.goto(`${world.server.base}/#/knowledge/${id}`)
      await page.getByRole('link', { name: 'leave.md' }).click()
      const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem')
      const holidays = passages.filter({ hasText: '30 days of holiday' })
      await holidays.getByText('Leave › Holidays').waitFor()
      await page.getByText('year: 2026').waitFor()
      await expectAccessible(page, 'the passages of a document')
      await holidays.getByRole('button', { name: /Edit passage/ }).click()
      const text = holidays.getByRole('textbox', { name: /Edit passage/ })
      await text.fill('Everybody has 30 days of holiday a year, and a sabbatical after ten.')
      await text.press('Control+Enter')
      await holidays.getByText('Edited').waitFor()

      const search = async (words: string): Promise<void> => {
        await page.goto(`${world.server.base}/#/knowledge/${id}/search`)
        await page.getByRole('textbox', { name: 'Question or keywords' }).fill(words)
        await page.getByRole('textbox', { name: 'Question or keywords' }).press('Enter')
      }
      await search('sabbatical')
      const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
      await results.first().locator('mark', { hasText: 'sabbatical' }).waitFor()
      await results.first().getByRole('link', { name: 'leave.md' }).click()
      const meant = page.locator('[aria-current="location"]')
      await meant.getByText('sabbatical').waitFor()
      await meant.getByRole('switch', { name: /in search/ }).click()
      await meant.getByText('Excluded from search').waitFor()
      await search('sabbatical')
      await page
        .getByRole('status')
        .getByText(/hybrid search/)
        .waitFor()
      // The page shows the earlier results until the new ones arrive.
      await results.filter({ hasText: 'sabbatical' }).waitFor({ state: 'hidden' })
    })

    flow(world, 'searches in both languages and explains the results', async ({ page }) => {
      const { id, fileIds } = await handbook(world)
      await page.goto(`${world.server.base}/#/knowledge/${id}/search`)
      await page.getByText('Try a search').waitFor()
      await page.getByRole('textbox', { name: 'Question or keywords' }).fill('三十天年假')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      const first = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first()
      await first.getByText('员工每年享有').waitFor()
      await first.locator('mark', { hasText: '年假' }).first().waitFor()
      await first.getByText('请假 › 年假').waitFor()

      await page.getByRole('textbox', { name: 'Question or keywords' }).fill('days of holiday')
      await page.getByRole('spinbutton', { name: 'Max results' }).fill('1')
      await page.getByRole('spinbutton', { name: 'Max results' }).press('Enter')
      await first.locator('mark', { hasText: 'holiday' }).first().waitFor()
      for (const leg of ['Score', 'Keywords', 'Semantic'])
        assert.equal(await first.getByRole('meter', { name: leg, exact: true }).count(), 1, leg)

      await page.getByRole('button', { name: 'Why?' }).click()
      const why = page.getByRole('region', { name: 'Explanation of the results' })
      await why
        .getByRole('row')
        .filter({ hasText: /^holida/ })
        .waitFor()
      await first.getByText('rank 1').first().waitFor()
      await choose(why.getByRole('combobox', { name: 'Choose the document you expected' }), 'canteen.md')
      await why
        .getByRole('status')
        .getByText(/Other passages rank higher/)
        .waitFor()
      await expectAccessible(page, 'a search that is explained')

      // The URL contains the whole search: another user sees the same.
      assert.ok(page.url().includes(`file=${fileIds[2]}`), page.url())
      await page.reload()
      await why
        .getByRole('status')
        .getByText(/Other passages rank higher/)
        .waitFor()
      assert.equal(await page.getByRole('spinbutton', { name: 'Max results' }).inputValue(), '1')

      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByRole('textbox', { name: 'Key of condition 1' }).fill('year')
      await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('2025')
      await page.getByRole('switch', { name: 'Rerank' }).click()
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.getByText('No results').waitFor()
      await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('2026')
      await page.getByRole('textbox', { name: 'Value of condition 1' }).press('Enter')
      await first.getByRole('meter', { name: 'Rerank' }).waitFor({ state: 'attached' })
    })

    flow(world, 'changes the settings, which re-indexes, and deletes', async ({ page }) => {
      const { id } = await handbook(world)
      const before = await whenIngested(world.server.api, id)
      await page.goto(`${world.server.base}/#/knowledge/${id}/settings`)
      const general = page.getByRole('region', { name: 'Name and description' })
      // What is typed during a save stays, and is saved next.
      const held = Promise.withResolvers<void>()
      const continueLater = (route: Route) => held.promise.then(() => route.continue())
      await page.route('**/api/v1/knowledge/*/update', continueLater, { times: 1 })
      await general.getByLabel('Name').fill('Rules of the house')
      await general.getByRole('button', { name: 'Save' }).click()
      await general.getByLabel('Description').fill('For all of us')
      held.resolve()
      await page.getByRole('heading', { name: 'Rules of the house' }).waitFor()
      await general.getByRole('button', { name: 'Save' }).click()
      await messageShown(page, 'Saved.', 2)
      await page.getByRole('button', { name: 'Add a value' }).click()
      await page.getByRole('textbox', { name: 'Key 1' }).fill('tags')
      await page.getByRole('textbox', { name: 'Value 1' }).fill('work, 2026')
      await page.getByRole('button', { name: 'Save metadata' }).click()
      await messageShown(page, 'Saved.', 3)

      provider.decide(() => ({ slowMilliseconds: 700 }))
      const index = page.getByRole('region', { name: 'Indexing' })
      await index.getByRole('radio', { name: 'Automatic' }).check()
      await index.getByRole('button', { name: 'Save and re-index' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Save and re-index' }).click()
      await messageShown(page, 'Re-indexing all documents')
      await expectAccessible(page, 'the settings')
      await page.getByText('Ready', { exact: true }).waitFor()
      provider.decide(() => undefined)
      const record = await whenIngested(world.server.api, id)
      assert.equal(record.name, 'Rules of the house')
      assert.equal(record.description, 'For all of us')
      assert.deepEqual(record.metadata, { tags: ['work', 2026] })
      assert.equal(record.chunking.strategy, 'auto')
      assert.ok(record.chunk_count < before.chunk_count, 'short sections are put together now')

      const agent = await makeAgent(world.server.api, {}, { name: 'House guide', learn: { [id]: {} } })
      await page.getByRole('button', { name: 'Delete knowledge base…' }).click()
      await page.getByRole('dialog').getByText('3 documents').waitFor()
      const user = page.getByRole('dialog').getByRole('link', { name: 'House guide' })
      await user.waitFor()
      assert.ok((await user.getAttribute('href'))?.endsWith(`/agents/${agent}`))
      await page.getByRole('dialog').getByRole('button', { name: 'Delete knowledge base' }).click()
      await messageShown(page, 'Deleted “Rules of the house”.')
      await page.getByRole('heading', { name: 'Knowledge' }).waitFor()
      assert.equal((await world.server.api.get(`knowledge/${id}`)).status, 404)
    })

    flow(
      world,
      'a viewer sees everything and is offered no changes',
      async ({ page }) => {
        const { id, fileIds } = await handbook(world)
        const made = await dataOf(world.server.api.post('token/create', { name: 'Reader', role: 'viewer' }))
        await page.goto(`${world.server.base}/#token=${made.token}`)
        await page.getByRole('navigation', { name: 'Pages' }).waitFor()
        await page.goto(`${world.server.base}/#/knowledge/${id}`)
        await row(page, 'leave.md').waitFor()
        for (const name of [/Remove/, /Retry/, 'Paste text', 'Choose files'])
          assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
        assert.equal(await page.getByRole('checkbox').count(), 0)
        await page.goto(`${world.server.base}/#/knowledge/${id}/documents/${fileIds[0]}`)
        await page.getByText('30 days of holiday').waitFor()
        assert.equal(await page.getByRole('switch').count(), 0)
        assert.equal(await page.getByRole('button', { name: /Correct/ }).count(), 0)
        await page.goto(`${world.server.base}/#/knowledge/${id}/settings`)
        await page.getByText('View only').waitFor()
        assert.equal(await page.getByRole('button', { name: /Save|Delete/ }).count(), 0)
        await page.goto(`${world.server.base}/#/knowledge`)
        await page.getByRole('list', { name: 'Knowledge bases' }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'New knowledge base' }).count(), 0)
      },
      { signedIn: false },
    )

    flow(
      world,
      'sees which golden questions a change loses, and discards or accepts it',
      async ({ page }) => {
        const { api, base } = world.server
        const id = await makeBase(api, { embedding: null, chunking: { size: 2000, overlap: 0 } })
        const filler = 'Other things are written here. '.repeat(60)
        const text = `The vacation policy of the company.\n\n${filler}\n\nStaff get twenty six free days.`
        const [policy] = await addTexts(api, id, { 'policy.md': text })
        const question = 'vacation policy of the company'
        const expected = { file_ids: [policy], expected_text: 'twenty six free days' }
        await dataOf(api.post(`knowledge/${id}/golden/create`, { question, ...expected }))
        const change = () => dataOf(api.post(`knowledge/${id}/update`, { chunking: { size: 100 } }))
        const size = async () => (await dataOf(api.get(`knowledge/${id}`))).chunking.size
        await page.goto(`${base}/#/knowledge/${id}`)
        await page.getByText('1 document ·').waitFor()
        const banner = page.getByText('1 of 1 golden questions are no longer found')
        for (const [button, left] of [
          ['Discard the change', 2000],
          ['Accept the change', 100],
        ] as const) {
          await change()
          await page.reload()
          await banner.waitFor()
          await page.getByText(question).waitFor()
          await page.getByText('rank 1 before, not found now').waitFor()
          await expectAccessible(page, 'the lost questions')
          await page.getByRole('button', { name: button }).click()
          await banner.waitFor({ state: 'detached' })
          await untilTrue(page, "document.activeElement.id === 'main'")
          assert.equal(await size(), left)
        }
      },
    )

    flow(
      world,
      '用中文、在深色界面中查看每一页',
      async ({ page }) => {
        const { id, fileIds } = await handbook(world)
        const chunks = await dataOf(world.server.api.get(`knowledge/${id}/files/${fileIds[1]}/chunks`))
        const second = chunks.items[1].chunk_id
        const visit = async (path: string, seen: string): Promise<void> => {
          await page.goto(`${world.server.base}/#/knowledge${path}`)
          await page.getByText(seen).first().waitFor()
          await expectAccessible(page, path)
        }
        await visit('', '新建知识库')
        await visit(`/${id}`, '把文件或文件夹拖到这里')
        await visit(`/${id}/search?q=${encodeURIComponent('年假')}&explain=true`, '查找的词')
        await visit(`/${id}/settings`, '索引设置')
        // A citation that only knows the passage links to it as well.
        await visit(`/${id}/documents/${fileIds[1]}?chunk=${second}`, '个 token')
        await page
          .locator(`[aria-current="location"]`)
          .getByText(chunks.items[1].content.split('\n').at(-1).slice(0, 8))
          .waitFor()
      },
      { colorScheme: 'dark', language: 'zh' },
    )
  },
  { environment },
)
