/** Does what it is asked to, for the tests of processes that run code. */
process.on('disconnect', () => process.exit())
process.on('message', ({ please }: { please: string }) => {
  if (please === 'crash') process.kill(process.pid, 'SIGSEGV')
  for (; please === 'hang'; );
  process.send?.({ please, environment: Object.keys(process.env).filter(name => !name.startsWith('NODE_')) })
})
process.send?.('ready')
