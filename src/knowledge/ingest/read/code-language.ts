/** Languages by the extensions of their files. */
const extensions: Record<string, string> = {
  javascript: 'js mjs cjs jsx',
  typescript: 'ts mts cts tsx',
  python: 'py pyi pyw',
  java: 'java',
  kotlin: 'kt kts',
  scala: 'scala sc',
  groovy: 'groovy gradle',
  c: 'c h',
  cpp: 'cc cpp cxx hh hpp hxx ino',
  csharp: 'cs csx',
  fsharp: 'fs fsx',
  go: 'go',
  rust: 'rs',
  swift: 'swift',
  'objective-c': 'm mm',
  ruby: 'rb rake gemspec',
  php: 'php phtml',
  perl: 'pl pm',
  lua: 'lua',
  r: 'r',
  julia: 'jl',
  dart: 'dart',
  elixir: 'ex exs',
  erlang: 'erl hrl',
  haskell: 'hs',
  clojure: 'clj cljs edn',
  lisp: 'lisp el scm',
  ocaml: 'ml mli',
  zig: 'zig',
  nim: 'nim',
  pascal: 'pas',
  fortran: 'f f90 f95',
  matlab: 'mat',
  vb: 'vb vbs bas',
  sql: 'sql ddl',
  graphql: 'graphql gql',
  proto: 'proto',
  thrift: 'thrift',
  shell: 'sh bash zsh fish ksh',
  powershell: 'ps1 psm1',
  batch: 'bat cmd',
  css: 'css scss sass less',
  vue: 'vue',
  svelte: 'svelte',
  solidity: 'sol',
  terraform: 'tf tfvars hcl',
  nix: 'nix',
  yaml: 'yaml yml',
  toml: 'toml',
  ini: 'ini cfg conf properties env editorconfig',
  xml: 'xml xsd xsl xslt rss atom plist wsdl pom',
  diff: 'diff patch',
  makefile: 'mk mak make',
  cmake: 'cmake',
  verilog: 'v sv vhd vhdl',
  assembly: 'asm s',
}

const names: Record<string, string> = {
  makefile: 'makefile',
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  jenkinsfile: 'groovy',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  procfile: 'yaml',
  'cmakelists.txt': 'cmake',
  '.gitignore': 'ini',
  '.dockerignore': 'ini',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
}

const byExtension = new Map(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(' ').map(each => [each, language] as const),
  ),
)

export const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** The language of a source file by its name, or `undefined` if it is no name of source code. */
export const codeLanguage = (name: string): string | undefined => {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase()
  return (Object.hasOwn(names, base) ? names[base] : undefined) ?? byExtension.get(extensionOf(base))
}
