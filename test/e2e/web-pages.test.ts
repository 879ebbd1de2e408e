import assert from 'node:assert/strict'
import { after } from 'node:test'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { startScriptedSite } from '../support/scripted-site.ts'
import { describeConsole, flow, messageShown } from './support/console-world.ts'
import { choose } from './support/controls.ts'
import { expectAccessible } from './support/expect-accessible.ts'
import { picture } from './support/picture.ts'

const site = await startScriptedSite()
after(() => site.close())
const { host } = new URL(site.origin)

const html = (title: string, text: string): string =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`
site.set('/leave', html('Leave of absence', 'Everybody has twenty days of leave.'))
site.set('/docs/one', html('First steps', 'Install it, then start it.'))
site.set('/docs/two', html('Second steps', 'Add a document.'))
site.set('/docs/three', { status: 403 })
const map = ['one', 'two', 'three'].map(name => `<url><loc>${site.origin}/docs/${name}</loc></url>`)
site.set('/sitemap.xml', `<urlset>${map.join('')}</urlset>`)

describeConsole(
  'Web pages',
  world => {
    flow(world, 'are added by address, refreshed, cited with a link, and deleted', async ({ page }) => {
      const { api, base } = world.server
      const id = await makeBase(api)
      await page.goto(`${base}/#/knowledge/${id}`)
      await page.getByRole('button', { name: 'Add web pages' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add web pages' })
      const urls = dialog.getByRole('textbox', { name: 'Addresses' })
      await urls.fill('example.com')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText('Not a web address: example.com').waitFor()
      await urls.fill(`${site.origin}/leave\n\n  ${site.origin}/missing`)
      await choose(dialog.getByRole('combobox', { name: 'Refresh' }), 'Daily')
      await expectAccessible(page, 'the dialog for web pages')
      await picture(page, 'web-dialog')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await messageShown(page, '2 addresses added')
      const row = (text: string) => page.getByRole('row').filter({ hasText: text })
      await row('Leave of absence').getByText('Fetched', { exact: true }).waitFor()
      await row('/missing').getByText('The page does not exist.').waitFor()
      const link = row('Leave of absence').getByRole('link', { name: `${host}/leave` })
      assert.equal(await link.getAttribute('href'), `${site.origin}/leave`)
      await expectAccessible(page, 'the web pages')
      await picture(page, 'web-pages')
      site.set('/missing', html('Found again', 'It is back.'))
      await row('/missing')
        .getByRole('button', { name: /^Refresh .* now$/ })
        .click()
      await row('Found again').getByText('Fetched', { exact: true }).waitFor()
      await choose(page.getByRole('combobox', { name: 'Refresh of Found again' }), 'Weekly')
      await row('Found again').getByText('in 7 days').waitFor()
      await row('Found again').getByRole('button', { name: 'Delete Found again' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await row('Found again').waitFor({ state: 'detached' })
      await page.getByRole('tab', { name: 'Documents' }).click()
      await row('Leave of absence.html').getByText('Ready', { exact: true }).waitFor()
      await row('Leave of absence.html')
        .getByRole('link', { name: `${host}/leave` })
        .waitFor()
      await picture(page, 'web-documents')
      await page.getByRole('tab', { name: 'Search' }).click()
      await page.getByRole('textbox', { name: 'Question or keywords' }).fill('days of leave')
      await page.keyboard.press('Enter')
      await page
        .getByRole('listitem')
        .getByRole('link', { name: `${host}/leave` })
        .waitFor()
      assert.equal((await dataOf(api.get(`knowledge/${id}/pages`))).total, 1)
    })

    flow(
      world,
      '按站点地图添加网页，说明失败的原因，并排除一个网页',
      async ({ page }) => {
        const { api, base } = world.server
        const id = await makeBase(api)
        await page.goto(`${base}/#/knowledge/${id}/pages`)
        await page.getByText('还没有网页').waitFor()
        await expectAccessible(page, '没有网页')
        await picture(page, 'web-empty-zh')
        await page.getByRole('button', { name: '添加网页' }).click()
        const dialog = page.getByRole('dialog', { name: '添加网页' })
        await dialog.getByText('从站点地图').click()
        await dialog.getByLabel('站点地图的地址').fill(`${site.origin}/sitemap.xml`)
        await dialog.getByLabel('仅包含以这些路径开头的网页').fill('/docs/')
        await choose(dialog.getByRole('combobox', { name: '刷新' }), '自定义（cron）')
        await dialog.getByLabel('cron 表达式').fill('0 3 * * 1')
        await dialog.getByLabel('时区').waitFor()
        await expectAccessible(page, '站点地图的对话框')
        await picture(page, 'web-sitemap-dialog-zh')
        await dialog.getByRole('button', { name: /^添\s?加$/ }).click()
        await page.getByText('已获取 2/3 个网页').waitFor()
        await page.getByText('1 个失败').waitFor()
        await page.getByText('网站拒绝访问这个网页').waitFor()
        await expectAccessible(page, '站点地图')
        await picture(page, 'web-sitemap-zh')
        await page.getByText('最多 100 个 · /docs/').waitFor()
        const [map] = (await dataOf(api.get(`knowledge/${id}/pages?kind=sitemap`))).items
        await page.getByRole('button', { name: `${map.url} 的设置` }).click()
        const settings = page.getByRole('dialog', { name: '站点地图设置' })
        await settings.getByLabel('网页数量上限').fill('50')
        await settings.getByLabel('排除以这些路径开头的网页').fill('/docs/old/')
        assert.equal(await settings.getByLabel('cron 表达式').inputValue(), '0 3 * * 1')
        await expectAccessible(page, '站点地图设置')
        await picture(page, 'web-sitemap-settings-zh')
        await settings.getByRole('button', { name: /^保\s?存$/ }).click()
        await page.getByText('最多 50 个 · /docs/ · − /docs/old/').waitFor()
        await page.getByRole('link', { name: '已获取 2/3 个网页' }).click()
        await page.getByRole('button', { name: '仅一个站点地图' }).waitFor()
        const row = page.getByRole('row').filter({ hasText: 'Second steps' })
        await row.getByRole('button', { name: '删除 Second steps' }).click()
        await page.getByRole('button', { name: /^删\s?除$/ }).click()
        await row.getByText('已排除').waitFor()
        await picture(page, 'web-excluded-zh')
        await row.getByRole('button', { name: '重新添加 Second steps' }).click()
        await row.getByText('已获取').waitFor()
        await page.getByRole('button', { name: '仅一个站点地图' }).click()
        await page.getByText('已获取 2/3 个网页').waitFor()
      },
      { locale: 'zh-CN', colorScheme: 'dark' },
    )
  },
  { environment: { EGRESS_ALLOW: host } },
)
