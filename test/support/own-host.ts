/** Preloaded into a server: it believes to run on a machine of its own, whose clock is wrong by TEST_CLOCK_AHEAD ms. */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const { TEST_HOST = 'host', TEST_CLOCK_AHEAD = '0' } = process.env
os.hostname = () => TEST_HOST
syncBuiltinESMExports()

const { now } = Date
Date.now = () => now() + Number(TEST_CLOCK_AHEAD)
