import { serverOperations } from '../contract/server-operations.ts'
import { banyanDrawing } from './pages/banyan-drawing.ts'
import { banyanMark } from './pages/banyan-mark.ts'
import { firstSteps, type Step } from './pages/first-steps.ts'
import { homeStyle } from './pages/home-style.ts'
import { html, prose } from './pages/html.ts'
import { pageFrame } from './pages/page-frame.ts'

const english =
  'Banyan keeps the workflows that AI agents follow and the files they work with: it checks every graph, stores it as you wrote it, and remembers every version. It starts as one process that needs no other service, and takes PostgreSQL when it grows.'
const chinese =
  'Banyan（榕）保管智能体的工作流与文件：检查每一张流程图，一字不改地保存，并留住每一个版本。它从一个进程起步，不依赖任何其他服务；长大时，接上 PostgreSQL 即可。'

const links = [
  {
    path: serverOperations.docs.path,
    title: 'Reference',
    words: 'Every operation with its fields, errors and an example',
  },
  {
    path: serverOperations.openapi.path,
    title: 'OpenAPI 3.1',
    words: 'The same for programs: clients, tests, tools',
  },
  {
    path: serverOperations.healthz.path,
    title: 'Health',
    words: 'Whether the process lives; /readyz says whether it can serve',
  },
]

const step = ({ title, chinese, words, command }: Step) =>
  html`<li><div><h3>${title}<span lang="zh-Hans">${chinese}</span></h3><p>${prose(words)}</p></div><pre tabindex="0" aria-label="Command: ${title}"><code>${command}</code></pre></li>`

const body = html`<a class="skip" href="#main">Skip to the content</a>
<header class="page"><span class="brand">${banyanMark}Banyan</span>
<nav aria-label="Pages">${links.map(({ path, title }) => html`<a href="${path}">${title}</a>`)}</nav></header>
<main id="main" class="page">
<section class="hero" aria-labelledby="title">
<p class="state" role="status"><span>The server is running · <span lang="zh-Hans">服务运行中</span></span></p>
<h1 id="title">Plant one. Let it grow.</h1>
<div class="about"><p>${english}</p><p lang="zh-Hans">${chinese}</p></div>
${banyanDrawing}
</section>
<section class="steps" aria-labelledby="steps">
<h2 id="steps">First steps<span lang="zh-Hans">快速上手</span></h2>
<ol>${firstSteps.map(step)}</ol>
</section>
<section class="links" aria-labelledby="further">
<h2 id="further">Further<span lang="zh-Hans">更多</span></h2>
<ul>${links.map(({ path, title, words }) => html`<li><a href="${path}"><b>${title}</b><small>${words}</small></a></li>`)}</ul>
</section>
</main>
<footer><div class="page"><p>This page comes from your own server. It loads nothing from anywhere else and runs no script.</p></div></footer>`

/** The first page: what this is, that it runs, and what to do next. It is the same for everybody. */
const page = pageFrame({ title: 'Banyan', description: english, style: homeStyle, body })

export const homePage = (): string => page
