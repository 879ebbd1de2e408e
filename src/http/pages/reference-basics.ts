import { isAllowed } from '../../access/permissions.ts'
import { roles } from '../../contract/access-operations.ts'
import { limits } from '../../contract/limits.ts'
import type { Access } from '../../contract/operation.ts'
import { type Html, html } from './html.ts'

interface Basic {
  id: string
  title: string
  body: Html
}

const code = (text: string): Html => html`<pre tabindex="0" aria-label="Example"><code>${text}</code></pre>`

const accesses: readonly [Access, string][] = [
  ['run', 'talk to agents'],
  ['read', 'read and search'],
  ['write', 'change'],
  ['admin', 'manage tokens'],
]

const roleTable = html`<table class="grid"><thead><tr><th scope="col">Role</th>${accesses.map(
  ([access, words]) => html`<th scope="col">${access}<small>${words}</small></th>`,
)}</tr></thead><tbody>${roles.map(
  role =>
    html`<tr><th scope="row">${role}</th>${accesses.map(([access]) =>
      isAllowed({ role, operator: false }, access) ? html`<td>yes</td>` : html`<td class="no">no</td>`,
    )}</tr>`,
)}</tbody></table>`

const sizeText = (bytes: number): string =>
  bytes < 1 << 20 ? `${bytes / 1024} KiB` : `${bytes / (1 << 20)} MiB`

/** What holds for every operation, told once. */
export const basics: readonly Basic[] = [
  {
    id: 'start',
    title: 'Begin',
    body: html`<p>The examples are commands for a shell that knows two names: the address of the server, and your token. The first start printed the token and wrote it to the data folder.</p>${code('BANYAN=http://127.0.0.1:8080\nTOKEN=$(cat data/bootstrap-token)')}<p>Bodies are JSON in UTF-8; a missing body counts as <code>{}</code>. A field that an operation does not know is ignored. A value out of range is refused and its field named; it is never bent to fit. A body may have ${sizeText(limits.jsonBytes)}, one with a graph ${sizeText(limits.graphBytes)}.</p>`,
  },
  {
    id: 'tokens',
    title: 'Tokens and roles',
    body: html`<p>Send the token as <code>Authorization: Bearer $TOKEN</code>. It belongs to one workspace and sees nothing outside of it: what lies elsewhere answers as if it did not exist. Its role decides what it may do.</p>${roleTable}<p>The token of the first start belongs to the operator: an admin of the workspace <code>default</code> who also manages workspaces.</p>`,
  },
  {
    id: 'envelope',
    title: 'Envelope',
    body: html`<p>Answers stand in an envelope, except for pages, files and measurements. A call that fails has a real HTTP status, a <code>code</code> from <a href="#errors">the table below</a>, and <code>errors</code>: each a place and what is wrong there. The place is a JSON pointer into what you sent, or <code>header/Name</code>.</p>${code(
      '{ "code": 0, "message": "success", "data": { … } }\n\n{ "code": 40001, "message": "/page must be >= 1",\n  "data": { "reason": "invalid_request", "errors": [\n    { "path": "/page", "message": "must be >= 1" }] } }',
    )}`,
  },
  {
    id: 'times',
    title: 'Times',
    body: html`<p>ISO 8601 in UTC with milliseconds and a numeric offset: <code>2026-11-15T08:30:00.123+00:00</code>.</p>`,
  },
  {
    id: 'ids',
    title: 'Ids',
    body: html`<p>An id has 1 to 64 letters, digits, <code>_</code> or <code>-</code>. Those made here carry a prefix (<code>wf_</code>, <code>file_</code>, <code>tok_</code>, <code>ws_</code>) and 128 random bits, so nobody guesses them. A workflow may have an id of your own.</p>`,
  },
  {
    id: 'paging',
    title: 'Paging',
    body: html`<p><code>page</code> counts from 1, <code>page_size</code> goes from 1 to 100 and is 20 by default. The answer holds <code>total</code>, <code>page</code>, <code>page_size</code> and <code>items</code>. A page after the last one is empty.</p>`,
  },
  {
    id: 'idempotency',
    title: 'Sending again',
    body: html`<p>An operation that creates takes an <code>Idempotency-Key</code> of up to ${limits.idempotencyKeyLength} visible ASCII characters. Send the same request with the same key again within ${limits.idempotencyHours} hours and you get the first answer, marked <code>Idempotency-Replayed: true</code>, and nothing happens twice. Keys belong to your token. A failure is not kept. The same key with another request is refused with <a href="#error.version_conflict">40901</a>.</p>`,
  },
  {
    id: 'versions',
    title: 'Versions',
    body: html`<p>Each change of a workflow is a new version, and the ETag is its number, such as <code>"3"</code>. <code>If-Match: "3"</code> on an update stores only if nobody saved meanwhile; else you get <a href="#error.version_conflict">40901</a> with the current <code>version</code> in <code>data</code>. <code>If-None-Match: *</code> stores only if the id is new. On a read, <code>If-None-Match: "3"</code> answers 304 while nothing changed. The ETag of a file is its checksum.</p>`,
  },
  {
    id: 'traces',
    title: 'Trace ids',
    body: html`<p>Every answer has an <code>X-TraceId</code>, and so has every line of the log about it. Send your own (1 to ${limits.traceIdLength} visible ASCII characters) and it is used; else the trace id of a <code>traceparent</code> is, else a fresh one. Quote it when you ask for help.</p>`,
  },
]

export const basicsSection = html`<section class="basics" aria-labelledby="basics"><h2 id="basics">Basics</h2><div class="cards">${basics.map(
  ({ id, title, body }) =>
    html`<section id="${id}" aria-labelledby="${id}.title"><h3 id="${id}.title">${title}</h3>${body}</section>`,
)}</div></section>`
