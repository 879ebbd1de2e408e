/** Preloaded into a server: SIGUSR2 sets its clock forward by an hour. */
const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
process.on('SIGUSR2', () => {
  ahead += 3_600_000
})
