#!/usr/bin/env node
/**
 * The command of the package, `npx banyan` (bin/banyan.js in it): without arguments it starts the server, with
 * arguments it runs a command. It runs on older versions of Node.js, too: there it continues with the Node.js that is
 * installed beside it.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const requiredMajor = 24

/** The Node.js that comes as a package of this platform, if there is one. */
function packagedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const { resolve } = createRequire(import.meta.url)
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`])
    try {
      const program = process.platform === 'win32' ? 'node.exe' : 'node'
      return join(dirname(resolve(`${name}/package.json`)), 'bin', program)
    } catch {
      // npm installs none of another platform.
    }
  return undefined
}

function continueWith(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)))
}

const args = process.argv.slice(2)
if (Number.parseInt(process.versions.node, 10) >= requiredMajor)
  await (args.length === 0 ? import('../src/main.js') : import('../src/cli/main.js'))
else {
  const node = packagedNode()
  if (node === undefined) {
    console.error(
      `Banyan needs Node.js ${requiredMajor} or newer, and this is ${process.versions.node}. Install it from https://nodejs.org.`,
    )
    process.exitCode = 1
  } else continueWith(node)
}
