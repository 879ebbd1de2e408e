import { serverOperations } from '../contract/server-operations.ts'
import { banyanMark } from './pages/banyan-mark.ts'
import { html } from './pages/html.ts'
import { pageFrame } from './pages/page-frame.ts'

const description = 'The server is running, but its console was not built.'

const body = html`<main id="main" class="page">
<h1>${banyanMark} Banyan</h1>
<p role="status">The server is running and its interface answers, but the console was not built. Run <code>npm run build</code> in the folder of the server, start it again, and reload this page.</p>
<p lang="zh-Hans">服务运行中，接口可用，但控制台尚未构建。请在服务器目录运行 <code>npm run build</code>，重启后刷新本页。</p>
<nav aria-label="Pages"><a href="${serverOperations.docs.path}">Reference</a> · <a href="${serverOperations.openapi.path}">OpenAPI 3.1</a></nav>
</main>`

/** What stands at the console's address where there is no console, as after an installation without scripts. */
export const unbuiltPage = (): string =>
  pageFrame({
    title: 'Banyan',
    description,
    style: '.mark{width:1.6em}.page{max-width:40rem;margin:4rem auto}',
    body,
  })
