import assert from 'node:assert/strict'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { closeWithEscape } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

describeConsole('Annotations', world => {
  flow(world, 'an answer is used again without a model, and managed in its tab', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api)
    world.model.play(() => ({ pieces: ['Perhaps 20 days.'] }))
    const talk = await openTalk(api, id)
    await say(api, talk, 'How many days?')
    await page.goto(`${world.server.base}/#/agents/${id}/conversations/${talk.conversation_id}`)
    await page.getByRole('button', { name: 'Use this answer next time' }).click()
    const dialog = page.getByRole('dialog', { name: 'Use this answer next time' })
    await dialog.getByRole('textbox', { name: 'Answer' }).fill('Exactly 20 days.')
    await expectAccessible(page, 'the dialog for an annotation')
    await picture(page, 'annotation-dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await messageShown(page, 'The agent will use this answer.')
    const calls = world.model.calls.chat.length
    const answer = await say(api, talk, 'how many days')
    assert.equal(answer.feedback[0].content, 'Exactly 20 days.')
    assert.equal(world.model.calls.chat.length, calls)

    await page.reload()
    const mark = page.getByRole('link', { name: 'Answered from an annotation' })
    await mark.waitFor()
    await expectAccessible(page, 'an annotated answer')
    await picture(page, 'annotated-answer')
    await mark.click()
    await page.getByRole('row', { name: /How many days\?.*Exactly 20 days\./ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search annotations' }).fill('')
    await page.getByRole('row', { name: /How many days\?.*Exactly 20 days\..*1/ }).waitFor()
    // Nothing is stored before the user has seen what would be.
    await page.getByRole('button', { name: 'Import' }).click()
    const importing = page.getByRole('dialog', { name: 'Import annotations' })
    const load = importing.getByRole('button', { name: 'Import' })
    assert.equal(await load.isDisabled(), true)
    const buffer = Buffer.from('question,answer\nWho approves it?,Your manager.\nWhen?\nhow many days,21.\n')
    await importing
      .getByLabel('File to import')
      .setInputFiles({ name: 'notes.csv', mimeType: 'text/csv', buffer })
    await importing.getByText('1 annotation will be added, 1 will get another answer.').waitFor()
    await importing.getByText('1 line will be left out').waitFor()
    await importing.getByText('Line 3: `answer` is missing').waitFor()
    await expectAccessible(page, 'the preview of an import')
    await picture(page, 'annotation-import')
    assert.equal(await page.getByRole('row', { name: /Who approves it\?/ }).count(), 0)
    await load.click()
    await importing.waitFor({ state: 'hidden' })
    await page.getByRole('row', { name: /Who approves it\?/ }).waitFor()
    await expectAccessible(page, 'the annotations of an agent')
    await picture(page, 'annotations')
    await page.getByRole('button', { name: 'Edit Who approves it?' }).click()
    await closeWithEscape(page.getByRole('dialog', { name: 'Edit annotation' }))
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    assert.match((await download).suggestedFilename(), /\.csv$/)
    await page.getByRole('button', { name: 'New annotation' }).click()
    const adding = page.getByRole('dialog', { name: 'New annotation' })
    await adding.getByRole('button', { name: 'Save' }).click()
    await adding.getByText('Enter a question').waitFor()
    await adding.getByText('Enter an answer').waitFor()
    await adding.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete Who approves it?' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Who approves it\?/ }).waitFor({ state: 'detached' })
  })

  flow(world, 'an annotated answer is marked at once, for editors with a link', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api, {}, { access: 'public' })
    await api.post('annotation/create', { agent_id: id, question: 'How many days?', answer: '20 days.' })
    await page.goto(`${world.server.base}/#/agents/${id}/chat`)
    await page.getByLabel('Message', { exact: true }).fill('How many days?')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Answered from an annotation' }).waitFor()
    await page.goto(`${world.server.base}/chat/${id}`)
    const log = page.getByRole('log')
    await page.getByRole('textbox').fill('how many days')
    await page.keyboard.press('Enter')
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload()
      await log.getByText('Answered from an annotation').waitFor()
      assert.equal(await log.getByRole('link').count(), 0, 'visitors cannot open it')
    }
    await expectAccessible(page, 'an annotated answer for a visitor')
    await picture(page, 'annotated-answer-visitor')
  })

  flow(
    world,
    'the tab is empty at first, in Chinese and in the dark theme',
    async ({ page }) => {
      const id = await makeAgent(world.server.api)
      await page.goto(`${world.server.base}/#/agents/${id}/annotations`)
      await page.getByRole('heading', { name: '还没有标注' }).waitFor()
      await expectAccessible(page, 'no annotations in the dark')
      await page.getByRole('button', { name: '导入' }).click()
      const importing = page.getByRole('dialog', { name: '导入标注' })
      await importing.getByLabel('内容').fill('没有表头,回答\n问题,回答')
      await importing.getByRole('alert').waitFor()
      await expectAccessible(page, 'an import without a header')
      await picture(page, 'annotation-import-refused-zh')
      await importing.getByLabel('内容').fill('question,answer\n几天？,二十天\n几点？,')
      await importing.getByText('将新增 1 条标注，更新 0 条的回答。').waitFor()
      await importing.getByText('第 3 行：缺少回答').waitFor()
      await picture(page, 'annotation-import-zh')
      await importing.getByRole('button', { name: '取消' }).click()
      await importing.waitFor({ state: 'hidden' })
      const threshold = page.getByRole('spinbutton', { name: '相似度阈值' })
      await threshold.fill('0.8')
      const saved = page.waitForResponse(/agent\/update/)
      await threshold.blur()
      assert.equal((await saved).status(), 200)
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
