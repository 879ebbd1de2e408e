import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/** Disables background activity of the browser, which has to work without a network. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A headless Chromium; undefined if none is available. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = await findBrowser()
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: quiet })
}
