import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `npm run dev:console` shows the console as it is edited, against a server on its usual port. */
const server = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  // The server answers at the root; relative addresses also hold behind a proxy that adds a path.
  base: './',
  build: {
    ...{ outDir: 'dist', emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 1000 },
    rolldownOptions: {
      input: { index: 'index.html', chat: 'chat.html', embed: 'src/embed/main.ts' },
      // Websites include the script by this name.
      output: {
        entryFileNames: ({ name }) => (name === 'embed' ? 'embed.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/docs', '/openapi.json', '/healthz', '/readyz'].map(path => [path, server]),
    ),
  },
})
