import { isAllowed } from '../../access/permissions.ts'
import { roles } from '../../contract/access-operations.ts'
import { errorCodes, type Reason, statusOf } from '../../contract/error-codes.ts'
import { limits } from '../../contract/limits.ts'
import type { Access } from '../../contract/operation.ts'
import { type Html, html, prose } from './html.ts'

const code = (text: string): Html => html`<pre tabindex="0" aria-label="Example"><code>${text}</code></pre>`

const accesses: readonly [Access, string][] = [
  ['run', 'chat with agents'],
  ['read', 'read and search'],
  ['write', 'change'],
  ['admin', 'manage tokens and models'],
]

const roleTable = html`<table class="grid"><thead><tr><th scope="col">Role</th>${accesses.map(
  ([access, description]) => html`<th scope="col">${access}<small>${description}</small></th>`,
)}</tr></thead><tbody>${roles.map(
  role =>
    html`<tr><th scope="row">${role}</th>${accesses.map(([access]) =>
      isAllowed({ role, operator: false }, access) ? html`<td>yes</td>` : html`<td class="no">no</td>`,
    )}</tr>`,
)}</tbody></table>`

const sizeText = (bytes: number): string =>
  bytes < 1 << 20 ? `${bytes / 1024} KiB` : `${bytes / (1 << 20)} MiB`

/** Rules that apply to every operation. */
export const basics: readonly { id: string; title: string; body: Html }[] = [
  {
    id: 'start',
    title: 'Getting started',
    body: html`<p>The examples use two shell variables: the address of the server and your token. The first start prints the token and writes it to the data directory.</p>${code('BANYAN=http://127.0.0.1:8080\nTOKEN=$(cat data/bootstrap-token)')}<p>Bodies are JSON in UTF-8; a missing body counts as <code>{}</code>. Unknown fields are ignored, and <code>null</code> in an optional field counts as absent. A value out of range is rejected with the name of its field, never adjusted. A body may have up to ${sizeText(limits.jsonBytes)}, one with a graph up to ${sizeText(limits.graphBytes)}.</p>`,
  },
  {
    id: 'tokens',
    title: 'Tokens and roles',
    body: html`<p>Send the token as <code>Authorization: Bearer $TOKEN</code>. A token belongs to one workspace; objects of other workspaces do not exist for it. Its role determines its permissions.</p>${roleTable}<p>The operator token, which the first start creates, is an admin token of the workspace <code>default</code> that can also manage workspaces.</p>`,
  },
  {
    id: 'envelope',
    title: 'Envelope',
    body: html`<p>Responses have an envelope, except for pages, files and metrics. An error has an HTTP status, a <code>code</code> from <a href="#errors">the table below</a>, and a list of <code>errors</code>. The <code>path</code> of each is a JSON pointer into the request, or <code>header/Name</code>.</p>${code(
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
    body: html`<p>An id has 1 to 64 letters, digits, <code>_</code> or <code>-</code>. Generated ids have a prefix (<code>wf_</code>, <code>file_</code>, <code>tok_</code>, <code>ws_</code>) and 128 random bits, so they cannot be guessed. You can choose the id of a workflow.</p>`,
  },
  {
    id: 'paging',
    title: 'Paging',
    body: html`<p><code>page</code> starts at 1, <code>page_size</code> is 1 to 100, default 20. The response contains <code>total</code>, <code>page</code>, <code>page_size</code> and <code>items</code>. A page after the last one is empty.</p><p>Items are counted up to ${limits.countedItems}: in a longer list <code>total_capped</code> is true, and page numbers reach as far as the count. To read a list of any length, send the <code>next_cursor</code> of each response as <code>cursor</code> of the next request, in place of <code>page</code>; it is null on the last page. Items that are added in the meantime do not shift the pages.</p>`,
  },
  {
    id: 'idempotency',
    title: 'Retries',
    body: html`<p>An operation that creates an object accepts an <code>Idempotency-Key</code> of up to ${limits.idempotencyKeyLength} visible ASCII characters. A retry of the same request with the same key within ${limits.idempotencyHours} hours returns the first response with <code>Idempotency-Replayed: true</code> and does nothing else. Keys are scoped to the token. Errors are not stored. The same key with a different request is rejected with <a href="#error.version_conflict">40901</a>.</p>`,
  },
  {
    id: 'versions',
    title: 'Versions',
    body: html`<p>Each change of a workflow creates a new version. A version number is never used twice for an id, also not after the workflow was deleted and created again. The ETag is the version with a suffix that differs between workspaces, such as <code>"3-mC0zq1Fh5sKx2b7W"</code>. An update with this ETag, or the version <code>"3"</code>, in <code>If-Match</code> is stored only if the workflow has not changed; otherwise the error is <a href="#error.version_conflict">40901</a> with the current <code>version</code> in <code>data</code>. <code>If-None-Match: *</code> stores only if the id does not exist. A read with the ETag in <code>If-None-Match</code> returns 304 if nothing has changed. The ETag of a file is its checksum.</p>`,
  },
  {
    id: 'limits',
    title: 'Limits',
    body: html`<p>If the calls of a token or a workspace are limited, every response has <code>RateLimit-Limit</code> (calls per minute), <code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code> (seconds until all of them are available again). Beyond the limit the error is <a href="#error.rate_limited">42901</a>; wait for the seconds in <code>Retry-After</code>. If a quota is used up, the error is <a href="#error.quota_exceeded">42902</a>; <code>GET /api/v1/usage</code> shows all quotas.</p>`,
  },
  {
    id: 'traces',
    title: 'Trace ids',
    body: html`<p>Every response has an <code>X-TraceId</code>, which also appears in the server log. You can send your own (1 to ${limits.traceIdLength} visible ASCII characters); otherwise the trace id of <code>traceparent</code> or a new one is used. Quote it when you report a problem.</p><p>Unknown fields of a request are ignored, so that newer clients work. <code>X-Ignored-Fields</code> in the response names them, such as <code>/schedule/time_zone</code>, so that you can find mistyped fields.</p>`,
  },
]

export const basicsSection = html`<section class="basics" aria-labelledby="basics"><h2 id="basics">Basics</h2><div class="cards">${basics.map(
  ({ id, title, body }) =>
    html`<section id="${id}" aria-labelledby="${id}.title"><h3 id="${id}.title">${title}</h3>${body}</section>`,
)}</div></section>`

/** Every error code, from the table that the server uses. */
export const errorsSection = html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2><p class="lead">A code is the HTTP status and two digits. It never changes its meaning. Programs should check <code>code</code> or <code>reason</code>; <code>message</code> is for people.</p><table class="codes"><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
  errorCodes,
).map(
  ([reason, { code, meaning }]) =>
    html`<tr id="error.${reason}"><th scope="row">${code}</th><td>${statusOf(reason as Reason)}</td><td><code>${reason}</code></td><td>${prose(meaning)}</td></tr>`,
)}</tbody></table></section>`
