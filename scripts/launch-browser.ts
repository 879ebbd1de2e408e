import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/** Nothing of what a browser does by itself in the background: it has to work where there is no network. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A Chromium without a window; undefined where there is none. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const found = await findBrowser()
  return found && chromium.launch({ executablePath: found.path, args: [...found.args, ...quiet] })
}
