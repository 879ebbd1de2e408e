import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The package that scripts/browser.sh installs. */
const packed = new URL('../test/e2e/node_modules/@sparticuz/chromium/build/index.js', import.meta.url)

/** The path of a Chromium to test with: CHROME_PATH, an installed one, or a packed one. Undefined if there is none. */
export async function findBrowser(): Promise<string | undefined> {
  const path = process.env['CHROME_PATH'] || usualPlaces.find(existsSync)
  if (path || !existsSync(packed)) return path
  const { default: chromium } = await import(packed.href)
  return chromium.executablePath()
}
