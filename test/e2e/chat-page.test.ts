import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { Gates } from '../support/gates.ts'
import { addTexts, makeBase } from '../support/knowledge.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { makeAgent } from '../support/talk.ts'
import { copiedBy, describeConsole, flow, untilTrue } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const maxBundleBytes = 150_000

/** Whether the first character of a paragraph is to the right of the last one. */
const beginsOnTheRight = (page: Page, text: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const found = [...document.querySelectorAll('p')].find(each => each.textContent.startsWith('${text}'))
    const leftOf = at => {
      const range = document.createRange()
      range.setStart(found.firstChild, at)
      range.setEnd(found.firstChild, at + 1)
      return range.getBoundingClientRect().left
    }
    return leftOf(0) > leftOf(found.textContent.length - 1)
  })()`)

describeConsole('Chat page', world => {
  const address = (agentId: string, query = '') => `${world.server.base}/chat/${agentId}${query}`
  const publicAgent = (config: object = {}, more: object = {}) =>
    makeAgent(world.server.api, config, { name: 'Butler', access: 'public', ...more })
  const log = (page: Page) => page.getByRole('log')
  const input = (page: Page) => page.getByLabel('Message', { exact: true })
  const type = async (page: Page, text: string): Promise<void> => {
    await input(page).fill(text)
    await input(page).press('Enter')
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  flow(
    world,
    'a visitor gets a cited answer, rates it, edits the question, and finds it in the history',
    async ({ page }) => {
      const { api } = world.server
      const base = await makeBase(api, { name: 'Rules' })
      await addTexts(api, base, { 'holidays.md': '# Holidays\n\nEverybody has 30 days a year.' })
      const questions = ['How many days?']
      const config = { prologue: 'At your **service**.', recommendation_question: questions }
      const agentId = await publicAgent(config, { learn: { [base]: {} }, intro: 'Knows the rules' })
      world.model.play(body => ({ pieces: [`**${lastUserText(body)?.slice(-40)}** 30 days`, ' [1].'] }))

      await page.goto(address(agentId))
      await page.getByText('At your service.').locator('strong').waitFor()
      assert.equal(await page.title(), 'Butler')
      await expectAccessible(page, 'the greeting')
      await page.getByRole('button', { name: 'How many days?' }).press('Enter')
      // The suggestion is gone, and the focus is near.
      await log(page).and(page.locator(':focus')).waitFor()
      await button(page, 'Copy answer').waitFor()
      await log(page).locator('.turn strong').waitFor()
      await page.getByRole('button', { name: 'Source 1: holidays.md' }).click()
      await page.getByText('Everybody has 30 days a year.').waitFor()
      await button(page, 'Bad answer').press('Enter')
      const comment = page.getByLabel('What was wrong with it? (optional)')
      await comment.press('Escape')
      await button(page, 'Bad answer').and(page.locator(':focus')).waitFor()
      // The same button removes the rating.
      await button(page, 'Bad answer').and(page.locator('[aria-pressed=true]')).press('Enter')
      await button(page, 'Bad answer').and(page.locator('[aria-pressed=false]')).press('Enter')
      await comment.fill('Too short')
      await button(page, 'Send feedback').click()
      await expectAccessible(page, 'an answer')

      const edited = page.getByLabel('Edited message')
      await button(page, 'Edit message').press('Enter')
      await edited.press('Escape')
      await button(page, 'Edit message').and(page.locator(':focus')).waitFor()
      await button(page, 'Edit message').press('Enter')
      await edited.fill('And in May?')
      await page.locator('.edit').getByRole('button', { name: 'Send' }).click()
      await log(page).getByText('And in May?', { exact: true }).first().waitFor()
      await button(page, 'Regenerate').waitFor()
      assert.equal(await log(page).getByText('How many days?').count(), 0)
      await button(page, 'Regenerate').press('Enter')
      await input(page).and(page.locator(':focus')).waitFor()
      await button(page, 'Regenerate').waitFor()
      assert.equal(await page.locator('.turn').count(), 1)
      await button(page, 'Good answer').waitFor()
      await button(page, 'Earlier version').click()
      await page.locator('.earlier-version').getByRole('button', { name: 'Copy answer' }).waitFor()
      assert.equal(await button(page, 'Good answer').count(), 0, 'a replaced answer can no longer be rated')

      await page.reload()
      await log(page).getByText('And in May?', { exact: true }).first().waitFor()
      await button(page, 'New conversation').click()
      await page.getByText('At your service.').waitFor()
      await button(page, 'Your conversations').click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^How many days\?/ })
        .click()
      await log(page).getByText('And in May?', { exact: true }).first().waitFor()
      const otherVisitor = await (await world.browser.newContext()).newPage()
      await otherVisitor.goto(address(agentId))
      await otherVisitor.getByRole('button', { name: 'Your conversations' }).click()
      await otherVisitor.getByText('You have no conversations yet', { exact: false }).waitFor()
      await otherVisitor.context().close()
    },
    { signedIn: false },
  )

  flow(
    world,
    'what could not be loaded is loaded when the connection returns',
    async ({ page }) => {
      const agentId = await publicAgent({ prologue: 'At your service.' })
      let isDown = false
      await page.route('**/api/v1/**', route => (isDown ? route.abort() : route.continue()))
      await page.goto(address(agentId))
      await type(page, 'Hello?')
      await button(page, 'Regenerate').waitFor()
      isDown = true
      await page.reload()
      const failure = page.getByRole('heading', { name: 'The connection was lost' })
      await failure.waitFor()
      isDown = false
      await log(page).getByText('Hello?', { exact: true }).first().waitFor()
      // The agent is loaded, but its conversation is not.
      await page.route('**/conversation/retrieve', route => (isDown ? route.abort() : route.fallback()))
      await page.route('**/conversation/list', route => (isDown ? route.abort() : route.fallback()))
      await page.route('**/agent/profile**', route => route.continue())
      isDown = true
      await page.reload()
      const alert = page.getByRole('alert').filter({ hasText: 'The connection was lost' })
      await alert.getByRole('button', { name: 'Try again' }).waitFor()
      assert.equal(await log(page).getByText('At your service.').count(), 0, 'it is not a new one')
      await expectAccessible(page, 'a conversation that could not be loaded')
      isDown = false
      await log(page).getByText('Hello?', { exact: true }).first().waitFor()
      await alert.waitFor({ state: 'detached' })
      await button(page, 'Good answer').waitFor()
      isDown = true
      await button(page, 'Your conversations').click()
      const history = page.getByRole('dialog', { name: 'Your conversations' })
      await history.getByRole('alert').waitFor()
      isDown = false
      await history.getByRole('button', { name: /^Hello\?/ }).waitFor()
      assert.equal(await history.getByRole('alert').count(), 0)
    },
    { signedIn: false },
  )

  flow(
    world,
    'ratings in quick succession are stored one after the other',
    async ({ page }) => {
      const { api } = world.server
      const agentId = await publicAgent()
      const gates = new Gates()
      const sent: unknown[] = []
      await page.route('**/conversation/feedback', async route => {
        sent.push(route.request().postDataJSON().rating)
        await gates.pass('feedback')
        await route.continue()
      })
      await page.goto(address(agentId))
      await type(page, 'Hello?')
      const like = button(page, 'Good answer')
      await like.waitFor()
      gates.hold('feedback')
      await like.click()
      // Shown before it is stored.
      await like.and(page.locator('[aria-pressed=true]')).click()
      await like.and(page.locator('[aria-pressed=false]')).click()
      await like.and(page.locator('[aria-pressed=true]')).waitFor()
      assert.deepEqual(sent, ['like'])
      const third = page.waitForResponse(() => sent.length === 3)
      gates.open()
      await third
      assert.deepEqual(sent, ['like', null, 'like'])
      await page.reload()
      await like.and(page.locator('[aria-pressed=true]')).waitFor()
      const { json } = await api.post('conversation/list', { agent_id: agentId, rating: 'like' })
      assert.equal(json.items.length, 1)
    },
    { signedIn: false },
  )

  flow(
    world,
    'an answer is stopped, a picture is sent and shown again, and a lost answer is streamed on',
    async ({ page }) => {
      const agentId = await publicAgent()
      const gates = new Gates()
      gates.hold('second piece')
      world.model.play(() => ({
        pieces: ['First part,', ' second part.'],
        beforePiece: at => (at === 1 ? gates.pass('second piece') : undefined),
      }))
      await page.goto(address(agentId))
      await input(page).fill('Tell me')
      // Safari has ended the composition when an input method confirms its choice with Enter.
      await input(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
      assert.equal(await input(page).inputValue(), 'Tell me')
      await input(page).press('Enter')
      await log(page).getByText('First part,').waitFor()
      await button(page, 'Stop').click()
      await button(page, 'Send').waitFor()
      await input(page).and(page.locator(':focus')).waitFor()
      gates.open()

      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: pixel })
      const dropped = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        data.items.add(new File(['The order is 4711.'], 'order.txt', { type: 'text/plain' }))
        return data
      })()`)
      await log(page).dispatchEvent('dragenter', { dataTransfer: dropped })
      await page.getByText('Drop files here to attach them').waitFor()
      await log(page).dispatchEvent('drop', { dataTransfer: dropped })
      await page.getByText('Drop files here to attach them').waitFor({ state: 'detached' })
      await button(page, 'Remove order.txt').click()
      await input(page).fill('What is this?')
      await button(page, 'Send').click()
      await log(page).getByRole('img', { name: 'dot.png' }).waitFor()
      await button(page, 'Regenerate').waitFor()
      await page.reload()
      await log(page).getByRole('img', { name: 'dot.png' }).waitFor()
      await untilTrue(page, "document.querySelector('.file-image img').naturalWidth === 1")

      gates.hold('second piece')
      await type(page, 'Once more')
      await log(page).getByText('First part,').last().waitFor()
      await page.reload()
      await button(page, 'Stop').waitFor()
      gates.open()
      await button(page, 'Regenerate').waitFor()
      assert.match((await log(page).locator('.turn').last().textContent()) ?? '', /First part, second part\./)

      gates.hold('second piece')
      await type(page, 'Slowly')
      await log(page).getByText('First part,').last().waitFor()
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: pixel })
      await page.getByRole('list', { name: 'Files to send' }).waitFor()
      await type(page, 'Queued')
      await button(page, 'New conversation').click()
      await button(page, 'Send').waitFor()
      gates.open()
      assert.equal(await page.getByRole('list', { name: 'Files to send' }).count(), 0)
      assert.equal(await input(page).inputValue(), 'Queued', 'it was meant for the other conversation')
      await button(page, 'Send').click()
      await button(page, 'Regenerate').waitFor()
      assert.equal(await page.locator('.turn').count(), 1)

      await button(page, 'New conversation').click()
      const pair = ['a.txt', 'b.txt'].map(name => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(name),
      }))
      await page.locator('input[type=file]').setInputFiles(pair)
      await input(page).fill('Compare them')
      await button(page, 'Send').click()
      for (const { name } of pair)
        await log(page)
          .getByRole('link', { name: `Download ${name}` })
          .waitFor()
      await button(page, 'Regenerate').waitFor()

      const many = Array.from({ length: 30 }, (_, at) => ({ name: `${at}.txt`, mimeType: 'text/plain' }))
      await page
        .locator('input[type=file]')
        .setInputFiles(many.map(file => ({ ...file, buffer: Buffer.from('x') })))
      await page.getByText(/up to \d+ files; \d+ could not be added/).waitFor()
    },
    { signedIn: false },
  )

  flow(
    world,
    'the keyboard records and discards a voice message',
    async ({ page }) => {
      const agentId = await publicAgent()
      await page.addInitScript({
        content:
          'navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream',
      })
      await page.goto(address(agentId))
      await button(page, 'Record a voice message').press('Enter')
      await page.getByText('Recording…').waitFor()
      await button(page, 'Send recording').and(page.locator(':focus')).press('Escape')
      await input(page).and(page.locator(':focus')).waitFor()
      assert.equal(await page.locator('.turn').count(), 0)
    },
    { signedIn: false },
  )

  flow(
    world,
    'it is small, in Chinese and dark on a phone, and reports that an agent is not public',
    async ({ page, context }) => {
      const agentId = await publicAgent({ prologue: '您好' })
      const sizes: Promise<number>[] = []
      page.on('response', response => {
        if (/\.(js|css)$/.test(response.url()))
          sizes.push(
            response
              .request()
              .sizes()
              .then(({ responseBodySize }) => responseBodySize),
          )
      })
      // Colours of code are loaded with the first code, which this answer does not have.
      world.model.play(() => ({ pieces: ['# 你好\n\n桌号：3\n人数：2\n\nالشاي (80 °C)\n\n1. **一**'] }))
      await page.goto(address(agentId, '?theme=dark'))
      await page.getByText('您好').waitFor()
      await page.getByLabel('消息', { exact: true }).fill('你好')
      await page.getByRole('button', { name: '发送', exact: true }).click()
      await page.getByRole('heading', { name: '你好' }).waitFor()
      await page.getByRole('listitem').waitFor()
      assert.equal(await page.getByText('桌号').innerText(), '桌号：3\n人数：2')
      assert.ok(await beginsOnTheRight(page, 'الشاي'), 'Arabic is read from the right')
      const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      assert.ok(total > 50_000 && total <= maxBundleBytes, `The page loads ${total} bytes of code and styles`)
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      await expectAccessible(page, 'the dark page on a phone')

      await world.server.api.post('agent/update', { id: agentId, access: 'private' })
      await page.getByLabel('消息', { exact: true }).fill('在吗')
      await page.getByRole('button', { name: '发送', exact: true }).click()
      await page.getByText('此对话已不再公开。').waitFor()

      const other = await context.newPage()
      const hidden = await makeAgent(world.server.api)
      const response = await other.goto(address(hidden))
      assert.equal(response?.status(), 404)
      await other.getByRole('heading', { name: '无法访问此对话' }).waitFor()
    },
    { signedIn: false, language: 'zh', viewport: { width: 360, height: 640 } },
  )

  flow(
    world,
    'a website shows it in a bubble only if the agent allows the website',
    async ({ page, context }) => {
      const agentId = await publicAgent({ prologue: 'Hello, customer' })
      const shop = createServer((_, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(
          `<!doctype html><title>Shop</title><p>Shop</p><script src="${world.server.base}/embed.js" data-agent="${agentId}" async></script>`,
        )
      }).listen(0, '127.0.0.1')
      await once(shop, 'listening')
      const origin = `http://localhost:${(shop.address() as AddressInfo).port}`
      try {
        const refused = await context.newPage()
        await refused.goto(origin)
        await refused.getByRole('button', { name: 'Chat' }).click()
        await refused.getByRole('button', { name: 'Close chat' }).waitFor()
        const frame = refused.frameLocator('iframe')
        assert.equal(await frame.getByText('Hello, customer').count(), 0)
        // On a phone the frame covers the website, and only a page that was loaded can close itself.
        await refused.setViewportSize({ width: 375, height: 667 })
        await refused.getByRole('button', { name: 'Close chat' }).click()
        await refused.locator('iframe').waitFor({ state: 'hidden' })
        await refused.close()

        await world.server.api.post('agent/update', { id: agentId, allowed_origins: [origin] })
        world.model.play(() => ({ pieces: ['From the frame'] }))
        await page.goto(origin)
        await page.getByRole('button', { name: 'Chat' }).click()
        const chat = page.frameLocator('iframe')
        await chat.getByText('Hello, customer').waitFor()
        await chat.getByLabel('Message', { exact: true }).and(chat.locator(':focus')).waitFor()
        await page.keyboard.type('Hi')
        await chat.getByRole('button', { name: 'Send' }).click()
        await chat.getByText('From the frame').waitFor()
        await chat.getByRole('button', { name: 'Your conversations' }).click()
        await chat.getByRole('button', { name: 'Delete Hi' }).click()
        await chat.getByText('Delete “Hi” with all its messages and files?').waitFor()
        await chat.getByRole('button', { name: 'Delete', exact: true }).click()
        await chat.getByText('You have no conversations yet', { exact: false }).waitFor()
        await chat.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
        await chat.getByRole('button', { name: 'Close', exact: true }).click()
        await page.locator('iframe').waitFor({ state: 'hidden' })

        const bubble = page.getByRole('button', { name: 'Chat', exact: true })
        const focused = page.locator(':focus')
        await bubble.and(focused).press('Enter')
        const message = chat.getByLabel('Message', { exact: true })
        await message.and(chat.locator(':focus')).fill('Hello')
        await message.press('Enter')
        await chat.getByText('From the frame').waitFor()
        // Escape first ends what is open in the chat.
        await chat.getByRole('button', { name: 'Edit message' }).press('Enter')
        await page.keyboard.press('Escape')
        await chat.getByRole('button', { name: 'Edit message' }).and(chat.locator(':focus')).waitFor()
        await chat.getByRole('button', { name: 'Your conversations' }).press('Enter')
        await chat.getByRole('dialog').waitFor()
        await page.keyboard.press('Escape')
        await chat.getByRole('dialog').waitFor({ state: 'detached' })
        await page.locator('iframe').waitFor()
        await page.keyboard.press('Escape')
        await page.locator('iframe').waitFor({ state: 'hidden' })
        await bubble.and(focused).press('Enter')
        await page.locator('iframe').waitFor()
        await page.getByRole('button', { name: 'Close chat' }).press('Escape')
        await page.locator('iframe').waitFor({ state: 'hidden' })
        await bubble.and(focused).waitFor()
      } finally {
        shop.close()
      }
    },
    { signedIn: false },
  )

  flow(world, 'the builder of an agent copies link and snippets, and allows a website', async ({ page }) => {
    const agentId = await publicAgent({}, { name: 'Sales "team"' })
    await page.goto(`${world.server.base}/#/agents/${agentId}/use`)
    const link = `${world.server.base}/chat/${agentId}`
    await page.getByRole('img', { name: 'QR code of the chat page' }).waitFor()
    assert.equal(await copiedBy(page, 'Copy link'), link)
    const script = `<script src="${world.server.base}/embed.js" data-agent="${agentId}" async></script>`
    assert.equal((await copiedBy(page, 'Copy bubble snippet')).trim(), script)
    const frame = await copiedBy(page, 'Copy iframe snippet')
    assert.ok(frame.startsWith(`<iframe src="${link}"\n  title="Sales &quot;team&quot;"`), frame)
    await page.getByText('No website may embed this agent yet', { exact: false }).waitFor()
    await page.getByLabel('Allowed websites').fill('https://Shop.example/contact?x=1')
    await page.getByLabel('Allowed websites').press('Enter')
    await page.getByLabel('Allowed websites').fill('help.shop.example')
    await page.getByLabel('Allowed websites').press('Enter')
    await expectAccessible(page, 'the share tab', '.share')
    await page.getByRole('button', { name: 'Save websites' }).click()
    await page.getByText('No website may embed this agent yet', { exact: false }).waitFor({ state: 'hidden' })
    const { agents } = (await world.server.api.post('agent/gets', { id: [agentId] })).json
    const origins = ['https://shop.example', 'https://help.shop.example']
    assert.deepEqual(agents[agentId].data.allowed_origins, origins)
    const popup = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Open chat page' }).click()
    await (await popup).getByLabel('Message', { exact: true }).waitFor()
  })
})
