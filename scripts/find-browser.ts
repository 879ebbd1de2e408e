import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * The path of a Chromium to test with: CHROME_PATH, an installed one, or, on Linux x64, the one in the package
 * @sparticuz/chromium. Undefined if there is none.
 */
export async function findBrowser(): Promise<string | undefined> {
  const path = process.env['CHROME_PATH'] || usualPlaces.find(existsSync)
  if (path || process.platform !== 'linux' || process.arch !== 'x64') return path
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}
