/** Preloaded into the server: reports at exit how often it waited for an fsync of the database. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { fdatasync } = fs
let syncs = 0
const counted: typeof fs.fdatasync = Object.assign(
  (...parameters: Parameters<typeof fdatasync>) => {
    syncs++
    return fdatasync(...parameters)
  },
  { __promisify__: fdatasync.__promisify__ },
)
fs.fdatasync = counted
syncBuiltinESMExports()
process.on('exit', () => fs.writeFileSync(process.env['SYNC_COUNT_FILE']!, String(syncs)))
