import assert from 'node:assert/strict'
import { echoGraph } from '../support/run-graphs.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { copiedBy, describeConsole, flow } from './support/console-world.ts'
import { expectAccessible } from './support/expect-accessible.ts'

describeConsole(
  'The overview of an empty server',
  world => {
    flow(world, 'shows what is missing and what to do next', async ({ page }) => {
      await page.goto(`${world.server.base}/#/`)
      await page.getByRole('heading', { name: 'Welcome to Banyan' }).waitFor()
      const features = page.getByRole('list', { name: 'Setup status' })
      const model = features.getByRole('listitem').filter({ hasText: 'Language model' })
      await model.getByText('required').waitFor()
      await model.getByRole('link', { name: 'Add one under Models' }).waitFor()
      await features.getByText('Keyword search works without').waitFor()
      assert.equal(await features.getByText('ready').filter({ hasNotText: 'immediately' }).count(), 0)
      await page.getByText('No runs yet').waitFor()
      assert.equal(await page.getByRole('link', { name: /Chat with the demo agent/ }).count(), 0)
      await expectAccessible(page, 'the overview without a model')
      assert.equal(await page.getByRole('link', { name: /\(done\)/ }).count(), 0)
      await page.getByRole('link', { name: /Connect a language model/ }).click()
      await page.getByRole('heading', { name: 'No language model yet' }).waitFor()
      await expectAccessible(page, 'the models page without a model')
    })

    flow(
      world,
      'is in Chinese',
      async ({ page }) => {
        await page.goto(`${world.server.base}/#/`)
        await page.getByRole('heading', { name: '欢迎使用 Banyan' }).waitFor()
        await page.getByText('需要配置').waitFor()
        for (const [path, title] of [
          ['files', '还没有文件'],
          ['models', '还没有语言模型'],
          ['tokens', '访问令牌'],
          ['usage', '这段时间没有运行'],
          ['settings', '服务器设置'],
        ] as const) {
          await page.goto(`${world.server.base}/#/${path}`)
          await page.getByRole('heading', { name: title }).first().waitFor()
        }
        await expectAccessible(page, 'the settings in Chinese')
      },
      { language: 'zh' },
    )
  },
  { withModel: false },
)

describeConsole('The overview of a server in use', world => {
  flow(world, 'shows the setup status, counts and recent runs', async ({ page }) => {
    const { api } = world.server
    await api.post('agent/create', { name: 'Butler' })
    await api.upload('hello.txt', 'Hello')
    const id = await makeWorkflow(api, echoGraph())
    const name = 'Demo: answers from the docs'
    await api.post('workflow/update', { id, name, workflow: echoGraph() })
    await runWorkflow(api, id, 'What is a banyan?')
    world.model.play(() => ({ status: 401, message: 'the key is wrong' }))
    await runWorkflow(api, id, 'Again')
    world.model.reset()

    await page.goto(`${world.server.base}/#/`)
    const features = page.getByRole('list', { name: 'Setup status' })
    await features.getByText('ready: scripted', { exact: true }).waitFor()
    await features.getByText('ready: scripted-ear').waitFor()
    await page.getByRole('link', { name: /Connect a language model \(done\)/ }).waitFor()
    for (const name of ['1 Agents', '1 Workflows', '0 Knowledge bases', '1 Files'])
      await page.getByRole('link', { name }).waitFor()
    const runs = page.getByRole('region', { name: 'Recent runs' })
    await runs.getByRole('link', { name: /Succeeded.*What is a banyan/ }).waitFor()
    await runs.getByRole('link', { name: /^Failed/ }).waitFor()
    const isCut =
      '[...document.querySelectorAll(".run-name")].some(each => each.scrollWidth > each.clientWidth)'
    assert.equal(await page.evaluate(isCut), false)
    await runs.getByRole('link', { name: '1 failed in the last 7 days' }).waitFor()
    const copied = await copiedBy(page, 'Copy command')
    assert.ok(copied.startsWith(`BASE=${world.server.base}/api/v1 TOKEN=banyan_…`), copied)
    await expectAccessible(page, 'the overview')
    const added = await makeWorkflow(api, echoGraph())
    await api.post('workflow/update', { id: added, name: 'Added meanwhile', workflow: echoGraph() })
    await runWorkflow(api, added, 'Hello')
    await runs.getByRole('link', { name: /Added meanwhile/ }).waitFor()
  })

  flow(
    world,
    'fits into a narrow window, and is readable in the dark theme',
    async ({ page }) => {
      for (const path of ['', 'files', 'models', 'tokens', 'usage', 'settings']) {
        await page.goto(`${world.server.base}/#/${path}`)
        await page.locator('h1').waitFor()
        await page.waitForLoadState('networkidle')
        const excess =
          'document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth'
        assert.equal(await page.evaluate(excess), 0, `#/${path} is wider than its window`)
        await expectAccessible(page, `#/${path} in the dark`)
      }
    },
    { viewport: { width: 800, height: 1000 }, colorScheme: 'dark' },
  )
})
