/**
 * Blocks and lines of the pages that cannot run in a test, with the reason. The test fails if an entry matches nothing. `lines`: lines of shell
 * blocks; the other lines of the block run. `blocks`: whole blocks, identified by a text that they contain.
 */
const BUILDS = 'builds the program or its packages: CI runs it'
const MACHINE = 'changes the machine (packages, services, accounts)'
const UNPUBLISHED = 'needs packages that `make release` builds: packages.test.mjs installs them'

export const lines = [
  [/^make (run|test|release)\b|^scripts\/(setup|build-web)\b|^cargo install |^cd ~\/cloch\b/, BUILDS],
  [/^(sudo )?(apt|apt-get) |^(sudo )?systemctl |^sudo -u cloch |^sudo rsync |^journalctl |^chown |^sudo chown /, MACHINE],
  [/^npm install --save-dev \.\/cloch|^npx cloch /, UNPUBLISHED],
  [/^docker /, 'needs a Docker daemon'],
  [/^cloch start --demo\b/, 'listens on the default port: tests/browser/examples/demo.spec.ts runs it'],
  [/^export CLOCH_IMPORT_|^cloch import |NEW_DB_URL|^CLOCH_DB_URL=/, 'needs a Supabase project: moving.test.mjs runs an import and an export'],
]

export const blocks = [
  { page: 'examples/notes/README.md', contains: 'npm install && npm start', why: 'does not end by itself: tests/browser/examples/notes.spec.ts runs it' },
  { page: 'examples/chat/README.md', contains: 'node chat.mjs', why: 'does not end by itself: examples_chat.test.mjs runs it' },
  { page: 'examples/next-ssr/README.md', contains: 'npm run dev', why: 'does not end by itself: tests/browser/examples/next_ssr.spec.ts runs it' },
  { page: 'examples/python-worker/README.md', contains: 'python3 worker.py', why: 'does not end by itself: examples_python_worker.test.mjs runs it' },
  { page: 'examples/rag/README.md', contains: 'node rag.mjs', why: 'needs an AI server: examples_rag.test.mjs runs it with its own' },
  { page: 'docs/auth/providers.md', contains: 'provider=google', why: 'needs a connection to Google: oauth.test.mjs uses a provider of its own' },
  { page: 'docs/operations/upgrade.md', contains: 'cloch upgrade --check', why: 'needs two versions of PostgreSQL: upgrade.test.mjs runs it' },
  { page: 'docs/operations/back-up.md', contains: 'export CLOCH_DB_URL', why: 'needs a database of a provider: backup_provider.test.mjs runs it' },
  { page: 'docs/operations/move.md', contains: 'CLOCH_DB_URL', why: 'needs a PostgreSQL of the reader: db_commands.test.mjs runs it' },
  { page: 'docs/operations/restore.md', contains: '--inspect', why: 'names a moment of the past: restore.test.mjs runs it' },
  { page: 'docs/operations/restore-one-row.md', contains: 'portrait.jpg', why: 'names a row and a file of the club: backup.test.mjs runs it' },
  { page: 'docs/installing.md', contains: 'chgrp -R cloch', why: 'needs the account of the Debian package: debian.test.mjs runs it' },
  { page: 'docs/clients.md', contains: 'create table public.notes', why: 'the tutorial’s project has a table of this name: frameworks.test.mjs and go_program.test.mjs run the programs on their own' },
  { page: 'docs/monitoring.md', contains: 'scrape_configs', why: 'configures Prometheus, which is not installed' },
]

/** Languages of blocks that contain no code for Cloch: output, and configurations of other programs. */
export const foreign = {
  text: 'output, or commands in which names stand for others',
  nginx: 'configures nginx, which tests do not install',
  haproxy: 'configures HAProxy: tests/cluster runs it',
  python: 'client/python.test.mjs runs it',
  rust: 'gateway/tests/rust_client runs it',
  ...Object.fromEntries(['dart', 'swift', 'kotlin', 'csharp', 'go'].map((language) => [language, 'its requests are replayed by client/languages.test.mjs'])),
}
