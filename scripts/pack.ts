/**
 * Packs the program as an npm package with JavaScript and the console inside: `npm run pack -- FOLDER`. Node.js strips no
 * types inside node_modules, so the sources are compiled; in the repository they run as they are.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Files that are copied unchanged. The demo ingests the docs. */
const copied = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'docs/*.md',
  'examples/*.*',
  'migrations/**/*.sql',
  'src/**/*.css',
  'console/dist/**/*.*',
]

/** Paths of modules in imports and of worker threads. */
const modulePath = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g

function write(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

function compile(folder: string): void {
  for (const path of globSync('src/**/*.ts', { cwd: root })) {
    const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
    write(folder, path.replace(/\.ts$/, '.js'), code.replace(modulePath, '$1$2.js$1'))
  }
}

/** The manifest without the parts that only the repository needs. */
function manifest(): string {
  const {
    private: _,
    scripts: __,
    devDependencies: ___,
    overrides: ____,
    ...kept
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return JSON.stringify({ ...kept, bin: { banyan: 'bin/banyan.js' } }, null, 2)
}

const target = resolve(process.argv[2] ?? join(root, 'package'))
const folder = mkdtempSync(join(tmpdir(), 'banyan-package-'))
try {
  execFileSync(process.execPath, [join(root, 'scripts/build-console.ts')], { stdio: 'inherit' })
  compile(folder)
  write(folder, 'package.json', manifest())
  write(folder, 'bin/banyan.js', readFileSync(join(root, 'scripts/package-command.js'), 'utf8'))
  for (const path of globSync(copied, { cwd: root }))
    cpSync(join(root, path), join(folder, path), { recursive: true })
  mkdirSync(target, { recursive: true })
  const args = ['pack', '--json', '--pack-destination', target]
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  console.log(join(target, packed.filename))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
