import { banyanIcon } from './banyan-mark.ts'
import { baseStyle } from './base-style.ts'
import { Html, html } from './html.ts'

/** One file, complete in itself: the pages' Content-Security-Policy lets nothing else be loaded. */
export const pageFrame = (page: { title: string; description: string; style: string; body: Html }): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${page.title}</title>
<link rel="icon" href="${banyanIcon}">
<style>${new Html(baseStyle + page.style)}</style>
</head>
<body>
${page.body}
</body>
</html>
`.text
