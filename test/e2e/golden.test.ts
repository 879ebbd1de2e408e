import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { until } from '../support/watch.ts'
import { type ConsoleWorld, describeConsole, flow, messageShown } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const texts = {
  'leave.md': '# Leave\n\nEverybody has twenty days of leave.\n\n# Sick leave\n\nCall before nine.',
  'travel.md': '# Travel\n\nTrains are booked by the office.',
  'canteen.md': '# Canteen\n\nLunch is served from noon.',
}

async function handbook({ server: { api } }: ConsoleWorld): Promise<{ id: string; files: string[] }> {
  const id = await makeBase(api, { embedding: null, chunking: { strategy: 'heading' } })
  return { id, files: await addTexts(api, id, texts) }
}

const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name })

describeConsole('Golden questions', world => {
  const open = (page: Page, id: string, rest = ''): Promise<unknown> =>
    page.goto(`${world.server.base}/#/knowledge/${id}/golden${rest}`)

  flow(
    world,
    'are added by hand, from a search and by import, and run with results and history',
    async ({ page }) => {
      const { id, files } = await handbook(world)
      const { api } = world.server
      await open(page, id)
      await page.getByRole('heading', { name: 'No golden questions yet' }).waitFor()
      await expectAccessible(page, 'no golden questions')
      await picture(page, 'golden-empty')
      await page.getByRole('button', { name: 'Add question' }).click()
      const add = page.getByRole('dialog', { name: 'Add golden question' })
      await add.getByRole('button', { name: 'Save' }).click()
      await add.getByText('Enter the question').waitFor()
      await add.getByText('Choose at least one document').waitFor()
      await add.getByRole('textbox', { name: 'Question', exact: true }).fill('How many days of leave?')
      await choose(add.getByRole('combobox', { name: 'Expected documents' }), 'leave.md')
      await page.keyboard.press('Escape')
      await add.getByRole('textbox', { name: /Text of the passage/ }).fill('twenty days')
      await expectAccessible(page, 'the dialog for a golden question')
      await picture(page, 'golden-dialog')
      await add.getByRole('button', { name: 'Save' }).click()
      await row(page, 'How many days of leave?').getByText('Not run yet').waitFor()

      await page.goto(`${world.server.base}/#/knowledge/${id}/search?q=Who books trains`)
      await page.getByRole('button', { name: 'Add as golden question with result 1' }).click()
      assert.equal(
        await add.getByRole('textbox', { name: 'Question', exact: true }).inputValue(),
        'Who books trains',
      )
      await add.getByText('travel.md').waitFor()
      await add.getByRole('button', { name: 'Save' }).click()
      await messageShown(page, 'The golden question was added.')

      await page.getByRole('tab', { name: 'Golden questions' }).click()
      await row(page, 'Who books trains').getByRole('link', { name: 'travel.md' }).waitFor()
      await page.getByRole('button', { name: 'Import' }).click()
      const load = page.getByRole('dialog', { name: 'Import golden questions' })
      const buffer = Buffer.from(
        'question,document\nWhen is lunch?,canteen.md\nWhere is the lake?,lake.md\n,leave.md\n',
      )
      await load
        .getByLabel('File to import')
        .setInputFiles({ name: 'golden.csv', mimeType: 'text/csv', buffer })
      await load.getByRole('button', { name: 'Import', exact: true }).click()
      await load.getByText('Line 3: the document “lake.md” is not in this knowledge base').waitFor()
      await load.getByText('Line 4: the question is missing').waitFor()
      await messageShown(page, '1 question was added.')
      await expectAccessible(page, 'the import with skipped lines')
      await picture(page, 'golden-import')
      await load.getByRole('radio', { name: 'JSON lines' }).check()
      await load
        .getByRole('textbox', { name: 'Text' })
        .fill('[{"question": "Where is the lake?", "documents": ["leave.md"], "text": "lake"}]')
      await load.getByRole('button', { name: 'Import', exact: true }).click()
      await load.waitFor({ state: 'hidden' })
      await row(page, 'Where is the lake?').waitFor()

      await page.getByRole('button', { name: 'Run now' }).click()
      await page.getByText('3 of 4 found · 0 lost').waitFor()
      await row(page, 'How many days of leave?').getByText('Rank 1').waitFor()
      await row(page, 'Where is the lake?').getByText('Not found').waitFor()
      await expectAccessible(page, 'the results of a run')

      // The sick leave comes first for a question that expects another text now.
      const { items } = await dataOf(api.get(`knowledge/${id}/golden`))
      const changed = items.find((each: { question: string }) => each.question === 'When is lunch?')
      await dataOf(
        api.post(`knowledge/${id}/golden/questions/${changed.id}/update`, { file_ids: [files[0]] }),
      )
      await page.getByRole('button', { name: 'Run now' }).click()
      await page.getByText('2 of 4 found · 1 lost').waitFor()
      const lost = row(page, 'When is lunch?')
      await lost.getByText('rank 1 before, not found now').waitFor()
      await lost.getByText('canteen.md').waitFor()
      await row(page, 'How many days of leave?').getByText('same rank as before').waitFor()
      await page.getByText('Lost (1)').click()
      await row(page, 'How many days of leave?').waitFor({ state: 'detached' })
      await expectAccessible(page, 'a run that lost a question')
      await picture(page, 'golden-run')
      await page.getByRole('button', { name: 'Accept this run' }).click()
      await page.getByText('Accepted', { exact: true }).waitFor()

      await page.getByRole('link', { name: /All golden questions/ }).click()
      await row(page, 'When is lunch?').getByText('Lost').waitFor()
      const history = page.getByRole('region', { name: 'Runs' })
      await history.getByRole('row', { name: /Manual.*Accepted.*2 \/ 4.*1/ }).waitFor()
      await history.getByRole('row', { name: /Manual.*Not all found.*3 \/ 4.*0/ }).waitFor()
      await expectAccessible(page, 'golden questions with results')
      await picture(page, 'golden-questions')

      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'CSV' }).click()
      const saved = await readFile(await (await download).path(), 'utf8')
      assert.match(saved, /Who books trains,travel\.md/)

      await page.getByRole('button', { name: 'Edit Where is the lake?' }).click()
      const edit = page.getByRole('dialog', { name: 'Edit golden question' })
      await edit.getByRole('textbox', { name: /Text of the passage/ }).fill('Call before nine')
      await edit.getByRole('textbox', { name: 'Question', exact: true }).fill('When do I call?')
      await edit.getByRole('button', { name: 'Save' }).click()
      await row(page, 'When do I call?').getByText('Passage with “Call before nine”').waitFor()
      await row(page, 'When do I call?').getByText('Not run yet').waitFor()
      await page.getByRole('button', { name: 'Delete When do I call?' }).click()
      await page.getByRole('tooltip').getByRole('button', { name: 'Delete' }).click()
      await row(page, 'When do I call?').waitFor({ state: 'detached' })
    },
  )

  flow(world, 'have passed only if all of them are found', async ({ page }) => {
    const { api } = world.server
    const { id, files } = await handbook(world)
    const add = (expected_text: string) =>
      dataOf(
        api.post(`knowledge/${id}/golden/create`, {
          question: 'Leave?',
          file_ids: [files[0]],
          expected_text,
        }),
      )
    const { id: questionId } = await add('no text has this')
    await open(page, id)
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('0 of 1 found · 0 lost').waitFor()
    const status = page.locator('.golden-bar .badge')
    assert.equal(await status.innerText(), 'None found')
    await dataOf(api.post(`knowledge/${id}/golden/questions/${questionId}/update`, { expected_text: '' }))
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('1 of 1 found · 0 lost').waitFor()
    assert.equal(await status.innerText(), 'Passed')
  })

  flow(
    world,
    'hold back a change in Chinese and the dark theme, as the setting says',
    async ({ page }) => {
      const { api } = world.server
      const { id, files } = await handbook(world)
      const add = (question: string, file: string, expected_text = '') =>
        dataOf(api.post(`knowledge/${id}/golden/create`, { question, file_ids: [file], expected_text }))
      await add('How many days of leave?', files[0]!)
      await add('Lunch?', files[2]!)
      const saved = async (value: number | null): Promise<void> => {
        await until(
          'the setting',
          async () => (await dataOf(api.get(`knowledge/${id}`))).golden_max_lost === value || undefined,
        )
      }
      await open(page, id)
      const region = page.getByRole('region', { name: '检查设置的更改' })
      const number = region.getByRole('spinbutton', { name: '允许丢失的问题数' })
      await number.fill('3')
      await number.press('Enter')
      await saved(3)
      await region.getByRole('switch').click()
      await saved(null)
      await region.getByText('更改不经检查直接生效。').waitFor()
      await region.getByRole('switch').click()
      await saved(0)
      await number.waitFor()
      await expectAccessible(page, 'golden questions in the dark')
      await picture(page, 'golden-questions-zh')

      await page.getByRole('button', { name: '导入' }).click()
      const load = page.getByRole('dialog', { name: '导入标准问题' })
      await load
        .getByRole('textbox', { name: '内容' })
        .fill('question,document\nWhy?,lake.md\nLunch?,leave.md')
      await load.getByRole('button', { name: '导入', exact: true }).click()
      await load.getByText('第 2 行：知识库中没有文档“lake.md”').waitFor()
      await load.getByText('第 3 行：这个问题已经存在').waitFor()
      await expectAccessible(page, 'skipped lines in the dark')
      await picture(page, 'golden-import-zh')
      await load.getByRole('button', { name: '取消' }).click()

      await dataOf(api.post(`knowledge/${id}/update`, { retrieval: { score_threshold: 1 } }))
      await page.reload()
      await page.getByText('2 个标准问题中有 2 个不再能找到').waitFor()
      await page.getByRole('link', { name: '查看全部结果' }).click()
      await row(page, 'Lunch?').getByText('之前第 1 名，现在找不到').waitFor()
      await expectAccessible(page, 'the results of a change in the dark')
      await picture(page, 'golden-run-zh')
      await page.getByRole('button', { name: '放弃更改' }).click()
      await page.getByText('已放弃', { exact: true }).waitFor()
      const { retrieval } = await dataOf(api.get(`knowledge/${id}`))
      assert.equal(retrieval.score_threshold, 0)
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
