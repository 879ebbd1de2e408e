import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Gates } from '../support/gates.ts'
import { addTexts, makeBase } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { allText, lastUserText } from '../support/scripted-chat.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, say } from '../support/talk.ts'
import { node } from '../workflow/graphs.ts'
import { eventually } from './support/canvas-page.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const evilName = '<img src=x onerror="window.attacked=1">.txt'
const evil = [
  '<script>window.attacked=1</script><img src=x onerror="window.attacked=1">',
  '[click me](javascript:window.attacked=1) and [out](https://example.com/)',
  '![picture](https://example.com/track.png) ![x](javascript:window.attacked=1)',
  '[tokens](#/tokens)',
].join('\n\n')

describeConsole('Chat', world => {
  const address = (agentId: string, ...more: string[]) =>
    `${world.server.base}/#/${['agents', agentId, 'chat', ...more].join('/')}`
  const log = (page: Page) => page.getByRole('log')
  const input = (page: Page) => page.getByLabel('Message', { exact: true })
  const type = async (page: Page, text: string): Promise<void> => {
    await input(page).fill(text)
    await input(page).press('Enter')
  }
  const side = (page: Page) => page.getByRole('complementary', { name: 'Your conversations' })

  flow(world, 'pictures, recordings, videos and files of an agent are shown', async ({ page }) => {
    const { api } = world.server
    const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')
    const sound = Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1')
    const file_list: string[] = []
    for (const [name, content] of [
      ['plan.png', pixel],
      ['hello.wav', sound],
      ['tour.mp4', film],
      ['terms.txt', Buffer.from('Be kind.')],
    ] as const)
      file_list.push((await api.upload(name, content)).json.data.file_id)
    const graph = chain(node('say', 'output', { answer: 'Everything we have:', file_list }))
    await page.goto(address(await makeAgent(api, { workflow_id: await makeWorkflow(api, graph) })))
    await type(page, 'Show me')
    await log(page).getByRole('button', { name: 'Enlarge plan.png' }).waitFor()
    await log(page).getByRole('button', { name: 'Download terms.txt' }).waitFor()
    await log(page).getByRole('button', { name: 'Play hello.wav' }).click()
    await log(page).locator('audio').waitFor()
    await log(page).getByRole('button', { name: 'Play tour.mp4' }).click()
    await log(page).locator('video').waitFor()
    await expectAccessible(page, 'files of an agent')
  })

  flow(
    world,
    'an answer is streamed, cites its source, is rated, and is still there after a reload',
    async ({ page }) => {
      const { api } = world.server
      const base = await makeBase(api, { name: 'Rules' })
      const [fileId] = await addTexts(api, base, {
        'holidays.md': '# Holidays\n\nEverybody has 30 days a year.',
      })
      const more = { name: 'Butler', learn: { [base]: {} } }
      const questions = ['How many days of holiday?']
      const config = { prologue: 'At your service.', recommendation_question: questions }
      const agentId = await makeAgent(api, config, more)
      const gates = new Gates()
      gates.hold('second piece')
      world.model.play(() => ({
        pieces: ['You have **30', ' days** [1], [9].'],
        beforePiece: at => (at === 1 ? gates.pass('second piece') : undefined),
      }))
      await page.goto(address(agentId))
      await page.getByText('At your service.').waitFor()
      await page.getByRole('button', { name: questions[0]! }).click()
      await log(page).getByText('You have **30').waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      gates.open()
      await log(page).locator('strong', { hasText: '30 days' }).waitFor()
      const mark = log(page).getByRole('button', { name: 'Source 1: holidays.md' })
      await mark.click()
      const source = page.getByRole('complementary', { name: 'Source: holidays.md' })
      await source.getByText('Everybody has 30 days a year.').waitFor()
      const way = await source.getByRole('link', { name: 'Open in document' }).getAttribute('href')
      assert.match(way ?? '', new RegExp(`^#/knowledge/${base}/documents/${fileId}\\?chunk=chunk_`))
      await page.keyboard.press('Escape')
      await source.waitFor({ state: 'detached' })
      // A number without a passage stays text.
      await log(page).getByText('[9]').waitFor()
      await expectAccessible(page, 'a conversation')

      await log(page).getByRole('button', { name: 'Bad answer' }).click()
      await page.getByLabel('What was wrong with it? (optional)').fill('Too short')
      const response = page.waitForResponse(/conversation\/feedback/)
      await page.getByRole('button', { name: 'Send feedback' }).click()
      const sent = (await response).request().postDataJSON()
      assert.deepEqual([sent.rating, sent.comment], ['dislike', 'Too short'])
      await page.reload()
      await log(page).locator('strong', { hasText: '30 days' }).waitFor()
      await mark.waitFor()
      assert.equal(
        await page.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed'),
        'true',
      )
      const trace = await log(page).getByRole('link', { name: 'Trace' }).getAttribute('href')
      assert.match(trace ?? '', /^#\/runs\/run_/)

      const listed = side(page)
      await listed.getByRole('button', { name: 'Rename How many days' }).click()
      const name = listed.getByLabel('Conversation name')
      await name.fill('Holidays')
      // Keys of an input method: Escape drops its proposal, and Enter takes it.
      await name.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
      await name.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
      assert.equal(await name.inputValue(), 'Holidays')
      await name.press('Enter')
      await listed.getByRole('link', { name: 'Holidays' }).waitFor()
      await listed.getByRole('button', { name: 'Delete Holidays' }).click()
      await page.getByText('All its messages will be deleted.').waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await listed.getByText('Your conversations are listed here.').waitFor()
      await page.getByRole('button', { name: questions[0]! }).waitFor()
      assert.ok(page.url().endsWith('/chat'), page.url())
    },
  )

  flow(world, 'images and files are sent, and no message can run code', async ({ page }) => {
    const agentId = await makeAgent(world.server.api, {}, { name: 'Eyes' })
    world.model.play(body => (lastUserText(body).includes('mischief') ? { text: evil } : undefined))
    await page.goto(address(agentId))
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    await (await choosing).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: pixel },
      { name: 'figs.json', mimeType: 'application/json', buffer: Buffer.from('{"figs": 7}') },
    ])
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['The secret word is fig.'], ${JSON.stringify(evilName)}))
      return data
    })()`)
    await log(page).dispatchEvent('drop', { dataTransfer: dropped })
    const files = page.getByRole('list', { name: 'Files to send' })
    await files.getByText(evilName).waitFor()
    await input(page).fill('What is this?')
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText('echo:').waitFor()
    await log(page).getByRole('button', { name: 'Enlarge dot.png' }).waitFor()
    await log(page)
      .getByRole('button', { name: `Download ${evilName}` })
      .waitFor()
    const asked = allText(world.model.calls.chat.at(-1)!.body)
    assert.match(asked, /\[image\]/)
    assert.match(asked, /The secret word is fig/)
    assert.match(asked, /figs: 7/)

    await type(page, 'mischief')
    await log(page).getByText('<script>window.attacked=1</script>').waitFor()
    await log(page).getByRole('link', { name: 'out' }).waitFor()
    await log(page).getByText('click me').click()
    await log(page).getByText('tokens', { exact: true }).click()
    assert.equal(await page.evaluate('window.attacked'), undefined)
    const links = await page.evaluate(
      `[...document.querySelectorAll('.markdown a')].map(link => [link.href, link.rel])`,
    )
    assert.deepEqual(links, [
      ['https://example.com/', 'noreferrer noopener nofollow'],
      ['https://example.com/track.png', 'noreferrer noopener nofollow'],
    ])
    assert.equal(await log(page).locator('.markdown img').count(), 0)
    assert.ok(page.url().includes(`/agents/${agentId}/chat/`))
  })

  flow(
    world,
    'files that exceed the limit or fail to upload are reported, and can be retried',
    async ({ page }) => {
      const agentId = await makeAgent(world.server.api, {}, { name: 'Porter' })
      await page.goto(address(agentId))
      let isBroken = true
      await page.route(/\/api\/v1\/files\/upload/, route => {
        const broken = isBroken
        isBroken = false
        return broken ? route.abort() : route.continue()
      })
      const drop = async (count: number, name: string): Promise<void> => {
        const dropped = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        for (let at = 1; at <= ${count}; at += 1)
          data.items.add(new File(['content ' + at], '${name}' + at + '.txt'))
        return data
      })()`)
        await log(page).dispatchEvent('drop', { dataTransfer: dropped })
      }
      await drop(1, 'broken')
      await page.getByText('Retry or remove the failed upload').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Upload broken1.txt again' }).click()
      await page.getByText('Retry or remove the failed upload').waitFor({ state: 'hidden' })
      await drop(22, 'more')
      await page.getByText('3 could not be added').waitFor()
      await expectAccessible(page, 'a message with too many files')
      await page.getByRole('button', { name: 'Remove more1.txt' }).click()
      await page.getByText('3 could not be added').waitFor({ state: 'hidden' })

      await input(page).fill('x'.repeat(100_001))
      await page.getByText('1 character too long.').waitFor()
      assert.equal((await input(page).inputValue()).length, 100_001)
      await input(page).fill('Here they are')
      await input(page).press('Enter')
      await log(page).getByRole('button', { name: 'Download broken1.txt' }).waitFor()
    },
  )

  flow(
    world,
    'a message sent too early waits for its file and for the answer before it',
    async ({ page }) => {
      const agentId = await makeAgent(world.server.api, {}, { name: 'Patient' })
      await page.goto(address(agentId))
      const uploads = Promise.withResolvers<void>()
      const answers = Promise.withResolvers<void>()
      await page.route(/\/api\/v1\/files\/upload/, async route => {
        await uploads.promise
        await route.continue()
      })
      await page.route(/conversation\/chat/, async route => {
        await answers.promise
        await route.continue()
      })
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Attach files' }).click()
      await (await choosing).setFiles({
        name: 'note.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('A note.'),
      })
      const awaited = page.getByText('Sent when the files are uploaded')
      await type(page, 'First')
      await awaited.waitFor()
      await input(page).press('Escape')
      await awaited.waitFor({ state: 'hidden' })
      await input(page).press('Enter')
      await awaited.waitFor()
      uploads.resolve()
      await log(page).getByText('First', { exact: true }).waitFor()
      assert.equal(await input(page).inputValue(), '')
      await type(page, 'Second')
      await awaited.waitFor()
      assert.equal(await log(page).getByText('Second', { exact: true }).count(), 0)
      answers.resolve()
      await log(page).getByText('echo: Second').waitFor()
      await log(page).getByRole('button', { name: 'Download note.txt' }).waitFor()
    },
  )

  flow(world, 'audio that cannot be loaded is reported and can be played later', async ({ page }) => {
    const agentId = await makeAgent(world.server.api, {}, { name: 'Ears' })
    await page.goto(address(agentId))
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    await (await choosing).setFiles([
      { name: 'ring.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from([0xff, 0xfb, 0x90, 0]) },
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('A note.') },
    ])
    await input(page).fill('Listen')
    await page.getByRole('button', { name: 'Send' }).click()
    let isBroken = true
    await page.route(/\/api\/v1\/files\/file_/, route => (isBroken ? route.abort() : route.continue()))
    const play = log(page).getByRole('button', { name: 'Play ring.mp3' })
    await play.click()
    await messageShown(page, 'Cannot reach the server')
    isBroken = false
    await play.click()
    await log(page).locator('audio').waitFor()
  })

  flow(world, 'a user who has scrolled up is not moved while the answer grows', async ({ page }) => {
    const agentId = await makeAgent(world.server.api, {}, { name: 'Novelist' })
    const gates = new Gates()
    gates.hold('second piece')
    const lines = Array.from({ length: 80 }, (_, at) => `Line ${at}`).join('\n\n')
    world.model.play(() => ({
      pieces: [lines, `\n\n${lines}\n\nThe end`],
      beforePiece: at => (at === 1 ? gates.pass('second piece') : undefined),
    }))
    await page.goto(address(agentId))
    await type(page, 'Tell me a story')
    await log(page).getByText('Line 79').waitFor()
    const scrolled = () => page.evaluate<number>(`document.querySelector('.chat-log').scrollTop`)
    await log(page).getByText('Line 20', { exact: true }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Jump to the latest message' }).waitFor()
    const before = await scrolled()
    gates.open()
    await log(page).getByText('The end').waitFor()
    assert.equal(await scrolled(), before)
  })

  flow(
    world,
    'on a narrow screen a read-only user sees an answer arrive',
    async ({ page, context }) => {
      const { api } = world.server
      const agentId = await makeAgent(api, {}, { name: 'Slow' })
      const talk = await openTalk(api, agentId, { user_id: 'console' })
      const gates = new Gates()
      gates.hold('answer')
      world.model.play(() => ({
        pieces: ['There it is'],
        beforePiece: () => gates.pass('answer'),
      }))
      const saying = say(api, talk, 'Where is it?')
      const { token } = (await api.post('token/create', { name: 'v', role: 'viewer' })).json.data
      await context.addInitScript(`localStorage.setItem('banyan.token', ${JSON.stringify(token)})`)
      await page.goto(address(agentId, talk.conversation_id))
      await log(page).getByText('Where is it?').waitFor()
      await log(page).getByText('Thinking…').waitFor()
      assert.equal(await log(page).getByText('No answer.').count(), 0)
      gates.open()
      await saying
      await log(page).getByText('There it is').waitFor()
      await side(page).getByRole('link', { name: 'Where is it?' }).waitFor()
      const { width, height } = (await log(page).boundingBox())!
      assert.ok(width > 250 && height > 300, `the messages have ${width} × ${height}`)
      await expectAccessible(page, 'a conversation on a narrow screen')
    },
    { viewport: { width: 420, height: 900 } },
  )

  flow(world, 'an answer can be stopped, and a failure is explained and can be retried', async ({ page }) => {
    const { api } = world.server
    const agentId = await makeAgent(api, {}, { name: 'Slow' })
    const gates = new Gates()
    gates.hold('rest')
    world.model.play(() => ({
      pieces: ['The first words', ' and the rest'],
      beforePiece: at => (at === 1 ? gates.pass('rest') : undefined),
    }))
    await page.goto(address(agentId))
    await type(page, 'Tell me')
    await log(page).getByText('The first words').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    gates.open()
    await log(page).getByText('The first words', { exact: true }).waitFor()
    await log(page).getByText('Stopped.').waitFor()

    world.model.play(() => ({ status: 401, message: 'no such key' }))
    await type(page, 'And now?')
    const failure = page.getByRole('alert').filter({ hasText: 'check MODEL_API_KEY' })
    await failure.waitFor()
    await page.reload()
    await failure.waitFor()
    // Its button does not squeeze the text.
    const title = (await failure.locator('.ant-alert-title, .ant-alert-message').boundingBox())!
    const again = (await failure.getByRole('button', { name: 'Send again' }).boundingBox())!
    assert.ok(again.y >= title.y + title.height)
    world.model.play(() => ({ text: 'Now it works' }))
    await failure.getByRole('button', { name: 'Send again' }).click()
    await log(page).getByText('Now it works').waitFor()
    const conversation_id = page.url().split('/').at(-1)!
    // An answer is shown before it is stored.
    await eventually(async () => {
      const messages = await messagesOf(api, { agent_id: agentId, conversation_id })
      const words = messages.map(({ content }) => content)
      assert.deepEqual([words[0], words[1]], ['Tell me', 'The first words'])
      assert.deepEqual(words.slice(-2), ['And now?', 'Now it works'])
    })
  })

  flow(world, 'a conversation that could not be loaded is loaded again', async ({ page }) => {
    const { api } = world.server
    const id = await makeAgent(api)
    const talk = await openTalk(api, id)
    let isBroken = true
    await page.route(/conversation\/retrieve/, route => (isBroken ? route.abort() : route.continue()))
    await page.goto(address(id, talk.conversation_id))
    const again = page.locator('.chat-failure').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await picture(page, 'chat-failure')
    isBroken = false
    await again.and(page.locator(':focus')).press('Enter')
    await input(page).and(page.locator(':focus')).waitFor()
    isBroken = true
    await page.reload()
    await again.waitFor()
    // As soon as the server answers.
    isBroken = false
    await input(page).and(page.locator(':focus')).waitFor()
  })

  flow(world, 'a message that was not sent yet survives a visit to another tab', async ({ page }) => {
    const agentId = await makeAgent(world.server.api, {}, { name: 'Shop' })
    await page.goto(address(agentId))
    await input(page).fill('A long message')
    await page.getByRole('link', { name: 'Conversations' }).click()
    await input(page).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await input(page).waitFor()
    assert.equal(await input(page).inputValue(), 'A long message')
    await input(page).press('Enter')
    await log(page).getByText('A long message').waitFor()
    assert.equal(await input(page).inputValue(), '')
  })

  flow(world, 'a question offers its answers as buttons, also after a reload', async ({ page }) => {
    const { api } = world.server
    const ask = node('ask', 'question', { question: 'Which size?', options: ['small', 'large'] })
    const action = node('do', 'action', { content: '{"size":"{{#ask.answer#}}"}' })
    const workflow = chain(ask, output('say', 'A {{#ask.answer#}} one.'), action)
    const agentId = await makeAgent(api, { workflow_id: await makeWorkflow(api, workflow) }, { name: 'Shop' })
    // The first connection breaks; the same turn is sent over the next one.
    let isBroken = true
    await page.route(/conversation\/chat/, route => {
      const broken = isBroken
      isBroken = false
      return broken ? route.abort() : route.continue()
    })
    await page.goto(address(agentId))
    await type(page, 'Coffee')
    await log(page).getByText('Which size?').waitFor()
    assert.equal(isBroken, false)
    await page.getByRole('button', { name: 'small' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'large' }).click()
    await log(page).getByText('A large one.').waitFor()
    await log(page).getByRole('figure').getByText('"size": "large"').waitFor()
    assert.equal(await page.getByRole('button', { name: 'small' }).count(), 0)
    // The answer to a question cannot be replaced, only the message that started the workflow.
    await log(page).getByRole('button', { name: 'Copy answer' }).last().waitFor()
    assert.equal(await log(page).getByRole('button', { name: 'Edit message' }).count(), 1)
    assert.equal(await log(page).getByRole('button', { name: 'Regenerate' }).count(), 0)
  })

  flow(
    world,
    'a long conversation is loaded from its end upwards',
    async ({ page }) => {
      const { api } = world.server
      const workflow_id = await makeWorkflow(api, chain(output('say', '回答 {{#sys.query#}}')))
      const agentId = await makeAgent(api, { workflow_id, prologue: '您好' }, { name: '管家' })
      const talk = await openTalk(api, agentId, { user_id: 'console' })
      for (let turn = 1; turn <= 20; turn += 1) await say(api, talk, `第${turn}问`)
      await page.goto(address(agentId, talk.conversation_id))
      await log(page).getByText('回答 第20问').waitFor()
      assert.equal(await log(page).getByText('第1问', { exact: true }).count(), 0)
      await expectAccessible(page, 'a conversation, in the dark and in Chinese')
      await log(page).getByText('第6问', { exact: true }).scrollIntoViewIfNeeded()
      await log(page).getByText('第1问', { exact: true }).waitFor()
      await page.getByRole('button', { name: '跳到最新消息' }).click()
      const message = page.getByLabel('消息', { exact: true })
      await message.fill('再见')
      await message.press('Shift+Enter')
      await message.press('Enter')
      await log(page).getByText('回答 再见').waitFor()
    },
    { colorScheme: 'dark', language: 'zh' },
  )
})
