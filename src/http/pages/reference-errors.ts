import { errorCodes, type Reason, statusOf } from '../../contract/error-codes.ts'
import { html, prose } from './html.ts'

/** Every code with its meaning, from the table that the server answers with. */
export const errorsSection = html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2><p class="lead">A code is the HTTP status and two digits. It never changes its meaning. Look at <code>code</code> or <code>reason</code> in a program; <code>message</code> is for people.</p><table class="codes"><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
  errorCodes,
).map(
  ([reason, { code, meaning }]) =>
    html`<tr id="error.${reason}"><th scope="row">${code}</th><td>${statusOf(reason as Reason)}</td><td><code>${reason}</code></td><td>${prose(meaning)}</td></tr>`,
)}</tbody></table></section>`
