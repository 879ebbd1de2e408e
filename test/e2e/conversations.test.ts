import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

/** The name and the text of the file that a menu item saves. */
async function saved(page: Page, button: string, item: string): Promise<{ name: string; text: string }> {
  await page.getByRole('button', { name: button }).click()
  const waiting = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: item }).click()
  const download = await waiting
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

describeConsole('Conversations', world => {
  flow(world, 'what is filtered is exported, and one conversation as well', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api, {}, { name: 'Leave desk' })
    world.model.play(() => ({ pieces: ['20 days.'] }))
    const talk = await openTalk(api, id, { user_id: 'ada' })
    await say(api, talk, 'How many days?', { user_id: 'ada' })
    await say(api, await openTalk(api, id, { user_id: 'bob' }), 'Who approves it?', { user_id: 'bob' })
    await page.goto(`${world.server.base}/#/agents/${id}/conversations`)
    await page.getByRole('row', { name: /Who approves it/ }).waitFor()
    await expectAccessible(page, 'the filters of conversations')
    await picture(page, 'conversations')
    const all = await saved(page, 'Export', 'CSV')
    assert.match(all.name, /^conversations-.*\.csv$/)
    assert.match(all.text, /How many days\?[\s\S]*20 days\.|Who approves it\?/)
    await page.getByRole('textbox', { name: 'User ID' }).fill('ada')
    await page.getByRole('row', { name: /Who approves it/ }).waitFor({ state: 'detached' })
    const ada = await saved(page, 'Export', 'JSON lines')
    assert.deepEqual(
      ada.text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).content),
      ['How many days?', '20 days.'],
    )
    await page.getByRole('combobox', { name: 'Last message' }).click()
    await page.getByTitle('Custom range').click()
    await page.getByLabel('Last message before').fill('2001-01-01T00:00')
    await page.getByText('No matching conversations.').waitFor()
    await page.getByLabel('Last message before').fill('')
    await page.getByRole('link', { name: 'How many days?' }).click()
    const one = await saved(page, 'Export', 'Markdown')
    assert.match(one.text, /^# How many days\?\n[\s\S]*\*\*Leave desk\*\* · .*\n\n20 days\./)
    await expectAccessible(page, 'a conversation')
    await picture(page, 'conversation')
  })

  flow(
    world,
    'the filters fit a narrow window, in Chinese and in the dark theme',
    async ({ page }) => {
      const { api } = world.server
      const id = await makeAgent(api)
      world.model.play(() => ({ pieces: ['二十天。'] }))
      await say(api, await openTalk(api, id), '年假有多少天？')
      await page.setViewportSize({ width: 768, height: 900 })
      await page.goto(`${world.server.base}/#/agents/${id}/conversations`)
      await page.getByRole('row', { name: /年假有多少天/ }).waitFor()
      await page.getByRole('button', { name: '导出' }).waitFor()
      await expectAccessible(page, 'the filters of conversations in the dark')
      await picture(page, 'conversations-dark')
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
