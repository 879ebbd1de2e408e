import { Answer } from './answer.ts'

/** A page of the server's own, which loads nothing and runs no script. */
export const htmlAnswer = (html: string): Answer =>
  new Answer(
    200,
    {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
    html,
  )
