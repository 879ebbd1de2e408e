import { html } from './html.ts'

/** One crown on many trunks: what starts as one grows into many. It takes the colours of its surroundings. */
export const banyanMark = html`<svg class="mark" viewBox="0 0 64 64" aria-hidden="true"><path class="leaf" d="M12 33a9 9 0 0 1-2-17 10 10 0 0 1 14-8 12 12 0 0 1 18 1 10 10 0 0 1 13 8 8.5 8.5 0 0 1-3 16z"/><path class="bark" d="M32 58V30M32 44c0-7-3-9-8-12M32 44c0-7 3-9 8-12M19 58V32M45 58V32" stroke-width="4"/><path class="bark" d="M12.5 49V32M25.5 52V34M38.5 50V34M51.5 47V32" stroke-width="1.8"/><path class="bark" d="M8 58h48" stroke-width="2.5"/></svg>`

/** The same as an icon for the browser's tab, where no style sheet reaches. */
export const banyanIcon = `data:image/svg+xml,${encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 64 64'><path fill='#3c8562' d='M12 35a9 9 0 0 1-2-17 10 10 0 0 1 14-8 12 12 0 0 1 18 1 10 10 0 0 1 13 8 8.5 8.5 0 0 1-3 16z'/><path stroke='#8a6a4a' stroke-linecap='round' stroke-width='5' d='M32 58V30M19 58V34M45 58V34'/></svg>",
)}`
