import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache/banyan-tests')
/** Packages that load native modules, WebAssembly or data from files beside their own. */
const packagesWithFiles = [
  '@hyzyla/pdfium',
  '@jitl/quickjs-wasmfile-release-sync',
  '@pydantic/monty',
  '@silvia-odwyer/photon-node',
  'unpdf',
  'usearch',
]
const dayMilliseconds = 86_400_000

/** Keeps the location of each module, so that it finds its worker threads, migrations and style sheets beside its source. */
const knowsItsPlace: Plugin = {
  name: 'knows-its-place',
  enforce: 'pre',
  transform: (code, id) =>
    code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
}

function sourcesHash(): string {
  const hash = createHash('sha256').update(root)
  const others = ['scripts/bundle-program.ts', 'package-lock.json']
  for (const file of [...globSync('src/**/*.ts', { cwd: root }).sort(), ...others])
    hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * Bundles the server and the command line for the processes that tests start, because a process spends most of its
 * start loading some hundred modules. Returns the folder with `main.mjs` and `cli.mjs`.
 */
export async function bundleProgram(): Promise<string> {
  const folder = join(cache, `program-${sourcesHash()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  for (const name of globSync('program-*', { cwd: cache }))
    if (Date.now() - statSync(join(cache, name)).mtimeMs > dayMilliseconds)
      rmSync(join(cache, name), { recursive: true })
  // Another run may bundle at the same time.
  const unfinished = mkdtempSync(join(cache, 'bundling-'))
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [knowsItsPlace],
    ssr: { noExternal: true, external: packagesWithFiles },
    build: {
      ssr: true,
      outDir: unfinished,
      target: 'es2024',
      minify: false,
      rolldownOptions: {
        input: { main: join(root, 'src/main.ts'), cli: join(root, 'src/cli/main.ts') },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return folder
}
