import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * A Chromium to test with: CHROME_PATH, an installed one, or, on Linux x64, the one in the package @sparticuz/chromium.
 * Undefined if there is none.
 */
export async function findBrowser(): Promise<{ path: string; args: string[] } | undefined> {
  const named = process.env['CHROME_PATH']
  if (named) return { path: named, args: [] }
  const path = usualPlaces.find(existsSync)
  if (path) return { path, args: [] }
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { default: packed } = await import('@sparticuz/chromium')
  return { path: await packed.executablePath(), args: packed.args }
}
